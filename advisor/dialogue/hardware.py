"""Cards, how many, how much memory each, how many servers; several set-ups in one message stay paired.

Hardware is read as a row of set-ups. A second, different value of the same thing, or a word such as "or", begins a new
set-up; what a set-up does not say of the same card it takes from the one before.
"""

from __future__ import annotations

import re
from dataclasses import replace

from advisor.dialogue.accelerators import counted_name
from advisor.dialogue.around import after, before, bounded, left, right, within, within_sentence
from advisor.dialogue.quantities import gigabytes
from advisor.dialogue.setups import SLOTS, Atom, Setup, chosen, fill, setups_of, without_weak
from advisor.dialogue.tokens import Message, Token, tidy

_SEES = re.compile(r"(?:得|只有|只剩|only)\s?$")


def hardware(message: Message) -> None:
    """Fill gpu_model, gpu_count, gpu_mem_gb, nodes and the totals."""
    if (unheard := counted_name(message)) is not None:
        message.tokens.append(unheard)
        message.tokens.sort(key=lambda token: token.start)
    atoms = sorted(_atoms(message), key=lambda atom: atom.token.start)
    main = [atom for atom in atoms if not atom.token.reference]
    setups = setups_of(message, without_weak(main))
    for atom in atoms:
        if atom.token.reference and atom.kind in ("count", "memory") and not any(atom.kind in s.values for s in setups):
            setups = setups or [Setup()]
            for setup in setups:
                setup.values[atom.kind] = atom.value
    fill(message, chosen(message, setups))


def _atoms(message: Message) -> list[Atom]:
    atoms: list[Atom] = []
    for token in message.tokens:
        if not token.free:
            continue
        if token.kind == "card":
            atoms.append(Atom("card", token.name + _form(message, token), token))
            atoms.extend(_other_forms(message, token))
        elif token.kind == "number" and (atom := _number(message, token)) is not None:
            atoms.append(atom)
    for atom in atoms:
        atom.token.used = SLOTS[atom.kind]
    return _per_node(message, _without_total(message, _without_sums(message, atoms)))


def _without_sums(message: Message, atoms: list[Atom]) -> list[Atom]:
    """`96 GB (4x24)`: a memory that is a count times another one is the total."""
    counts = [a.value for a in atoms if a.kind == "count" and isinstance(a.value, int) and a.value > 1]
    each = [a.value for a in atoms if a.kind == "memory" and isinstance(a.value, int | float)]
    out = []
    for atom in atoms:
        beside = (
            message.text[atom.token.end : atom.token.end + 2]
            + message.text[max(0, atom.token.start - 2) : atom.token.start]
        )
        told = "(" in beside or "=" in beside
        if told and atom.kind == "memory" and any(atom.value == count * one for count in counts for one in each):
            message.put("gpu_mem_total_gb", atom.value)
            atom.token.used = "gpu_mem_total_gb"
        else:
            out.append(atom)
    return out


def _form(message: Message, card: Token) -> str:
    """` PCIe` or ` SXM` where the form stands in the clause of the card and is not about the link."""
    for token in message.tokens:
        form = token.key("form")
        if (
            form
            and token.clause == card.clause
            and token.start >= card.end
            and not token.dropped
            and not card.name.endswith(form)
        ):
            following = after(message, token)
            link = (
                following is not None
                and following.kind == "number"
                and (following.unit == "by" or "." in following.text)
            )
            between = [t for t in message.tokens if card.end <= t.start < token.start]
            if not link and all(t.kind == "number" or t.text in ("机",) or "cue:machine" in t.tags for t in between):
                token.used = "gpu_model"
                return f" {form}"
    return ""


def _other_forms(message: Message, card: Token) -> list[Atom]:
    """`A100 PCIe 和 SXM`: a second form of the same card."""
    out: list[Atom] = []
    for token in message.tokens:
        form = token.key("form")
        if (
            form
            and token.start > card.end
            and token.clause == card.clause
            and token.free
            and not right(message, token, "cue:gen", gap=0)
        ):
            head = message.text[card.end : token.start]
            if re.search(r"(?:pcie|sxm\d?|nvl)\s?(?:版)?\s?(?:和|与|跟|同|or|vs|/|and|还是|或)\s?$", head):
                out.append(Atom("card", f"{card.name} {form}", token))
    return out


def _number(message: Message, token: Token) -> Atom | None:
    whole = token.value == int(token.value) and 0 < token.value <= message.limit("most_cards")
    if token.unit == "cards" and whole and not token.scale:
        return _count(message, token)
    if token.unit == "nodes" and whole and not token.scale:
        if token.text.endswith("部") and not any(
            t.kind == "card" or "cue:server" in t.tags or t.unit == "cards" for t in message.tokens
        ):
            return None  # 一部电影
        return Atom("nodes", bounded(message, token, _amount(token)), token)
    if token.unit in ("times", "by") and whole:
        return _product(message, token)
    if (size := gigabytes(token)) is not None:
        if 0 < size <= message.limit("largest_card_memory_gb") * 2 and _is_card_memory(message, token, size):
            return Atom("memory", bounded(message, token, _amount(token, size / token.value)), token)
        return None
    if token.unit or token.scale:
        return None
    following = after(message, token, gap=len(" rtx nvidia "))
    if whole and following is not None and _is_counted(message, token, following):
        return Atom("count", _amount(token), token)
    if token.high is not None:
        return None
    if whole and _chips_of_a_slice(message, token):
        return Atom("count", int(token.value), token)
    return _bare_memory(message, token)


def _chips_of_a_slice(message: Message, token: Token) -> bool:
    """`TPU v5e-16`: the number of chips; behind a card such as `A100-80` it is its memory."""
    previous = before(message, token, gap=1)
    glued = previous is not None and message.text[previous.end : token.start] == "-"
    return glued and previous is not None and previous.kind == "card" and previous.name.startswith("TPU")


def _amount(token: Token, factor: float = 1.0) -> object:
    if token.high is not None:
        return {"min": tidy(token.value * factor), "max": tidy(token.high * factor)}
    return tidy(token.value * factor)


def _count(message: Message, token: Token) -> Atom | None:
    single = token.spelled and token.text.startswith("单")
    previous, following = before(message, token, gap=1), after(message, token, gap=1)
    if (
        single
        and previous is not None
        and gigabytes(previous) is not None
        and isinstance(bounded(message, previous, 0), dict)
    ):
        return None  # ">=48G 单卡": how much one card has, not how many
    if single and following is not None and "cue:batch" in following.tags:
        return None  # "单卡 batch 4": what one card takes a step
    if left(message, token, "scope:sees", gap=2) or (
        "nvidia-smi" in message.text and _SEES.search(message.text[: token.start])
    ):
        message.reject("gpu_count", tidy(token.value), token, "measured")
        return None
    if re.search(r"其中(?:有)?\s?$", message.text[: token.start]):
        message.reject("gpu_count", tidy(token.value), token, "unread")
        token.used = "part"
        return None
    if re.search(r"第\s?$", message.text[max(0, token.start - 2) : token.start]):
        return None
    if token.text.startswith(("一", "1", "one")) and right(message, token, "cue:dense", gap=0) is not None:
        return None
    weak = single and following is not None and gigabytes(following) is not None
    return Atom("count", bounded(message, token, _amount(token)), token, weak)


def _is_counted(message: Message, token: Token, following: Token) -> bool:
    gap = message.text[token.end : following.start].strip(" -")
    if following.kind == "card":
        return gap in ("", "nvidia", "rtx", "geforce", "tesla") and not re.match(r"\d", gap or " ")
    if token.spelled and gigabytes(following) is not None:
        beyond = after(message, following, gap=1)
        return beyond is not None and (beyond.kind == "card" or "cue:card" in beyond.tags)
    return False


def _product(message: Message, token: Token) -> Atom | None:
    """`8x A100`, `8 x 48GB`, `A100 x8`, `24 x 4`; not the width of a link and not disks."""
    if token.unit == "by":
        if left(message, token, "cue:gen", "form:PCIe", "cue:link_width", gap=len(" 4.0 只有是 says gen3 ")) or within(
            message, token, "cue:link_width"
        ):
            return None
        previous = before(message, token, gap=2)
        if previous is None:
            return None
        bare = previous.kind == "number" and previous.unit in ("", "times") and previous.scale == ""
        if previous.kind == "card" or previous.used or bare or gigabytes(previous) is not None or previous.key("form"):
            return Atom("count", int(token.value), token)
        return Atom("count", int(token.value), token) if previous.unit == "nodes" else None
    following = after(message, token, gap=2)
    if following is None:
        return Atom("count", int(token.value), token) if within_sentence(message, token, "cue:card") else None
    if following.kind == "number" and following.unit == "" and following.scale == "":
        return _bare_product(message, token, following)
    if following.kind == "card" or gigabytes(following) is not None or following.unit in ("cards", "nodes", "times"):
        if following.unit == "cards" and following.value != 1:
            return Atom("nodes", int(token.value), token)
        if following.used in ("storage_gb", "dataset_gb"):
            return None
        return Atom("count", int(token.value), token)
    return Atom("count", int(token.value), token) if "cue:card" in following.tags else None


def _bare_product(message: Message, token: Token, following: Token) -> Atom | None:
    sizes = message.listed("bare_card_memory_gb")
    beyond = after(message, following, gap=len(" rtx "))
    if (
        beyond is not None
        and beyond.kind == "card"
        and following.value <= message.limit("most_cards_in_one_server") * 2
    ):
        return Atom("nodes", int(token.value), token)
    if following.value in sizes and token.value not in sizes:
        return Atom("count", int(token.value), token)
    if token.value in sizes:
        following.unit = "by"
        return Atom("memory", int(token.value), token)
    return None


def _is_card_memory(message: Message, token: Token, size: float) -> bool:
    touching = [t for t in (before(message, token, gap=2), after(message, token, gap=2)) if t is not None]
    for other in touching:
        if (
            other.kind == "card"
            or other.unit in ("cards", "times", "by")
            or not other.tags.isdisjoint(("cue:card", "cue:per_card"))
        ):
            return True
        if "cue:vram" in other.tags or other.key("form"):
            return True
    if left(message, token, "cue:vram") or right(message, token, "cue:vram"):
        return True
    if within(message, token, "scope:observed") and within(message, token, "cue:boom"):
        return False
    return size in message.listed("card_memory_gb")


def _bare_memory(message: Message, token: Token) -> Atom | None:
    if token.value not in message.listed("bare_card_memory_gb") or token.spelled:
        return None
    previous = before(message, token, gap=1)
    if previous is None:
        return None
    single = previous.kind == "number" and previous.unit in ("cards", "times")
    following = after(message, token, gap=1)
    if following is not None and following.kind in ("card", "model", "number") and following.unit != "by":
        return None
    return Atom("memory", int(token.value), token) if previous.kind == "card" or single else None


def _per_node(message: Message, atoms: list[Atom]) -> list[Atom]:
    """`两机两卡` is two servers with one card each; `两机16卡` sixteen cards in all; `单机8卡` one server."""
    out = list(atoms)
    for index, atom in enumerate(atoms[:-1]):
        following = atoms[index + 1]
        adjacent = message.text[atom.token.end : following.token.start].strip(" x*,的") == ""
        if atom.kind != "nodes" or following.kind != "count" or not adjacent:
            continue
        nodes, cards = atom.value, following.value
        if not isinstance(nodes, int) or not isinstance(cards, int) or nodes < 2:
            continue
        if atom.token.text.endswith("机") and following.token.text.endswith("卡") and cards == nodes:
            out[index + 1] = replace(following, value=1)
            message.put("gpu_count_total", cards)
    return [atom for atom in out if not _lone_single(message, atom, out)]


_IN_EACH = re.compile(r"每台|每机|每部|每个节点|一台\d|per (?:node|server|machine|box)|each|apiece")


def _without_total(message: Message, atoms: list[Atom]) -> list[Atom]:
    """`16卡分两台，每台8张`: the larger count is the total."""
    counts = [atom for atom in atoms if atom.kind == "count" and isinstance(atom.value, int)]
    nodes = [atom for atom in atoms if atom.kind == "nodes" and isinstance(atom.value, int)]
    if len(counts) != 2 or len(nodes) != 1 or _IN_EACH.search(message.text) is None:
        return atoms
    total, each = sorted(counts, key=lambda atom: -int(str(atom.value)))
    if int(str(each.value)) * int(str(nodes[0].value)) != total.value or total.value == each.value:
        return atoms
    message.put("gpu_count_total", total.value)
    return [atom for atom in atoms if atom is not total]


def _lone_single(message: Message, atom: Atom, atoms: list[Atom]) -> bool:
    """`单机` and `单机多卡` say nothing of servers unless a number of cards follows at once."""
    if atom.kind != "nodes" or not atom.token.text.startswith(("单", "一机")) or atom.value != 1:
        return False
    if any(other.kind == "nodes" and other is not atom for other in atoms):
        return True  # 单机八卡*4台
    return not any(other.kind == "count" and 0 <= other.token.start - atom.token.end <= 1 for other in atoms)
