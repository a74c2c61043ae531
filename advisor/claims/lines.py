"""Checks delays of lines and durations of transfers against the routes' priors and plain arithmetic.

A delay below what light needs in fibre is wrong whoever says it; between that and what good lines were seen at it is
doubtful, which is answered "it depends" with the trace that would prove it. Refuses to judge a delay without a figure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from advisor.claims import sentences
from advisor.claims.checked import Checked, shown, worded
from advisor.claims.figures import Figure
from advisor.claims.jobs import JobConstants
from advisor.claims.sentence import Sentence
from advisor.core.findings import Verdict
from advisor.core.text import Text
from advisor.core.units import BITS_PER_BYTE, Range, convert, number
from advisor.estimate.constants import load
from advisor.estimate.transfer import Line, duration, line_hours
from advisor.knowledge.records.routes import Route

_IN_BITS = re.compile(r"(\d+(?:\.\d+)?)\s?(mbps|mbit|gbps|gbit|m(?![a-z])|兆(?!字节))")
_IN_BYTES = re.compile(r"(\d+(?:\.\d+)?)\s?(mb/s|mb per second|mbyte|mb 每秒|兆字节|gb/s|gb per second)")
_NOTES = "hk_network_notes_2026"
_HOME = ("shenzhen", "guangzhou", "shanghai", "beijing")
_ORDINARY = ("ordinary", "bgp", "cn2_gt")


def delay(sentence: Sentence, library: Any) -> Checked | None:
    """Is the delay of the line right? Judged for the city named, else for each city of the mainland."""
    said = sentence.of("ms")
    if not said or sentence.subjects & {"logging", "tensorboard_dev"}:
        return None
    city = sentence.city if sentence.city != "mainland" else None
    paths = _paths(sentence, library, (city,) if city else _HOME)
    if not paths:
        return None
    judged = [(path, *_judge(path, said[0], sentence)) for path in paths.values()]
    floors = [path.floor.source for path in paths.values() if path.floor]
    named = [source for path in paths.values() for source in path.sources]
    sources = tuple(source for source in dict.fromkeys((*named, *floors)) if source)
    if len(judged) == 1:
        path, verdict, template = judged[0]
        return Checked("rtt", verdict, worded(template, **_words(path, said[0])), _usual(path), sources)
    verdicts = {verdict for _, verdict, _ in judged}
    real = "; ".join(f"{_city(path)[0]} {_usual(path)}" for path, _, _ in judged)
    real_zh = "；".join(f"{_city(path)[1]} {_usual(path)}" for path, _, _ in judged)
    verdict = verdicts.pop() if len(verdicts) == 1 else "yes_if"
    return Checked("rtt", verdict, worded(sentences.RTT_CITIES, real=(real, real_zh)), real, sources)


def _paths(sentence: Sentence, library: Any, cities: tuple[str, ...]) -> Mapping[str, Route]:
    """The path to each city over the class of line said; the premium one where none is said."""
    kind = "ordinary" if sentence.line in _ORDINARY or "ordinary_lines" in sentence.subjects else "cn2_gia"
    found: dict[str, Route] = {}
    for city in cities:
        for name in (f"rtt.{city}_{kind}", f"rtt.{city}_ordinary"):
            if name in library.routes:
                found[city] = library.routes[name]
                break
    return found


def _judge(path: Route, said: Figure, sentence: Sentence) -> tuple[Verdict, Text]:
    floor = path.floor.value if path.floor else None
    low = path.rtt_low.value if path.rtt_low else None
    high = path.rtt_high.value if path.rtt_high else None
    if floor is not None and said.high < floor:
        return "no", sentences.RTT_BELOW
    if low is not None and said.high < low:
        return "yes_if", sentences.RTT_DOUBT
    if high is not None and said.value > high and said.relation == "equals":
        return "yes_if", sentences.RTT_SLOW
    if high is not None and said.relation == "at_most" and said.high < high:
        return "yes_if", sentences.RTT_DOUBT
    return "yes", sentences.RTT_YES


def _city(path: Route) -> tuple[str, str]:
    text = sentences.CITY[path.places[1]]
    return text.en, text.zh


def _usual(path: Route) -> str:
    ends = [number(end.value) for end in (path.rtt_low, path.rtt_high) if end and end.value is not None]
    return f"{'-'.join(dict.fromkeys(ends))} ms"


def _words(path: Route, said: Figure) -> dict[str, Any]:
    floor = path.floor.value if path.floor and path.floor.value is not None else 0
    return {
        "city": _city(path),
        "real": _usual(path).removesuffix(" ms"),
        "floor": number(floor),
        "said": f"{number(said.value)} ms",
    }


def in_bytes(sentence: Sentence, library: Any) -> Checked | None:
    """Is a line in bits rightly turned into bytes? Needs both figures and neither data nor a time."""
    bits, held = _IN_BITS.search(sentence.text), _IN_BYTES.search(sentence.text)
    if bits is None or held is None or sentence.of("days"):
        return None
    mbps = float(bits[1]) * (convert(1, "Gbps", "Mbps") if bits[2].startswith("g") else 1)
    said = convert(float(held[1]), "GB/s", "MB/s") if held[2].startswith("g") else float(held[1])
    real = mbps / BITS_PER_BYTE
    share = load(JobConstants, "claims", library).estimate_near.value
    verdict: Verdict = "yes" if real * (1 - share / 2) <= said <= real else "no"
    words = {"line": f"{number(mbps)} Mbps", "real": f"{number(real)} MB/s"}
    return Checked("line_bytes", verdict, worded(sentences.LINE_BYTES, **words), words["real"], ("arithmetic",))


def promise(sentence: Sentence, library: Any) -> Checked | None:
    """Does the name of a line promise freedom from loss? None does."""
    if sentence.line is None or not {"promised", "packet_loss"} <= sentence.subjects:
        return None
    return Checked("line_promise", "no", sentences.LINE_PROMISE, "", (_NOTES,))


def transfer(sentence: Sentence, library: Any) -> Checked | None:
    """Is the duration of a transfer right? Needs data, bandwidth and time."""
    data, mbps, said = sentence.data, sentence.mbps, sentence.of("days")
    if data is None or mbps is None or not said:
        return None
    private = sentence.line == "iplc"
    best = convert(line_hours(data, mbps, 1), "h", "days")
    real = duration(data, Line(mbps, private=private), library).range.to("days")
    share = load(JobConstants, "claims", library).estimate_near.value
    figure = said[-1]
    too_fast = figure.high < best * (1 - share / 2)
    too_slow = figure.value > max(real.high, best) * (1 + share) and figure.relation != "at_most"
    verdict: Verdict = "no" if too_fast or too_slow else "yes"
    text = sentences.TRANSFER_NO if verdict == "no" else sentences.TRANSFER_YES
    words: dict[str, Any] = {
        "data": f"{number(data)} GB",
        "line": f"{number(mbps)} Mbps",
        "best": span(Range(best, best, best, "days")),
        "real": span(real),
        "said": span(Range(figure.value, figure.value, figure.high, "days")),
    }
    return Checked("transfer", verdict, worded(text, **words), words["real"][0], ("arithmetic",))


def span(time: Range) -> tuple[str, str]:
    """A duration in the unit people would use, in both languages."""
    for unit in ("days", "h", "min"):
        scaled = time.to(unit)
        if scaled.likely >= 2 or unit == "min":
            break
    text = shown(scaled)
    return text, text.replace("days", "天").replace(" h", " 小时").replace("min", "分钟")
