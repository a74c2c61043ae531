"""What the web face takes: `python -m tests.bench.web` prints start, first answer, page, 50 users, a step, the stop.

Timings depend on the machine and on what else runs there; the tests assert counts and sizes only.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import httpx
import psutil
from gradio_client import Client

from tests.web.conftest import CHROMIUM, Served, Visitor, free_port

USERS, WITHIN_S = 50, 5.0


def first_answer(served: Served) -> float:
    """Seconds from the start of the process to the first answer through the API."""
    served.wait("/healthz")
    client = Client(served.url, verbose=False)
    client.predict("can I fine-tune 70B here?", api_name="/ask")
    return time.monotonic() - served.began


def users(served: Served) -> dict[str, float]:
    """Fifty users within five seconds: from the call to the answer, and with connecting; and what each side computed.

    A connecting client loads the machine's certificates several times over, which here takes more of the processor than
    the answer; hence the same users once more over plain HTTP.
    """
    before, mine = _computed(served), time.process_time()
    calls: list[float] = []
    wholes: list[float] = []
    errors: list[str] = []

    def user(place: int) -> None:
        time.sleep(WITHIN_S * place / USERS)
        began = time.monotonic()
        try:
            client = Client(served.url, verbose=False)
            asked = time.monotonic()
            client.predict(f"LoRA of a {7 + place}B model on 2 A100 80GB?", api_name="/ask")
            calls.append(time.monotonic() - asked)
            wholes.append(time.monotonic() - began)
        except Exception as error:
            errors.append(repr(error))

    threads = [threading.Thread(target=user, args=(place,)) for place in range(USERS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    client_s, server_s = time.process_time() - mine, _computed(served) - before
    return {
        "client_cpu_s": client_s,
        "server_cpu_s": server_s,
        "errors": len(errors),
        "answer_p50_s": statistics.median(calls),
        "answer_p95_s": statistics.quantiles(calls, n=20)[-1],
        "with_connecting_p95_s": statistics.quantiles(wholes, n=20)[-1],
    }


def _computed(served: Served) -> float:
    """Processor seconds of the server and its workers so far."""
    server = psutil.Process(served.process.pid)
    return sum(sum(each.cpu_times()[:2]) for each in (server, *server.children(recursive=True)))


async def plain(served: Served) -> dict[str, float]:
    """The same fifty users from one light client: seconds from the call to the whole answer."""
    async with httpx.AsyncClient(base_url=f"{served.url}/gradio_api/call", verify=False, timeout=60) as client:

        async def user(place: int) -> float:
            await asyncio.sleep(WITHIN_S * place / USERS)
            began = time.monotonic()
            asked = await client.post("/ask", json={"data": [f"LoRA of a {7 + place}B model on 2 A100 80GB?", ""]})
            answered = await client.get(f"/ask/{asked.json()['event_id']}")
            if "event: complete" not in answered.text:
                raise RuntimeError(answered.text[:200])
            return time.monotonic() - began

        times = await asyncio.gather(*(user(place) for place in range(USERS)))
    return {"plain_p50_s": statistics.median(times), "plain_p95_s": statistics.quantiles(times, n=20)[-1]}


def slider(served: Served) -> float:
    """Seconds that one recomputation of a plan takes in a worker, asked one after the other."""
    from advisor.consult import answer, whatif

    given = {"model": "Qwen2.5-7B", "task": "lora", "gpu_model": "RTX 4090", "gpu_count": 2}
    answer.advise(given)
    times = []
    for length in range(1024, 16384, 1024):
        began = time.monotonic()
        whatif.show(whatif.moved(given, {"workload.seq_len": length}), "en")
        times.append(time.monotonic() - began)
    return statistics.quantiles(times, n=20)[-1]


def page(served: Served) -> dict[str, float]:
    """Bytes and seconds of the first page and of one step in a real browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        visitor = Visitor(browser, served.url, "en", 1280)
        weight = [0.0]
        session = visitor.context.new_cdp_session(visitor.page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda event: weight.append(event["encodedDataLength"]))
        began = time.monotonic()
        visitor.open()
        opened = time.monotonic() - began
        visitor.page.locator("#q-tuning-method input[value=lora]").check()
        began = time.monotonic()
        visitor.next("task", "model")
        step = time.monotonic() - began
        browser.close()
        return {"page_bytes": sum(weight), "page_ready_s": opened, "step_s": step}


def measure() -> dict[str, Any]:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder), free_port())
        found: dict[str, Any] = {"healthy_s": served.wait("/healthz"), "first_answer_s": first_answer(served)}
        served.wait()
        found |= asyncio.run(plain(served))
        found |= users(served)
        found["recompute_p95_s"] = slider(served)
        if CHROMIUM:
            found |= page(served)
        with urllib.request.urlopen(served.url + "/healthz") as _:
            found["exit_code"], found["stop_s"] = served.stop()
        return found


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:24} {value:,.3f}" if isinstance(value, float) else f"{name:24} {value:,}")
    print(json.dumps({"users": USERS, "within_s": WITHIN_S}))
