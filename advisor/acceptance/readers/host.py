"""The host: free, lscpu, dmidecode, lspci -vvv, df, lsblk.

Words stand in the language of the host, so columns are found by position where a heading is no English. A virtual
machine's dmidecode claims ECC whatever the host has; such a claim proves nothing.
"""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number, scaled, with_points
from advisor.acceptance.reading import Reading, least, most, together, whole
from advisor.acceptance.structured import dig, json_span

_FREE = re.compile(
    r"^[ \t]*(?P<name>Mem|Speicher|Mem\.|Memoria|内存|記憶體|Мем|Память|Mémoire)\s*[:：]\s+(?P<cells>\S.*)$",
    re.MULTILINE,
)
_SWAP = re.compile(
    r"^[ \t]*(?:Swap|交换|置換|Подкачка|Échange|Partition d'échange|Intercambio)\s*[:：]\s+(?P<cells>\S.*)$",
    re.MULTILINE,
)
_PREFIXED = re.compile(r"[\d.]+[BKMGTP]i?B?$|^0B?$")


def read_free(text: str) -> Reading:
    """Totals as printed, and the host's memory in GiB."""
    reading = Reading("free")
    text = re.sub(r"(?<=\d),(?=\d+[KMGTP]i?B?\b)", ".", with_points(text))
    memory, swap = _FREE.search(text), _SWAP.search(text)
    cells = memory["cells"].split() if memory else []
    human = any(re.search(r"[KMGT]i?B?$", cell) for cell in cells)
    wide = re.search(r"\bbuffers\s+cache\b", text) is not None
    names = ("total", "used", "free", "shared", *(("buffers", "cache") if wide else ("buff_cache",)), "available")
    for name, cell in zip(names, cells, strict=False):
        reading.show(**_printed(name, cell))
    unit = _unit(text, cells, human)
    total = _bytes(cells[0], unit) if cells else None
    reading.complete = total is not None and len(cells) > 2 and swap is not None and len(swap["cells"].split()) > 2
    reading.measure("GiB", ram=total / 2**30 if total is not None else None)
    if swap:
        parts = [_bytes(cell, unit) for cell in swap["cells"].split()]
        if len(parts) > 1 and parts[0] and parts[1] is not None:
            share = 100 * parts[1] / parts[0]
            reading.show(swap_used_pct=round(share, 1))
            reading.measure("%", swap_used=share)
        elif parts and parts[0] == 0:
            reading.show(swap="none")
    return reading


def _printed(name: str, cell: str) -> dict[str, float | int | str]:
    suffix = re.search(r"([KMGTP]i?)B?$", cell)
    value = number(cell)
    if value is None:
        return {}
    if suffix:
        return {f"{name}_{suffix[1].lower()}{'' if suffix[1].endswith('i') else 'i'}b": whole(value)}
    return {name: whole(value)}


def _unit(text: str, cells: list[str], human: bool) -> float:
    """Plain numbers are KiB, or bytes or MiB where the size says so; no server has less than 2^24 KiB as bytes."""
    plain = number(cells[0]) if cells and not human else None
    if plain is None:
        return 1.0
    if plain >= 2.0**33:
        return 1.0
    return 2.0**20 if plain < 2.0**23 and "Mi" not in text else 2.0**10


def _bytes(cell: str, unit: float) -> float | None:
    value = scaled(cell, binary=True)
    if value is None:
        return None
    return value if re.search(r"[A-Za-z]", cell) else value * unit


_CPU = {
    "model": r"Model name|型号名称|型號名稱|Modellname",
    "cpus": r"CPU\(s\)|CPU",
    "sockets": r"Socket\(s\)|座|Sockel",
    "cores_per_socket": r"Core\(s\) per socket|每个座的核数|Kern\(e\) pro Sockel",
    "threads_per_core": r"Thread\(s\) per core|每个核的线程数|Thread\(s\) pro Kern",
    "numa": r"NUMA node\(s\)|NUMA 节点|NUMA-Knoten",
    "hypervisor": r"Hypervisor vendor|超管理器厂商",
    "architecture": r"Architecture|架构|Architektur",
}


def read_lscpu(text: str) -> Reading:
    """Threads, cores, sockets, NUMA nodes, and whether it is a virtual machine; as text or JSON."""
    reading = Reading("system")
    text = _lines_of_json(text)
    for name, words in _CPU.items():
        line = re.search(rf"^[ \t]*(?:{words})\s*[:：]\s*(?P<value>\S[^\n]*?)\s*$", text, re.MULTILINE)
        if line:
            value = number(line["value"]) if re.fullmatch(r"\d+", line["value"]) else None
            reading.show(**{name: whole(value) if value is not None else line["value"]})
    threads = reading.values.get("cpus")
    cores, sockets = reading.values.get("cores_per_socket"), reading.values.get("sockets")
    reading.complete = isinstance(threads, int | float)
    reading.count(cpu_threads=threads if isinstance(threads, int | float) else None)
    if isinstance(cores, int | float) and isinstance(sockets, int | float):
        reading.show(cores=whole(cores * sockets))
        reading.count(cpu_cores=cores * sockets)
    reading.show(vm="yes" if "hypervisor" in reading.values else None)
    return reading


def _lines_of_json(text: str) -> str:
    """lscpu -J as the lines that lscpu prints; other text as it stands."""
    span = json_span(text)
    rows = dig(span[0], "lscpu") if span else None
    if not isinstance(rows, list):
        return text
    found: list[str] = []
    while rows:
        row = rows.pop(0)
        found += [f"{dig(row, 'field')} {dig(row, 'data')}"] if isinstance(dig(row, "field"), str) else []
        inner = dig(row, "children")
        rows = [*inner, *rows] if isinstance(inner, list) else rows
    return "\n".join(found)


_SIZE = re.compile(r"^[ \t]*Size:\s*(?P<size>\d+)\s*(?P<unit>[KMGT]i?B)", re.MULTILINE)
_VIRTUAL = re.compile(
    r"QEMU|KVM|VMware|VirtualBox|Xen|Bochs|Smdbmds|Alibaba Cloud ECS|Google Compute|Amazon EC2|Hyper-V|Virtual Machine"
)


def read_dmidecode(text: str) -> Reading:
    """ECC of the memory array with the widths of its modules; product and maker of the system."""
    reading = Reading("dmidecode")
    version = re.search(r"# dmidecode (?P<version>[\d.]+)", text)
    reading.version = version["version"] if version else ""
    field = _Fields(text)
    kinds = field.all("Error Correction Type")
    total, data = field.widths("Total Width"), field.widths("Data Width")
    sizes = [_module(found) for found in _SIZE.finditer(text)]
    fake = bool(_VIRTUAL.search(text)) or ("Unknown" in field.all("Total Width") and not total)
    product = field.all("Product Name")
    reading.show(
        product=product[0] if product else None,
        maker=next(iter(field.all("Manufacturer")), None),
        total_width_bits=least(total),
        data_width_bits=least(data),
        modules=len(sizes) or None,
        ram_gib=whole(sum(sizes)) if sizes else None,
        vm="yes" if fake else None,
    )
    denied = re.search(r"Permission denied|Can't read memory|No SMBIOS", text)
    reading.ran = not (denied and not kinds and not product)
    reading.complete = bool(kinds and (total or fake)) or bool(product and not kinds) or "None" in kinds
    if kinds:
        _ecc(reading, kinds, total, data, fake)
    if sizes:
        reading.measure("GiB", ram=sum(sizes))
    return reading


def _ecc(reading: Reading, kinds: list[str], total: list[float], data: list[float], fake: bool) -> None:
    wide = bool(total) and bool(data) and all(a > b for a, b in zip(total, data, strict=False))
    none = all(kind == "None" for kind in kinds)
    word = "unproven" if fake or (not none and not total) else "ecc" if wide and not none else "none"
    if none and wide:
        reading.contradictory = True
    reading.show(ecc="claimed" if word == "unproven" else together(kinds))
    reading.say(ram_ecc=word)


class _Fields:
    """Values of `Key: value` lines of dmidecode, indented with tabs or blanks."""

    def __init__(self, text: str) -> None:
        self.text = text

    def all(self, key: str) -> list[str]:
        """Every value of a key."""
        return re.findall(rf"^[ \t]*{re.escape(key)}:\s*(\S[^\n]*?)\s*$", self.text, re.MULTILINE)

    def widths(self, key: str) -> list[float]:
        """Every width in bits; Unknown is none."""
        return [value for one in self.all(key) if "bits" in one and (value := number(one)) is not None]


def _module(found: re.Match[str]) -> float:
    factor = {"K": 1 / 2**20, "M": 1 / 2**10, "G": 1.0, "T": 2.0**10}[found["unit"][:1]]
    return float(found["size"]) * factor


_GPU = re.compile(r"^(?P<bus>[0-9a-f:.]+) (?:3D controller|VGA compatible controller)[^:]*: NVIDIA[^\n]*", re.MULTILINE)
_LINK = re.compile(r"Lnk(?P<kind>Cap|Sta):.*?Speed (?P<speed>[\d.]+)GT/s.*?Width x(?P<width>\d+)")
_GENERATION = {"2.5": 1, "5": 2, "8": 3, "16": 4, "32": 5, "64": 6}


def read_lspci(text: str) -> Reading:
    """Link generation and width of every NVIDIA card, as they are and as they could be."""
    reading = Reading("lspci")
    blocks = re.split(r"\n(?=\S)", text)
    cards = [block for block in blocks if _GPU.match(block)]
    reading.show(gpus=len(cards) or None, devices=len(blocks))
    reading.count(gpus=len(cards) or None)
    states = [{found["kind"]: found for found in _LINK.finditer(block)} for block in cards]
    whole_links = [state for state in states if state.keys() == {"Cap", "Sta"}]
    reading.complete = bool(cards) and len(whole_links) == len(cards)
    for name, kind in (("pcie_gen_max", "Cap"), ("pcie_gen", "Sta")):
        reading.count(**{name: least(_GENERATION.get(state[kind]["speed"]) for state in whole_links)})
    for name, kind in (("pcie_width_max", "Cap"), ("pcie_width", "Sta")):
        reading.count(**{name: least(float(state[kind]["width"]) for state in whole_links)})
    if whole_links:
        worst = whole_links[0]["Sta"]
        reading.show(lnk_speed_gt_s=number(worst["speed"]), lnk_width=number(worst["width"]))
    fatal = [block for block in cards if re.search(r"UESta:.*?(?:DLP|SDES|TLP|FCP|CmpltTO|RxOF|MalfTLP|ECRC)\+", block)]
    if cards:
        reading.say(aer_fatal=bool(fatal), link_seen=bool(whole_links))
    return reading


_DF = re.compile(
    r"^(?P<fs>\S+)\s+(?:[a-z][\w.]*\s+)?(?P<size>[\d.]+[KMGTP]?i?)\s+(?P<used>[\d.]+[KMGTP]?i?)"
    r"\s+(?P<avail>[\d.]+[KMGTP]?i?)\s+(?P<pct>\d+)%\s+(?P<mount>/\S*)",
    re.MULTILINE,
)
_LSBLK = re.compile(r"^(?P<name>(?:nvme\d+n\d+|sd[a-z]+|vd[a-z]+|xvd[a-z]+))\s+(?P<rest>.*)$", re.MULTILINE)

_LSBLK_JSON = re.compile(r'"name":\s*"(?P<name>nvme\d+n\d+|sd[a-z]+|vd[a-z]+|xvd[a-z]+)"')


def read_disks(text: str) -> Reading:
    """df and lsblk: the largest file system and the disks that there are."""
    reading = Reading("system")
    rows = [row for row in _DF.finditer(text) if not row["fs"].startswith(("tmpfs", "udev", "overlay", "shm"))]
    disks = list(_LSBLK.finditer(text)) or list(_LSBLK_JSON.finditer(text))
    human = any(re.search(r"[KMGTP]", row["size"]) for row in rows)
    sizes = [(scaled(row["size"], binary=True) or 0) * (1 if human else 1024) for row in rows]
    reading.show(
        filesystems=len(rows) or None,
        largest_gb=round(max(sizes) / 10**9, 1) if sizes else None,
        disks=together(disk["name"] for disk in disks),
        full_pct=most(float(row["pct"]) for row in rows),
    )
    reading.measure("GB", disk_size=max(sizes) / 10**9 if sizes else None)
    reading.complete = bool(rows or disks)
    return reading
