"""How well the handed outputs are judged and read: `python -m tests.accuracy.acceptance [FOLDER]`.

FOLDER holds `INDEX.csv` with the columns file, tool, expected_verdict and key_values. A row whose expected verdict says
nothing of health (`format`, `n/a`) counts for the values only. Prints misses, then three shares: verdict as expected,
false passes, key values read.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from advisor.consult.judge import judge
from advisor.core.judged import FileJudged

SAMPLES = Path(__file__).resolve().parents[3] / "shared" / "data" / "acceptance" / "samples"
WORDS = ("pass", "fail", "warn", "inconclusive")
_PAIR = re.compile(r"(\w+)(?:=|~|:(?=[\d.]))([^;]*)")


def accepted(expected: str) -> tuple[str, ...]:
    """The verdicts that an index entry allows: `warn/fail` both, `pass; warn if ...` the first."""
    if expected.startswith(("format", "n/a")):
        return ()
    first = re.split(r"[;(]| if | for | alone", expected)[0].strip()
    found = tuple(word for word in re.split(r"[/ ]", first) if word in WORDS)
    return found or tuple(word for word in WORDS if word in expected)[:1]


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Key and value of an index entry; those that mean "absent" and remarks in prose are left out."""
    if "|" in text and "sec" in text:
        for row in text.split("|"):
            rate = re.search(r"([\d.]+) ([GM])bits/sec", row)
            if rate:
                yield ("recv" if "receiver" in row else "sent"), rate[1]
        return
    if "msec;" in text:
        found = re.match(r"read_iops=([^;]+);bw=([\d.]+)", text)
        if found:
            yield "read_iops", found[1]
            yield "bw", found[2]
        return
    chunks = text.split(" ") if re.match(r"\w+:[\d.]+ ", text) else text.split(";")
    for chunk in chunks:
        found = re.match(r"\s*([\w ]+?)\s*(?:=|~|:(?=[\d.]))\s*(.+)$", chunk)
        if found and found[2] not in ("None",):
            yield found[1], found[2]


def is_read(key: str, want: str, values: Mapping[str, object]) -> bool:
    """Whether a value named like the key holds the wanted figure or word."""
    name = key.replace(" ", "_").lower()
    near = {k: v for k, v in values.items() if k == name or k.startswith(name + "_") or name in k}
    for value in [*near.values()] or [*values.values()]:
        text = str(value)
        number = re.match(r"-?[\d.]+", want)
        if text.lower() == want.lower() or (want.lower().startswith(text.lower()) and not number):
            return True
        if (
            number
            and re.match(r"-?[\d.]+(?:e-\d+)?$", text)
            and abs(float(number[0]) - float(text)) <= 0.051 * max(abs(float(text)), 0.001)
        ):
            return True
        if key == "line" and set(want.split(" ")[0].split("/")) <= set(re.split(r"[/ ]", text)):
            return True
        if re.split(r"[ (]", want)[0].lower() in (text.lower(), text.split("/")[0].lower()):
            return True
    return False


def main(root: Path) -> int:
    """Print the score; 0 where there are no false passes."""
    right = judged = false = seen = read = 0
    with (root / "INDEX.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        found: tuple[FileJudged, ...] = judge([root / row["file"]]).files
        verdict, values = found[0].judgement, found[0].values
        allowed = accepted(row["expected_verdict"])
        if allowed:
            judged += 1
            right += verdict in allowed
            false += verdict == "pass" and "pass" not in allowed
            if verdict not in allowed:
                print(f"verdict {row['file']}: {verdict}, expected {row['expected_verdict']}")
                print("   ", [(one.rule, one.judgement) for one in found[0].findings][:6], found[0].problem)
        for key, want in pairs(row["key_values"]):
            seen += 1
            hit = is_read(key, want, values)
            read += hit
            if not hit:
                print(f"value {row['file']}: {key}={want} in {dict(values)}")
    print(f"verdict as expected {right}/{judged} = {100 * right / max(judged, 1):.1f} %")
    print(f"false passes {false}")
    print(f"key values read {read}/{seen} = {100 * read / max(seen, 1):.1f} %")
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES))
