"""The parts of the README that the program makes: `python -m tests.readme` rewrites them."""

from __future__ import annotations

from pathlib import Path

from cannon.core import states
from tests.kernel import matrix, safety_table

README = Path(__file__).parent.parent / "README.md"


def parts() -> dict[str, str]:
    """What stands between <!-- NAME --> and <!-- /NAME -->, by name."""
    return {
        "states": f"```mermaid\n{states.mermaid()}```\n",
        "safety": safety_table.table(matrix.load()),
    }


def written(text: str) -> str:
    """`text` with its parts made anew. Raises ValueError if it has no place for one."""
    for name, part in parts().items():
        opening, closing = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if text.count(opening) != 1 or text.count(closing) != 1:
            raise ValueError(f"README.md must have one {opening.strip()} and one {closing}")
        before, _, rest = text.partition(opening)
        _, _, after = rest.partition(closing)
        text = before + opening + part + closing + after
    return text


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
