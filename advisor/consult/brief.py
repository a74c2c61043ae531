"""What makes a command that lives for a second quick: no collector, and parsed files kept from the last time.

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
