"""Xid numbers -> what they mean on a fresh server, by the catalogue in knowledge/faults."""

from __future__ import annotations

from advisor.acceptance.reading import Reading
from advisor.knowledge.library import Library
from advisor.knowledge.records.faults import Xid


def classify(reading: Reading, library: Library) -> None:
    """Add the classes of a log's Xids; one that the catalogue does not hold needs a look."""
    if reading.tool != "dmesg":
        return
    reading.count(xids=len(reading.xids))
    classes: dict[str, None] = {}
    for number in reading.xids:
        key = f"xid.xid_{number}"
        record = library.faults.get(key)
        classes[record.class_ if isinstance(record, Xid) else "warn"] = None
        if isinstance(record, Xid) and "xid_meaning" not in reading.values:
            reading.show(xid_meaning=record.meaning)
    if classes:
        reading.facts["xid_class"] = tuple(classes)
