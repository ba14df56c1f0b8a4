"""A headless Chromium for tests, spoken to by its debugging protocol through a pipe: nothing but the browser is needed.

``KMUTATE_BROWSER`` names one; otherwise the usual names are looked for. Debian has it as ``chromium-headless-shell``.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

ENVIRONMENT = "KMUTATE_BROWSER"
NAMES = ("chromium-headless-shell", "chrome-headless-shell", "headless_shell", "chromium", "chromium-browser",
         "google-chrome", "google-chrome-stable", "chrome")
# No answer within this many seconds is a failure.
_PATIENCE = 30.0


def find_browser() -> str | None:
    named = os.environ.get(ENVIRONMENT)
    return named if named else next((p for p in map(shutil.which, NAMES) if p), None)


class Browser:
    """One browser process and one page in it."""

    def __init__(self, path: str, profile: Path) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to descriptor 4.
        command = (f'exec 3<&{to_browser} 4>&{from_browser}; exec "$0" --headless --remote-debugging-pipe --no-sandbox '
                   '--disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run --disable-extensions '
                   '--disable-component-update --disable-background-networking --disable-sync '
                   '--user-data-dir="$1" about:blank')
        self._process = subprocess.Popen(
            ["bash", "-c", command, path, str(profile)], pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(profile)})
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._buffer = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)
        os.close(self._write)
        os.close(self._read)

    def _message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            more = os.read(self._read, 1 << 16) if ready else b""
            if not more:
                raise TimeoutError("the browser does not answer")
            self._buffer += more
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        return message

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends one command and waits for its answer; what the browser tells meanwhile goes to ``events``."""
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            command["sessionId"] = self._session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data):]
        until = time.monotonic() + _PATIENCE
        while True:
            message = self._message(until)
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)

    def show(self, page: Path, width: int = 1200, scheme: str = "light", media: str = "screen") -> None:
        """Loads a file with a window of this width and a preference for ``light`` or ``dark``."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=page.as_uri())
        until = time.monotonic() + _PATIENCE
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._message(until))

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page (a policy of the page does not bind the debugger)."""
        out = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in out:
            raise RuntimeError(json.dumps(out["exceptionDetails"])[:2000])
        return out["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """The whole page as PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    def requests(self) -> list[str]:
        """What the page asked for beside itself."""
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"
                and e["params"].get("type") != "Document"]

    def complaints(self) -> list[str]:
        """Messages of the console, errors and violations of the page's policy."""
        return [json.dumps(e["params"])[:500] for e in self.events
                if e.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")]
