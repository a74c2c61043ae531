"""No domain number in Python: a figure stands in a YAML file with unit, source and status.

Lists every number in `advisor/` and `bots/` that is neither 0, 1, 2, -1, a power of ten nor a unit factor. The cure:
move it to `knowledge/heuristics/` and ask `library.heuristic(...)`, or, where it is no figure about the world (an exit
code, the width of a column), add it to `ALLOWED` with the reason.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SMALL = {0, 1, 2}
# Definitions, the same everywhere: bits a byte, seconds, hours, days and months, per cent.
UNIT_FACTORS = {8, 12, 24, 60, 100, 1024, 3600}
# Whole files that hold definitions.
DEFINITIONS = {"advisor/core/units.py": "factors of units"}

NUMERAL = "a number word means this number"
LIMIT = "a limit that keeps hostile or broken input away"
ENGINE = "a limit of durable_rules, as DESIGN section 3 lists them"
HTTP = "a status of HTTP"
SLACK = "a limit of Slack's, as its reference gives it, or what keeps a message below one"
# file -> number -> why it is no figure about the world.
ALLOWED: dict[str, dict[float, str]] = {
    "advisor/consult/scripted.py": {
        0.02: "how near a number of a script must be",
        2026: "the day on which scripts are played",
    },
    "advisor/acceptance/commands.py": {22: "the port that SSH is given", 5201: "the port that iperf3 is given"},
    "advisor/acceptance/decode.py": {0.9: "share of lines that begin alike before it is called a prefix"},
    "advisor/acceptance/readers/disk_health.py": {273: "kelvin of zero degrees Celsius"},
    "advisor/acceptance/readers/fio.py": dict.fromkeys((5, 9, 46, 50), "places of fields in fio's terse format"),
    "advisor/acceptance/readers/host.py": dict.fromkeys((3, 4, 5, 6), "PCI Express numbers its generations"),
    "advisor/acceptance/readers/iperf3.py": {1448: "payload of an Ethernet segment: 1500 less 52 bytes of headers"},
    "advisor/core/errors.py": {0.6: "how near a word must be to be offered as a correction"},
    "advisor/dialogue/models.py": {
        3: "letters of a word that is long enough for a slip of the pen",
        7: "letters from which two slips are allowed",
    },
    "advisor/dialogue/numbers.py": {
        **dict.fromkeys((0.5, 3, 4, 5, 6, 7, 9, 16, 32), NUMERAL),
        40: "how far behind a number its unit may stand, in characters",
    },
    "advisor/dialogue/answers.py": {4: "the bits of a base that makes LoRA a QLoRA, by definition"},
    "advisor/dialogue/jobs.py": {4: "the bits of a base that makes LoRA a QLoRA, by definition"},
    "advisor/dialogue/lengths.py": {1.024: "1k as 1024 against 1000"},
    "advisor/dialogue/sizes_in_bytes.py": {8e3: "bits a byte, with the prefix of the unit"},
    "advisor/dialogue/quantities.py": {
        **dict.fromkeys((7, 30, 365), "days of a week, a month, a year as people say them"),
        **dict.fromkeys((8e3, 8e-3), "bits a byte, with the prefix of the unit"),
    },
    "advisor/estimate/cost.py": {
        3: "the coefficients 1/3 and 1/9 of Daly's formula, mathematics and not measurement",
        9: "the coefficients 1/3 and 1/9 of Daly's formula, mathematics and not measurement",
        7: "days a week",
    },
    "advisor/estimate/memory/activations.py": {3: "matrices of a block, counted"},
    "advisor/estimate/memory/states.py": {3: "matrices of a gated block, counted", 4: "bytes of a 32-bit number"},
    "advisor/estimate/speed_machine.py": {3: "the PCIe generation that the heuristic of a lane is about"},
    "advisor/knowledge/records/common.py": {120: LIMIT, 4000: LIMIT},
    "advisor/knowledge/typed.py": {60: "how much of a wrong value a message shows"},
    "advisor/report/charts/scale.py": {5: "a round figure on an axis is 1, 2 or 5 times a power of ten"},
    "advisor/pack/kit.py": {
        1980: "the oldest year that a ZIP archive can hold",
        0o644: "permissions of a file",
        0o755: "permissions of a script",
    },
    "advisor/pack/scene.py": {4: "the bits of a choice named after them"},
    "advisor/pack/site.py": {22: "the port that SSH is given"},
    "advisor/report/markdown.py": {3: "level of a heading"},
    "advisor/report/wording.py": {4: "length of a year", 7: "length of a year and a month"},
    "advisor/rules/compile.py": dict.fromkeys((200, 400, 50, 14, 16, 2000), ENGINE),
    "bots/cli/mcp.py": {8765: "the port that agents are given where nobody names one"},
    "bots/cli/web.py": {7860: "the port that the pages are known under"},
    "bots/slack/app.py": {503: HTTP},
    "bots/slack/blocks.py": dict.fromkeys((20, 25, 50, 75, 150, 400, 2000, 3000, 3900, 9000, 12000), SLACK),
    "bots/slack/client.py": {
        **dict.fromkeys((404, 429, 500, 502, 503, 504), HTTP),
        **dict.fromkeys((3, 20), "seconds that a call may take"),
    },
    "bots/slack/files.py": {20: "files that are read at a time", 200: HTTP},
    "bots/slack/health.py": {180: "seconds of silence after which a connection is dead"},
    "bots/slack/home.py": {5: "plans in a list"},
    "bots/slack/modal.py": {1.2: "seconds within Slack's three for an acknowledgement", 3000: SLACK},
    "bots/slack/oauth.py": {**dict.fromkeys((200, 400, 502), HTTP), 600: "seconds that an installation may take"},
    "bots/slack/outbox.py": {
        5: "attempts",
        **dict.fromkeys((0.3, 4, 15), "seconds between attempts and looks"),
    },
    "bots/slack/render.py": dict.fromkeys((3, 4, 5, 6, 7, 9), "the order in which parts of a message are left out"),
    "bots/slack/server.py": {
        **dict.fromkeys((200, 400, 503), HTTP),
        3000: "the port that Slack's own samples use",
        **dict.fromkeys((0.2, 3, 5), "seconds between looks and pings"),
    },
    "bots/slack/work.py": {3: "attempts before an apology"},
    "bots/cli/main.py": {130: "exit code of a process that was interrupted"},
}


def literals(tree: ast.AST) -> Iterator[ast.Constant]:
    """Each number that says how much: not those that say where (an index) or how often a value is repeated."""
    for node in ast.walk(tree):
        for child in _amounts(node):
            if isinstance(child, ast.Constant) and type(child.value) in (int, float) and not _prefix(child.value):
                yield child


def _amounts(node: ast.AST) -> list[ast.AST]:
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Slice):
        return []
    if isinstance(node, ast.keyword) and node.arg == "maxsize":  # entries of a cache
        return []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "round":
        return [node.func, *node.args[:1]]  # digits
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Tuple):
        return [node.left]
    # A power of two or ten is a prefix of a unit or a technical limit; its exponent is no figure.
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.left, ast.Constant):
        return [] if node.left.value in (2, 10) else children
    return children


def _prefix(value: float) -> bool:
    return value > 0 and math.isclose(value, 10.0 ** round(math.log10(value)))


def offenders(source: str, name: str) -> list[str]:
    """`file:line: number` of each number that has no business there."""
    if name in DEFINITIONS:
        return []
    allowed = SMALL | UNIT_FACTORS | ALLOWED.get(name, {}).keys()
    return [f"{name}:{node.lineno}: {node.value}" for node in literals(ast.parse(source)) if node.value not in allowed]


def python_files() -> list[Path]:
    return sorted(path for folder in ("advisor", "bots") for path in (ROOT / folder).rglob("*.py"))


def test_no_figure_about_the_world_is_typed_into_python() -> None:
    found = [
        line
        for path in python_files()
        for line in offenders(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    ]
    assert not found, (
        "\n".join(found)
        + f"\n{len(found)} numbers in Python. Move each to knowledge/heuristics/ (unit, source, status), "
        "or add it to ALLOWED in this test with the reason why it says nothing about the world."
    )


def test_every_allowed_number_is_still_used() -> None:
    stale = []
    for name, numbers in ALLOWED.items():
        path = ROOT / name
        if not path.exists():
            continue  # a room that is still to come
        used = {node.value for node in literals(ast.parse(path.read_text("utf-8")))}
        stale += [f"{name}: {number} ({reason})" for number, reason in numbers.items() if number not in used]
    assert not stale, "no longer in the code, take them out of ALLOWED:\n" + "\n".join(stale)


def test_the_checker_finds_a_figure_and_passes_definitions() -> None:
    code = (
        "seconds = hours * 3600\nlast = rows[-1]\nbits = size * 8\nname = text[:40]\ngib = 2.0**30\n"
        "low, likely, high = (value,) * 3\nshown = round(value, 3)\nshare = 0.9\nretries = 17\n"
    )
    assert offenders(code, "advisor/x.py") == ["advisor/x.py:8: 0.9", "advisor/x.py:9: 17"]
