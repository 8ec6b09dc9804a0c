"""The page's own files, read once at the start and packed for the way.

What a browser keeps is asked for again each time and answered with "not changed", so that a new
version of the program is seen at once.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
PACKED = (".html", ".css", ".js", ".svg", ".webmanifest")


class File(NamedTuple):
    """One file, ready to be sent."""

    kind: str
    body: bytes
    packed: bytes | None
    tag: str

    def answer(self, request: Request) -> Response:
        """The response to a GET of this file."""
        headers = {"etag": self.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        if self.packed and "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            return Response(self.packed, 200, headers, self.kind)
        return Response(self.body, 200, headers, self.kind)


def made(body: bytes, suffix: str) -> File:
    """`body` as a file of that kind."""
    packed = gzip.compress(body, 9, mtime=0) if suffix in PACKED else None
    return File(TYPES[suffix], body, packed, f'"{hashlib.sha256(body).hexdigest()[:16]}"')


@cache
def all_files() -> dict[str, File]:
    """The files of the page by their names."""
    found = sorted(FOLDER.iterdir())
    return {path.name: made(path.read_bytes(), path.suffix) for path in found if path.is_file()}
