"""Whether the face lives and whether it is ready: what `/healthz` and `/readyz` say, and the watch over Socket Mode.

It lives while its event loop answers and, in Socket Mode, while frames come in: a connection that looks open and brings
nothing is the one failure that no exception tells. It is ready when Slack knows the token, the database answers, and a
consulting process has begun.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

# Slack's servers and our own pings bring a frame every few seconds; silence this long is a dead connection, in seconds.
STALE_S, DEAD_S = 60.0, 180.0


@dataclass
class Health:
    """The state of one process."""

    socket_mode: bool
    slack: bool = False
    database: bool = False
    pool: bool = False
    connected: bool = False
    ending: bool = False
    began: float = field(default_factory=time.monotonic)
    last_frame: float = 0.0

    def frame(self) -> None:
        """Something came over the socket."""
        self.last_frame = time.monotonic()

    def silent_s(self) -> float:
        """Seconds since the last frame, or since the start."""
        return time.monotonic() - max(self.last_frame, self.began)

    def stale(self) -> bool:
        """Whether the connection brings nothing any more."""
        return self.socket_mode and self.last_frame > 0 and self.silent_s() > STALE_S

    def lives(self) -> bool:
        """Whether the process is worth keeping; a supervisor restarts it otherwise."""
        return not (self.socket_mode and self.slack and self.silent_s() > DEAD_S)

    def lacks(self) -> list[str]:
        """What keeps the process from answering."""
        found = [name for name in ("slack", "database", "pool") if not getattr(self, name)]
        if self.socket_mode and (not self.connected or self.stale()):
            found.append("socket")
        return [*found, *(["ending"] if self.ending else [])]
