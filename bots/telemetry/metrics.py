"""Prometheus metrics of a face: answers, latency, verdicts, errors, queue. No label holds anything that a person said.

They are served on a loopback port of their own, `HKGPU_METRICS_PORT` (unset = not served), never on the face's port:
who may use the assistant need not see how much others use it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, start_http_server

from advisor.core.errors import BadInput

PORT = "HKGPU_METRICS_PORT"
HOST = "127.0.0.1"
_HIGHEST_PORT = 2**16 - 1
# Doubling from a 32nd of a second: an answer takes a tenth of one, a retry against a slow network many.
_BUCKETS = tuple(2**power / 2**5 for power in range(2 * 2 * 2 + 2))
_VERDICTS = ("yes", "yes_if", "no", "unknown", "declined")


class Metrics:
    """The metrics of one process. Safe to share between threads and tasks."""

    def __init__(self, face: str) -> None:
        self.registry = CollectorRegistry()
        self._face = face
        said, kept = ["face"], self.registry
        self._answers = Counter("hkgpu_answers", "Answers given, by verdict.", [*said, "verdict"], registry=kept)
        self._errors = Counter(
            "hkgpu_errors", "Messages that ended in an error, by kind.", [*said, "kind"], registry=kept
        )
        self._seconds = Histogram(
            "hkgpu_answer_seconds", "From message taken to answer shown.", said, buckets=_BUCKETS, registry=kept
        )
        self._waiting = Gauge("hkgpu_waiting", "Messages taken and not yet answered.", said, registry=kept)
        self._seen = Gauge("hkgpu_last_message_timestamp_seconds", "When one was last taken.", said, registry=kept)
        for verdict in _VERDICTS:
            self._answers.labels(face, verdict)
        self._waiting.labels(face).set(0)

    @contextmanager
    def message(self) -> Iterator[None]:
        """Around one message: counts it as waiting, times it, and counts its error by the exception's class."""
        self._waiting.labels(self._face).inc()
        self._seen.labels(self._face).set_to_current_time()
        began = time.monotonic()
        try:
            yield
        except BaseException as error:
            self._errors.labels(self._face, type(error).__name__).inc()
            raise
        finally:
            self._waiting.labels(self._face).dec()
            self._seconds.labels(self._face).observe(time.monotonic() - began)

    def answered(self, verdict: str) -> None:
        """Count an answer; a verdict that is none of the contract's counts as declined."""
        self._answers.labels(self._face, verdict if verdict in _VERDICTS else "declined").inc()

    def failed(self, kind: str) -> None:
        """Count an error that was caught and told."""
        self._errors.labels(self._face, kind).inc()

    def text(self) -> str:
        """What a scrape gets."""
        return generate_latest(self.registry).decode("utf-8")

    def serve(self) -> int:
        """Serve on the loopback port that the setting names; returns it, 0 where none is set.

        Raises `BadInput` for a setting that is no port, or a port that is taken.
        """
        port = port_of(os.environ.get(PORT, ""))
        if port:
            try:
                start_http_server(port, HOST, registry=self.registry)
            except OSError as error:
                raise BadInput(f"port {port} cannot be used ({error.strerror})", where=PORT) from None
        return port


def port_of(said: str) -> int:
    """The port that a setting names, 0 for an empty one. Raises `BadInput`."""
    if not said.strip():
        return 0
    if not said.strip().isdecimal() or not 0 < int(said) <= _HIGHEST_PORT:
        raise BadInput(f'"{said}" is no port', where=PORT, expected=f"a number from 1 to {_HIGHEST_PORT}")
    return int(said)
