"""What goes wrong between an agent and the server stays small: one call, one line."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import TextContent

from advisor.consult.pool import Pool
from bots.mcp.server import _off_the_wire
from bots.mcp.tools import Caller
from bots.telemetry.metrics import Metrics
from tests.mcp.conftest import ROOT, START, stdio


def called(name: str, arguments: dict[str, Any], over: Any) -> tuple[Any, str]:
    """The result of one call, and its text."""

    async def main() -> Any:
        async with Client(over) as client:
            return await client.call_tool(name, arguments)

    result = asyncio.run(main())
    return result, "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def test_the_text_to_relay_names_every_source_with_its_date_and_the_next_question(over_http: str) -> None:
    result, text = called("ask", {"text": "can I QLoRA 70B on one A100 80G?"}, over_http)
    found = result.structured_content
    assert text.splitlines()[0] == found["summary"]
    assert found["sources"]
    for source in found["sources"]:
        assert f"{source['title']}, {source['date']} [{source['id']}]" in text
    assert found["questions"][0]["text"] in text
    # A checklist is another tool's.
    assert "[ ]" not in text


def test_rows_without_a_name_go_by_their_place_and_say_what_was_expected(over_http: str) -> None:
    rows = [{"params_b": 7, "method": "lora", "grad_ckpt": True, "gpu": "A100 80GB"}, {"params_b": 7, "seq_len": -4}]
    result, text = called("estimate", {"rows": rows}, over_http)
    one, two = result.structured_content["rows"]
    assert (one["id"], one["error"], two["id"], two["verdict"]) == ("1", "", "2", "unknown")
    assert 'seq_len "-4" is not above 0 (expected a number above 0)' in text
    assert "None" not in text


def test_nothing_to_judge_is_no_delivery(over_http: str) -> None:
    result, text = called("judge", {"outputs": " \n"}, over_http)
    assert result.is_error
    assert "expected what the acceptance commands printed" in text


def slow(seconds: float) -> None:
    time.sleep(seconds)


def test_a_call_that_takes_too_long_is_given_up_and_holds_nobody_up() -> None:
    async def main(pool: Pool) -> float:
        call = Caller(pool, Metrics("mcp"), patience_s=0.3)
        with pytest.raises(ToolError, match=r"took longer than 0.3 s"):
            await call(slow, 2)
        began = time.monotonic()
        await asyncio.sleep(0.01)
        return time.monotonic() - began

    with Pool.open(1) as pool:
        pool.wait_ready(120)
        # New workers take a second or more; the loop waits for none of it.
        assert asyncio.run(main(pool)) < 0.5


def test_what_a_worker_prints_never_reaches_the_client() -> None:
    program = (
        "import subprocess, sys\nfrom bots.mcp.server import _off_the_wire\n"
        "with _off_the_wire():\n"
        "    says = 'import sys; print(\"noise\"); print(repr(sys.stdin.read()))'\n"
        "    child = subprocess.Popen([sys.executable, '-c', says])\n"
        "child.wait(); print('wire', sys.stdin.read())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], input="client", capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "wire client\n"
    assert done.stderr == "noise\n''\n"
    assert _off_the_wire.__doc__


def test_standard_output_holds_messages_and_nothing_else() -> None:
    sent = '{"jsonrpc": "2.0", "id": 1, "method": "nonsense"}\nno json at all\n'
    command = [sys.executable, "-c", START, "mcp"]
    done = subprocess.run(command, input=sent, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0
    assert all(line.startswith('{"jsonrpc"') for line in done.stdout.splitlines())
    assert "Traceback" not in done.stderr


def test_over_stdio_an_error_is_a_line_too() -> None:
    result, text = called("advise", {"facts": {"gpu_count": -3}}, stdio_client(stdio()))
    assert result.is_error
    assert text.endswith("gpu_count is -3; expected 1 to 64 count")


def test_a_port_that_is_taken_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-c", START, "mcp", "--http", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"127.0.0.1:{port} cannot be listened on" in done.stderr
    assert len(done.stderr.splitlines()) == 1
