"""The desk of the order pack: consults, and carries the plan to the rooms that make the files.

The answer is the same as for `advise`; the pack adds no advice to it. What a person gives for the files (addresses,
folders, names) is checked before anything is made.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from advisor.consult import answer, judge
from advisor.consult.consultation import consult
from advisor.consult.desk import Asked
from advisor.core.answer import Consultation, Judged, Option
from advisor.core.errors import BadInput, Declined
from advisor.core.facts import Facts
from advisor.core.findings import Outcome
from advisor.core.text import Lang, Text
from advisor.core.units import Quantity
from advisor.knowledge.library import Library, open_library
from advisor.pack import quoting
from advisor.pack.environment import Environment, environment, template
from advisor.pack.kit import Kit, sealed
from advisor.pack.monitoring import Symptom, Watch, monitoring
from advisor.pack.readme import readme
from advisor.pack.scene import interval, scene_of
from advisor.pack.site import Site, site_of
from advisor.pack.tools import page, tools, written
from advisor.pack.transfer import transfers
from advisor.pack.tree import Scene
from advisor.pack.words import listed, text
from advisor.plan.hardware import Market
from advisor.report.compose import change, compose
from advisor.report.wording import Wording

# A name that belongs to nobody: the scripts ask for an address where none was given.
_NOBODY = "server.invalid"
_FABRIC = "software.fabric_manager"


@dataclass(frozen=True)
class _Work:
    """What lies on this desk while one pack is made."""

    consultation: Consultation
    chosen: Judged
    option: Option
    facts: Facts
    reply: Mapping[str, Any]
    scene: Scene
    site: Site
    wording: Wording
    library: Library


def kit(
    given: Mapping[str, object] | None, *, session: str | None = None, lang: Lang | None = None,
    day: date | None = None, site: Mapping[str, Any] | None = None,
) -> Kit:  # fmt: skip
    """The pack for stated facts or for a conversation's plan; equal input and day give equal bytes.

    `site` says where things are (`advisor.pack.site`). Raises `BadInput` where there is no plan to pack or a value
    will not do, `Declined` for a question that is not answered.
    """
    library = open_library()
    place = site_of(site)
    asked, spoken, market = _asked(given, session, lang, library)
    consultation = consult(asked, day or answer.today(), library, answer.rules(library), market)
    wording = Wording(library, spoken)
    reply = compose(consultation, library, wording)
    if reply["declined"]:
        raise Declined(str(reply["summary"]))
    chosen = consultation.chosen
    if chosen is None or chosen.option is None:
        raise BadInput(
            "there is no plan to pack", expected="a model, a method and hardware that holds it", do=_next(reply)
        )
    facts = chosen.outcome.facts
    scene = scene_of(facts, chosen.option, library, place)
    work = _Work(consultation, chosen, chosen.option, facts, reply, scene, place, wording, library)
    return _made(work)


def write(made: Kit, directory: Path) -> None:
    """Write a pack into a folder, all or nothing. Raises `BadInput` where the folder holds anything but a pack."""
    from advisor.pack import kit as room

    room.write(made, directory)


def _asked(
    given: Mapping[str, object] | None, session: str | None, lang: Lang | None, library: Library
) -> tuple[Asked, Lang, Market]:
    if session is not None:
        return _of_session(session, lang, library)
    from advisor.dialogue.answers import answers_from

    facts = dict(given or {})
    sets = answers_from(facts, library)
    asked = Asked(tuple(sets.answers), "ask_feasibility", facts, problems=tuple(sets.problems))
    return asked, lang or "en", answer.here(library)


def _of_session(session: str, lang: Lang | None, library: Library) -> tuple[Asked, Lang, Market]:
    """The plan of a conversation with its own servers and its own model, as its answers have them."""
    from advisor.consult.here import market_of
    from advisor.consult.sessions import Sessions
    from advisor.consult.turns import asked_of

    sessions = Sessions.open()
    try:
        state = sessions.state(session)
        spoken = lang or sessions.show(session).lang
    finally:
        sessions.close()
    asked = asked_of(state.slots, "ask_feasibility", library, config=state.config)
    return asked, spoken, market_of(state.here, library)


def _next(reply: Mapping[str, Any]) -> str:
    """What to say first: the next question, else the summary of why nothing works."""
    questions = reply["questions"]
    return str(questions[0]["text"] if questions and reply["verdict"] == "unknown" else reply["summary"])


def _made(work: _Work) -> Kit:
    files: dict[str, bytes] = {
        "plan.json": quoting.json_bytes(dict(work.reply)),
        "checklist.md": (answer.render_checklist(answer.Reply(work.reply, work.wording.lang), "markdown")).encode(),
        "monitoring.md": monitoring(_watch(work), work.wording),
    }
    about = {f"{name}": text(work.wording, f"about_{name.replace('.', '_')}") for name in files}
    missing: list[tuple[str, str]] = []
    for part in (_request, _acceptance, _training, _environment, _transfer):
        found, told, gaps = part(work)
        files |= found
        about |= told
        missing += gaps
    order = {name: about[name] for name in sorted(about)}
    files["README.md"] = readme(work.reply, order, missing, _said(work), work.wording)
    return sealed(files, work.reply)


_Part = tuple[dict[str, bytes], dict[str, str], list[tuple[str, str]]]


def _said(work: _Work) -> str:
    """That the pack is for another plan than the one described, where a change was needed."""
    for lever in work.consultation.levers:
        if lever.judged is work.chosen and work.chosen not in work.consultation.rows:
            return text(work.wording, "readme_lever", change=change(lever, work.wording))
    return ""


def _request(work: _Work) -> _Part:
    from advisor.pack import request

    files = request.files(work.reply, work.library, work.wording.lang)
    about = {name: "about_request" if name.startswith("request.") else "about_sheet" for name in files}
    return files, {name: text(work.wording, key) for name, key in about.items()}, []


def _acceptance(work: _Work) -> _Part:
    site = {"target": work.site.target or _NOBODY, "carrier": work.site.carrier, "data_dir": "", "ports": ()}
    with tempfile.TemporaryDirectory() as folder:
        names = judge.write_scripts(Path(folder), site)
        files = {f"acceptance/{name}": (Path(folder) / name).read_bytes() for name in names}
    gaps = [] if work.site.target else [("acceptance", text(work.wording, "no_target"))]
    return files, {name: text(work.wording, "about_acceptance") for name in files}, gaps


def _training(work: _Work) -> _Part:
    folder = "training" if work.scene["trains"] else "serving"
    every = [written(tool, work.scene, work.wording) for tool in tools(work.library, folder)]
    files = {f"{folder}/{path}": body for each in every for path, body in each.files.items()}
    about = {f"{folder}/{path}": work.wording.text(said) for each in every for path, said in each.about.items()}
    if f"{folder}/accelerate/job.json" in files:
        files[f"{folder}/accelerate/train.py"] = template("train.py.txt", {})
        about[f"{folder}/accelerate/train.py"] = text(work.wording, "about_train_py")
    files[f"{folder}/TOOLS.md"] = page(every, work.scene, work.wording)
    about[f"{folder}/TOOLS.md"] = text(work.wording, "about_tools_md")
    gaps = [(each.tool.name, " ".join(each.why_not)) for each in every if each.why_not]
    return files, about, gaps


def _environment(work: _Work) -> _Part:
    use = "training" if work.scene["trains"] else "serving"
    used = [tool for tool in tools(work.library, use) if not written(tool, work.scene, work.wording).why_not]
    fired = any(advice.rule == _FABRIC for advice in work.chosen.outcome.advice)
    found: Environment = environment(work.scene, used, work.wording, fabric=fired)
    if found.why_not:
        return {}, {}, [("environment", found.why_not)]
    files = {f"environment/{name}": body for name, body in found.files.items()}
    return files, {name: text(work.wording, _about_key(name)) for name in files}, list(found.doubts)


def _about_key(path: str) -> str:
    name = path.rpartition("/")[2]
    return "about_requirements" if name.startswith("requirements") else f"about_{name.replace('.', '_')}"


def _transfer(work: _Work) -> _Part:
    found = transfers(work.scene, work.option, work.facts, work.site, work.wording)
    files = {f"transfer/{name}": body for name, body in found.items()}
    return files, {name: text(work.wording, _about_key(name)) for name in files}, []


def _watch(work: _Work) -> Watch:
    prefixes = tuple(listed(work.wording, "saves_rules"))
    outcome, wording = work.chosen.outcome, work.wording
    about = [wording.filled(each.say, each.values) for each in outcome.advice if each.rule.startswith(prefixes)]
    for risk in outcome.risks:
        if risk.rule.startswith(prefixes):
            about += [wording.filled(risk.say, risk.values), wording.filled(risk.mitigation, risk.values)]
    steps = work.scene["save_steps"]
    trains = bool(work.scene["trains"])
    size, took = (work.facts.value(f"checkpoint.{name}") for name in ("size", "write_time"))
    return Watch(
        reply=work.reply,
        symptoms=tuple(_symptoms(work)),
        about_saves=tuple(dict.fromkeys(about)),
        save_every=interval(work.facts, work.library),
        save_steps=int(str(steps)) if trains else None,
        size=size if trains and isinstance(size, Quantity) else None,
        write=took if trains and isinstance(took, Quantity) else None,
    )


def _symptoms(work: _Work) -> Iterator[Symptom]:
    """What the rules add for this plan when it shows a symptom; a symptom of which they say nothing is left out."""
    from advisor.dialogue.answers import answers_from

    known = Facts({key: fact for key, fact in work.facts.items() if fact.provenance != "concluded"})
    before = {advice.rule for advice in work.chosen.outcome.advice}
    for each in listed(work.wording, "symptoms"):
        if each.get("several_nodes") and not work.scene["several_nodes"]:
            continue
        seen = answers_from(each["facts"], work.library).answers[0]
        outcome = answer.rules().run(known.plus(*seen.values()))
        said = tuple(dict.fromkeys(_added(outcome, before, work.wording)))
        if said:
            yield Symptom(work.wording.text(Text(each["name"]["en"], each["name"]["zh"])), said)


def _added(outcome: Outcome, before: set[str], wording: Wording) -> Iterator[str]:
    for advice in outcome.advice:
        if advice.rule not in before:
            yield wording.filled(advice.say, advice.values)
    known = {advice.rule for advice in outcome.advice} - before
    for risk in outcome.risks:
        if risk.rule in known:
            yield wording.filled(risk.mitigation, risk.values)
