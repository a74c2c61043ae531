"""Which tool printed a text, and where one output ends and the next begins when several were pasted together.

A tool is known by lines that only it prints. A tool's beginning (`start`) opens a new part; its other signs name a part
that has lost its beginning. What stands before the first beginning belongs to the first part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.acceptance.readers import (
    bandwidth,
    dcgmi_diag,
    disk_health,
    dmesg,
    fio,
    gpu_burn,
    host,
    iostat,
    iperf3,
    mtr,
    nccl_tests,
    nvidia_smi,
    nvidia_smi_csv,
    nvidia_smi_nvlink,
    nvidia_smi_q,
    nvidia_smi_topo,
    ping,
    traceroute,
    web,
)
from advisor.acceptance.reading import Reading

_M = re.MULTILINE


@dataclass(frozen=True)
class Tool:
    """How to know a tool and who reads it."""

    name: str
    read: Callable[[str], Reading]
    start: re.Pattern[str]
    signs: tuple[re.Pattern[str], ...] = ()


def _tool(name: str, read: Callable[[str], Reading], start: str, *signs: str) -> Tool:
    return Tool(name, read, re.compile(start, _M), tuple(re.compile(sign, _M) for sign in signs))


# In the order in which they are asked; a text that two of them could claim belongs to the first.
TOOLS: tuple[Tool, ...] = (
    _tool(
        "nvidia-smi-q",
        nvidia_smi_q.read,
        r"^=+NVSMI LOG=+",
        r"^\s*Remapped Rows\s*$",
        r"SRAM Uncorrectable",
        r"^\s*Retired Pages\s*$",
        r"Bank Remap Availability Histogram",
        r"GPU T\.Limit Temp",
        r"^\s*ECC Errors\s*$",
    ),
    _tool(
        "nvidia-smi-topo",
        nvidia_smi_topo.read,
        r"^\s*GPU0\s+(?:GPU1|CPU Affinity|NIC0|mlx)",
        r"^GPU\d+\s+(?:X|NV\d+|SYS|PIX|NODE|PHB)\b",
    ),
    _tool("dcgmi-nvlink", nvidia_smi_nvlink.read_dcgmi, r"^\|\s+NvLink Link Status\s+\|", r"^\s*gpuId \d+:"),
    _tool(
        "dcgmi-diag",
        dcgmi_diag.read,
        r"^\s*Successfully ran diagnostic|^\| Diagnostic\s+\| Result"
        r"|^\s*\{?\s*\"DCGM (?:GPU )?Diagnostic\"",
        r"\"DCGM (?:GPU )?Diagnostic\"",
        r"^\|-+\s+(?:Deployment|Hardware|Integration|Stress)",
        r"\"test_categories\"",
        r"^\| (?:Denylist|NVML Library|GPU Memory|Targeted Stress|Memory Bandwidth|PCIe)\s+\|",
    ),
    _tool(
        "nvidia-smi",
        nvidia_smi.read,
        r"^\s*\|\s*NVIDIA-SMI \d|^NVIDIA-SMI has failed|^No devices were found"
        r"|^Unable to determine the device handle|^Failed to initialize NVML",
        r"\|\s*NVIDIA-SMI \d",
        r"^\|\s*\d+\s+(?:NVIDIA|Tesla|TITAN|GeForce|Quadro)\b.*\|",
        r"MiB /\s*\d+MiB",
        r"GPU is lost",
        r"No devices were found",
    ),
    _tool("gpu-stream", bandwidth.read_stream, r"^\s*STREAM Benchmark", r"STREAM_(?:COPY|TRIAD|ADD|SCALE)_\w+_gpu_"),
    _tool(
        "nvbandwidth",
        bandwidth.read_nvbandwidth,
        r"^\s*nvbandwidth Version",
        r"^Running \w+_memcpy_\w+",
        r"memcpy (?:CE|SM) CPU\(row\)",
    ),
    _tool(
        "nccl-tests",
        nccl_tests.read,
        r"^# nThread \d+|^# nccl-tests version",
        r"#\s+Rank\s+\d+ Group",
        r"algbw\s+busbw",
        r"^\s*\d{1,15}\s+\d{1,15}\s+(?:float|half|bfloat16)\s+(?:sum|prod|max|min|none)\b",
    ),
    _tool(
        "gpu-burn",
        gpu_burn.read,
        r"^\s*(?:GPU \d+: .*\(UUID: GPU-[^)]*\)\n)*\s*Initialized device|^Using compare file"
        r"|^Burning for \d+ seconds",
        r"Gflop/s\)",
        r"Tested \d+ GPUs?:",
        r"^\s*GPU \d+: (?:OK|FAULTY)",
    ),
    _tool(
        "nvidia-smi-nvlink",
        nvidia_smi_nvlink.read,
        r"^GPU 0: [^\n]*\(UUID[^\n]*\n\s*(?:Link \d+:|Device does not)",
        r"^\s*Link \d+: (?:[\d.]+ GB/s|<inactive>|Link is)",
        r"does not have or support Nvlink",
    ),
    _tool(
        "nvidia-smi-L",
        nvidia_smi_nvlink.read_list,
        r"^GPU 0: [^\n]*\(UUID[^\n]*\)\s*(?:\n\s*GPU 1|\n\s*MIG|\n|\Z)",
        r"^GPU \d+: .*\(UUID: GPU-",
    ),
    _tool("ib_write_bw", bandwidth.read_ib, r"^\s*RDMA_(?:Write|Read) BW Test", r"BW average\["),
    _tool(
        "fio",
        fio.read,
        r"^[^\n:]+: \(g=0\): rw=|^\d;fio-\d|^fio: (?!io_u)",
        r"\"fio version\"",
        r"^fio-\d",
        r"\(groupid=\d+, jobs=",
        r"^fio: ",
        r"IOPS=[\d.]+k?, BW=",
    ),
    _tool(
        "iperf3",
        iperf3.read,
        r"^Connecting to host |^iperf 3\.\d|^iperf3: error",
        r"\[\s*(?:\d+|SUM)\](?:\[\w\w-\w\])?\s+[\d.]+-[\d.]+\s+sec",
        r"\"sum_sent\"|\"connecting_to\"|\"iperf 3",
        r"^iperf3:",
    ),
    _tool(
        "mtr",
        mtr.read,
        r"^\s*HOST: .*Loss%|^Mtr_Version,|^<MTR |WinMTR statistics|^mtr: |^Start: \d{4}-\d\d-\d\dT",
        r"\"hubs\"",
        r"^\s*\d+\.\s?\|-- ",
        r"<MTR ",
        r"^h \d+ \S+\n",
        r"\"Loss%\"",
    ),
    _tool(
        "pathping",
        traceroute.read_pathping,
        r"pathping [/\w]",
        r"Source to Here",
        r"Lost/Sent = Pct",
        r"=\s*\d+%\s+\|\s*$",
    ),
    _tool(
        "traceroute",
        traceroute.read,
        r"^(?:traceroute6? to |traceroute: |Tracing the path to |Selected device |Tracing route to )|^besttrace",
        r"^\s*\d+\s+(?:\*\s+\*\s+\*|\S+ \([^)]+\)\s+[\d.]+ ms|[\d.]+\s+[\d.]+ ms)",
        r"^\s*\d+\s+[\d.]+\s+[\d.]+ ms\s+(?:AS|\*)",
    ),
    _tool(
        "ping",
        ping.read,
        r"^PING |^\s*(?:Pinging |正在 Ping |Ping wird |Envoi d.une requ|Ping \S+ \()|^ping6?: ",
        r"packets transmitted",
        r"(?:Ping|ping) statistics",
        r"[Pp]ing[^\n]*:\n[^\n]*= ?\d+[^\n]*= ?\d+[^\n]*= ?\d+",
        r"icmp_seq=\d+",
        r"=\s*\d+\D+=\s*\d+\D+=\s*\d+\D+\(\s*\d+%",
    ),
    _tool(
        "curl",
        web.read_curl,
        r"^curl: \(\d+\)",
        r"\b(?:connect|time_connect):[\d.]+ ",
        r"\bcode:\d{3}",
        r"(?i)\bttfb\s*:",
        r"speed:\d+",
        r"\btime_(?:connect|total|starttransfer)\s*[:=]",
        r"(?i)\bhttp[_ ]code\s*[:=]\s*\d{3}",
    ),
    _tool("test-netconnection", web.read_tnc, r"^\s*ComputerName\s+:", r"TcpTestSucceeded", r"PingSucceeded\s+:"),
    _tool(
        "dmesg",
        dmesg.read,
        r"^\[\s+0\.000000\] Linux version",
        r"NVRM: ",
        r"oom-kill|Out of memory: Kill",
        r"segfault at",
        r"AER: ",
        r"mce: \[Hardware",
        r"^\[\s*\d+\.\d+\] ",
        r"^\[[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:]+ \d{4}\]",
        r"kernel: ",
        r"SXid",
    ),
    _tool(
        "iostat",
        iostat.read,
        r"^Linux \d\S+ \([^)]*\)[^\n]*CPU\)",
        r"^avg-cpu:",
        r"\"sysstat\"",
        r"^\s*Device:?\s+(?:r/s|tps|rrqm/s)",
    ),
    _tool(
        "nvme-smart-log",
        disk_health.read_nvme,
        r"^Smart Log for NVME device",
        r"^\s*critical_warning\s*:",
        r"\"percent_used\"|\"avail_spare\"",
    ),
    _tool(
        "smartctl",
        disk_health.read_smartctl,
        r"^smartctl \d",
        r"START OF (?:SMART|INFORMATION)",
        r"^Critical Warning:",
        r"\"smartctl\"",
        r"nvme_smart_health_information_log",
        r"Percentage Used:",
        r"ID# ATTRIBUTE_NAME",
    ),
    _tool(
        "dmidecode",
        host.read_dmidecode,
        r"^# dmidecode \d",
        r"^Handle 0x[0-9A-F]+, DMI type",
        r"Error Correction Type:",
        r"SMBIOS \d",
        r"Total Width: ",
    ),
    _tool("lspci", host.read_lspci, r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] [A-Z]", r"LnkSta:"),
    _tool(
        "free",
        host.read_free,
        r"^\s+(?:total|gesamt|总计|總計|всего)\s+\S+\s+\S+",
        r"^\s*(?:Mem|Speicher|内存)[:：]\s+\d",
    ),
    _tool(
        "lscpu", host.read_lscpu, r"^(?:Architecture|架构|Architektur):\s", r"^(?:CPU\(s\)|Model name|Socket\(s\)):\s"
    ),
    _tool(
        "df", host.read_disks, r"^Filesystem\s+", r"^/dev/\S+\s+[\d.]+[KMGT]?\s", r"^NAME\s+MAJ:MIN", r"^nvme\d+n\d+\s"
    ),
    _tool(
        "nvidia-smi-csv",
        nvidia_smi_csv.read,
        r"^\s*(?:index|name|gpu_name|uuid|timestamp|driver_version|memory\.\w+|pci\.\w+"
        r"|count)(?:\s*\[\w+\])?, ?[a-z]",
        r"^\s*(?:\d+, )?(?:NVIDIA |Tesla |GeForce |Quadro )[^,\n]+, *[\d\[]",
        r"^[^,\n]*(?:NVIDIA |Tesla )[^,\n]*,",
        r"memory\.total \[MiB\]",
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
# More than this many beginnings is no paste of a person.
MAX_PARTS = 2**8


def name_of(text: str) -> str | None:
    """The tool that printed this text, or None."""
    tool = _known(text)
    return tool.name if tool else None


def _known(text: str) -> Tool | None:
    best: tuple[int, int, Tool] | None = None
    for order, tool in enumerate(TOOLS):
        hits = 2 * bool(tool.start.search(text)) + sum(bool(sign.search(text)) for sign in tool.signs)
        if hits and (best is None or hits > best[0]):
            best = (hits, order, tool)
    return best[2] if best else None


def parts(text: str) -> list[tuple[Tool | None, str]]:
    """The outputs in a text, each with its tool; one part with no tool where none is known."""
    whole = text.strip()
    starts = sorted((found.start(), tool.name) for tool in TOOLS for found in tool.start.finditer(text))
    cuts = _cuts(text, starts)
    if len(cuts) < 2:
        return [(_known(text), text)] if whole else [(None, text)]
    pieces = [text[begin:end] for begin, end in zip(cuts, [*cuts[1:], len(text)], strict=True)]
    pieces[0] = text[: cuts[0]] + pieces[0]
    return [(_known(piece), piece) for piece in pieces]


def _cuts(text: str, starts: Sequence[tuple[int, str]]) -> list[int]:
    """Where a new output begins: at a beginning of another tool, or at one of the same tool after a whole output."""
    cuts: list[int] = []
    names: list[str] = []
    for at, name in starts:
        if names and names[-1] == name and name in _ONCE:
            continue
        if name in _WITHIN and names and names[-1] in _WITHIN[name]:
            continue
        if cuts and not text[cuts[-1] : at].strip():
            continue
        cuts.append(at)
        names.append(name)
        if len(cuts) > MAX_PARTS:
            break
    return cuts


# Tools whose beginning repeats within one output.
_ONCE = frozenset(
    {
        "pathping",
        "lspci",
        "dmidecode",
        "fio",
        "mtr",
        "curl",
        "traceroute",
        "nvidia-smi",
        "iperf3",
        "dcgmi-diag",
        "ib_write_bw",
        "free",
    }
)
# tool -> tools within whose output its beginning is ordinary.
_WITHIN = {
    "traceroute": frozenset({"pathping", "traceroute"}),
    "nvidia-smi-L": frozenset({"nvidia-smi-nvlink", "gpu-burn", "nvidia-smi-L"}),
    "nvidia-smi-nvlink": frozenset({"nvidia-smi-L"}),
    "nvidia-smi-csv": frozenset({"nvidia-smi-csv"}),
    "gpu-burn": frozenset({"nvidia-smi-L", "gpu-burn"}),
    "lspci": frozenset({"dmesg"}),
    "fio": frozenset({"fio"}),
    "free": frozenset({"df"}),
    "mtr": frozenset({"mtr"}),
}
