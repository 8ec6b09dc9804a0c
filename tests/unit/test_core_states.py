"""The table of states: what it holds, what it cannot do, and the picture of it in the README."""

import ast
import inspect
import itertools
import textwrap
from pathlib import Path

import pytest
from transitions import MachineError

import cannon
from cannon.core import states
from cannon.core.states import (
    FAULT,
    LID_OPEN,
    LIGHT,
    MACHINE,
    PRESS_REFUSED,
    STATES,
    STOPPING,
    TRANSITIONS,
)
from tests import readme

ROOT = Path(cannon.__file__).parent
TRIGGERS = {transition.trigger for transition in TRANSITIONS}
EDGES = {(source, t.trigger): t.dest for t in TRANSITIONS for source in t.sources}


def at(state):
    """The machine of the controller, standing in `state`."""
    made = states.State()
    made.state = state
    return made


def test_the_table_speaks_of_known_states_only_and_of_each_step_once():
    assert {state for edge, dest in EDGES.items() for state in (edge[0], dest)} == set(STATES)
    assert len(EDGES) == sum(len(t.sources) for t in TRANSITIONS)
    assert set(PRESS_REFUSED) == set(LIGHT) == set(STATES)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("trigger", sorted(TRIGGERS))
def test_the_machine_does_what_the_table_says_and_nothing_else(state, trigger):
    here, theirs = at(state), at(state)
    if (state, trigger) in EDGES:
        here.trigger(trigger)
        assert here.state == EDGES[state, trigger]
        assert here.state != state, "each step leads somewhere"
        MACHINE.events[trigger].trigger(theirs)
    else:
        with pytest.raises(MachineError, match=f"{trigger} from {state}"):
            here.trigger(trigger)
        assert here.state == state
        with pytest.raises(MachineError):
            MACHINE.events[trigger].trigger(theirs)
    assert here.state == theirs.state, "as the library's own trigger has it"


def test_nothing_hangs_on_the_machine_that_the_short_way_to_its_table_would_pass_by():
    hooks = (MACHINE.prepare_event, MACHINE.before_state_change, MACHINE.after_state_change)
    assert not any([*hooks, MACHINE.finalize_event, MACHINE.on_exception, MACHINE.has_queue])
    for state in MACHINE.states.values():
        assert not state.on_enter and not state.on_exit
    for event in MACHINE.events.values():
        for transition in itertools.chain(*event.transitions.values()):
            extra = (transition.prepare, transition.conditions, transition.before)
            assert not any([*extra, transition.after])


def test_a_misspelt_trigger_is_an_error_and_not_silence():
    with pytest.raises(KeyError, match="fede"):
        at("ready").trigger("fede")


def test_no_way_leads_round_the_table():
    """No automatic to_STATE, no helper that a typo could hit: `trigger` is all there is."""
    bound = {name for name in dir(states.State()) if not name.startswith("_")}
    assert bound == {"state", "trigger"}


def test_from_every_state_but_stopping_a_failure_leads_to_fault_and_a_stop_to_stopping():
    for state in STATES:
        if state not in (FAULT, STOPPING):
            assert EDGES[state, "fail"] == FAULT
        if state != STOPPING:
            assert EDGES[state, "stop"] == STOPPING
    assert not [edge for edge in EDGES if edge[0] == STOPPING]


def test_an_opened_lid_leads_to_lid_open_from_every_state_but_fault_and_stopping():
    opened = {state for state in STATES if (state, "open_lid") in EDGES}
    assert opened == set(STATES) - {FAULT, STOPPING, LID_OPEN}


def test_only_a_person_leads_out_of_fault():
    assert {trigger for state, trigger in EDGES if state == FAULT} == {"clear", "stop"}


def test_every_state_can_be_reached_and_left():
    reached, waiting = {"starting"}, ["starting"]
    while waiting:
        here = waiting.pop()
        for (source, _), dest in EDGES.items():
            if source == here and dest not in reached:
                reached.add(dest)
                waiting.append(dest)
    assert reached == set(STATES)
    assert {source for source, _ in EDGES} == set(STATES) - {STOPPING}


def test_the_machine_is_flat_without_queue_and_without_callbacks():
    assert MACHINE.auto_transitions is False
    assert MACHINE.has_queue is False
    assert set(MACHINE.events) == TRIGGERS
    assert MACHINE.models == [], "it knows no state, and keeps none alive"
    hooks = [MACHINE.before_state_change, MACHINE.after_state_change, MACHINE.prepare_event]
    hooks += [MACHINE.finalize_event, MACHINE.on_exception, MACHINE.on_final]
    for state in MACHINE.states.values():
        hooks += [state.on_enter, state.on_exit]
    for transition in MACHINE.get_transitions():
        hooks += [transition.before, transition.after, transition.prepare, transition.conditions]
    assert hooks == [[]] * len(hooks)
    assert len(hooks) > 100


def test_a_trigger_calls_nothing_that_could_call_another():
    tree = ast.parse(textwrap.dedent(inspect.getsource(states.State.trigger)))
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert calls == {"MACHINE.events[name].transitions.get", "MachineError", "str"}


def test_every_trigger_that_is_called_is_in_the_table_and_each_is_called():
    used = {}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "trigger":
                used.setdefault(path.name, set()).add(ast.unparse(node.args[0]).strip("'"))
    assert set(used) == {"controller.py", "answering.py", "latch.py"}
    assert set.union(*used.values()) == TRIGGERS


def test_the_picture_shows_every_step_but_fail_and_stop():
    picture = states.mermaid()
    lines = picture.splitlines()
    assert lines[0] == "stateDiagram-v2"
    steps = {line.strip() for line in lines[2:-1]}
    assert steps == {
        f"{source} --> {dest}: {trigger}"
        for (source, trigger), dest in EDGES.items()
        if trigger not in ("fail", "stop")
    }


def test_the_picture_in_the_readme_is_the_one_of_the_table():
    text = readme.README.read_text(encoding="utf-8")
    assert text == readme.written(text), "python -m tests.readme makes it anew"


def test_a_readme_without_a_place_for_the_picture_is_told_of():
    with pytest.raises(ValueError, match="<!-- states -->"):
        readme.written("# a readme\n")
