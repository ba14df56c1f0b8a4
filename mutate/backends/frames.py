"""Messages between the parent and the process that measures: a JSON object and raw bytes, their lengths before them."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import IO, Any

_LENGTHS = struct.Struct("<IQ")
Message = Mapping[str, Any]


def write_frame(stream: IO[bytes], message: Message, data: bytes = b"") -> None:
    """Raises ``OSError`` when nobody reads any more."""
    head = json.dumps(message).encode()
    stream.write(_LENGTHS.pack(len(head), len(data)) + head)
    if data:
        stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """The next message; ``None`` at the end of the stream, also in the middle of a message."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_size, data_size = _LENGTHS.unpack(lengths)
    head = stream.read(head_size)
    data = stream.read(data_size) if data_size else b""
    if len(head) < head_size or len(data) < data_size:
        return None
    message: dict[str, Any] = json.loads(head)
    return message, data
