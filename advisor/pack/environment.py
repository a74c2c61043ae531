"""The set-up of the server: one script, a Dockerfile, the variables, health commands, lists of packages.

Versions are chosen by `advisor.pack.versions`; a stack holds the packages that were installed together. A build that no
stack has gives a reason and no script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files as resources

from advisor.core.errors import BadData
from advisor.knowledge.library import Library
from advisor.knowledge.records.stacks import Stack, System, Tool, Variable
from advisor.pack import quoting
from advisor.pack.tree import Scene, filled, holds
from advisor.pack.versions import Versions, lacking, page, versions
from advisor.pack.words import Wording, text

_PLACEHOLDER = re.compile(r"@([A-Z_]+)@")
_FIRST = "hub"


@dataclass(frozen=True)
class Environment:
    """The files below `environment/`, or why there is no script; `doubts` are what the table does not vouch for."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    why_not: str = ""
    doubts: tuple[tuple[str, str], ...] = ()


def environment(scene: Scene, used: Sequence[Tool], wording: Wording, *, fabric: bool) -> Environment:
    """The set-up for the plan's card and the stacks of the tools that are used."""
    library = wording.library
    card = library.gpus[str(scene["gpu"])]
    row = library.generation(card)
    stacks = list(_stacks(used, library))
    found = versions(row, stacks, library) if row is not None else None
    fitting = [stack for stack in stacks if found is not None and found.build in stack.wheels]
    if found is None or not fitting:
        return Environment(why_not=text(wording, "no_build", card=card.label))
    files = {
        "setup.sh": _setup(found, fitting, library, fabric=fabric),
        "Dockerfile": _dockerfile(found, fitting[0], library),
        "health.sh": template("health.sh", {}),
        "env.sh": _variables(scene, wording),
        "VERSIONS.md": page(found, fitting[0], wording),
    }
    files |= {f"requirements-{_name(stack)}.txt": _requirements(stack, wording) for stack in fitting}
    return Environment(files, doubts=tuple(lacking(found, scene, wording)))


def template(name: str, values: Mapping[str, str]) -> bytes:
    """One of the files beside this module with its `@NAMES@` filled in; values are quoted by the caller."""
    body = (resources("advisor.pack") / "files" / name).read_text("utf-8")
    return _PLACEHOLDER.sub(lambda match: values[match[1]], body).encode()


def _stacks(used: Sequence[Tool], library: Library) -> Iterator[Stack]:
    """The stacks of the tools, the common one first."""
    ids = dict.fromkeys(tool.stack for tool in used)
    for key in sorted(ids, key=lambda id_: (not id_.endswith(f".{_FIRST}"), id_)):
        stack = library.compatibility.require(key)
        if not isinstance(stack, Stack):
            raise BadData(f"{key} is no stack", where="knowledge/compatibility/tools")
        yield stack


def _systems(library: Library) -> list[System]:
    rows = (library.compatibility[key] for key in library.compatibility if key.startswith("systems."))
    return sorted((row for row in rows if isinstance(row, System)), key=lambda row: row.id)


def _setup(found: Versions, stacks: Sequence[Stack], library: Library, *, fabric: bool) -> bytes:
    systems = _systems(library)
    values = {
        "STACK": _name(stacks[0]),
        "STACKS": ", ".join(_name(stack) for stack in stacks),
        "CASES": "\n".join(_case(stack, found.build) for stack in stacks),
        "SYSTEMS": ", ".join(system.name for system in systems),
        "SYSTEM_CASES": "\n".join(_system_case(system, found, fabric=fabric) for system in systems),
        "BRANCH": quoting.shell(found.branch),
        "FABRIC": _FABRIC if fabric else "",
    }
    return template("setup.sh", {**values, "FLOOR": quoting.shell(found.floor)})


_FABRIC = """\
  step "fabric manager, in the driver's own version"
  apt-get install -y --no-install-recommends "${fabrics[@]}"
  systemctl enable --now nvidia-fabricmanager || printf 'The fabric manager starts after the restart.\\n'
"""


def _case(stack: Stack, build: str) -> str:
    wheels, plain = stack.wheels[build], stack.wheels.get("cpu")
    words = {
        "torch": stack.torch,
        "index": wheels.index,
        "index_cpu": plain.index if plain is not None else wheels.index,
    }
    pairs = " ".join(f"{name}={quoting.shell(value)}" for name, value in words.items())
    return f"  {_name(stack)}) {pairs} isolated=({_words(stack.isolated)}) ;;"


def _system_case(system: System, found: Versions, *, fabric: bool) -> str:
    branch = {"branch": found.branch}
    drivers = [filled(each, branch, system.id) or "" for each in system.driver]
    fabrics = [filled(each, branch, system.id) or "" for each in system.fabric]
    pairs = f"python={quoting.shell(system.python)} repository={quoting.shell(system.repository or '')}"
    lists = f"packages=({_words(system.packages)}) drivers=({_words(drivers)})"
    lists += f" fabrics=({_words(fabrics)})" if fabric else ""
    return f"  {system.os_id}-{system.os_version}) {pairs} {lists} ;;"


def _words(words: Sequence[str]) -> str:
    return " ".join(quoting.shell(word) for word in words)


def _name(stack: Stack) -> str:
    return stack.id.rpartition(".")[2]


def _dockerfile(found: Versions, stack: Stack, library: Library) -> bytes:
    system = next(row for row in _systems(library) if row.image is not None)
    isolated = ""
    if stack.isolated:
        isolated = (
            f" \\\n && DS_BUILD_OPS=0 /opt/training/{_name(stack)}/bin/python -m pip install --no-cache-dir"
            f" --no-build-isolation \\\n      --constraint /opt/training/torch.txt {_words(stack.isolated)}"
        )
    values = {
        "IMAGE": system.image or "",
        "PACKAGES": _words(system.packages),
        "PYTHON": quoting.shell(system.python),
        "STACK": _name(stack),
        "INDEX": stack.wheels[found.build].index,
        "TORCH": quoting.shell(stack.torch),
        "ISOLATED": isolated,
    }
    return template("Dockerfile", values)


def _requirements(stack: Stack, wording: Wording) -> bytes:
    head = f"# {wording.text(stack.name.text)}: {wording.text(stack.how.text)} ({stack.tested})"
    return "\n".join([head, *(f"{name}=={version}" for name, version in stack.packages.items()), ""]).encode()


def _variables(scene: Scene, wording: Wording) -> bytes:
    """The variables as a script to source; those of the office are set with `. env.sh office`."""
    library = wording.library
    parts: dict[str, list[str]] = {"both": [], "server": [], "office": []}
    for key in library.compatibility:
        row = library.compatibility[key] if key.startswith("variables.") else None
        if isinstance(row, Variable) and holds(row.when, scene, row.id):
            parts[row.at] += _variable(row, scene, wording)
    head = ["# shellcheck shell=bash", *(f"# {text(wording, key)}" for key in ("env_head", "by_hkgpu")), ""]
    lines = [*head, *parts["both"], *parts["server"]]
    if parts["office"]:
        office = "\n".join(f"  {line}" for line in parts["office"])
        # At the office none of the server's own variables is wanted, so its part stands first and returns.
        lines = [*head, *parts["both"], 'if [ "${1:-}" = office ]; then', office, "  return 0", "fi", *parts["server"]]
    return ("\n".join(lines) + "\n").encode()


def _variable(row: Variable, scene: Scene, wording: Wording) -> list[str]:
    value = filled(row.value, scene, row.id)
    comment = f"# {wording.text(row.why.text)}"
    if value is None:
        return [comment, f"# export {row.name}="] if row.ask else []
    # What somebody set before keeps its value.
    return [comment, f'[ -n "${{{row.name}:-}}" ] || {row.name}={quoting.shell(value)}', f"export {row.name}"]
