"""Who may import whom, and what may be loaded when; read from the source, and tried for real."""

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.unit.play_tools import Machine

ROOT = Path(__file__).parent.parent.parent
ROOTS = ("cannon", "firmware_bridge", "hardware")
ON_MICROPYTHON = ("debounce", "counting", "feeding", "odds")  # of cannon/core


class Import(NamedTuple):
    """`module` as named in the file; `late`: in a function, or only for types."""

    file: Path
    line: int
    module: str
    late: bool

    def __str__(self):
        return f"{self.file}:{self.line} imports {self.module}"


def sources(*roots):
    """The files below the roots, without the firmware that runs on the microcontroller alone."""
    for root in roots or ROOTS:
        for path in sorted((ROOT / root).rglob("*.py")):
            if "pico" not in path.parts:
                yield path


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path):
    """Every import of a file, wherever it stands."""
    found = []

    def look(node, late):
        for child in ast.iter_child_nodes(node):
            inside = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
                inside = True
            if isinstance(child, ast.Import):
                names = [alias.name for alias in child.names]
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}:{child.lineno}: imports here are absolute"
                names = [child.module]
                if child.module in ("cannon", "cannon.cli"):
                    names = [f"{child.module}.{alias.name}" for alias in child.names]
            else:
                look(child, inside)
                continue
            here = path.relative_to(ROOT)
            found.extend(Import(here, child.lineno, name, late) for name in names)

    look(tree(path), False)
    return found


def part_of(module):
    """cannon.core of cannon.core.states; hardware of hardware.board."""
    steps = module.split(".")
    return ".".join(steps[:2]) if steps[0] == "cannon" else steps[0]


def part_of_file(path):
    return part_of(".".join(path.relative_to(ROOT).with_suffix("").parts))


OURS = {part_of_file(path) for path in sources()}


def ours(module):
    return module.split(".")[0] in ROOTS


# --- who knows whom -------------------------------------------------------------------------------

# What each part may import of ours beside itself. Parts that are not listed put the others
# together, and only who is listed in MAY_BE_KNOWN_BY may know some of those.
MAY_KNOW = {
    "cannon.core": (),
    "cannon.table": (),
    "cannon.errors": (),
    "cannon.priority": (),
    "cannon.seeds": (),
    "firmware_bridge": (),
    "hardware": (),
    "cannon.devices": ("cannon.core", "cannon.errors", "hardware", "firmware_bridge"),
    "cannon.journal": ("cannon.core", "cannon.errors", "cannon.priority"),
    "cannon.settings": ("cannon.core", "cannon.devices.ports", "cannon.table", "hardware"),
    "cannon.loop": ("cannon.core", "cannon.devices.ports"),
    "cannon.live": ("cannon.core", "cannon.loop", "cannon.priority", "cannon.twin"),
    "cannon.twin": ("cannon.core", "cannon.devices", "cannon.loop", "hardware"),
    "cannon.service": ("cannon.core", "cannon.errors", "hardware", "firmware_bridge"),
    "cannon.web": ("cannon.core", "cannon.table", "cannon.settings", "cannon.telling"),
    "cannon.telling": ("cannon.core", "cannon.settings"),
    "cannon.bringup": ("cannon.core", "cannon.devices", "hardware"),
}
MAY_BE_KNOWN_BY = {
    "cannon.app": {"cannon.cli", "cannon.simulation", "cannon.workbench"},
    "cannon.cli": {"cannon.__main__", "cannon.command_line"},
}


@pytest.mark.parametrize("part", MAY_KNOW)
def test_a_part_knows_only_those_that_it_may_know(part):
    allowed = (part, *MAY_KNOW[part])
    files = [path for path in sources() if part_of_file(path) == part]
    assert files, "the part is there"
    strangers = [
        str(found)
        for path in files
        for found in imports(path)
        if ours(found.module)
        and not any(found.module == one or found.module.startswith(f"{one}.") for one in allowed)
    ]
    assert strangers == []


@pytest.mark.parametrize("part", MAY_BE_KNOWN_BY)
def test_who_knows_everyone_is_known_by_few(part):
    knowing = {
        part_of_file(path)
        for path in sources()
        for found in imports(path)
        if part_of(found.module) == part
    } - {part}
    assert knowing <= MAY_BE_KNOWN_BY[part]


def test_what_is_imported_of_ours_is_there():
    for path in sources():
        for found in imports(path):
            if ours(found.module):
                assert part_of(found.module) in OURS | {"cannon"}, found


def test_only_settings_read_cannon_toml_and_the_data_files():
    for path in sources("cannon"):
        part = part_of_file(path)
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named = node.value == "data" or "cannon/data/" in node.value
                if named and not _is_docstring(path, node):
                    assert part in ("cannon.settings",), (
                        f"{path}:{node.lineno} names {node.value!r}"
                    )
            if isinstance(node, ast.ImportFrom) and node.module == "hardware.reading":
                readers = {alias.name for alias in node.names} & {"read", "load_toml"}
                assert not readers or part == "cannon.settings", f"{path}:{node.lineno}"


def _is_docstring(path, wanted):
    return any(
        isinstance(node, ast.Expr) and node.value.lineno == wanted.lineno
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


# --- pure parts -----------------------------------------------------------------------------------

PURE = {
    "cannon.core": {
        "__future__",
        "cannon",
        "collections",
        "dataclasses",
        "debounce",  # what counting imports on the microcontroller
        "math",
        "random",
        "transitions",
        "typing",
    },
    "cannon.table": {
        "__future__",
        "cannon",
        "collections",
        "dataclasses",
        "json",
        "msgspec",
        "typing",
    },
}
IO_CALLS = {"open", "print", "input", "exec", "eval", "__import__", "breakpoint"}


@pytest.mark.parametrize("part", PURE)
def test_core_and_table_import_nothing_that_could_do_io(part):
    for path in sources(part.replace(".", "/")):
        for found in imports(path):
            assert found.module.split(".")[0] in PURE[part], found


@pytest.mark.parametrize("part", PURE)
def test_core_and_table_call_nothing_that_does_io(part):
    for path in sources(part.replace(".", "/")):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in IO_CALLS, f"{path}:{node.lineno}"
            if isinstance(node, ast.Attribute):
                assert node.attr not in ("read_text", "write_text", "getLogger"), path


def test_core_draws_no_random_number_of_its_own():
    """The source is given in: only its type is imported."""
    for path in sources("cannon/core"):
        for found in imports(path):
            if found.module == "random":
                assert "from random import Random" in path.read_text(), found
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "Random", f"{path}:{node.lineno}"


@pytest.mark.parametrize("name", ON_MICROPYTHON)
def test_files_for_both_interpreters_import_nothing_else_when_they_run(name):
    path = ROOT / "cannon" / "core" / f"{name}.py"
    at_once = {found.module for found in imports(path) if not found.late}
    assert at_once <= {"cannon.core.debounce", "debounce"}
    for node in ast.walk(tree(path)):
        assert not isinstance(node, ast.Match | ast.AsyncFunctionDef | ast.JoinedStr), node.lineno
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
            assert decorators <= {"property"}, f"{path}:{node.lineno}"


# --- time, threads, errors ------------------------------------------------------------------------

# For display, never for durations.
SHOWS_DATES = {"cannon.journal", "cannon.cli", "cannon.service", "cannon.dating", "cannon.telling"}


def test_the_wall_clock_is_for_display_only():
    for path in sources():
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Attribute):
                continue
            said = ast.unparse(node)
            if said in ("time.time", "time.localtime", "time.ctime") or said.endswith(
                ("datetime.now", "datetime.today", "datetime.utcnow")
            ):
                assert part_of_file(path) in SHOWS_DATES, f"{path}:{node.lineno} {said}"


def test_nothing_forks_a_program_that_holds_gpio_lines():
    for path in sources("cannon", "firmware_bridge"):
        for found in imports(path):
            assert found.module.split(".")[0] not in ("multiprocessing", "concurrent"), found
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Attribute):
                assert ast.unparse(node) not in ("os.fork", "os.forkpty", "pty.fork"), path


def test_the_state_machine_has_no_timers_locks_queues_or_tasks_of_its_own():
    for path in sources("cannon"):
        for found in imports(path):
            assert not found.module.startswith("transitions.extensions"), found


def test_no_exception_is_swallowed_unseen():
    for path in sources():
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.ExceptHandler):
                continue
            caught = "everything" if node.type is None else ast.unparse(node.type)
            if caught in ("everything", "Exception", "BaseException"):
                silent = all(isinstance(step, ast.Pass | ast.Continue) for step in node.body)
                assert not silent, f"{path}:{node.lineno} catches {caught} and says nothing"


# --- what is loaded when --------------------------------------------------------------------------

HEAVY = {
    "gpiozero",
    "h11",
    "lgpio",
    "matplotlib",
    "mpremote",
    "numpy",
    "rich",
    "schemdraw",
    "segno",
    "serial",
    "starlette",
    "transitions",
    "uvicorn",
}


def loaded_by(*words):
    """Which heavy parts a fresh interpreter has loaded after these statements."""
    script = "; ".join([*words, "import sys, json", "print(json.dumps(sorted(sys.modules)))"])
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    return HEAVY & {name.split(".")[0] for name in json.loads(done.stdout)}


def test_importing_the_command_loads_no_heavy_part():
    assert loaded_by("import cannon.command_line", "import cannon.cli") == set()


def test_importing_the_core_loads_the_state_machine_alone():
    assert loaded_by("import cannon.core.controller") == {"transitions"}
    assert loaded_by("import cannon.table.engine") == set()


def test_importing_the_page_opens_no_pin():
    pages = [
        f"import {'.'.join(path.relative_to(ROOT).with_suffix('').parts)}"
        for path in sources("cannon/web")
        if path.name != "__init__.py"
    ]
    assert not loaded_by(*pages) & {"gpiozero", "lgpio", "serial"}


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    yield made
    made.close()


AT_EXIT = """
import atexit, json, os, sys
path = os.path.join(os.environ["FAKE_GPIO"], "loaded")
atexit.register(lambda: open(path, "w").write(json.dumps(sorted(sys.modules))))
"""


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        (("play", "--simulate"), {"gpiozero", "transitions"}),
        (("play", "--board", "launcher-pi-basic"), {"gpiozero", "transitions", "lgpio"}),
    ],
)
def test_play_loads_what_it_needs_and_no_page_no_plot_no_serial_port(machine, words, loaded):
    machine.env["FAKE_PATCH"] = AT_EXIT
    program = machine.start(*words)
    program.until("Ready")
    assert program.end(15) == 0
    names = json.loads((machine.gpio / "loaded").read_text())
    assert HEAVY & {name.split(".")[0] for name in names} == loaded


HOW_IT_RUNS = """
import gc, json, os, sys
from cannon import app
from cannon.devices import lock
from cannon.terminal import playing
found = {}

def note(module, name, **look):
    done = getattr(module, name)
    def noted(*given, **named):
        found.update({key: value() for key, value in look.items()})
        return done(*given, **named)
    setattr(module, name, noted)

note(app, "plan", collecting_at_start=gc.isenabled)
note(lock.OneInstance, "__init__", loaded_when_locked=lambda: "gpiozero" in sys.modules)
path = os.path.join(os.environ["FAKE_GPIO"], "found")
note(playing, "play_in_lines", told=lambda: open(path, "w").write(json.dumps(found)))
note(playing, "play_in_lines", switch_s=sys.getswitchinterval, collecting=gc.isenabled,
     frozen=lambda: gc.get_freeze_count() > 1000)
"""


def test_a_start_comes_to_the_lock_soon_collects_no_garbage_and_lets_the_lids_edge_in(machine):
    """The second program of two is refused before it has loaded much; what is loaded is not looked
    through for garbage; and no thread keeps the others out for long."""
    machine.env["FAKE_PATCH"] = HOW_IT_RUNS
    program = machine.start("play", "--board", "launcher-pi-basic")
    program.until("Ready")
    assert program.end(15) == 0
    found = json.loads((machine.gpio / "found").read_text())
    assert found == {
        "loaded_when_locked": False,
        "collecting_at_start": False,
        "collecting": True,
        "frozen": True,
        "switch_s": 0.0005,
    }


def test_odds_and_history_load_neither_pins_nor_states(machine):
    machine.env["FAKE_PATCH"] = AT_EXIT
    for words in (("odds", "even", "--json"), ("history", "--json", "--journal", "none.db")):
        machine.run(*words)
        names = json.loads((machine.gpio / "loaded").read_text())
        assert HEAVY & {name.split(".")[0] for name in names} == set()


ON_SOME_COMPUTERS_ONLY = {"lgpio", "pyserial", "matplotlib"}


def test_every_third_party_part_is_declared_and_the_optional_ones_are_imported_late():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    def names(lines):
        return {line.split(">")[0].split("[")[0].strip().lower() for line in lines}

    always = names(project["dependencies"])
    optional = {
        name for extra in project["optional-dependencies"].values() for name in names(extra)
    }
    assert not always & ON_SOME_COMPUTERS_ONLY
    assert optional >= ON_SOME_COMPUTERS_ONLY
    optional = {{"pyserial": "serial"}.get(name, name) for name in optional - always}
    optional |= {"h11"}  # of uvicorn
    at_once_allowed = {"cannon.web", "cannon.page", "firmware_bridge", "hardware"}
    for path in sources():
        for found in imports(path):
            top = found.module.split(".")[0]
            if top in sys.stdlib_module_names or top in ROOTS or top == "debounce":
                continue
            assert top in always | optional, f"{found}, which pyproject.toml does not name"
            if top in optional and not found.late:
                assert part_of_file(path) in at_once_allowed, f"{found} not late"
