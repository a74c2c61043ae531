"""What makes a short command and the start of a long one quick: no collector, and parsed files kept from the last time.

It changes how long an answer takes and nothing of the answer.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from advisor.consult.stamp import folder
from advisor.knowledge import kept


@contextmanager
def brief() -> Iterator[None]:
    """Run a short command; keeps what it parsed for the next one."""
    gc.disable()
    with parsed_kept():
        yield


@contextmanager
def parsed_kept() -> Iterator[None]:
    """Read files from what was parsed the last time, and keep what is parsed now."""
    try:
        keeping = kept.use(folder())
    except RuntimeError:  # no home folder: nothing is kept
        yield
        return
    try:
        yield
    finally:
        keeping.save()
        kept.rest()


@contextmanager
def begun() -> Iterator[None]:
    """Begin a process that lives long: the same, and then the collector goes on without what was read at the start."""
    with brief():
        yield
    gc.freeze()
    gc.enable()
