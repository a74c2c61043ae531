"""The audit of dependencies finds what is affected, passes what is fixed, and reads OSV's records."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from tests.deploy.audit import FILE, affected, findings, from_osv, locked, renew

HOLE = {"id": "X-1", "package": "jinja2", "ranges": [{"introduced": "3.0", "fixed": "3.1.6"}]}


def test_a_version_before_the_fix_is_affected_and_the_fixed_one_is_not() -> None:
    assert affected("3.1.5", HOLE["ranges"])
    assert not affected("3.1.6", HOLE["ranges"])
    assert not affected("2.11", HOLE["ranges"])
    assert affected("99", [{"introduced": "0"}])


def test_the_last_affected_version_is_affected_and_the_next_is_not() -> None:
    assert affected("2.5", [{"introduced": "2.0", "last": "2.5"}])
    assert not affected("2.6", [{"introduced": "2.0", "last": "2.5"}])


def test_a_locked_version_with_a_hole_is_named_unless_somebody_accepted_it() -> None:
    file = {"advisories": [HOLE], "accepted": []}
    assert findings({"jinja2": {"3.1.5"}}, file) == ["jinja2 3.1.5: X-1, fixed in 3.1.6"]
    assert findings({"jinja2": {"3.1.6"}}, file) == []
    assert findings({"jinja2": {"3.1.5"}}, {**file, "accepted": [{"id": "X-1", "why": "w", "on": "2026-12-01"}]}) == []


def test_a_record_of_osv_becomes_ours(tmp_path: Path) -> None:
    record = {
        "id": "GHSA-1",
        "affected": [
            {
                "package": {"ecosystem": "PyPI", "name": "Jinja2"},
                "ranges": [
                    {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.0"}, {"introduced": "3.0"}]}
                ],
            }
        ],
    }
    path = tmp_path / "all.zip"
    record["affected"][0]["ranges"][0]["events"].append({"last_affected": "3.2"})
    elsewhere = {"package": {"ecosystem": "npm", "name": "jinja2"}, "ranges": record["affected"][0]["ranges"]}
    with zipfile.ZipFile(path, "w") as dump:
        dump.writestr("GHSA-1.json", json.dumps(record))
        dump.writestr("GHSA-2.json", json.dumps({**record, "id": "GHSA-2", "withdrawn": "2026-01-01"}))
        dump.writestr("GHSA-3.json", json.dumps({"id": "GHSA-3", "affected": [elsewhere]}))
    spans = [{"introduced": "0", "fixed": "2.0"}, {"introduced": "3.0", "last": "3.2"}]
    assert from_osv(path, {"jinja2": {"3.1"}}) == [{"id": "GHSA-1", "package": "jinja2", "ranges": spans}]


def test_the_file_is_renewed_from_a_dump_without_a_network_and_keeps_what_was_accepted(tmp_path: Path) -> None:
    package = {"ecosystem": "PyPI", "name": "jinja2"}
    ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.0"}]}]
    dump = tmp_path / "all.zip"
    with zipfile.ZipFile(dump, "w") as made:
        made.writestr("X-2.json", json.dumps({"id": "X-2", "affected": [{"package": package, "ranges": ranges}]}))
    accepted = [{"id": "X-1", "why": "w", "on": "2026-12-01"}]
    path = tmp_path / "advisories.json"
    renew(dump, {"advisories": [HOLE], "accepted": accepted, "as_of": "2020-01-01"}, path)
    written = json.loads(path.read_text("utf-8"))
    assert [each["id"] for each in written["advisories"]] == ["X-2"]
    assert written["accepted"] == accepted
    assert written["as_of"] > "2026"


def test_every_advisory_of_the_file_speaks_of_a_package_by_its_plain_name() -> None:
    file = json.loads(FILE.read_text("utf-8"))
    assert file["advisories"]
    for each in file["advisories"]:
        assert each["ranges"], each
        assert each["package"] == each["package"].lower(), each
    assert all(each["why"] and each["on"] for each in file["accepted"])
    assert len(locked()) > 100
