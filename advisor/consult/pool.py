"""A pool of processes for consultations, so that a face stays quick while others think.

A consultation holds the interpreter's lock, and one rule base lives in a process; hence processes, not threads. Each
worker reads the knowledge and builds its rule base before its first call. A worker that dies (killed, out of memory) is
replaced and the call repeated once: calls must therefore be safe to repeat, as the turns of `sessions` are by their
key. The pool holds no advice and no state of a conversation.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
# A call outlives the death of so many workers; after that it is the call that kills them.
REPEATS = 2


class Pool:
    """Processes that consult. Safe to share between threads; a context manager."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._executor = self._fresh()

    @classmethod
    def open(cls, workers: int | None = None, ready: Callable[[], object] | None = None) -> Pool:
        """A pool of so many workers, by default one a core; they warm up in the background.

        The first one alone, up to the end of `ready`, a face's own preparation: the face that starts beside it has the
        other cores meanwhile, and its first answer comes sooner.
        """
        pool = cls(max(1, workers if workers is not None else os.cpu_count() or 1))
        pool.submit(ready or _ready).add_done_callback(pool._fill)
        return pool

    def _fill(self, first: Future[Any]) -> None:
        """The other workers, once the first one stands; each call goes to an idle one, so as many as there are."""
        if not first.cancelled() and not isinstance(first.exception(), BrokenProcessPool):
            with suppress(RuntimeError):  # closed meanwhile
                for _ in range(self._workers):
                    self.submit(_ready)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the workers. Calls not yet begun are given up; a call that runs is waited for."""
        # Not under the lock: the executor's own thread may want it, for the workers that follow the first one.
        self._current().shutdown(wait=True, cancel_futures=True)

    def wait_ready(self, timeout_s: float | None = None) -> None:
        """Block until a worker has answered, that is, until its rule base stands."""
        self.submit(_ready).result(timeout_s)

    def submit(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a top-level function in a worker. Its exceptions come back; so must its arguments, by pickle."""
        try:
            return self._current().submit(function, *args, **kwargs)
        except BrokenProcessPool:
            return self._renewed(self._executor).submit(function, *args, **kwargs)

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same, waited for; repeated where the worker died under it."""
        for _ in range(REPEATS):
            executor = self._current()
            try:
                return executor.submit(function, *args, **kwargs).result()
            except BrokenProcessPool:
                self._renewed(executor)
        return self._current().submit(function, *args, **kwargs).result()

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for an event loop, which goes on meanwhile."""
        for _ in range(REPEATS):
            executor = self._current()
            try:
                return await asyncio.wrap_future(executor.submit(function, *args, **kwargs))
            except BrokenProcessPool:
                self._renewed(executor)
        return await asyncio.wrap_future(self._current().submit(function, *args, **kwargs))

    def renew(self) -> None:
        """New workers, which read the knowledge anew; they take over once they are warm, and calls end in the old ones.

        Blocks until then. Raises `BrokenProcessPool` where the new workers cannot begin; the old ones then go on.
        """
        fresh = self._fresh()
        try:
            for ready in [fresh.submit(_ready) for _ in range(self._workers)]:
                ready.result()
        except BaseException:
            fresh.shutdown(wait=False, cancel_futures=True)
            raise
        with self._lock:
            old, self._executor = self._executor, fresh
        old.shutdown(wait=False)

    def _current(self) -> ProcessPoolExecutor:
        with self._lock:
            return self._executor

    def _renewed(self, broken: ProcessPoolExecutor) -> ProcessPoolExecutor:
        """A new executor in place of a broken one; whoever comes second takes the first one's."""
        with self._lock:
            if self._executor is broken:
                broken.shutdown(wait=False)
                self._executor = self._fresh()
            return self._executor

    def _fresh(self) -> ProcessPoolExecutor:
        # Spawned, not forked: the engine's locks and a face's threads must not be copied in mid-flight.
        return ProcessPoolExecutor(self._workers, multiprocessing.get_context("spawn"), initializer=_begin)


def _begin() -> None:
    """In a worker: leave signals to the parent, and read everything before the first call."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from advisor.consult import answer
    from advisor.consult.brief import begun

    # One question warms the parsed files, the compiled rules and the planner's tables.
    with begun():
        answer.ask("can I fine-tune 70B here?")


def _end_with_parent() -> None:
    """End this worker when its parent was killed: nobody else would, and it would wait for calls for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _ready() -> int:
    """The worker's process id, once it has begun."""
    return os.getpid()
