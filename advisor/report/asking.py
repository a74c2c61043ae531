"""What a form says beside the questions themselves: why an answer cannot be taken, and what stays open.

Fixed sentences only; questions, reasons and choices stand in the files of the facts.
"""

from __future__ import annotations

from advisor.core.text import Text

FORM = {
    "no_number": Text("“{given}” is no number.", "“{given}”不是数字。"),
    "no_unit": Text("“{given}” is no amount in {unit}.", "“{given}”不能换算成 {unit}。"),
    "outside": Text("{given} is outside {low} to {high}.", "{given} 超出范围：{low} 到 {high}。"),
    "no_choice": Text("“{given}” is none of the choices.", "“{given}”不在选项里。"),
    "no_model": Text(
        "“{given}” is not in the catalogue. Give the number of parameters instead, or drop its config.json.",
        "目录里没有“{given}”。请改填参数量，或上传它的 config.json。",
    ),
    "no_card": Text("“{given}” is no card of the catalogue.", "目录里没有“{given}”这种卡。"),
    "near": Text("Do you mean {near}?", "是不是 {near}？"),
    "too_long": Text("This text is too long.", "内容太长。"),
    "config": Text("config.json: about {params}B parameters, {kind}", "config.json：约 {params}B 参数，{kind}"),
}
