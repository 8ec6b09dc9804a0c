"""Why a request was refused: a status for the program, a code for the page, words for people."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from cannon.web.wording import texts_in

CLOSE = {"connection": "close"}  # the rest of what is being sent is not read


class Refused(Exception):
    """Ends the handling of a request. `code` is a key of the texts `page.refused`; `problem`, if
    there is one, tells whoever looks for a fault of the page what was wrong, in English."""

    def __init__(
        self,
        status: int,
        code: str,
        headers: dict[str, str] | None = None,
        problem: str = "",
        **values: object,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.headers = headers
        self.problem = problem
        self.values = values

    def answer(self, language: str) -> Response:
        words = texts_in(language)(f"page.refused.{self.code}", **self.values)
        told = {"refused": self.code, "words": words}
        if self.problem:
            told["problem"] = self.problem
        return as_json(told, self.status, self.headers)


def as_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """`value` as a response that nobody keeps."""
    return encoded(status, msgspec.json.encode(value), headers)


def encoded(status: int, body: bytes, headers: dict[str, str] | None = None) -> Response:
    """JSON that was encoded before."""
    head = {"cache-control": "no-store", **(headers or {})}
    return Response(body, status, head, "application/json")
