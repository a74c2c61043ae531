"""The server from outside: typed functions, what is private, many users, start and end."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from advisor.consult import answer
from tests.web.conftest import Served, free_port, serving, until
from tests.web.test_pages import ANSWERS

FACTS = {"model": "Qwen2.5-7B", "task": "lora", "gpu_model": "RTX 4090", "gpu_count": 1}


@pytest.fixture(scope="module")
def client(server: Served) -> Any:
    gradio_client = pytest.importorskip("gradio_client")
    return gradio_client.Client(server.url, verbose=False)


def get(url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    request = urllib.request.Request(url, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=60) as found:
            return found.status, dict(found.headers), found.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()


def test_a_program_asks_and_gets_the_answer_of_the_command_line(client: Any) -> None:
    found = client.predict("can I fine-tune 70B here?", api_name="/ask")
    own = answer.ask("can I fine-tune 70B here?")
    assert found["verdict"] == own.json["verdict"]
    assert found["summary"] == own.json["summary"]
    assert client.predict("能不能在这里微调70B？", api_name="/ask")["lang"] == "zh"


def test_the_program_of_the_document_runs(server: Served) -> None:
    pytest.importorskip("gradio_client")
    page = Path(__file__).resolve().parents[2] / "docs" / "web.md"
    (program,) = re.findall(r"```python\n(.+?)```", page.read_text("utf-8"), re.DOTALL)
    assert "http://127.0.0.1:7860" in program
    exec(program.replace("http://127.0.0.1:7860", server.url), {"__name__": "docs"})


def test_a_program_reads_three_functions_and_no_page(server: Served) -> None:
    config = json.loads(get(server.url + "/config")[2])
    assert sorted(each["api_name"] for each in config["dependencies"]) == ["advise", "ask", "checklist"]
    page = json.loads(get(server.url + "/en/config")[2])
    assert len(config["components"]) < len(page["components"]) / 10


def test_a_program_gives_facts_and_gets_answer_and_checklist(client: Any) -> None:
    found = client.predict(FACTS, "zh", api_name="/advise")
    own = answer.advise(FACTS, lang="zh")
    assert found["plan"] == own.json["plan"]
    assert (
        client.predict(FACTS, "zh", "markdown", api_name="/checklist").strip()
        == answer.render_checklist(own, "markdown").strip()
    )


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("/advise", ({"gpu_count": "x"},), "no number"),
        ("/advise", ({"nonsense": 1},), "nonsense"),
        ("/advise", ({"params_b": 7}, "klingon"), "lang"),
        ("/advise", ([1, 2],), "facts"),
        ("/ask", ("",), "empty"),
        ("/ask", ("70B?", 5), "lang"),
        ("/ask", ("x" * 20_000,), "characters"),
        ("/checklist", ({},), "no plan"),
        ("/checklist", (FACTS, "en", "pdf"), "format"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(client: Any, name: str, arguments: Any, told: str) -> None:
    errors = pytest.importorskip("gradio_client.exceptions")
    with pytest.raises(errors.AppError) as error:
        client.predict(*arguments, api_name=name)
    assert told in str(error.value)
    assert "Traceback" not in str(error.value)
    assert "/" + "home" not in str(error.value)


def test_only_the_typed_functions_are_public(client: Any, server: Served) -> None:
    info = client.view_api(return_format="dict")
    assert sorted(info["named_endpoints"]) == ["/advise", "/ask", "/checklist"]
    assert info["unnamed_endpoints"] == {}
    assert {get(server.url + path)[0] for path in ("/docs", "/redoc", "/openapi.json")} == {404}


def test_health_pages_and_their_headers(server: Served) -> None:
    assert get(server.url + "/healthz")[0] == 200
    assert get(server.url + "/readyz")[2] == b"ready"
    status, headers, body = get(server.url + "/", Accept_Language="zh-TW")
    assert status == 200
    assert "unsafe-eval" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert b'lang="zh-TW"' in body
    assert b"githubusercontent" not in body
    assert len(get(server.url + "/", Accept_Encoding="gzip")[2]) < 100_000


def test_a_file_is_made_from_posted_answers_only(server: Served) -> None:
    def post(name: str, body: bytes) -> tuple[int, bytes]:
        request = urllib.request.Request(
            f"{server.url}/download/{name}", body, {"content-type": "application/x-www-form-urlencoded"}
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as found:
                return found.status, found.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    good = ("plan=" + urllib.request.quote(json.dumps({"given": FACTS, "lang": "en"}))).encode()
    status, body = post("checklist.md", good)
    assert status == 200
    assert body.decode().strip() == answer.render_checklist(answer.advise(FACTS, lang="en"), "markdown").strip()
    assert post("../secret", good)[0] == 404
    assert post("checklist.md", b"plan=nothing")[0] == 400
    assert post("checklist.md", b"plan=%7B%22given%22%3A%7B%22gpu_count%22%3A%22x%22%7D%7D")[0] == 400


def test_fifty_users_within_five_seconds_all_get_their_answer(server: Served) -> None:
    """The benchmark prints the times; here only that nobody is lost counts."""
    gradio_client = pytest.importorskip("gradio_client")
    verdicts: list[str] = []
    errors: list[str] = []

    def user(place: int) -> None:
        time.sleep(5 * place / 50)
        try:
            mine = gradio_client.Client(server.url, verbose=False)
            verdicts.append(mine.predict(f"LoRA of a {7 + place}B model on 2 A100 80GB?", api_name="/ask")["verdict"])
        except Exception as error:
            errors.append(repr(error))

    threads = [threading.Thread(target=user, args=(place,)) for place in range(50)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(180)
    assert errors == []
    assert len(verdicts) == 50
    assert set(verdicts) <= {"yes", "yes_if", "no"}


def test_a_signal_ends_the_server_with_an_open_page(chromium: Any, tmp_path: Path) -> None:
    from tests.web.conftest import Visitor

    with serving(tmp_path) as served:
        visitor = Visitor(chromium, served.url, "en", 1280)
        visitor.open()
        code, seconds = served.stop()
        visitor.close()
    assert code == 0
    # Three seconds are promised on a quiet machine; this one may be busy.
    assert seconds < 10


def test_answers_and_chat_survive_a_restart_of_the_server(chromium: Any, tmp_path: Path) -> None:
    from tests.web.conftest import Visitor

    port = free_port()
    visitor = None
    with serving(tmp_path, port) as served:
        visitor = Visitor(chromium, served.url, "en", 1280)
        page = visitor.open()
        page.locator("#q-tuning-method input[value=qlora]").check()
        visitor.next("task", "model")
        page.click("#tab-chat-button, [role=tab]:has-text('Chat')")
        page.fill("#say textarea", "70B with QLoRA?")
        page.click("#send")
        until(page, f"{ANSWERS} === 1")
    with serving(tmp_path, port):
        visitor.reload()
        page.wait_for_selector("#head-model", state="visible")
        page.click("#back-model")
        page.wait_for_selector("#head-task", state="visible")
        assert page.locator("#q-tuning-method input[value=qlora]").is_checked()
        page.click("#tab-chat-button, [role=tab]:has-text('Chat')")
        page.fill("#say textarea", "on one A100 80GB")
        page.click("#send")
        until(page, f"{ANSWERS} === 2")
        assert "QLoRA" in page.locator("#talk .bot").last.inner_text()
    visitor.close()


def test_the_server_reads_the_knowledge_anew_on_a_hangup(server: Served) -> None:
    import signal

    server.process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert server.process.poll() is None
    server.began = time.monotonic()
    server.wait("/readyz")


def test_a_port_that_is_taken_is_one_clear_line(server: Served, tmp_path: Path) -> None:
    second = Served(tmp_path, server.port)
    assert second.process.wait(120) == 2
    told = second.log.read_text("utf-8")
    assert str(server.port) in told
    assert "Traceback" not in told


def test_with_a_login_the_page_asks_for_it(tmp_path: Path) -> None:
    import base64

    with serving(tmp_path, HKGPU_WEB_LOGIN="anna:correct horse") as served:
        assert get(served.url + "/")[0] == 401
        assert get(served.url + "/gradio_api/info")[0] == 401
        coded = base64.b64encode(b"anna:correct horse").decode()
        assert get(served.url + "/", Authorization=f"Basic {coded}")[0] == 200
        assert get(served.url + "/healthz")[0] == 200
