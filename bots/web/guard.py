"""Around every handler: what goes wrong is told in one clear line, and never as a traceback or a Python message."""

from __future__ import annotations

import functools
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from advisor.core.errors import HkgpuError
from advisor.core.text import Lang
from bots.web.markup import gr
from bots.web.words import filled

LOG = logging.getLogger("hkgpu.web")
T = TypeVar("T")
Handler = Callable[..., Awaitable[T]]


def guarded(lang: Lang) -> Callable[[Handler[T]], Handler[T]]:
    """A handler that shows our own errors as they are, and the rest by an id that stands in the log."""

    def around(handler: Handler[T]) -> Handler[T]:
        @functools.wraps(handler)
        async def safe(*args: Any, **kwargs: Any) -> T:
            try:
                return await handler(*args, **kwargs)
            except HkgpuError as error:
                raise gr.Error(str(error), print_exception=False) from None
            except gr.Error:
                raise
            except Exception as error:
                key = secrets.token_hex(2 * 2)
                LOG.exception("handler failed", extra={"key": key, "exception": type(error).__name__})
                raise gr.Error(filled("oops", lang, id=key), print_exception=False) from None

        return safe

    return around
