"""Against an order: the card, its number, its links, the line; what an order does not say does not apply."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.acceptance.order import Order, flat
from advisor.consult import judge as desk
from advisor.core.judged import Delivery

FIXTURES = Path(__file__).parent / "fixtures"


def against(order: str, name: str, change: tuple[str, str] = ("", "")) -> Delivery:
    text = (FIXTURES / name).read_text("utf-8").replace(*change) if change[0] else (FIXTURES / name).read_text("utf-8")
    return desk.judge_text(text, ordered=desk.read_order(order, "order.yaml"))


def reasons(delivery: Delivery) -> list[str]:
    return [one.rule for one in delivery.files[0].findings if one.judgement == delivery.files[0].judgement]


def test_eight_h100_as_ordered_pass() -> None:
    assert against("gpu_model: H100 80GB\ngpu_count: 8\n", "smi_h100_8.txt").files[0].judgement == "pass"


def test_fewer_cards_than_ordered_fail() -> None:
    ordered = desk.read_order("gpu_model: H100 80GB\ngpu_count: 8\n", "order.yaml")
    delivery = desk.judge([FIXTURES / "smi_prompted_utf16.txt"], ordered=ordered)
    assert delivery.files[0].judgement == "fail"
    assert "judging.order.fewer_cards" in reasons(delivery)


def test_another_card_than_ordered_fails() -> None:
    delivery = against("gpu_model: H200\ngpu_count: 8\n", "smi_h100_8.txt")
    assert "judging.order.other_card" in reasons(delivery)


def test_eight_links_on_an_a100_order_are_a_cut_down_sibling() -> None:
    # An A100 has 12 links, an A800 has 8.
    delivery = against("gpu_model: A100 80GB\ngpu_count: 8\n", "topo_a100_nv12.txt", ("NV12", "NV8"))
    assert delivery.files[0].judgement == "fail"
    assert "judging.order.fewer_links" in reasons(delivery)
    assert against("gpu_model: A100 80GB\ngpu_count: 8\n", "topo_a100_nv12.txt").files[0].judgement == "pass"


def test_one_stream_does_not_judge_the_line_and_several_do() -> None:
    # 45.1 of 100 Mbps with one stream is inconclusive for the line; retransmits fail by themselves.
    delivery = against("bandwidth_mbps: 100\n", "iperf3_retransmits.txt", ("2900", "   2"))
    assert delivery.files[0].judgement == "inconclusive"
    assert reasons(delivery) == ["judging.order.one_stream"]


def test_a_sata_disk_where_nvme_was_ordered_fails() -> None:
    slow = ("75.2k", "40.2k")
    delivery = against("storage.kind: nvme\n", "fio_sata_random.txt", slow)
    assert "judging.order.no_nvme_random" in reasons(delivery)


def test_memory_is_compared_with_the_order_and_does_not_apply_without_one() -> None:
    # 1,056,000,000 KiB are 1,081 GB.
    assert against("host_ram_gb: 1024\n", "free_ok.txt").items[0].judgement == "pass"
    assert against("host_ram_gb: 2048\n", "free_ok.txt").items[0].judgement == "fail"
    alone = desk.judge_text((FIXTURES / "free_ok.txt").read_text("utf-8"))
    assert alone.items[0].judgement == "does not apply"


def test_the_json_of_an_answer_is_an_order() -> None:
    answer = {"recommended": {"gpu": "H100 80GB", "gpu_count": 8, "ram_gib": 1024, "network": {"bandwidth_mbps": 100}}}
    assert flat(answer)["gpu_model"] == "H100 80GB"
    ordered = desk.read_order(json.dumps(answer), "answer.json")
    assert isinstance(ordered, Order)
    assert ordered.card == "H100 80GB"
    assert {"gpu.count", "host.ram", "line.bandwidth"} <= ordered.facts.keys()


@pytest.mark.parametrize("lang", ["en", "zh", "zh-Hant"])
@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_a_failed_delivery_is_told_in_every_language_and_format(lang: str, format: str) -> None:
    delivery = desk.judge([FIXTURES / "nccl_h100_slow.txt", FIXTURES / "ping_mac.txt"])
    told = desk.render(delivery, format, lang)
    assert "440" in told
    assert "{" not in told or format == "json"
    if format == "json":
        rows = json.loads(told)
        assert [row["verdict"] for row in rows] == ["fail", "pass", "fail", "pass"]
        assert rows[2] == rows[2] | {"item": "acceptance.nccl_busbw", "files": ["nccl_h100_slow.txt"]}


def test_the_command_leaves_with_one_where_an_item_failed(capsys: pytest.CaptureFixture[str]) -> None:
    from bots.cli.main import main

    assert main(["judge", str(FIXTURES / "ping_mac.txt"), "--lang", "en"]) == 0
    assert main(["judge", str(FIXTURES / "smi_hot.txt"), "--lang", "en"]) == 1
    assert main(["judge", "no-such-file"]) == 2
    assert main(["judge", "--tools"]) == 0
    assert "not there" in capsys.readouterr().err


def test_the_peak_is_compared_with_the_hours_off_it(tmp_path: Path) -> None:
    ping = (FIXTURES / "ping_mac.txt").read_text("utf-8")
    (tmp_path / "office_telecom_off-peak_out_ping.txt").write_text(ping, "utf-8")
    (tmp_path / "office_telecom_peak_out_ping.txt").write_text(ping.replace("38.6/41.9", "77.2/80.0"), "utf-8")
    (item,) = [one for one in desk.judge([tmp_path]).items if one.item == "acceptance.route_peak"]
    assert (item.judgement, str(item.finding.figure if item.finding else "")) == ("warn", "2")
    (tmp_path / "office_telecom_off-peak_out_ping.txt").unlink()
    (item,) = [one for one in desk.judge([tmp_path]).items if one.item == "acceptance.route_peak"]
    assert item.judgement == "inconclusive"


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("rocm_ok.txt", "gpu_model: MI300X\ngpu_count: 8\n"),
        ("npu_ok.txt", "gpu_model: Ascend 910B\ngpu_count: 8\n"),
        ("nvlink_h100.txt", "gpu_model: H100 80GB\ngpu_count: 16\n"),
        ("topo_a100_nv12.txt", "gpu_model: A100 80GB\ngpu_count: 16\n"),
        ("nvbandwidth_h100.txt", "gpu_model: H100 80GB\ngpu_count: 16\n"),
        ("nccl_h100_8.txt", "gpu_model: H100 80GB\ngpu_count: 16\n"),
        ("burn_ok8.txt", "gpu_model: H100 80GB\ngpu_count: 8\n"),
        ("dcgm4_ok.json", "gpu_model: H100 80GB\ngpu_count: 8\n"),
        ("matmul_ok.txt", "gpu_model: H100 80GB\ngpu_count: 16\n"),
        ("torch_ok.txt", "gpu_model: H100 80GB\ngpu_count: 8\n"),
        ("csv_zh.csv", "gpu_model: H100 80GB\ngpu_count: 16\n"),
        ("L8.txt", "gpu_model: H100 80GB\ngpu_count: 16\n"),
    ],
)
def test_an_output_of_fewer_cards_than_ordered_never_passes(name: str, order: str) -> None:
    assert against(order, name).files[0].judgement in ("fail", "inconclusive")
    assert desk.judge([FIXTURES / name]).files[0].judgement == "pass"
