"""Agents over both transports, by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from advisor.consult import answer
from tests.mcp.conftest import ROOT, START, TOKEN, served, stdio

NO = "full fine-tuning of 70B on one A100 80GB"
TOOLS = {"ask", "advise", "estimate", "judge", "quote", "explain_claim", "checklist"}


def run(work: Callable[[Client], Awaitable[Any]], transport: Any) -> Any:
    async def main() -> Any:
        async with Client(transport) as client:
            return await work(client)

    return asyncio.run(main())


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_question_gets_verdict_range_sources_and_the_next_question(transport: str, over_http: str) -> None:
    async def work(client: Client) -> None:
        result = await client.call_tool("ask", {"text": NO})
        found = result.structured_content
        assert found["verdict"] == "no"
        (way,) = found["by_method"]
        assert way["peak_gib"]["low"] <= way["peak_gib"]["likely"] <= way["peak_gib"]["high"]
        assert found["sources"]
        assert found["questions"][0]["text"]
        assert text_of(result).startswith("No: full fine-tuning on 1 × A100 80GB.")

    run(work, stdio_client(stdio()) if transport == "stdio" else over_http)


def test_every_tool_says_what_it_takes_and_gives(over_http: str) -> None:
    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        for tool in tools:
            assert tool.output_schema, tool.name
            assert all(part.get("description") for part in tool.input_schema["properties"].values()), tool.name

    run(work, over_http)


def test_the_other_tools_answer_as_their_desks_do(over_http: str) -> None:
    facts = {"params_b": 7, "task": "lora", "gpu_model": "RTX 4090", "gpu_count": 1}

    async def work(client: Client) -> None:
        advised = await client.call_tool("advise", {"facts": facts})
        assert advised.structured_content["plan"] == answer.advise(facts).json["plan"]
        listed = await client.call_tool("checklist", {"facts": facts})
        assert listed.structured_content["markdown"] == answer.render_checklist(answer.advise(facts), "markdown")
        rows = [
            {"id": "a", "params_b": 7, "method": "lora", "gpu": "A100 80GB", "n_gpus": 1},
            {"id": "b", "params_b": -1},
        ]
        estimated = (await client.call_tool("estimate", {"rows": rows})).structured_content["rows"]
        assert [row["id"] for row in estimated] == ["a", "b"]
        assert estimated[0]["verdict"] == "fits"
        assert estimated[1]["error"]
        claimed = await client.call_tool("explain_claim", {"sentence": "70B trains on one A100 80G"})
        assert claimed.structured_content["verdict"] in ("no", "yes_if")
        ping = (
            "--- 203.0.113.7 ping statistics ---\n300 packets transmitted, 30 received, 90% packet loss, time 3000ms\n"
        )
        judged = await client.call_tool("judge", {"outputs": ping})
        assert judged.structured_content["files"]
        quoted = await client.call_tool("quote", {"offer": "8x RTX 4090 24GB with NVLink, 1,000 USD a month"})
        assert quoted.structured_content["contradicts"] is True
        assert "NVLink" in text_of(quoted)

    run(work, over_http)


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("ask", {"text": " "}, "the question is empty"),
        ("ask", {"text": "x", "lang": "fr"}, "expected en, zh or zh-Hant"),
        ("advise", {"facts": {"gpu_modell": "A100"}}, "gpu_model"),
        ("ask", {}, "text"),
        ("estimate", {"rows": []}, "there are no rows"),
    ],
)
def test_bad_input_comes_back_as_a_line_that_says_what_was_expected(
    over_http: str, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    async def work(client: Client) -> None:
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        assert expected in text_of(result)
        assert "Traceback" not in text_of(result)

    run(work, over_http)


def test_there_is_something_to_look_up_and_prompts_to_begin_with(over_http: str) -> None:
    async def work(client: Client) -> None:
        facts = json.loads((await client.read_resource("hkgpu://facts")).contents[0].text)
        assert any("params_b" in json.dumps(fact) for fact in facts)
        cards = json.loads((await client.read_resource("hkgpu://catalogue/cards/h100")).contents[0].text)
        assert cards["count"] >= 1
        rule = (await client.read_resource("hkgpu://rules/sizing.verdict_no")).contents[0].text
        assert "the verdict is at most “no”" in rule
        claims = json.loads((await client.read_resource("hkgpu://claims")).contents[0].text)
        assert len(claims) > 200
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert prompts == {"will_it_run", "check_an_offer", "accept_a_delivery"}
        prompt = await client.get_prompt("will_it_run", {"job": NO})
        assert NO in prompt.messages[0].content.text

    run(work, over_http)


def post(url: str, **headers: str) -> int:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, sent), timeout=10) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_a_foreign_host_or_origin_is_refused(over_http: str) -> None:
    assert post(over_http, Host="evil.example") in (403, 421)
    assert post(over_http, Origin="http://evil.example") == 403


def test_a_request_that_is_too_large_is_refused(over_http: str) -> None:
    request = urllib.request.Request(over_http, b"x" * (5 * 2**20), {"Content-Type": "application/json"})
    with pytest.raises((urllib.error.HTTPError, OSError)) as error:
        urllib.request.urlopen(request, timeout=10)
    assert getattr(error.value, "code", 413) == 413


def test_with_a_token_nobody_gets_in_without_it() -> None:
    with served(env={"HKGPU_MCP_TOKEN": TOKEN}) as url:
        assert post(url) == 401
        assert post(url, Authorization="Bearer wrong") == 401
        assert post(url, Authorization=f"Bearer {TOKEN}") != 401


def test_an_address_that_others_reach_needs_a_token() -> None:
    command = [sys.executable, "-c", START, "mcp", "--http", "--host", "0.0.0.0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "HKGPU_MCP_TOKEN" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_configurations_of_the_documentation_start_the_server() -> None:
    text = (ROOT / "docs/mcp.md").read_text("utf-8")
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.+?)\n```", text, re.DOTALL)]
    assert len(blocks) == 2
    for block in blocks:
        entry = block["mcpServers"]["hkgpu"]
        assert entry["command"] == "hkgpu"
        assert entry["args"] == ["mcp"]


def test_the_documentation_names_every_tool_resource_and_prompt(over_http: str) -> None:
    text = (ROOT / "docs/mcp.md").read_text("utf-8")

    async def work(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            assert f"`{tool.name}`" in text
        for prompt in (await client.list_prompts()).prompts:
            assert f"`{prompt.name}`" in text

    run(work, over_http)
