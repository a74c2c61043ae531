"""The only module that touches durable_rules: rulesets in, firings out.

The library is used through a Host without its timer threads and a Ruleset that drives actions without clock calls.
It keeps every state and every ruleset for ever unless told otherwise, so a run deletes its state and `close` deletes
the rulesets. Its C code has globals: all calls of this process go through one lock.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from advisor.core.errors import EngineFailure, HkgpuError
from advisor.rules.values import to_json

try:
    import durable_rules_engine
    from durable import engine as _durable
except ImportError as _error:  # pragma: no cover - needs a broken installation
    raise HkgpuError(
        f"the rule engine durable-rules cannot be imported ({_error})",
        do="run CPPFLAGS=-DPyEval_CallObject=PyObject_CallObject pip install --no-cache-dir "
        "--force-reinstall durable-rules==2.0.28 (a C compiler and Python's headers are needed)",
    ) from None

# One run, one reload or one close at a time in this process.
LOCK = threading.RLock()
_names = itertools.count(1)
_sids = itertools.count(1)

# The rule and the fact that warm a ruleset up; no id can be spelled like it.
_READY = "@ready"


class _Moment:
    """What an action is called with: the messages by slot. `s` takes what durable writes on an exception."""

    __slots__ = ("m", "s")

    def __init__(self, messages: Mapping[str, Mapping[str, Any]]) -> None:
        self.m = messages
        self.s = _Sink()


class _Sink:
    exception: str | None = None


class _Ruleset(_durable.Ruleset):  # type: ignore[misc]
    """A ruleset whose definition and facts are given as text, and whose actions run in a plain loop.

    The library's own constructor writes JSON with exponents, which its C code cannot read; its own loop asks the
    clock and rewrites the state on each firing.
    """

    def __init__(self, name: str, definition: Mapping[str, Any], actions: Mapping[str, Callable[[_Moment], None]]):
        self._name = name
        self._definition = definition
        self._actions = {branch: _durable.Promise(action) for branch, action in actions.items()}
        self._handle = durable_rules_engine.create_ruleset(name, to_json(definition))

    def close(self) -> None:
        durable_rules_engine.delete_ruleset(self._handle)

    def warm_up(self, sid: str) -> None:
        """Fire once, so that the state's memory is in order.

        durable_rules frees two pointers of a deleted state that it only sets on the first firing; the next states
        reuse the first one's memory, so one firing makes all later ones safe.
        """
        self.fire(self.assert_text(f'[{{"id":"0","sid":"{sid}","fact":"{_READY}"}}]'))
        durable_rules_engine.delete_state(self._handle, sid)

    def assert_text(self, text: str) -> int:
        """Assert a JSON list of facts; the state's offset. A fact that nothing matches is dropped, as expected."""
        _, offset = durable_rules_engine.assert_facts(self._handle, text)
        return int(offset)

    def fire(self, offset: int) -> None:
        """Run every action that is due, until none is."""
        begun = durable_rules_engine.start_action_for_state(self._handle, offset)
        messages = begun[1] if begun else None
        while messages:
            for name, slots in json.loads(messages).items():
                self._actions[name].run(_Moment(slots), _done)
            messages = durable_rules_engine.complete_and_start_action(self._handle, offset)


def _nothing(moment: _Moment) -> None:
    """The action of the rule that only warms a ruleset up."""


def _done(error: object) -> None:
    """The end of an action; its exception was already recorded by the action itself."""


class _Host(_durable.Host):  # type: ignore[misc]
    """A Host without the two timer threads that durable starts for ever, which race with the caller (error 307)."""

    def _run(self) -> None:
        return

    def add(self, ruleset: _Ruleset) -> None:
        self._ruleset_directory[ruleset._name] = ruleset
        self._ruleset_list.append(ruleset)


class Network:
    """Compiled rulesets, live in the engine until `close`."""

    def __init__(self, definitions: Sequence[Mapping[str, Any]], action: Callable[[str, Mapping[str, Any]], None]):
        """`definitions`: per ruleset, branch -> `{"all": [...]}`; `action(branch, messages)` is called on a firing."""
        self._failures: list[tuple[str, BaseException]] = []
        self._rulesets: list[_Ruleset] = []
        self._host = _Host()
        with LOCK:
            try:
                for definition in definitions:
                    self._add(definition, action)
            except BaseException:
                self.close()
                raise

    def _add(self, definition: Mapping[str, Any], action: Callable[[str, Mapping[str, Any]], None]) -> None:
        actions = {branch: self._guarded(branch, action) for branch in definition}
        whole = {**definition, _READY: {"all": [{_READY: {"fact": _READY}}]}}
        try:
            ruleset = _Ruleset(f"hkgpu_{next(_names)}", whole, {**actions, _READY: _nothing})
            ruleset.warm_up(f"w{next(_sids)}")
        except durable_rules_engine.error as error:
            raise EngineFailure(f"durable_rules refuses the rules {', '.join(definition)[:200]} ({error})") from error
        self._host.add(ruleset)
        self._rulesets.append(ruleset)

    def _guarded(self, branch: str, action: Callable[[str, Mapping[str, Any]], None]) -> Callable[[_Moment], None]:
        # Exactly one positional parameter: durable takes two for an asynchronous action that never completes.
        def run(moment: _Moment) -> None:
            try:
                action(branch, moment.m)
            except Exception as error:
                self._failures.append((branch, error))

        return run

    def __len__(self) -> int:
        return len(self._rulesets)

    def session(self) -> Session:
        """A fresh state for one run; use it inside `with`, under `LOCK`."""
        return Session(self._rulesets, self._failures)

    def close(self) -> None:
        """Give the rulesets' memory back."""
        with LOCK:
            while self._rulesets:
                self._rulesets.pop().close()


class Session:
    """One run's state in every ruleset, deleted on leaving."""

    def __init__(self, rulesets: Sequence[_Ruleset], failures: list[tuple[str, BaseException]]) -> None:
        self._rulesets, self._failures = rulesets, failures
        self._touched: set[int] = set()
        self.sid = str(next(_sids))

    def __enter__(self) -> Session:
        self._failures.clear()
        return self

    def tell(self, index: int, facts: Sequence[str]) -> None:
        """Assert facts, each a JSON object with the session's sid, in one ruleset and run what becomes due."""
        ruleset = self._rulesets[index]
        self._touched.add(index)
        try:
            ruleset.fire(ruleset.assert_text("[" + ",".join(facts) + "]"))
        except durable_rules_engine.error as error:
            raise EngineFailure(f"durable_rules failed on {', '.join(facts)[:200]} ({error})") from error
        if self._failures:
            branch, failure = self._failures[0]
            if isinstance(failure, HkgpuError):
                raise failure
            raise EngineFailure(f"the rule {branch} failed: {failure}") from failure

    def __exit__(self, *_: object) -> None:
        for index in self._touched:
            # A state that a failed assertion never created cannot be deleted (error 309), and need not be.
            with suppress(durable_rules_engine.error):
                self._rulesets[index].delete_state(self.sid)
