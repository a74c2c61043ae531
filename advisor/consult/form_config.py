"""A `config.json` in a form: what is kept of it, how it travels in a link, and what it says in words.

Only what describes the shape is kept: numbers, switches, kinds; names of people, folders and files in it are dropped.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from dataclasses import dataclass
from typing import Any

from advisor.core.errors import BadInput
from advisor.core.text import Lang
from advisor.core.units import convert, number
from advisor.knowledge.hub_config import MAX_BYTES, read_config
from advisor.knowledge.library import open_library
from advisor.knowledge.parameter_count import count
from advisor.report.asking import FORM
from advisor.report.wording import Wording

# What is kept of a configuration is small; a browser and an address have to hold it.
MOST_KEPT = 2**14
_WORD = re.compile(r"[A-Za-z0-9_.+-]{1,64}")
_DROPPED = re.compile(r"^_|path|name|auto_map|url|id2label|label2id|dir$|version", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Config:
    """A readable configuration: the part that is kept as text, and its size in Gparams."""

    kept: str
    params_b: float
    kind: str


def config_of(text: str) -> Config:
    """Read a config.json. Raises `BadInput` for anything that is none, or is too large to keep."""
    read_config(text)
    kept = json.dumps(_kept(json.loads(text)), ensure_ascii=True, separators=(",", ":"))
    if len(kept) > MOST_KEPT:
        raise BadInput(
            "holds more than a model's shape", where="config.json", expected=f"at most {MOST_KEPT} characters"
        )
    found = read_config(kept)
    parameters = count(found.architecture)
    return Config(kept, convert(float(parameters.total), "params", "Gparams"), found.model_type)


def _kept(value: Any) -> Any:
    """Numbers, switches and kinds; nothing that could name a person, a folder or a file."""
    if isinstance(value, dict):
        pairs = ((key, _kept(each)) for key, each in value.items() if not _DROPPED.search(key))
        return {key: each for key, each in pairs if each is not None or value[key] is None}
    if isinstance(value, list):
        return [_kept(each) for each in value]
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) else None
    return value


def told(config: Config, lang: Lang) -> str:
    """What the configuration says, in a few words."""
    wording = Wording(open_library(), lang)
    return wording.fixed(FORM, "config", params=number(config.params_b), kind=config.kind)


def packed(kept: str) -> str:
    """The configuration as a word of an address."""
    return base64.urlsafe_b64encode(zlib.compress(kept.encode())).decode().rstrip("=")


def unpacked(word: str) -> str | None:
    """The configuration of an address, or None where there is none that can be read."""
    if not word or len(word) > MOST_KEPT:
        return None
    try:
        raw = base64.urlsafe_b64decode(word + "=" * (-len(word) % (2 + 2)))
        text = zlib.decompressobj().decompress(raw, MAX_BYTES).decode("utf-8")
        return config_of(text).kept
    except (BadInput, binascii.Error, zlib.error, ValueError):
        return None
