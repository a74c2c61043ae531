"""What holds for all tests: how long an example takes is no test, since machines are shared."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.load_profile("house")
