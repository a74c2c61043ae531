"""Which versions go with a card, by the compatibility table: driver, CUDA, PyTorch, attention kernels, bitsandbytes.

The generation of the card says the build and the driver's branch, the build's CUDA the lowest driver, and the rows of
packages what they need. A stack that the table contradicts is an error in the data, not a choice to be made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.core.errors import BadData
from advisor.knowledge.library import Library
from advisor.knowledge.records.compatibility import DriverFloor, Generation, Package, Torch
from advisor.knowledge.records.stacks import Stack, Wheels
from advisor.pack.tree import Scene
from advisor.pack.words import Wording, text

# Rows of packages that a generation speaks of, with the field that says whether they run on it.
_KERNELS = ("flash_attention_2", "flash_attention_3", "flash_attention_4", "bitsandbytes")
# Optimizers whose states are kept by bitsandbytes.
_NEED_BITSANDBYTES = ("adamw_8bit", "paged_adamw", "lion")
_SURE = ("yes", "partly")


@dataclass(frozen=True)
class Versions:
    """What goes with one card: the build of PyTorch, its CUDA, the lowest driver, the driver's branch."""

    build: str
    cuda: str
    floor: str
    branch: str
    generation: Generation


def versions(row: Generation, stacks: Sequence[Stack], library: Library) -> Versions | None:
    """Build, lowest driver and branch for a generation; None where no stack has its build.

    Raises `BadData` where a stack and the table disagree.
    """
    build, branch = row.wheel.value, row.advised_driver.value
    fitting = [stack for stack in stacks if build in stack.wheels]
    if build is None or branch is None or not fitting:
        return None
    for stack in fitting:
        _fits(stack, stack.wheels[build], row, library)
    cuda = fitting[0].wheels[build].cuda
    return Versions(build, cuda, _floor(cuda, library), branch, row)


def needs_bitsandbytes(scene: Scene) -> bool:
    """Whether the plan quantises its base or keeps its optimizer's states by bitsandbytes."""
    return scene["method"] == "qlora" or scene["optimizer"] in _NEED_BITSANDBYTES


def lacking(found: Versions, scene: Scene, wording: Wording) -> Iterator[tuple[str, str]]:
    """What the plan needs and the table does not vouch for on this card."""
    row = found.generation.bitsandbytes
    if needs_bitsandbytes(scene) and row.value not in _SURE:
        yield "bitsandbytes", text(wording, "versions_doubt", name="bitsandbytes", says=_says(row.value, wording))


def page(found: Versions, stack: Stack, wording: Wording) -> bytes:
    """`VERSIONS.md`: what was chosen for the card, and what each kernel package says of it."""
    library, row = wording.library, found.generation
    lines = [f"# {text(wording, 'versions_title')}", "", f"{wording.text(row.name.text)}.", ""]
    lines += [
        text(wording, "versions_build", torch=stack.torch, build=found.build, cuda=found.cuda),
        text(wording, "versions_driver", branch=found.branch, floor=found.floor, cuda=found.cuda.partition(".")[0]),
        text(wording, "versions_attention", attention=wording.text(row.attention.text)),
        "",
    ]
    head = [text(wording, f"versions_{name}") for name in ("package", "runs", "needs", "source")]
    lines += [f"| {' | '.join(head)} |", "|---|---|---|---|"]
    for key in _KERNELS:
        package, judged = library.compatibility.require(f"packages.{key}"), getattr(row, key)
        assert isinstance(package, Package), "packages.* are rows of packages"
        note = f" ({judged.note})" if judged.note and wording.lang == "en" else ""
        cells = [f"{package.name} {package.version}", _says(judged.value, wording) + note]
        cells += [wording.text(package.needs.text), library.source(package.source).title]
        lines.append(f"| {' | '.join(cells)} |")
    return ("\n".join(lines) + "\n").encode()


def _says(value: str, wording: Wording) -> str:
    return text(wording, f"support_{value}")


def _fits(stack: Stack, wheels: Wheels, row: Generation, library: Library) -> None:
    """Raises `BadData` where the table says that this torch has no such build, or not for this card."""
    minor = ".".join(stack.torch.split(".")[:2])
    torch = library.compatibility.require(f"torch.{minor.replace('.', '_')}")
    assert isinstance(torch, Torch), "torch.* are rows of the matrix"
    if wheels.cuda not in torch.stable_cuda:
        raise BadData(f"torch {stack.torch} has no stable build for CUDA {wheels.cuda}", where=stack.id)
    built = torch.capabilities.get(wheels.cuda)
    if built and not any(runs(card, each) for card in row.capabilities for each in built):
        raise BadData(f"torch {stack.torch} for CUDA {wheels.cuda} does not run on {row.id}", where=stack.id)
    oldest, newest = row.min_cuda.value, row.max_cuda.value
    if oldest is not None and order(wheels.cuda) < order(oldest):
        raise BadData(f"CUDA {wheels.cuda} is too old for {row.id}", where=stack.id, expected=f"at least {oldest}")
    if newest is not None and order(wheels.cuda) > order(newest):
        raise BadData(f"CUDA {wheels.cuda} dropped {row.id}", where=stack.id, expected=f"at most {newest}")
    _package_fits(stack, wheels, library)


def _package_fits(stack: Stack, wheels: Wheels, library: Library) -> None:
    """The same for bitsandbytes: its own row says which torch and CUDA it wants."""
    package = library.compatibility.require("packages.bitsandbytes")
    assert isinstance(package, Package), "packages.* are rows of packages"
    if "bitsandbytes" not in stack.packages:
        return
    for needed, has in ((package.min_torch.value, stack.torch), (package.min_cuda.value, wheels.cuda)):
        if needed is not None and order(has) < order(needed):
            raise BadData(f"bitsandbytes wants {needed}, the stack has {has}", where=stack.id)


def order(version: str) -> tuple[int, ...]:
    """A version for comparing: 12.10 is newer than 12.9."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def runs(card: str, built: str) -> bool:
    """Whether code built for one compute capability runs on a card: the same major number, and no younger minor one."""
    card_major, _, card_minor = card.partition(".")
    major, _, minor = built.partition(".")
    return major == card_major and minor <= card_minor


def _floor(cuda: str, library: Library) -> str:
    """The lowest driver of a CUDA family: builds bring their own CUDA, and minor versions of a family go together."""
    row = library.compatibility.require(f"drivers.cuda_{cuda.partition('.')[0]}_family")
    assert isinstance(row, DriverFloor), "drivers.* are rows of the release notes"
    return row.driver
