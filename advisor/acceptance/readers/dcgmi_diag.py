"""dcgmi diag, as a table or JSON, of DCGM 3 and 4.

"Successfully ran diagnostic" says nothing: what counts is which hardware tests ran. A run in which all of them were
skipped, or that was cut before the first of them, has tested nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from advisor.acceptance.reading import Reading
from advisor.acceptance.structured import first_json

_ROW = re.compile(
    r"^\|\s*(?P<name>[A-Za-z][^|]*?)\s*\|\s*(?P<result>Pass|Fail|Warn|Skip|Not Run)\b(?P<rest>[^|]*)\|?", re.MULTILINE
)
_SECTION = re.compile(r"-+\s*(?P<name>[A-Z][\w ]+?)\s*-+\+")
_VERSION = re.compile(r"DCGM Version\s*\|\s*(?P<version>[\d.]+)")
_DRIVER = re.compile(r"Driver Version Detected\s*\|\s*(?P<driver>[\d.]+)")
_HARDWARE = re.compile(
    r"pcie|memory|memtest|sm stress|targeted|diagnostic|pulse|eud|nvbandwidth|integration|stress|bandwidth",
    re.IGNORECASE,
)
_DEPLOYMENT = re.compile(
    r"list|library|permission|persistence|environment|retirement|graphics|inforom|software|fabric", re.IGNORECASE
)
_DEVICES = re.compile(
    r"(?:GPU Device IDs Detected|GPU Device IDs)\s*\|\s*(?P<ids>[0-9a-fA-F]{4}(?:\s*,\s*[0-9a-fA-F]{4})*)\s*\|"
)
Result = tuple[str, str]


def _entities(data: Any) -> float | None:
    """Cards named by the results of DCGM 3 (gpu_id) or 4 (entity_id); None where none is."""
    text = json.dumps(data)
    found = set(re.findall(r'"(?:gpu_id|entity_id)": "?(\d+)', text))
    return float(len(found)) if found else None


def _silent(data: Any) -> bool:
    """Whether a test or a result of it has lost its status."""
    if isinstance(data, list):
        return any(_silent(one) for one in data)
    if not isinstance(data, dict):
        return False
    tests = data.get("tests")
    if not isinstance(tests, list):
        return any(_silent(one) for one in data.values())
    for test in (one for one in tests if isinstance(one, dict)):
        results = test.get("results")
        parts = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
        parts += [test["test_summary"]] if isinstance(test.get("test_summary"), dict) else []
        if not parts or any("status" not in one for one in parts):
            return True
    return False


def _even(text: str) -> bool:
    """Whether every test that lists cards lists the same ones: a card's line that is missing was cut away."""
    tests: list[set[str]] = []
    for line in text.split("\n"):
        if _ROW.match(line):
            tests.append(set())
        elif tests and (found := re.match(r"\|\s+\|\s*GPU(\d+):", line)):
            tests[-1].add(found[1])
    listed = [each for each in tests if each]
    return all(each == listed[0] for each in listed)


def read(text: str) -> Reading:
    """Counts of passed, failed, warned and skipped tests; hardware tests apart."""
    reading = Reading("dcgmi-diag")
    data, whole = first_json(text)
    if isinstance(data, dict) and not any(key.startswith("DCGM") or key == "test_categories" for key in data):
        # The outer object is broken, and this is a piece from its inside.
        data, whole = None, False
    results = list(_from_json(data)) if data is not None else []
    if data is None and "{" not in text.split("|")[0]:
        whole = bool(re.search(r"^\+[-+]+\+\s*$", text.rstrip().split("\n")[-1].strip()))
        whole = whole and bool(re.search(r"^\| Diagnostic\s+\| Result", text, re.MULTILINE)) and _even(text)
        results = [(row["name"], row["result"]) for row in _ROW.finditer(text) if not row["name"].startswith("-")]
        version, driver = _VERSION.search(text), _DRIVER.search(text)
        reading.version = version["version"] if version else ""
        reading.show(dcgm=reading.version, driver=driver["driver"] if driver else None)
    elif isinstance(data, dict):
        _head(reading, data)
        whole = whole and not _silent(data)
    if "{" in text and data is None:
        results = [("", status) for status in re.findall(r'"status"\s*:\s*"(\w+)"', text)]
        whole = False
    reading.complete = whole
    listed = _DEVICES.search(text)
    reading.count(cards_tested=len(listed["ids"].split(",")) if listed else _entities(data))
    _count(reading, results)
    reading.ran = bool(results)
    if re.search(r"^Error: |unable to (?:connect|establish)", text, re.IGNORECASE | re.MULTILINE) and not results:
        reading.show(error="did not run")
    return reading


def _head(reading: Reading, data: dict[str, Any]) -> None:
    text = json.dumps(data)
    version = re.search(r'"(?:DCGM Version|version)": "([\d.]+)"', text)
    driver = re.search(r'"Driver Version Detected": "([\d.]+)"', text)
    reading.version = version[1] if version else ""
    reading.show(dcgm=reading.version, driver=driver[1] if driver else None)


def _from_json(data: Any) -> Iterator[Result]:
    """Every test with its status, whatever the root is called and wherever the status stands."""
    if isinstance(data, list):
        for one in data:
            yield from _from_json(one)
    if not isinstance(data, dict):
        return
    tests = data.get("tests")
    if isinstance(tests, list):
        for test in tests:
            if isinstance(test, dict):
                yield from _statuses(test)
        return
    for one in data.values():
        yield from _from_json(one)


def _statuses(test: dict[str, Any]) -> Iterator[Result]:
    name = str(test.get("name", ""))
    summary = test.get("test_summary")
    results = test.get("results")
    found = [one.get("status") for one in results if isinstance(one, dict)] if isinstance(results, list) else []
    if isinstance(summary, dict):
        found.append(summary.get("status"))
    for status in found:
        if isinstance(status, str):
            yield name, status


def _count(reading: Reading, results: list[Result]) -> None:
    words = [status.lower() for _, status in results]
    hardware = [status.lower() for name, status in results if _HARDWARE.search(name) and not _DEPLOYMENT.search(name)]
    reading.show(
        tests=len(results) or None,
        failed=words.count("fail") if results else None,
        warned=words.count("warn") if results else None,
        skipped=(words.count("skip") + words.count("not run")) if results else None,
        hardware_passed=hardware.count("pass") if results else None,
    )
    if results:
        reading.count(
            diag_failed=words.count("fail"),
            diag_warned=words.count("warn"),
            diag_skipped=hardware.count("skip") + hardware.count("not run"),
            diag_hardware_passed=hardware.count("pass"),
        )
