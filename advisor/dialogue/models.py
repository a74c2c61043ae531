"""Names of models: family, version, variant, size and packing, in the order in which people write them.

A family comes from the lexicon (or a near miss of one letter before a size); a name with a size that no family
claims is kept as it was said and never guessed to be another model.
"""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

from advisor.dialogue.lexicon import Family, Lexicon
from advisor.dialogue.tokens import Token, tidy

_VERSION = re.compile(r"[ \-_]?v?(\d(?:\.\d{1,2})?)(?![\d.]*\d)(?!\s?b(?![a-z])|\s?x\s?\d|[a-z%]|\.\d)")
_EXPERTS = re.compile(r"(\d{1,3})\s?x\s?(\d+(?:\.\d+)?)\s?b(?![a-z])")
_SIZE = re.compile(r"(\d{1,4}(?:\.\d{1,2})?)\s?b(\d)?(?![a-z0-9])")
_MILLION = re.compile(r"(\d{2,3})m(?![a-z0-9])")
_ACTIVE = re.compile(r"a(\d{1,3}(?:\.\d)?)b(?![a-z0-9])")
_DATE = re.compile(r"\d{4}(?![\da-z])")
_NUMBERED = re.compile(r"v?\d(?:\.\d{1,2})?(?![\da-z.])")
_WORD = re.compile(r"[a-z]+\d?(?:\.\d)?(?![a-z0-9])")
_BITS = re.compile(r"int([48])(?![a-z0-9])")
_UNKNOWN = re.compile(
    r"[a-z][a-z0-9]*(?:[-_.][a-z][a-z0-9]*)*[-_](\d{1,4}(?:\.\d{1,2})?)b(?:[-_](?:instruct|chat|base|it|hf))?(?![a-z0-9])"
)
_TYPO = re.compile(r"([a-z]{4,})[ \-_]?(?:\d(?:\.\d)?[ \-_])?\d{1,3}(?:\.\d)?b(?![a-z0-9])")
_SPACED = {
    "vl",
    "coder",
    "moe",
    "mini",
    "omni",
    "lite",
    "nemo",
    "large",
    "small",
    "medium",
    "scout",
    "maverick",
    "air",
    "flash",
    "plus",
    "r1",
    "v2",
    "v2.5",
    "v3",
    "v3.1",
    "v3.2",
    "v4",
    "k2",
    "k2.5",
    "m1",
    "m2",
    "distill",
    "embedding",
    "reranker",
    "instruct",
    "chat",
    "thinking",
    "awq",
    "gptq",
    "gguf",
    "m3",
    "v",
    "vision",
    "next",
    "math",
    "llm",
    "qwen",
    "qwen2.5",
    "llama",
    "qwen3",
    "xl",
}


class Models:
    """Finds the model name that begins at a place."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def at(self, text: str, start: int) -> Token | None:
        """A model token with `name`, `value` (parameters in 1e9, 0 where unsaid), `active`; or None."""
        hit = self._lexicon.families.at(text, start)
        if hit is None:
            glued = re.compile(r"[a-z]+").match(text, start)
            if glued is not None and text[glued.end() : glued.end() + 1].isdigit():
                hit = self._lexicon.families.at(text[: glued.end()] + " ", start)
        if hit is not None:
            end = min(hit.end, len(text))
            return self._named(text, start, end, self._lexicon.family[sorted(hit.tags)[0]])
        return self._unnamed(text, start)

    def _unnamed(self, text: str, start: int) -> Token | None:
        found = _UNKNOWN.match(text, start)
        head = re.compile(r"[a-z]+").match(text, start) if found else None
        if found and head and len(head[0]) > 1:
            if (near := self._near(head[0])) is not None:
                return self._named(text, start, head.end(), near)
            if not self._lexicon.words.at(text, start):
                return Token("model", start, found.end(), found[0], value=float(found[1]), name="")
        typo = _TYPO.match(text, start)
        if typo and not self._lexicon.words.at(text, start) and (family := self._near(typo[1])) is not None:
            return self._named(text, start, typo.end(1), family)
        return None

    def _near(self, word: str) -> Family | None:
        close = 1 if len(word) < 7 else 2
        best: tuple[int, str] | None = None
        for alias in self._lexicon.family_aliases:
            if alias.isascii() and len(alias) > 3 and alias[0] == word[0] and alias.isalpha():
                distance = OSA.distance(word, alias, score_cutoff=close)
                if distance <= close and (best is None or distance < best[0]):
                    best = (int(distance), alias)
        if best is None:
            return None
        hit = self._lexicon.families.at(best[1], 0)
        return self._lexicon.family[sorted(hit.tags)[0]] if hit else None

    def _named(self, text: str, start: int, place: int, family: Family) -> Token:
        head = family.name
        version = _VERSION.match(text, place)
        if version and not self._is_count(text, version):
            # DeepSeek-V3 keeps its letter, Llama v2 does not.
            letter = "-V" if "v" in version[0] and not family.size_in_name else family.joint
            letter = "-v" if "v" in version[0] and family.kind else letter
            head += letter + version[1]
            place = version.end()
        parts, size, active, bits, place = self._parts(text, place)
        name = self._written(head, parts, family)
        tags = {f"quant:{bits}"} if bits else set()
        if family.kind:
            tags.add(f"kind:{family.kind}")
        return Token("model", start, place, text[start:place], frozenset(tags), value=size, name=name, active=active)

    def _is_count(self, text: str, version: re.Match[str]) -> bool:
        """Whether the digit after a family counts cards or such: `qwen 8卡`, `llama 2 nodes`."""
        end = version.end()
        at = end + 1 if text[end : end + 1] == " " else end
        spaced = version[0][0] == " "
        if text[end : end + 1] in ("*", "%") or (spaced and text[end : end + 2] in ("x ", " x")):
            return True
        unit = self._lexicon.units.at(text, at)
        return (
            unit is not None
            and (spaced or not text[end : end + 1].isascii())
            and unit.tags.isdisjoint({"length", "params"})
        )

    def _parts(self, text: str, place: int) -> tuple[list[tuple[str, str]], float, float | None, str, int]:
        parts: list[tuple[str, str]] = []
        size, active, bits = 0.0, None, ""
        while place < len(text):
            at = place
            joint = text[at] if text[at] in " -_/:" else ""
            at += len(joint)
            if text[place] == "." or (joint == " " and text[at : at + 1] in "-_/"):
                break
            found: re.Match[str] | None
            if (found := _EXPERTS.match(text, at)) and not size:
                parts.append(("size", f"{found[1]}x{found[2]}B"))
            elif (found := _SIZE.match(text, at)) and not size and joint != "/":
                size = float(f"{found[1]}.{found[2]}" if found[2] else found[1])
                parts.append(("size", f"{tidy(float(found[1]))}B{found[2] or ''}"))
            elif (found := _MILLION.match(text, at)) and joint in "-_" and joint:
                size = float(found[1]) / 1e3
                parts.append(("size", f"{found[1]}M"))
            elif found := _ACTIVE.match(text, at):
                active = tidy(float(found[1]))
                parts.append(("active", f"A{active}B"))
            elif (found := _BITS.match(text, at)) and joint != " ":
                bits = found[1]
                if not any(part[1] == "AWQ" for part in parts):
                    parts.append(("packing", f"Int{bits}"))
            elif joint in ("-", "_") and (found := _DATE.match(text, at)):
                parts.append(("ending", found[0]))
            elif parts and parts[-1][1] in ("V", "zh", "en", "M") and (found := _NUMBERED.match(text, at)):
                parts.append(("variant", found[0]))
            elif (found := _WORD.match(text, at)) and found[0] in self._lexicon.parts and self._joins(joint, found[0]):
                group, spelled = self._lexicon.parts[found[0]]
                parts.append((group.rstrip("s"), spelled))
            else:
                break
            place = found.end()
        return parts, size, active, bits, place

    @staticmethod
    def _joins(joint: str, word: str) -> bool:
        return joint in ("-", "_", "/", "") or word in _SPACED

    @staticmethod
    def _written(head: str, parts: list[tuple[str, str]], family: Family) -> str:
        if family.kind:
            parts = [(kind, word.lower()) for kind, word in parts]
        words = [word for kind, word in parts if kind != "active"]
        kinds = [kind for kind, _ in parts if kind != "active"]
        if not family.size_in_name and not any(
            word in ("Distill", "Coder", "LLM", "MoE", "Lite", "VL") for word in words
        ):
            words = [word for kind, word in zip(kinds, words, strict=True) if kind != "size"]
            kinds = [kind for kind in kinds if kind != "size"]
        active = [word for kind, word in parts if kind == "active"]
        if active:
            place = kinds.index("size") + 1 if "size" in kinds else len(words)
            words[place:place] = active
        return "-".join([head, *words])
