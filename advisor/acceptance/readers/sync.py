"""Syncing of data: rsync --stats, rclone's log and --stats-one-line, and the log of our own retry loop.

Read are how it ended, how many files failed or were tried again, how long it took, and the longest time in which the
count of bytes stood still. A log without its last summary was stopped: then nothing is known of the end.
"""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise

from advisor.acceptance.numerals import number, percent, scaled
from advisor.acceptance.reading import Reading, most

_COUNT = r"(?P<value>[\d.,]+)"
_NEW = re.compile(rf"^Number of (?:regular )?files transferred: {_COUNT}", re.MULTILINE)
_ALL = re.compile(rf"^Number of files: {_COUNT}", re.MULTILINE)
_SENT = re.compile(
    r"^sent (?P<sent>[\d.,]+\w?) bytes\s+received (?P<got>[\d.,]+\w?) bytes\s+(?P<rate>[\d.,]+\w?) bytes/sec",
    re.MULTILINE,
)
_TOTAL = re.compile(r"^total size is (?P<size>[\d.,]+\w?)\s+speedup is", re.MULTILINE)
_RSYNC_ERROR = re.compile(r"^rsync error: (?P<text>[^\n]*?) ?\(code (?P<code>\d+)\)", re.MULTILINE)
_RSYNC_FILE = re.compile(
    r"^rsync: (?:\[\w+\] )?(?:read errors|send_files failed|mkstemp|write failed|failed to|link_stat)[^\n]*",
    re.MULTILINE,
)
_AGAIN = re.compile(r"^WARNING: \S.* failed verification|will try again", re.MULTILINE)
_REAL = re.compile(r"^real\s+(?:(?P<m>\d+)m)?(?P<s>[\d.]+)s?\s*$", re.MULTILINE)
# 24: files vanished at the source while copying; nothing was lost on the way.
_HARMLESS = ("24",)


def read_rsync(text: str) -> Reading:
    """The statistics at the end, with the errors before them."""
    reading = Reading("rsync")
    files = _NEW.search(text) or _ALL.search(text)
    sent, total, error = _SENT.search(text), _TOTAL.search(text), _RSYNC_ERROR.search(text)
    count = number(files["value"]) if files else None
    failed = float(len(_RSYNC_FILE.findall(text)))
    # A line of an error that was cut before its code is an error all the same.
    begun = re.search(r"^rsync error:", text, re.MULTILINE) is not None
    broken = begun and not (error is not None and error["code"] in _HARMLESS)
    rate = scaled(sent["rate"].replace(",", "")) if sent else None
    moved = scaled(sent["sent"].replace(",", "")) if sent else None
    got = scaled(sent["got"].replace(",", "")) if sent else None
    real = _REAL.search(text)
    runtime = 60 * (number(real["m"]) or 0) + (number(real["s"]) or 0) if real else None
    if runtime is None and rate and moved is not None and got is not None:
        runtime = (moved + got) / rate
    reading.complete = (sent is not None and total is not None) or broken
    reading.show(error=error["text"].strip() if error else None, exit_code=number(error["code"]) if error else None)
    _fill(reading, count, max(failed, 1.0) if broken else failed, float(len(_AGAIN.findall(text))), runtime)
    reading.show(rate_mb_s=round(rate / 10**6, 2) if rate is not None else None)
    reading.measure("Mbps", sync_rate=rate * 8 / 10**6 if rate is not None else None)
    return reading


_BYTES = re.compile(
    r"(?P<done>[\d.]+\s*[KMGTP]?i?B?(?:ytes)?) / (?P<of>[\d.]+\s*[KMGTP]?i?B?(?:ytes)?), "
    r"(?P<share>\d+%|-)(?:, (?P<rate>[\d.]+\s*[KMGT]?i?B?(?:ytes)?)/s)?"
)
_FILES = re.compile(r"^Transferred:\s+(?P<done>\d+) / (?P<of>\d+), (?P<share>\d+%|-)\s*$", re.MULTILINE)
_SHORT_FILES = re.compile(r"\(xfr#(?P<done>\d+)/(?P<of>\d+)\)")
_ERRORS = re.compile(r"^Errors:\s+(?P<count>\d+)", re.MULTILINE)
_ELAPSED = re.compile(r"^Elapsed time:\s+(?P<time>(?:[\d.]+[dhms])+)", re.MULTILINE)
_STAMP = re.compile(r"^(?P<stamp>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)", re.MULTILINE)
_LEVEL = re.compile(r"\b(?:INFO|ERROR|NOTICE|DEBUG)\s*: ")
_MOVED = re.compile(r"^Transferred:|%, .*ETA ", re.MULTILINE)
_LOW = re.compile(r"low level retry \d+/\d+")
_ATTEMPT = re.compile(r"Attempt (?P<at>\d+)/(?P<of>\d+) (?P<how>failed|succeeded)")
_COPY_FAILED = re.compile(r"ERROR :[^\n]*Failed to (?:copy|sync|transfer)")
_COPIED = re.compile(r"INFO\s+: [^\n]*: Copied \(")
_UNITS = {"d": 24 * 3600.0, "h": 3600.0, "m": 60.0, "s": 1.0}


def read_rclone(text: str) -> Reading:
    """The last statistics of a log, retries of files and of the whole, and times in which nothing moved."""
    reading = Reading("rclone")
    progress = list(_BYTES.finditer(text))
    last = progress[-1] if progress else None
    long, short = list(_FILES.finditer(text)), list(_SHORT_FILES.finditer(text))
    done = long[-1] if long else short[-1] if short else None
    count = number(done["done"]) if done else float(len(_COPIED.findall(text))) or None
    attempts = list(_ATTEMPT.finditer(text))
    given_up = bool(attempts) and attempts[-1]["how"] == "failed" and attempts[-1]["at"] == attempts[-1]["of"]
    errors = [number(found["count"]) or 0 for found in _ERRORS.finditer(text)]
    failed = (errors[-1] if errors else 0.0) if not attempts or given_up or attempts[-1]["how"] == "failed" else 0.0
    if given_up:
        failed = max(failed, 1.0)
    elif not attempts and not errors:
        failed = float(len(_COPY_FAILED.findall(text)))
    retries = float(len(_LOW.findall(text)) + sum(one["how"] == "failed" for one in attempts))
    whole = last is not None and last["share"] == "100%" and (done is None or done["done"] == done["of"])
    reading.complete = bool(whole or failed) and _undamaged(text, count)
    elapsed = list(_ELAPSED.finditer(text))
    runtime = _seconds(elapsed[-1]["time"]) if elapsed else _span(text)
    _fill(reading, count, failed, retries, runtime)
    rate = scaled(last["rate"].replace(" ", ""), binary=True) if last and last["rate"] else None
    reading.show(rate_mib_s=round(rate / 2**20, 2) if rate is not None else None)
    reading.measure("Mbps", sync_rate=rate * 8 / 10**6 if rate is not None else None)
    stall = _stall(text)
    reading.show(stall_s=stall)
    reading.measure("s", sync_stall=stall)
    return reading


def _undamaged(text: str, count: float | None) -> bool:
    """Whether each line of the log has its time, each progress its figures, and each file its line where files have."""
    lines = [line for line in text.split("\n") if _LEVEL.search(line)]
    copied = len(_COPIED.findall(text))
    progress = len(_BYTES.findall(text)) + len(_FILES.findall(text))
    return (
        all(_STAMP.match(line) for line in lines)
        and progress >= len(_MOVED.findall(text))
        and (copied == 0 or count is None or copied >= count)
    )


def _seconds(text: str) -> float:
    return sum(float(value) * _UNITS[unit] for value, unit in re.findall(r"([\d.]+)([dhms])", text))


def _moment(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y/%m/%d %H:%M:%S")
    except ValueError:
        return None


def _span(text: str) -> float | None:
    """From the first stamped line to the last."""
    times = [moment for found in _STAMP.finditer(text) if (moment := _moment(found["stamp"]))]
    return (times[-1] - times[0]).total_seconds() if len(times) > 1 else None


def _stall(text: str) -> float | None:
    """The longest time between two changes of the bytes done, in a log that prints progress with times."""
    seen: list[tuple[datetime, str]] = []
    stamp: datetime | None = None
    for line in text.split("\n"):
        found = _STAMP.match(line)
        stamp = _moment(found["stamp"]) if found else stamp
        moved = _BYTES.search(line)
        if moved and stamp and (not seen or seen[-1][1] != moved["done"]):
            seen.append((stamp, moved["done"]))
    gaps = [(after[0] - before[0]).total_seconds() for before, after in pairwise(seen)]
    return most(gaps)


_TRY = re.compile(r"^try (?P<at>\d+) (?P<how>ok|failed)(?: (?P<time>[\d.]+) s)?", re.MULTILINE)
_TRIES = re.compile(r"^tries of (?P<what>.+?): (?P<count>\d+) planned", re.MULTILINE)
_TRIED = re.compile(r"^tries done: (?P<ok>\d+) ok, (?P<failed>\d+) failed", re.MULTILINE)


def read_tries(text: str) -> Reading:
    """The loop of our own scripts: so many tries of one service, each with its time."""
    reading = Reading("tries")
    plan, end = _TRIES.search(text), _TRIED.search(text)
    rows = list(_TRY.finditer(text))
    failed = float(sum(row["how"] == "failed" for row in rows))
    times = [number(row["time"]) for row in rows if row["time"]]
    reading.complete = bool(plan and end and int(plan["count"]) == len(rows))
    if end and (float(end["failed"]) != failed or float(end["ok"]) != len(rows) - failed):
        reading.contradictory = True
    reading.show(what=plan["what"] if plan else None, tries=len(rows), failed=failed, slowest_s=most(times))
    if rows:
        reading.count(tries=len(rows))
        reading.measure("%", tries_failed=100 * failed / len(rows))
    reading.measure("s", slowest_try=most(times))
    return reading


def _fill(reading: Reading, count: float | None, failed: float, retries: float, runtime: float | None) -> None:
    share = percent(retries, count or 0)
    reading.show(files=count, failed=failed, retries=retries, retry_pct=round(share, 3) if share is not None else None)
    reading.show(runtime_s=round(runtime, 1) if runtime is not None else None)
    reading.measure("s", sync_time=runtime)
    # What was seen to fail has failed, wherever the log ends; that nothing else did is known of a whole one only.
    if reading.complete or failed:
        reading.count(sync_files=count, sync_failed=failed)
    if reading.complete or retries:
        # Where no file is counted, a retry is still one too many to call it clean.
        reading.measure("%", sync_retries=share if share is not None else (0.0 if not retries else None))
