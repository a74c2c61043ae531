"""Spoiled outputs: cut, garbled, re-encoded, interleaved; made from whole ones with a seeded generator."""

from __future__ import annotations

import random
from collections.abc import Callable

Mutation = Callable[[bytes, bytes, random.Random], bytes]


def cut_end(data: bytes, _: bytes, rng: random.Random) -> bytes:
    """The end is missing."""
    return data[: rng.randrange(len(data) + 1)]


def cut_begin(data: bytes, _: bytes, rng: random.Random) -> bytes:
    """The beginning is missing."""
    return data[rng.randrange(len(data) + 1) :]


def without_lines(data: bytes, _: bytes, rng: random.Random) -> bytes:
    """Some lines are missing."""
    lines = data.split(b"\n")
    gone = {rng.randrange(len(lines)) for _ in range(rng.randrange(1, 6))}
    return b"\n".join(line for index, line in enumerate(lines) if index not in gone)


def garbled(data: bytes, _: bytes, rng: random.Random) -> bytes:
    """Some bytes are others."""
    spoiled = bytearray(data)
    for _ in range(rng.randrange(1, 30)):
        if spoiled:
            spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
    return bytes(spoiled)


def without_digits(data: bytes, _: bytes, rng: random.Random) -> bytes:
    """In one stretch every digit is gone."""
    begin = rng.randrange(len(data) + 1)
    end = min(len(data), begin + rng.randrange(1, 400))
    return data[:begin] + bytes(byte for byte in data[begin:end] if byte not in b"0123456789") + data[end:]


def reencoded(data: bytes, _: bytes, rng: random.Random) -> bytes:
    """Another encoding, other line ends, a mark in front."""
    text = data.decode("utf-8", "replace")
    if rng.random() < 0.5:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    encoding = rng.choice(["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "latin-1", "utf-7"])
    return text.encode(encoding, "replace")


def interleaved(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """The lines of two outputs alternate, as when two commands write to one file."""
    mine, theirs = data.split(b"\n"), other.split(b"\n")
    out = []
    while mine or theirs:
        side = mine if mine and (not theirs or rng.random() < 0.5) else theirs
        out.append(side.pop(0))
    return b"\n".join(out)


def swapped(data: bytes, _: bytes, rng: random.Random) -> bytes:
    """Two lines have changed places."""
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


MUTATIONS: tuple[Mutation, ...] = (
    cut_end,
    cut_begin,
    without_lines,
    garbled,
    without_digits,
    reencoded,
    interleaved,
    swapped,
)
