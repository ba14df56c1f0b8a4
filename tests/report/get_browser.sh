#!/usr/bin/env bash
# Prints the path of a Chromium for tests/report, which it installs where there is none: by apt-get for root (with the
# libraries and a font), else by npm below the folder $1. Prints nothing, and says why, where neither can be had.
set -euo pipefail

folder=${1:?usage: get_browser.sh FOLDER}

for name in chromium-headless-shell chrome-headless-shell chromium google-chrome; do
    if command -v "$name"; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    if { apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell fonts-dejavu-core; } \
        > /dev/null 2>&1; then
        command -v chromium-headless-shell
        exit 0
    fi
    echo "get_browser: apt-get has no chromium-headless-shell" >&2
fi
if command -v npm > /dev/null && command -v node > /dev/null; then
    mkdir -p "$folder/unpacked"
    if npm install --prefix "$folder" --no-audit --no-fund --silent @sparticuz/chromium > /dev/null 2>&1 &&
        (cd "$folder" && TMPDIR=$folder/unpacked node -e \
            "import('@sparticuz/chromium').then(async c => console.log(await c.default.executablePath()))"); then
        exit 0
    fi
    echo "get_browser: npm has no @sparticuz/chromium" >&2
fi
echo "get_browser: no browser; its tests are skipped" >&2
