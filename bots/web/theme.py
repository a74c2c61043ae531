"""How the pages look: system fonts, dark text on light ground with contrast enough for everybody, one colour.

A dark screen setting is not followed: every pair of colours here was measured, and there is one set of them.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from advisor.consult import form
from advisor.core.text import Lang
from bots.web.markup import gr
from bots.web.words import HTML, word

_HERE = Path(__file__).parent
_FONTS = ("system-ui", "-apple-system", "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Consolas", "Noto Sans Mono CJK SC", "monospace")
_INK, _SOFT, _LINE, _GROUND, _BRAND, _DEEP = "#14202b", "#475563", "#cfd8e0", "#f4f6f8", "#0b5c83", "#084562"


def theme() -> gr.themes.Base:
    """Gradio's plain theme with our colours; its dark half is the same as its light one."""
    base = gr.themes.Base(font=list(_FONTS), font_mono=list(_MONO), radius_size=gr.themes.sizes.radius_md)
    base.set(
        body_background_fill=_GROUND,
        body_text_color=_INK,
        body_text_color_subdued=_SOFT,
        background_fill_primary="#ffffff",
        background_fill_secondary=_GROUND,
        border_color_primary=_LINE,
        border_color_accent=_BRAND,
        block_background_fill="#ffffff",
        block_border_color=_LINE,
        block_label_text_color=_INK,
        block_title_text_color=_INK,
        block_title_text_weight="600",
        block_info_text_color=_SOFT,
        block_info_text_size="0.875rem",
        input_background_fill="#ffffff",
        input_border_color="#8a99a6",
        input_border_color_focus=_BRAND,
        input_placeholder_color="#5b6875",
        checkbox_background_color="#ffffff",
        checkbox_border_color="#6b7a88",
        checkbox_background_color_selected=_BRAND,
        checkbox_border_color_selected=_BRAND,
        checkbox_label_background_fill="#ffffff",
        checkbox_label_background_fill_hover="#eef3f6",
        checkbox_label_background_fill_selected="#e3f0f6",
        checkbox_label_border_color=_LINE,
        checkbox_label_border_color_selected=_BRAND,
        checkbox_label_border_width="1px",
        checkbox_label_text_color=_INK,
        checkbox_label_text_color_selected=_INK,
        button_primary_background_fill=_BRAND,
        button_primary_background_fill_hover=_DEEP,
        button_primary_text_color="#ffffff",
        button_secondary_background_fill="#ffffff",
        button_secondary_background_fill_hover="#eef3f6",
        button_secondary_border_color="#8a99a6",
        button_secondary_text_color=_INK,
        button_border_width="1px",
        color_accent=_BRAND,
        color_accent_soft="#e3f0f6",
        link_text_color=_BRAND,
        link_text_color_hover=_DEEP,
        link_text_color_visited=_BRAND,
        slider_color=_BRAND,
        error_text_color="#9b1c1c",
        error_background_fill="#fdf0ef",
        error_border_color="#9b1c1c",
        accordion_text_color=_INK,
        table_text_color=_INK,
    )
    for name in [each for each in vars(base) if each.endswith("_dark")]:
        setattr(base, name, getattr(base, name.removesuffix("_dark"), None))
    return base


@cache
def style() -> str:
    """Our style sheet, and that of the plan."""
    return "\n".join((_HERE / name).read_text("utf-8") for name in ("style.css", "plan.css"))


def head(lang: Lang) -> str:
    """What stands in the head of a page: its language, and the script that keeps focus, names and errors right."""
    script = (_HERE / "page.js").read_text("utf-8")
    names = (*form.steps(), "review", "plan")
    steps = {f"step-{name}": f"{place}. {word(f'step_{name}', lang)}" for place, name in enumerate(names, 1)}
    words = json.dumps({"menu": word("menu", lang), "steps": steps}, ensure_ascii=True)
    begin = f'document.documentElement.lang = "{HTML[lang]}"; window.hkgpuWords = {words};'
    return f"<script>{begin}\n{script}</script>"
