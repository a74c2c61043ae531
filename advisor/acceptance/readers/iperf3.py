"""iperf3 as text or JSON: the rate of the summary, retransmits, UDP loss as the receiver saw it.

Rows of single seconds are no result: a run without its summary was stopped. With several streams only [SUM] counts, and
in both directions each has its own.
"""

from __future__ import annotations

import re
from typing import Any

from advisor.acceptance.numerals import number, percent
from advisor.acceptance.reading import Reading
from advisor.acceptance.structured import dig, figure, json_span

_ROW = re.compile(
    r"^\[\s*(?P<id>\d+"
    r"|SUM)\](?:\[(?P<role>\w\w-\w)\])?\s+(?P<from>\d+\.?\d*)-(?P<to>\d+\.?\d*)\s+sec"
    r"\s+(?P<bytes>\d+\.?\d*)\s+(?P<bu>[KMGT]?Bytes)\s+"
    r"(?P<rate>\d+\.?\d*)\s+(?P<ru>[KMGT]?(?:bits|Bytes))/sec(?P<rest>.*)$",
    re.MULTILINE,
)
_UDP = re.compile(r"(?P<jitter>\d+\.?\d*)\s+ms\s+(?P<lost>-?\d+)/(?P<total>\d+)\s+\((?P<loss>[\d.e+-]+)%\)")
_RETR = re.compile(r"^\s+(?P<retr>\d+)\s")
_CWND = re.compile(r"(?P<retr>\d+)\s+(?P<cwnd>\d+\.?\d*)\s+(?P<unit>[KMG]?Bytes)\s*$")
_ERROR = re.compile(
    r"iperf3: (?:error|interrupt|the client has terminated|the server has terminated)[^\n]*", re.IGNORECASE
)
_ENDS = re.compile(r"\b(?:sender|receiver)\s*$")
_DASHES = re.compile(r"^(?:- ){5,}-?\s*$", re.MULTILINE)
_MSS = re.compile(r"(?:TCP MSS:?|tcpi_snd_mss|mss)\s*(?P<mss>\d+)")
_BITS = {
    "bits": 1.0,
    "Kbits": 1e3,
    "Mbits": 1e6,
    "Gbits": 1e9,
    "Tbits": 1e12,
    "Bytes": 8.0,
    "KBytes": 8 * 2.0**10,
    "MBytes": 8 * 2.0**20,
    "GBytes": 8 * 2.0**30,
}
_NAMES = {
    "Gbits": "gbps",
    "Mbits": "mbps",
    "Kbits": "kbps",
    "KBytes": "kbytes_s",
    "MBytes": "mbytes_s",
    "GBytes": "gbytes_s",
    "bits": "bps",
}


def read(text: str) -> Reading:
    """The summary of both sides."""
    reading = Reading("iperf3")
    span = json_span(text)
    if span and isinstance(span[0], dict) and ("end" in span[0] or "start" in span[0]):
        _from_json(reading, span[0])
    elif re.match(r"\s*\{", text):
        reading.complete = False
    else:
        _from_text(reading, text)
    return reading


def _from_json(reading: Reading, data: dict[str, Any]) -> None:
    version = dig(data, "start", "version")
    reading.version = str(version).removeprefix("iperf ") if version else ""
    error = data.get("error")
    test = dig(data, "start", "test_start") or {}
    sent, got = (
        figure(data, "end", "sum_sent", "bits_per_second"),
        figure(data, "end", "sum_received", "bits_per_second"),
    )
    both = figure(data, "end", "sum", "bits_per_second")
    udp = dig(test, "protocol") == "UDP"
    got = got if got is not None else both
    reading.show(
        error=str(error) if error else None,
        sent_mbps=_mega(sent),
        recv_mbps=_mega(got),
        retr=figure(data, "end", "sum_sent", "retransmits"),
        streams=figure(test, "num_streams"),
        reverse=figure(test, "reverse"),
        duration_s=figure(test, "duration"),
        protocol=str(dig(test, "protocol") or ""),
    )
    reading.ran = not error
    reading.complete = sent is not None or got is not None or bool(error)
    _json_reverse(reading, data)
    if udp:
        _json_loss(reading, data)
    else:
        mss = figure(data, "start", "tcp_mss_default") or figure(data, "start", "tcp_mss")
        _retransmits(reading, reading.values.get("retr"), figure(data, "end", "sum_sent", "bytes"), mss)
    if error:
        return
    reading.measure("Mbps", rate=_mega(got) if got is not None else _mega(sent))
    reading.count(streams=figure(test, "num_streams"))
    reading.measure(
        "s", net_runtime=figure(data, "end", "sum_received", "seconds") or figure(data, "end", "sum", "seconds")
    )


def _json_reverse(reading: Reading, data: dict[str, Any]) -> None:
    """The other direction of --bidir."""
    reverse = "end", "sum_sent_bidir_reverse"
    reading.show(
        sent_reverse_mbps=_mega(figure(data, *reverse, "bits_per_second")),
        recv_reverse_mbps=_mega(figure(data, "end", "sum_received_bidir_reverse", "bits_per_second")),
        retr_reverse=figure(data, *reverse, "retransmits"),
    )


def _json_loss(reading: Reading, data: dict[str, Any]) -> None:
    """The sender's side may print zero while the receiver lost packets: the receiver counts."""
    received = figure(data, "end", "sum_received", "lost_percent")
    plain = figure(data, "end", "sum", "lost_percent")
    loss = received if received is not None else plain
    packets = figure(data, "end", "sum_received", "packets") or figure(data, "end", "sum", "packets")
    lost = (
        figure(data, "end", "sum_received", "lost_packets")
        if received is not None
        else figure(data, "end", "sum", "lost_packets")
    )
    jitter = figure(data, "end", "sum_received", "jitter_ms")
    jitter = jitter if jitter is not None else figure(data, "end", "sum", "jitter_ms")
    reading.show(lost_pct=loss, lost_pct_sender_side=figure(data, "end", "sum_sent", "lost_percent"), jitter_ms=jitter)
    reading.measure("%", loss=loss)
    reading.count(probes=packets, lost=lost)
    reading.measure("ms", jitter=jitter)


def _mega(bits: float | None) -> float | None:
    return round(bits / 10**6, 1) if bits is not None else None


def _from_text(reading: Reading, text: str) -> None:
    error = _ERROR.search(text)
    rows = list(_ROW.finditer(text))
    ends = [row for row in rows if _ENDS.search(row["rest"])] or _bare_ends(text, rows)
    streams = {row["id"] for row in rows if row["id"] != "SUM"}
    several = len(streams) > 1 and not any(row["role"] for row in rows)
    sums = [row for row in ends if row["id"] == "SUM"] if several else ends
    if error:
        reading.show(error=error[0].partition("- ")[2] or error[0])
    reading.ran = not (error and not sums)
    reading.complete = (bool(sums) and _both_ends(rows, sums)) or bool(error)
    if {row["role"] for row in rows} == {"TX-C", "RX-C"}:
        streams = {row["id"] for row in rows if row["role"] == "TX-C" and row["id"] != "SUM"}
    reading.show(streams=len(streams) or None, reverse=1 if "Reverse mode" in text else None)
    mss = _MSS.search(text)
    for row in sums:
        _summary(reading, row, number(mss["mss"]) if mss else None)
    if not sums and rows:
        last = rows[-1]
        reading.show(**{_NAMES.get(last["ru"], "rate"): number(last["rate"])})
    cwnds = [_CWND.search(row["rest"]) for row in rows]
    windows = [(number(one["cwnd"]) or 0) * _BITS[one["unit"]] / 8 for one in cwnds if one]
    if len(windows) > 2 and sums:
        reading.measure("B", cwnd_most=max(windows))
    if sums:
        reading.count(streams=len(streams))
        reading.measure("s", net_runtime=number(sums[-1]["to"]))


def _both_ends(rows: list[re.Match[str]], sums: list[re.Match[str]]) -> bool:
    """Whether the receiver's line is there, and in both directions where both were measured: what the sender sent tells
    nothing of what arrived."""
    words = [(row["role"], _ENDS.search(row["rest"])) for row in sums]
    named = {role for role, found in words if found and found[0].strip() == "receiver"}
    if any(found for _, found in words):
        return named == {row["role"] for row in rows}
    return True


def _bare_ends(text: str, rows: list[re.Match[str]]) -> list[re.Match[str]]:
    """Summaries of versions that don't write sender or receiver behind them: old UDP clients, and iperf 2."""
    if "Client connecting to" in text or "Server listening on TCP" in text:
        whole = [row for row in rows if number(row["from"]) == 0]
        return whole[-1:]
    line = _DASHES.search(text)
    return [row for row in rows if line and row.start() > line.end() and _UDP.search(row["rest"])]


def _summary(reading: Reading, row: re.Match[str], mss: float | None) -> None:
    side = "sent" if "sender" in row["rest"] else "recv"
    back = "_reverse" if row["role"] == "RX-C" else ""
    rate = (number(row["rate"]) or 0) * _BITS.get(row["ru"], 1.0)
    reading.show(
        **{f"{side}{back}_{_NAMES.get(row['ru'], 'rate')}": number(row["rate"]), f"{side}{back}_mbps": _mega(rate)}
    )
    udp = _UDP.search(row["rest"])
    if udp:
        loss, total = number(udp["loss"]), number(udp["total"])
        reading.show(
            **{"lost_pct" if side == "recv" else "lost_pct_sender_side": loss, "jitter_ms": number(udp["jitter"])}
        )
        if side == "recv":
            reading.measure("%", loss=loss)
            reading.count(probes=total, lost=abs(number(udp["lost"]) or 0))
            reading.measure("ms", jitter=number(udp["jitter"]))
    retr = _RETR.match(row["rest"])
    if retr and side == "sent":
        reading.show(**{f"retr{back}": number(retr["retr"])})
        size = (number(row["bytes"]) or 0) * _BITS[row["bu"]] / 8
        if not back:
            _retransmits(reading, reading.values.get("retr"), size, mss)
    if not back and (side == "recv" or "rate" not in reading.facts):
        reading.show(mbps=_mega(rate))
        reading.measure("Mbps", rate=rate / 10**6)


def _retransmits(reading: Reading, retr: object, size: float | None, mss: float | None) -> None:
    """Retransmitted segments in per cent of the segments sent; without a printed MSS that of Ethernet is taken."""
    if not isinstance(retr, int | float) or not size:
        return
    segments = size / (mss if mss else ETHERNET_MSS)
    share = percent(float(retr), segments)
    reading.show(retr_pct=round(share, 4) if share is not None else None)
    reading.measure("%", retransmits=share)


# Payload of a TCP segment on Ethernet with time stamps: 1500 less 52 bytes of headers.
ETHERNET_MSS = 1448
