"""Files that people share with us: fetched from Slack's own hosts alone, small, few, and deleted once they were read.

The token goes to the hosts of `Settings.origins` and follows no redirect. What a file says is the reader's business; a
name is shown only after `safe.file_name`.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import aiohttp

from advisor.consult import attached, threads
from advisor.consult.inbox import Arrival
from bots.slack.client import Failures
from bots.slack.safe import file_name

if TYPE_CHECKING:
    from bots.slack.work import Work

MOST_FILES = 20
MOST_MB = 10
_CHUNK = 2**16
_MB = 2**20
_ODD = re.compile(r"[^A-Za-z0-9._-]")


class Unreadable(Exception):
    """A file that is not read; the word names the sentence that says why."""


def wanted(event: dict[str, Any]) -> list[dict[str, str]]:
    """What is kept of the files of an event: names and addresses, no more than we read and one to tell of the rest."""
    found = []
    for each in list(event.get("files") or ())[: MOST_FILES + 1]:
        if isinstance(each, dict):
            url = each.get("url_private_download") or each.get("url_private") or ""
            size = each.get("size")
            kept = {"id": str(each.get("id") or ""), "name": file_name(each.get("name")), "url": str(url)[: 2**11]}
            found.append({**kept, "size": str(size if isinstance(size, int) else 0)})
    return found


async def answered(work: Work, arrival: Arrival) -> dict[str, Any]:
    """Fetch the files of a message and answer what they say."""
    payload = arrival.payload
    lang = await work.people.lang(str(payload["team"]), str(payload["user"]))
    words = threads.words(lang)
    said = await work.said(arrival)
    remarks: list[str] = []
    listed: Sequence[dict[str, str]] = payload["files"]
    if len(listed) > MOST_FILES:
        remarks.append(words["file_many"].replace("{most}", str(MOST_FILES)))
    with tempfile.TemporaryDirectory(prefix="hkgpu_slack_") as folder:
        paths: list[tuple[str, str]] = []
        for place, each in enumerate(listed[:MOST_FILES]):
            path = _place(Path(folder), place, each["name"])
            try:
                await _fetch(work, str(payload["team"]), each, path)
                paths.append((each["name"], str(path)))
            except Unreadable as error:
                told = words[str(error)].replace("{most}", str(MOST_MB))
                remarks.append(told.replace("{name}", each["name"]))
        if not paths:
            return {"lang": lang, "error": "\n".join(remarks)}
        return await work.pool.run(attached.answered_with, said, paths, remarks)


def _place(folder: Path, place: int, name: str) -> Path:
    """Where a file is kept: its own folder, and of its name what a file system takes; readers look at names too."""
    own = folder / f"{place:02d}"
    own.mkdir()
    return own / (_ODD.sub("_", name).lstrip(".") or "file")


async def _fetch(work: Work, team: str, file: dict[str, str], path: Path) -> None:
    """Write a file of Slack's to a path. Raises `Unreadable`."""
    parts = urlsplit(file["url"])
    if f"{parts.scheme}://{parts.netloc}" not in work.tokens.origins or "@" in parts.netloc:
        raise Unreadable("file_failed")
    if int(file["size"]) > MOST_MB * _MB:
        raise Unreadable("file_large")
    client = await work.tokens.client(team)
    if client is None or client.session is None:
        raise Unreadable("file_failed")
    headers = {"Authorization": f"Bearer {client.token}"}
    try:
        async with client.session.get(file["url"], headers=headers, allow_redirects=False) as answer:
            if answer.status != 200 or answer.content_type == "text/html":
                # Slack answers with the page of its login where the token may not read files.
                raise Unreadable("file_failed")
            await _kept(answer, path)
    except Failures:
        raise Unreadable("file_failed") from None


async def _kept(answer: aiohttp.ClientResponse, path: Path) -> None:
    left = MOST_MB * _MB
    with path.open("wb") as out:
        async for chunk in answer.content.iter_chunked(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise Unreadable("file_large")
            out.write(chunk)
