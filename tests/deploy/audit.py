"""Holds the locked dependencies against known advisories, from a file in the tree: no network, the same answer for all.

`python -m tests.deploy.audit` checks; it is a stage of `.ci/run`. `python -m tests.deploy.audit --osv all.zip` renews
`deploy/audit/advisories.json` from OSV's public dump of the PyPI ecosystem, fetched on any machine that can: only
advisories of locked packages are kept. An advisory that does not concern us stands in `accepted` with reason and date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "deploy" / "audit" / "advisories.json"
LOCKS = sorted((ROOT / "locks").glob("*.txt"))
# After so many days the file is told to be old: known holes are found every week.
OLD_AFTER_DAYS = 120
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def locked() -> dict[str, set[str]]:
    """Each locked package with its versions (platforms may differ)."""
    found: dict[str, set[str]] = {}
    for path in LOCKS:
        for name, version in _PINNED.findall(path.read_text("utf-8")):
            found.setdefault(canonicalize_name(name), set()).add(version)
    return found


def affected(version: str, ranges: list[dict[str, str]]) -> bool:
    """Whether a version lies in a range `{introduced, fixed? or last?}`; `fixed` itself is well, `last` is not."""
    here = Version(version)
    return any(
        Version(span["introduced"]) <= here
        and ("fixed" not in span or here < Version(span["fixed"]))
        and ("last" not in span or here <= Version(span["last"]))
        for span in ranges
    )


def findings(packages: dict[str, set[str]], file: dict[str, Any]) -> list[str]:
    """One line for each locked version with a known hole that nobody accepted."""
    accepted = {each["id"] for each in file["accepted"]}
    return [
        f"{each['package']} {version}: {each['id']}, fixed in {each['ranges'][-1].get('fixed', 'no version')}"
        for each in file["advisories"]
        for version in sorted(packages.get(each["package"], ()))
        if each["id"] not in accepted and affected(version, each["ranges"])
    ]


def from_osv(archive: Path, packages: dict[str, set[str]]) -> list[dict[str, Any]]:
    """The advisories of an OSV dump that speak of our packages, in our shape."""
    kept = []
    with zipfile.ZipFile(archive) as dump:
        for name in sorted(dump.namelist()):
            record = json.loads(dump.read(name))
            if "withdrawn" in record:
                continue
            for each in record.get("affected", ()):
                named = each.get("package", {})
                package = canonicalize_name(named.get("name", ""))
                ranges = _ranges(each)
                if named.get("ecosystem") == "PyPI" and package in packages and ranges:
                    kept.append({"id": record["id"], "package": package, "ranges": ranges})
    return kept


def _ranges(record: dict[str, Any]) -> list[dict[str, str]]:
    spans: list[dict[str, str]] = []
    for each in record.get("ranges", ()):
        if each.get("type") != "ECOSYSTEM":
            continue
        for event in each["events"]:
            if "introduced" in event:
                spans.append({"introduced": event["introduced"]})
            elif "fixed" in event and spans:
                spans[-1]["fixed"] = event["fixed"]
            elif "last_affected" in event and spans:
                spans[-1]["last"] = event["last_affected"]
    return [span for span in spans if _readable(span)]


def _readable(span: dict[str, str]) -> bool:
    try:
        return all(Version(version) is not None for version in span.values())
    except InvalidVersion:
        return False


def renew(archive: Path, file: dict[str, Any], path: Path = FILE) -> None:
    """Write the file anew from a dump; what was accepted stays."""
    file["advisories"] = from_osv(archive, locked())
    file["as_of"] = datetime.now(UTC).date().isoformat()
    file["source"] = "OSV, PyPI ecosystem"
    path.write_text(json.dumps(file, indent=1) + "\n", "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--osv", type=Path, help="OSV's dump of the PyPI ecosystem (a zip of JSON files)")
    given = parser.parse_args()
    file = json.loads(FILE.read_text("utf-8"))
    if given.osv:
        renew(given.osv, file)
    packages = locked()
    wrong = findings(packages, file)
    age = (datetime.now(UTC).date() - date.fromisoformat(file["as_of"])).days
    print(
        "\n".join(
            [*wrong, f"{len(packages)} packages against {len(file['advisories'])} advisories as of {file['as_of']}"]
        )
    )
    if age > OLD_AFTER_DAYS:
        print(f"the advisories are {age} days old: renew them with --osv", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
