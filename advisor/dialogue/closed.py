"""Models that can only be called and not run: their weights are not published, so no card can hold them.

Such a name is the model of a question only where somebody wants to run or tune it; beside another model, or as the name
of a service that is called, it is a mention. Which models these are stands in `knowledge/words/closed_models.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from advisor.core.text import Text
from advisor.dialogue.text import normalised
from advisor.dialogue.tokens import Message, Token

if TYPE_CHECKING:
    from advisor.dialogue.lexicon import Lexicon

REASON = "closed"
_VERSION = re.compile(
    r"[ -]?(?:v?\d(?:\.\d{1,2})?[a-z]?(?![a-z0-9.])(?!\s?[x*张块台卡个])"
    r"|(?:opus|sonnet|haiku|pro|flash|ultra|mini|nano|turbo|max|plus|lite|preview|thinking|instant)(?![a-z0-9]))"
)
_LIKE_BEFORE = re.compile(
    r"(?:\blike|\bsimilar to|\bsuch as|\balternative to|\breplace|\breplacing|\binstead of|\bdistil\w* from|"
    r"\bgenerated (?:by|with)|\blabel\w* (?:by|with)|\bthan|类似|好似|好像|像|比|替代|代替|取代|媲美|对标|"
    r"蒸馏|不用)\s*$"
)
_LIKE_AFTER = re.compile(
    r"\s?-?(?:like\b|style\b|level\b|compatible\b|quality\b|outputs?\b|data\b|兼容|那样|一样|这样|嘅水平|的水平|水平|级别|级|类|"
    r"的?输出|的?数据|生成|标注|的替代|替代)"
)
_CALLED = re.compile(
    r"\bapi\b|\bapis\b|接口|调用|\bcall|账号|帐号|\baccount|访问|\baccess|\bkey\b|订阅|subscri|vpn|翻墙|native ip|原生"
)
_RUN = re.compile(
    r"self[- ]?host|host|deploy|serve|serving|run|local|on[- ]?prem|fine[- ]?tun|finetun|train|rent|gpu|card|vram|"
    r"weights|部署|私有化|本地|微调|训练|训|跑|租|卡|显存|推理|权重|装|搭|服务器|机器|自己"
)


def closed_at(text: str, place: int, lexicon: Lexicon) -> Token | None:
    """A word token tagged `closed:NAME` for such a model with its version, or None."""
    hit = lexicon.closed.at(text, place)
    if hit is None:
        return None
    end = hit.end
    while (more := _VERSION.match(text, end)) is not None:
        end = more.end()
    name = sorted(hit.tags)[0]
    return Token("word", place, end, text[place:end], frozenset({f"closed:{name}", "cue:openai"}), name=name)


def closed(message: Message) -> None:
    """Fill `model` with such a name where it is to be run; name it as set aside where another model is meant."""
    for token in message.tokens:
        if token.key("closed") is None or token.dropped or _likened(message, token):
            continue
        said = message.raw[token.start : token.end]
        if "model" in message.slots or ("params_b" in message.slots and not _is_it(message)):
            if message.slots.get("model") != said:
                message.reject("model", said, token, REASON)
        elif _wants_to_run(message):
            message.put("model", said)
            message.notes.add("closed_model")


def _is_it(message: Message) -> bool:
    """Whether a size stands in the same clause as the name: `GPT-4 1800B`."""
    named = message.of(*(tag for token in message.tokens for tag in token.tags if tag.startswith("closed:")))
    sized = [token for token in message.tokens if token.used == "params_b"]
    return any(0 <= size.start - name.end <= len(" with ") for name in named for size in sized)


def _likened(message: Message, token: Token) -> bool:
    return bool(_LIKE_BEFORE.search(message.text[: token.start]) or _LIKE_AFTER.match(message.text[token.end :]))


def _wants_to_run(message: Message) -> bool:
    if {"task", "gpu_model", "gpu_count", "gpu_mem_gb", "nodes"} & set(message.slots):
        return not _CALLED.search(message.text) or "task" in message.slots
    return _RUN.search(message.text) is not None and not _CALLED.search(message.text)


def entry_of(name: object, library: Any) -> Mapping[str, Any] | None:
    """What is known of a closed model by the name that a slot holds; None for any other name."""
    from advisor.dialogue.lexicon import lexicon_of

    text = normalised(str(name))
    hit = lexicon_of(library).closed.at(text, 0)
    if hit is None:
        return None
    found: Mapping[str, Any] = library.words["closed_models"].entries[sorted(hit.tags)[0]]
    return found


def why(name: str, entry: Mapping[str, Any], library: Any) -> Text:
    """Why no card is of use for it, and what is: the maker's models with published weights, or another model."""
    others = [library.models[id_].name.split("/")[-1] for id_ in entry["open"] if id_ in library.models]
    maker, listed = entry["maker"], ", ".join(others)
    en = (
        f"{name}: {maker} has published no weights for it, so no card, rented or bought, can run or tune it; "
        f"there is only {maker}'s own service."
    )
    zh = f"{name} 没有公开权重，只能用 {maker} 自己的服务，租或买多少卡都不能自己部署或微调。"
    if others:
        en += f" Models of {maker} with published weights: {listed}."
        zh += f"{maker} 公开权重的模型有：{listed.replace(', ', '、')}。"
    en += " For any other model, give its name, its size in billions of parameters, or its config.json."
    zh += "换成别的模型，请给出型号、参数量（B）或 config.json。"
    return Text(en, zh)
