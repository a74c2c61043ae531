"""From a message to what it says: language, intent, slots, and what was seen but does not count.

Deterministic and offline: the same text, library and context give the same answer. A message may be anything a person
or a program can send; it never raises, reads only the first few thousand characters, and follows no instruction in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from advisor.dialogue import (
    closed,
    hardware,
    impossible,
    jobs,
    language,
    leftovers,
    lengths,
    loads,
    money,
    outputs,
    places,
    quantities,
    scopes,
    sizes,
    sizes_in_bytes,
    turned,
)
from advisor.dialogue.cues import Cues
from advisor.dialogue.intents import intent_of
from advisor.dialogue.lexicon import Lexicon, lexicon_of
from advisor.dialogue.observations import Observations
from advisor.dialogue.said_facts import SaidFacts
from advisor.dialogue.scan import Scanner
from advisor.dialogue.text import normalised
from advisor.dialogue.tokens import Message

# Words of a speed: with a figure beside them they state it and ask for no time.
_SPEED_WORDS = ("tokens/s", "tokens per second", "throughput")
# Intents of a message that asks for nothing of its own.
_OPEN = ("provide_info", "smalltalk", "out_of_scope")


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a message says. Slots are named and shaped as outsiders know them, lists where alternatives were named."""

    lang: str
    intent: str
    slots: Mapping[str, Any]
    rejected: tuple[Mapping[str, Any], ...] = ()
    claims: tuple[str, ...] = ()
    notes: frozenset[str] = field(default_factory=frozenset)
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Facts without a slot, by id."""
    prose: str = ""
    """The message without pasted outputs: what shows the writer's language. Never stored."""


class Reader:
    """The grammar with one lexicon, ready to read messages."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._most = int(lexicon.ranges["longest_message"])
        self._scanner = Scanner(lexicon, int(lexicon.ranges["most_tokens"]))
        self._cues = Cues(lexicon.intents)
        self._facts = SaidFacts(lexicon.said_facts)
        self._observed = Observations(lexicon.observations, int(lexicon.ranges["observation_reach"]))

    def read(self, raw: str, context: Mapping[str, Any] | None) -> Understanding:
        """Understand one message; `context` are the slots of the conversation so far."""
        raw, shown = outputs.read(raw[: self._most])
        raw, told = self._observed.read(raw)
        text = normalised(raw)
        lang = language.of(raw, text, self._lexicon.ordinary)
        message = Message(raw, text, lang, self._scanner.tokens(text), ranges=self._lexicon.ranges)
        scopes.apply(message)
        said = scopes.without_instructions(message)
        # Bandwidth of a card's memory is no line.
        seen = self._cues.seen(said.replace("显存带宽", "显存速度").replace("memory bandwidth", "memory-throughput"))
        if "ask_cost" in seen:
            message.notes.add("asks_cost")
        _fill(message)
        if seen.get("ask_time") and {"user_tokens_per_s", "total_tokens_per_s"} & set(message.slots):
            seen.pop("ask_time") if seen["ask_time"].group() in _SPEED_WORDS else None
        gone = False
        if context:
            _lean(message, context)
            turned.replaced(message, context)
            gone = turned.lifted(message, context)
        facts: dict[str, Any] = {**self._facts.found(said), **told, **shown}
        if (use := facts.pop(outputs.GPU, None)) is not None:
            message.slots["observed_gpu_util_pct"] = use
        if "closed_model" in message.notes:
            facts.pop("api.us_models", None)  # who wants to run it calls nobody's API
        if "evasion" in seen:
            facts["asks.compliance_evasion"] = True
        intent = intent_of(message, seen, said, follows=bool(context))
        if gone and intent in _OPEN:
            intent = "correct_slot"
        if intent in _OPEN and (shown or told or set(message.slots) == {"observed_gpu_util_pct"}):
            intent = "troubleshoot"  # a figure off a screen is a complaint
        if intent == "troubleshoot" and message.any("cue:boom"):
            facts["observed.oom"] = True
        elif intent != "troubleshoot":
            facts.pop("observed.oom", None)  # a question about what may come
        if intent in ("smalltalk", "out_of_scope"):
            message.slots.clear()
            facts.clear()
        elif not shown and not told:
            leftovers.leftovers(message, intent)
        return Understanding(
            lang=lang,
            intent=intent,
            slots=dict(message.slots),
            rejected=tuple(message.rejected),
            claims=_claims(message),
            notes=frozenset(message.notes),
            facts=facts,
            prose=raw if shown else "",
        )


def _fill(message: Message) -> None:
    """Run the families of slots; the order decides who may take a number first."""
    scopes.replacements(message)
    money.money(message)
    quantities.rates(message)
    lengths.batches(message)
    loads.loads(message)
    quantities.counts(message)
    places.links(message)
    lengths.lengths(message)
    quantities.times(message)
    sizes_in_bytes.sizes_in_bytes(message)
    hardware.hardware(message)
    sizes.models(message)
    jobs.formats(message)
    jobs.tasks(message)
    jobs.switches(message)
    places.places(message)
    places.lines(message)
    scopes.concepts(message)
    closed.closed(message)
    loads.settle(message)
    impossible.impossible(message)


def _lean(message: Message, context: Mapping[str, Any]) -> None:
    """An elliptic message (`那 13B 呢`) names a size: a model of another size in the context no longer holds."""
    size, before = message.slots.get("params_b"), context.get("params_b")
    if size is not None and "model" not in message.slots and context.get("model") and before not in (None, size):
        message.notes.add("forget:model")


def _claims(message: Message) -> tuple[str, ...]:
    """The sentences in which a vendor is quoted."""
    out: list[str] = []
    for cue in message.of("scope:vendor"):
        tokens = [t for t in message.tokens if t.sentence == cue.sentence]
        start = min(t.start for t in tokens)
        finish = max(t.end for t in tokens)
        stop = re.compile(r"[。.!?！？\n]|$").search(message.raw, finish)
        begin = max((message.raw.rfind(mark, 0, start) for mark in "。!?！？\n"), default=-1) + 1
        sentence = message.raw[begin : stop.start() if stop else finish].strip()
        if sentence and sentence not in out:
            out.append(sentence)
    return tuple(out)


_READERS: WeakKeyDictionary[Any, Reader] = WeakKeyDictionary()


def understand(text: str, library: Any, context: Mapping[str, Any] | None = None) -> Understanding:
    """What a message says.

    `library` gives the lexicon (`knowledge/words`); `context` are the slots understood earlier in the conversation.
    Never raises for any text.
    """
    reader = _READERS.get(library)
    if reader is None:
        reader = _READERS[library] = Reader(lexicon_of(library))
    return reader.read(text, context)
