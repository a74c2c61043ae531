"""What only several outputs together show: hours, carriers, directions, loss against rate, ports, containers."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.consult import judge as desk
from advisor.core.judged import Delivery, ItemJudged

FIXTURES = Path(__file__).parent / "fixtures"
PING = (FIXTURES / "ping_mac.txt").read_text("utf-8")
# One stream at 45.1 Mbps, 2.47 % sent again.
IPERF = (FIXTURES / "iperf3_retransmits.txt").read_text("utf-8")


def put(folder: Path, **outputs: str) -> None:
    for name, text in outputs.items():
        (folder / f"{name.replace('off_peak', 'off-peak')}.txt").write_text(text, "utf-8")


def item(delivery: Delivery, name: str) -> ItemJudged:
    (found,) = [one for one in delivery.items if one.item == f"acceptance.{name}"]
    return found


def rule(found: ItemJudged) -> str:
    return found.finding.rule.removeprefix("judging.") if found.finding else ""


def test_a_carrier_that_needs_three_times_the_round_trip_of_another_is_a_warning(tmp_path: Path) -> None:
    put(tmp_path, office_telecom_peak_out_ping=PING)
    put(tmp_path, office_mobile_peak_out_ping=PING.replace("38.6/41.9", "115.8/119.0"))
    found = item(desk.judge([tmp_path]), "route_per_carrier")
    assert (found.judgement, rule(found)) == ("warn", "network.carrier_far")
    put(tmp_path, office_mobile_peak_out_ping=PING.replace("38.6/41.9", "50.0/53.0"))
    assert item(desk.judge([tmp_path]), "route_per_carrier").judgement == "pass"


def test_one_carrier_that_loses_fails_whatever_the_others_do(tmp_path: Path) -> None:
    put(tmp_path, office_telecom_peak_out_ping=PING)
    lossy = PING.replace("300 packets received, 0.0%", "282 packets received, 6.0%")
    assert lossy != PING
    put(tmp_path, office_unicom_peak_out_ping=lossy)
    found = item(desk.judge([tmp_path]), "route_per_carrier")
    assert (found.judgement, rule(found)) == ("fail", "network.carrier_lossy")


def test_a_line_that_halves_in_the_evening_is_a_warning_and_one_hour_alone_proves_nothing(tmp_path: Path) -> None:
    whole = (FIXTURES / "iperf_omit.txt").read_text("utf-8")
    put(tmp_path, office_telecom_off_peak_back_iperf3_8=whole)
    put(tmp_path, office_telecom_peak_back_iperf3_8=whole.replace("93.5 Mbits", "40.0 Mbits"))
    found = item(desk.judge([tmp_path]), "route_peak")
    # 40 of 93.5 Mbps are 42.8 %.
    assert (found.judgement, rule(found)) == ("warn", "network.rate_falls_at_peak")
    (tmp_path / "office_telecom_off-peak_back_iperf3_8.txt").unlink()
    found = item(desk.judge([tmp_path]), "route_peak")
    assert (found.judgement, rule(found)) == ("inconclusive", "network.one_window")


def test_both_directions_are_held_against_each_other(tmp_path: Path) -> None:
    whole = (FIXTURES / "iperf_omit.txt").read_text("utf-8")
    put(tmp_path, office_telecom_peak_out_iperf3_8=whole)
    assert rule(item(desk.judge([tmp_path]), "route_return")) == "network.one_direction"
    put(tmp_path, office_telecom_peak_back_iperf3_8=whole.replace("93.5 Mbits", "20.0 Mbits"))
    assert rule(item(desk.judge([tmp_path]), "route_return")) == "network.directions_uneven"
    put(tmp_path, office_telecom_peak_back_iperf3_8=whole)
    assert item(desk.judge([tmp_path]), "route_return").judgement == "pass"


def test_the_bound_of_loss_and_round_trip_is_held_against_the_rate_and_the_line(tmp_path: Path) -> None:
    # One stream, 3 of 300 lost, 38.6 ms: 1460 * 8 / 0.0386 / sqrt(0.01) = 3.026 Mbps at most by Mathis' equation.
    lossy = PING.replace("300 packets received, 0.0%", "297 packets received, 1.0%")
    slow = IPERF.replace("45.1 Mbits", " 1.0 Mbits").replace("2900", "   2")
    put(tmp_path, office_telecom_peak_out_ping=lossy, office_telecom_peak_out_iperf3_1=slow)
    delivery = desk.judge([tmp_path], ordered=desk.read_order("bandwidth_mbps: 100\n", "order.yaml"))
    (bound,) = [one for one in delivery.files if "mathis_mbps" in one.values]
    assert bound.values["mathis_mbps"] == pytest.approx(3.0)
    assert {one.rule.removeprefix("judging.network.") for one in bound.findings} == {
        "loss_forbids_line",
        "loss_explains_not",
    }


def test_an_rdma_rate_counts_against_the_rate_of_the_port_and_is_inconclusive_without_one(tmp_path: Path) -> None:
    put(tmp_path, write=(FIXTURES / "ib_ok.txt").read_text("utf-8"))
    found = item(desk.judge([tmp_path]), "rdma_link")
    assert (found.judgement, rule(found)) == ("inconclusive", "rdma.unheld")
    put(tmp_path, ports=(FIXTURES / "ibstat_ok.txt").read_text("utf-8"))
    # 391.9 of 400 Gbps are 98 %.
    delivery = desk.judge([tmp_path])
    assert item(delivery, "rdma_link").judgement == "pass"
    (measured,) = [one for one in delivery.files if one.tool == "ib_write_bw"]
    assert [one.rule for one in measured.findings] == ["judging.rdma.fast"]
    ordered = desk.read_order("rdma_gbps: 800\n", "order.yaml")
    assert item(desk.judge([tmp_path], ordered=ordered), "rdma_link").judgement == "fail"


def test_a_container_must_list_the_cards_of_the_host(tmp_path: Path) -> None:
    cards = (FIXTURES / "L8.txt").read_text("utf-8")
    put(tmp_path, nvidia_smi_list=cards, container_cards=cards)
    assert item(desk.judge([tmp_path]), "container_gpu").judgement == "pass"
    put(tmp_path, container_cards="\n".join(cards.split("\n")[:4]) + "\n")
    assert item(desk.judge([tmp_path]), "container_gpu").judgement == "fail"


def test_a_burn_of_some_of_the_ordered_cards_is_no_pass(tmp_path: Path) -> None:
    put(tmp_path, burn=(FIXTURES / "burn_ok8.txt").read_text("utf-8"))
    ordered = desk.read_order("gpu_model: H100 80GB\ngpu_count: 8\n", "order.yaml")
    found = item(desk.judge([tmp_path], ordered=ordered), "gpu_burn")
    assert (found.judgement, rule(found)) == ("inconclusive", "order.part_burned")


def test_the_software_plan_says_which_driver_is_needed() -> None:
    # CUDA 13 needs branch 580, CUDA 12 needs 525.
    table = (FIXTURES / "smi_h100_8.txt").read_text("utf-8")
    for cuda, verdict in (("cu130", "fail"), ("cu126", "pass")):
        ordered = desk.read_order(f"gpu_model: H100 80GB\ngpu_count: 8\ncuda: {cuda}\n", "order.yaml")
        assert item(desk.judge_text(table, ordered=ordered), "driver_stack").judgement == verdict


def test_the_device_number_tells_a_renamed_card() -> None:
    # 2324 is the H800.
    query = (FIXTURES / "q_a100_clean.txt").read_text("utf-8")
    renamed = query + "    PCI\n        Device Id                         : 0x232410DE\n"
    found = item(desk.judge_text(renamed), "gpu_identity")
    assert (found.judgement, rule(found)) == ("fail", "cards.other_device")


def test_raid_and_snapshots_are_held_against_the_order() -> None:
    text = (FIXTURES / "md_raid0.txt").read_text("utf-8")
    for level, verdict in (("raid0", "pass"), ("raid10", "fail")):
        ordered = desk.read_order(f"storage.raid: {level}\n", "order.yaml")
        assert item(desk.judge_text(text, ordered=ordered), "disk_raid").judgement == verdict
    none = (FIXTURES / "zfs_none.txt").read_text("utf-8")
    ordered = desk.read_order("snapshots: true\n", "order.yaml")
    assert item(desk.judge_text(none, ordered=ordered), "snapshot_state").judgement == "fail"


def test_a_sync_that_takes_longer_than_its_window_fails() -> None:
    # The log ends after two minutes and 0.2 seconds.
    log = (FIXTURES / "rclone_ok.txt").read_text("utf-8")
    for hours, verdict in ((1, "pass"), (0.01, "fail")):
        ordered = desk.read_order(f"sync_window_h: {hours}\n", "order.yaml")
        assert item(desk.judge_text(log, ordered=ordered), "sync_time").judgement == verdict
