"""The desk that reads everything anew while a service runs: rules, prices, own place, without a restart.

`reload` reads and checks the folders beside what is in use, and only where everything is right lets the next
consultation see it; one that runs ends with what it began with. The old knowledge and the engine's memory go with
their last user, or with the next reload where a consultation under way has left something in a cache. A wrong file
leaves everything as it was, and all that is wrong is named with file and line. Faces call it from their handler of
SIGHUP, off the event loop: it takes a few seconds.
"""

from __future__ import annotations

import gc
import sys
import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from advisor.consult import answer
from advisor.consult.pool import Pool
from advisor.consult.rulebase import everything_checked
from advisor.knowledge.library import Library, exchange, open_library
from advisor.knowledge.locate import data_roots

_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The data versions before and after; equal where nothing had changed."""

    before: str
    after: str

    @property
    def changed(self) -> bool:
        """Whether the data is other data now."""
        return self.before != self.after


def reload(pool: Pool | None = None) -> Reloaded:
    """Read everything anew and swap; the workers of `pool` are renewed too. Safe to call from any thread.

    Raises `BadData` with one line for each thing that is wrong, and `BadInput` where a folder is missing; the old
    knowledge then stays in use, in this process and in the workers.
    """
    with _ONE_AT_A_TIME:
        before = open_library()
        fresh = Library(data_roots())
        if fresh.version == before.version:
            return Reloaded(before.version, fresh.version)
        everything_checked(fresh)
        answer.rules(fresh)
        answer.here(fresh)
        if pool is not None:
            pool.renew()
        exchange(fresh)
        forget()
        return Reloaded(before.version, fresh.version)


def forget() -> None:
    """Empty what modules remember of a library, so that nothing keeps the old one alive."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("advisor", "bots"):
            for value in list(vars(module).values()):
                clear = value.clear if isinstance(value, WeakKeyDictionary) else getattr(value, "cache_clear", None)
                if callable(clear):
                    clear()
    gc.collect()
