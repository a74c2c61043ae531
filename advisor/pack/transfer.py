"""Moving the data: resumable commands with hashes, and how long each part takes over the line of the plan.

Volumes are the plan's own; hours are the transfer estimator's, as a range. Where the line or a volume is unknown the
plan says so and gives no hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.core.answer import Option
from advisor.core.errors import HkgpuError
from advisor.core.facts import Facts
from advisor.core.units import BITS_PER_BYTE, Quantity, Range
from advisor.estimate import transfer
from advisor.knowledge.library import Library
from advisor.pack import quoting
from advisor.pack.environment import template
from advisor.pack.site import Site
from advisor.pack.tree import Scene
from advisor.pack.words import Wording, listed, text

# Weights are published in 16 bits unless a model's record says otherwise.
_BITS = 2**4


@dataclass(frozen=True, slots=True)
class Load:
    """One thing to move: the key of its name, GB or None where nobody knows, the script that moves it."""

    name: str
    gigabytes: float | None
    script: str


def transfers(scene: Scene, option: Option, facts: Facts, site: Site, wording: Wording) -> dict[str, bytes]:
    """The files below `transfer/`."""
    quoted = quoting.shell
    return {
        "plan.md": _plan(scene, option, facts, wording),
        "sync.sh": template(
            "sync.sh",
            {
                "SOURCE": quoted(site.source_dir),
                "TARGET": quoted(site.target),
                "USER": quoted(site.user),
                "PORT": quoted(site.port),
                "THERE": quoted(f"{site.data_dir}/datasets"),
                "OUTPUT": quoted(str(scene["output"])),
            },
        ),
        "fetch_model.sh": template(
            "fetch_model.sh", {"MODEL": quoted(str(scene["model"])), "FOLDER": quoted(str(scene["model_dir"]))}
        ),
        "backup.sh": template("backup.sh", {"OUTPUT": quoted(str(scene["output"])), "BUCKET": quoted(site.bucket)}),
    }


def loads(option: Option, facts: Facts, library: Library) -> Iterator[Load]:
    """What has to be moved for this plan."""
    data = _amount(facts, "transfer.size", "GB") or _amount(facts, "data.size", "GB")
    yield Load("data", data, "sync.sh push")
    yield Load("model", _published(facts, library), "fetch_model.sh")
    if option.method != "inference":
        kept = _amount(facts, "checkpoint.kept", "count") or 1
        size = facts.value("checkpoint.size")
        saved = size.to("GB").value if isinstance(size, Quantity) else None
        yield Load("results", saved, "sync.sh pull")
        yield Load("backup", None if saved is None else saved * kept, "backup.sh copy")


def hours(gigabytes: float, facts: Facts, library: Library) -> Range | None:
    """Hours over the plan's line; None where its bandwidth is unknown."""
    mbps = _amount(facts, "line.bandwidth", "Mbps") or _amount(facts, "observed.throughput", "Mbps")
    if not mbps:
        return None
    kind = facts.value("line.type")
    private = "iplc" in kind if isinstance(kind, tuple) else kind == "iplc"
    try:
        return transfer.duration(gigabytes, transfer.Line(mbps, private=private), library).range
    except HkgpuError:
        return None


def _plan(scene: Scene, option: Option, facts: Facts, wording: Wording) -> bytes:
    unknown = text(wording, "not_known")
    lines = [f"# {text(wording, 'transfer_title')}", "", text(wording, "transfer_head"), ""]
    cells = [text(wording, f"transfer_{name}") for name in ("what", "size", "how", "time")]
    lines += [f"| {' | '.join(cells)} |", "|---|---|---|---|"]
    for load in loads(option, facts, wording.library):
        size = unknown if load.gigabytes is None else wording.quantity(Quantity(load.gigabytes, "GB"))
        # Weights come from the model hub, not over the office's line.
        took = None if load.gigabytes is None or load.name == "model" else hours(load.gigabytes, facts, wording.library)
        shown = unknown if took is None else _range(took, wording)
        shown = text(wording, "transfer_hub") if load.name == "model" else shown
        lines.append(f"| {text(wording, f'load_{load.name}')} | {size} | `{load.script}` | {shown} |")
    mbps = facts.value("line.bandwidth")
    line = (
        text(wording, "transfer_line", line=mbps) if isinstance(mbps, Quantity) else text(wording, "transfer_no_line")
    )
    lines += ["", line, ""]
    lines += [f"{place}. {text(wording, key)}" for place, key in enumerate(listed(wording, "transfer_steps"), 1)]
    return ("\n".join(lines) + "\n").encode()


def _published(facts: Facts, library: Library) -> float | None:
    """GB of the model as it is published: 16 bits a parameter unless its maker stores fewer."""
    total, name = facts.value("model.total"), facts.value("model.id")
    if not isinstance(total, Quantity):
        return None
    record = library.models.get(name) if isinstance(name, str) else None
    bits = {"fp8": _BITS / 2, "fp4": _BITS / 2**2}.get(record.stored_as or "", _BITS) if record else _BITS
    return Quantity(total.to("params").value * bits / BITS_PER_BYTE, "B").to("GB").value


def _range(hours_: Range, wording: Wording) -> str:
    """Low, likely and high, in minutes where it is less than an hour."""
    unit = "h" if hours_.likely >= 1 else "min"
    low, likely, high = (Quantity(each, "h").to(unit) for each in (hours_.low, hours_.likely, hours_.high))
    return text(wording, "from_to", low=low, likely=likely, high=high)


def _amount(facts: Facts, fact: str, unit: str) -> float | None:
    value = facts.value(fact)
    return value.to(unit).value if isinstance(value, Quantity) else None
