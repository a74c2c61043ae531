"""How long an agent waits for a tool: over stdio and over HTTP, warm. It prints figures and judges nothing."""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import stdio_client

from tests.mcp.conftest import served, stdio

CALLS = 20


async def _timed(transport: Any) -> list[float]:
    async with Client(transport) as client:
        await client.call_tool("ask", {"text": "can I fine-tune 70B here?"})
        took = []
        for number in range(CALLS):
            began = time.perf_counter()
            await client.call_tool("ask", {"text": f"LoRA of {7 + number}B on one A100 80GB"})
            took.append(time.perf_counter() - began)
        return took


def main() -> None:
    """Print the median and the slowest of some calls for each transport."""
    for name in ("stdio", "http"):
        if name == "stdio":
            took = asyncio.run(_timed(stdio_client(stdio())))
        else:
            with served() as url:
                took = asyncio.run(_timed(url))
        print(f"mcp ask over {name}: median {statistics.median(took) * 1000:.0f} ms, slowest {max(took) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
