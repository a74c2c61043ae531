"""Stacks: what the set-up of a server takes. Systems, sets of package versions, environment variables, and the tools
that train or serve with the shape of their configuration files.

A tool's file is a tree whose texts may hold `{name}`, a value of the plan; `when` says for which plans a part holds.
There is no arithmetic and no expression: what a plan's names are stands in `advisor.pack.scene`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from advisor.knowledge.records.common import BiText, Id, Items, Record, Status, WholeDay, Words

# A plan's name -> the values for which a part holds.
When = dict[str, Items[bool | int | str]]


class System(Record):
    """One release of a system that the set-up script knows."""

    kind: Literal["system"]
    id: Id
    name: Words
    os_id: Words
    """`ID` and `VERSION_ID` of /etc/os-release."""
    os_version: Words
    python: Words
    """The interpreter's command."""
    packages: Items[Words]
    driver: Items[Words]
    """Packages of the driver's branch; `{branch}` is put in."""
    fabric: Items[Words] = ()
    """Packages of the fabric manager, for servers with NVSwitch."""
    repository: Words | None = None
    """NVIDIA's repository for this release, where the system's own has no such driver; an https address."""
    image: Words | None = None
    """The base image of the Dockerfile, for the release that it is built on."""
    source: Id = Field(alias="from")
    status: Status
    note: Words | None = None


class Wheels(Record):
    """Where the builds of one CUDA version are fetched."""

    cuda: Words
    index: Words


class Stack(Record):
    """A set of package versions that were installed together; `tested` is the day and `how` what was run with it."""

    kind: Literal["stack"]
    id: Id
    name: BiText
    torch: Words
    python: Words
    """Lowest Python."""
    wheels: dict[str, Wheels] = Field(default_factory=dict)
    """By the name of a build (cu126, cu130, cpu)."""
    packages: dict[str, Words]
    isolated: Items[Words] = ()
    """Packages that are built against the installed torch."""
    tested: WholeDay
    how: BiText
    source: Id = Field(alias="from")
    status: Status


class Variable(Record):
    """One environment variable, and for which plans it is set."""

    kind: Literal["variable"]
    id: Id
    name: str = Field(pattern=r"^[A-Z][A-Z0-9_]*$")
    value: Words
    at: Literal["server", "office", "both"]
    when: When = Field(default_factory=dict)
    ask: bool = False
    """True where only the person at the server knows the value; it is then written as a line to fill in."""
    why: BiText
    source: Id = Field(alias="from")
    status: Status


class Part(Record):
    """A piece of a file's tree, laid over what came before it, for the plans that `when` names."""

    when: When = Field(default_factory=dict)
    set: dict[str, Any]


class Refusal(Record):
    """Plans that the tool cannot run as they stand, and why."""

    when: When
    why: BiText


class ToolFile(Record):
    """One file: a YAML or JSON tree, or a command (`argv` is a list of words, one shell command)."""

    name: str = Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)*$")
    format: Literal["yaml", "json", "command"]
    when: When = Field(default_factory=dict)
    about: BiText
    keys: Id | None = None
    """The list of keys (`keys.TOOL`) that the tool's own parser knows."""
    argv: Items[Words] = ()
    """For a command: the words before the options that `parts` set."""
    after: Items[Words] = ()
    before: Items[Words] = ()
    """For a command: variables as NAME=value in front of it."""
    parts: Items[Part] = ()

    @model_validator(mode="after")
    def _command_has_words(self) -> ToolFile:
        if (self.format == "command") != bool(self.argv):
            raise ValueError("a command has `argv`, a YAML or JSON file has none")
        return self


class Tool(Record):
    """One tool that trains or serves: which plans it can run, its words for the plan's choices, and its files."""

    kind: Literal["tool"]
    id: Id
    name: Words
    use: Literal["training", "serving"]
    stack: Id
    checked: WholeDay
    source: Id = Field(alias="from")
    status: Status
    note: BiText | None = None
    refuses: Items[Refusal] = ()
    words: dict[str, dict[str, bool | int | float | str]] = Field(default_factory=dict)
    """A plan's name -> its value -> the tool's own word; a value without a word is one that the tool does not have."""
    models: dict[str, dict[str, Any]] | None = None
    """Our model -> the tool's names for it, where the tool knows only these models."""
    derived: dict[str, Words] = Field(default_factory=dict)
    """More names for the files: text with names of the plan."""
    files: Items[ToolFile] = Field(min_length=1)


class Keys(Record):
    """The keys that a tool's own parser knows, read out of one version of it."""

    kind: Literal["keys"]
    id: Id
    tool: Words
    version: Words
    read: WholeDay
    how: Words
    source: Id = Field(alias="from")
    status: Status
    keys: Items[Words] = Field(min_length=1)


StackRecord = System | Stack | Variable | Tool | Keys
BY_KIND: dict[str, type[StackRecord]] = {
    "system": System,
    "stack": Stack,
    "variable": Variable,
    "tool": Tool,
    "keys": Keys,
}
