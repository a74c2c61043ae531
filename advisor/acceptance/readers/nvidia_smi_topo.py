"""nvidia-smi topo -m: how each pair of cards is joined, which card has which network port, and the NUMA nodes.

Rows are read by cell. A row with a cell too few (a tab lost in pasting) makes the matrix contradictory; a matrix with
fewer rows than columns was cut. The number in NV12 counts links, and the smallest of all pairs is what a job gets.
"""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, least, together

_HEADER = re.compile(r"^[ \t]*GPU0(?:[ \t]+\S+)*", re.MULTILINE)
_LINK = re.compile(r"X|NV\d+|SYS|NODE|PHB|PXB|PIX|PIXNODE|SOC")
_GLUED = re.compile(r"(?:X|NV\d+|SYS|NODE|PHB|PXB|PIX)(?:X|NV\d+|SYS|NODE|PHB|PXB|PIX)+")


def read(text: str) -> Reading:
    """The matrix of links between cards."""
    reading = Reading("nvidia-smi-topo")
    found = _HEADER.search(text)
    if not found:
        reading.complete = False
        return reading
    names = found[0].split()
    gpus = [name for name in names if re.fullmatch(r"GPU\d+", name)]
    ports = [name for name in names if re.fullmatch(r"NIC\d+|mlx\d+_\d+|mlx5_\S+", name)]
    columns = [*gpus, *ports]
    # Columns stand in the order of the header, which old drivers mix.
    order = [name for name in names if name in columns]
    rows = _rows(text[found.end() :])
    _matrix(reading, gpus, ports, order, rows)
    return reading


def _rows(text: str) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for line in text.split("\n"):
        words = line.split()
        if words and re.fullmatch(r"GPU\d+", words[0]):
            rows[words[0]] = words[1:]
        elif words and words[0] == "Legend:":
            break
    return rows


def _matrix(reading: Reading, gpus: list[str], ports: list[str], order: list[str], rows: dict[str, list[str]]) -> None:
    bad, pairs, nearest = [], [], {}
    # A row that ends within the matrix was cut; one with a glued cell lost a tab.
    cut = len(rows) < len(gpus)
    for index, name in enumerate(gpus):
        cells = rows.get(name, [])
        links = cells[: len(order)]
        whole = len(links) == len(order) and all(_LINK.fullmatch(cell) for cell in links)
        if not whole or any(_GLUED.fullmatch(cell) for cell in links):
            if any(_GLUED.fullmatch(cell) for cell in links) or len(links) == len(order):
                bad.append(name)
            else:
                cut = True
            continue
        row = dict(zip(order, links, strict=True))
        if row.get(name) != "X":
            bad.append(name)
        pairs += [row[other] for other in gpus[index + 1 :]]
        nearest[name] = next((f"{port} {row[port]}" for port in ports if row[port] == "PIX"), "")
    mirrored = [
        rows[a][order.index(b)] == rows[b][order.index(a)] for a in gpus for b in gpus if _both(rows, order, a, b)
    ]
    reading.contradictory = bool(bad) or not all(mirrored)
    reading.complete = not cut and not bad and bool(pairs or len(gpus) == 1)
    reading.show(
        gpus=len(gpus),
        nics=len(ports),
        gpu_gpu=together(pairs),
        link=together(pairs),
        bad_row=together(bad),
        nearest_nic_gpu0=nearest.get("GPU0"),
    )
    _facts(reading, gpus, pairs, _numas(rows))


def _facts(reading: Reading, gpus: list[str], pairs: list[str], numas: list[str]) -> None:
    reading.show(numa=len(set(numas)) or None)
    counts = [number(link.removeprefix("NV")) if link.startswith("NV") else 0.0 for link in pairs]
    reading.count(
        gpus=len(gpus), nvlink_links=least(counts), nvlink_links_most=max((c or 0 for c in counts), default=None)
    )
    several = len(gpus) > 1 and len(numas) == len(gpus)
    reading.say(
        links_differ=len(set(pairs)) > 1 if pairs else None,
        one_numa=len(set(numas)) == 1 and len(gpus) > 2 * 2 if several and reading.complete else None,
    )


def _both(rows: dict[str, list[str]], order: list[str], a: str, b: str) -> bool:
    return a in rows and b in rows and len(rows[a]) >= len(order) and len(rows[b]) >= len(order)


def _numas(rows: dict[str, list[str]]) -> list[str]:
    """The NUMA node of each card, where the table has the column: the word after the list of CPUs."""
    found = []
    for cells in rows.values():
        cpus = next((index for index, cell in enumerate(cells) if re.fullmatch(r"\d+-\d+(?:,\d+-\d+)*", cell)), None)
        if cpus is not None and cpus + 1 < len(cells):
            found.append(cells[cpus + 1])
    return found
