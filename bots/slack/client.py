"""Clients of Slack's Web API: one connection pool, retries for what may be repeated, none for what posts.

Whoever posts decides itself what a failure means (`outbox`); a read or a decoration may simply be repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
)
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient

RETRIES = 2
# One call, from first to last byte; and what a decoration may take.
CALL_S = 20.0
DECORATION_S = 3.0
_SERVER = (500, 502, 503, 504)
NOT_FOUND, TOO_MANY = 404, 429

Failures = (SlackApiError, aiohttp.ClientError, asyncio.TimeoutError, OSError)


class ServerErrors(AsyncRetryHandler):
    """Retries a call that a gateway or a server refused; the SDK's own handler passes 502 over."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        return response is not None and response.status_code in _SERVER


def retry_handlers() -> list[AsyncRetryHandler]:
    """For calls that may be repeated: dropped connections, rate limits (as long as Slack says), server errors."""
    return [
        AsyncConnectionErrorRetryHandler(max_retry_count=RETRIES),
        AsyncRateLimitErrorRetryHandler(max_retry_count=RETRIES),
        ServerErrors(max_retry_count=RETRIES),
    ]


def session(call_s: float = CALL_S) -> aiohttp.ClientSession:
    """The connection pool of a process; a call may take so many seconds."""
    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=call_s), connector=aiohttp.TCPConnector(limit=2**7)
    )


def client(api_url: str, token: str | None, pool: aiohttp.ClientSession, *, repeats: bool) -> AsyncWebClient:
    """A client; `repeats` = its calls may be repeated by themselves."""
    handlers = retry_handlers() if repeats else []
    return AsyncWebClient(token=token, base_url=api_url, session=pool, retry_handlers=handlers, timeout=round(CALL_S))


async def quiet(call: Awaitable[Any], seconds: float = DECORATION_S) -> Any:
    """A decoration: its result, or None where it failed or took too long. It never holds up anything else."""
    with suppress(*Failures, ValueError, TypeError):
        return await asyncio.wait_for(call, seconds)
    return None


def code_of(error: BaseException) -> tuple[str, int]:
    """Slack's name of an error, or an empty one where the answer was none of Slack's; and the HTTP status, 0 = none."""
    response: Any = getattr(error, "response", None)
    status = int(getattr(response, "status_code", None) or getattr(response, "status", None) or 0)
    data = getattr(response, "data", None)
    return (str(data.get("error") or "") if isinstance(data, dict) else ""), status


def retry_after(error: BaseException) -> float:
    """How many seconds Slack asks to wait; one where it does not say."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    said = next((value for key, value in headers.items() if str(key).lower() == "retry-after"), "1")
    if isinstance(said, list):
        said = said[0] if said else "1"
    try:
        return min(max(float(said), 0.0), 60.0)
    except ValueError:
        return 1.0
