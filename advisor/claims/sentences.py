"""The fixed sentences of computed answers, in both languages; the figures are put in by the checks."""

from __future__ import annotations

from advisor.core.text import Text

MEASURE = {
    "memory": Text("memory", "显存"),
    "bandwidth": Text("memory bandwidth", "显存带宽"),
    "bf16": Text("dense BF16/FP16 compute", "稠密 BF16/FP16 算力"),
    "fp8": Text("dense FP8 compute", "稠密 FP8 算力"),
    "fp4": Text("dense FP4 compute", "稠密 FP4 算力"),
    "int8": Text("dense INT8 compute", "稠密 INT8 算力"),
    "fp32": Text("FP32 compute", "FP32 算力"),
    "tf32": Text("dense TF32 compute", "稠密 TF32 算力"),
    "power": Text("board power", "单卡功耗"),
    "best": Text("compute in the fastest format of each", "各自最快精度的算力"),
    "nvlink": Text("NVLink bandwidth, both directions together", "NVLink 带宽（双向合计）"),
}
METHOD = {
    "full": Text("full fine-tuning", "全参微调"),
    "pretrain": Text("pretraining", "预训练"),
    "lora": Text("LoRA", "LoRA"),
    "qlora": Text("QLoRA", "QLoRA"),
    "inference": Text("inference in BF16", "BF16 推理"),
    "inference_8": Text("inference in 8 bits", "8 位推理"),
    "inference_4": Text("inference in 4 bits", "4 位推理"),
}
COMPARED = Text("{measure} by the specifications: {real}.", "按规格，{measure}：{real}。")
MULTIPLE = Text("By the specifications the first has, against the second: {real}.", "按规格，前者是后者的：{real}。")
MULTIPLE_SPEED = Text(
    "By the specifications the first has, against the second: {real}. A job gets the multiple of what limits it, and "
    "hardly more than the largest.",
    "按规格，前者是后者的：{real}。实际快多少取决于任务卡在哪一项，很难超过其中最大的倍数。",
)
POOLED = Text(
    "{count} cards of {each} do not become one card of {whole}: each holds {each} at most, and a job uses the sum only "
    "where its software splits the model over the cards, at the price of traffic between them.",
    "{count} 张 {each} 的卡不会变成一张 {whole} 的卡：每张最多放 {each}，只有软件把模型切分到各卡上才能用到总量，"
    "而且要付出卡间通信的代价。",
)
ABSOLUTE = Text("Nobody can promise it for every length, batch and setting:", "不同长度、batch 和设置下没人能打包票：")
UNCHECKED = Text("Not checked: {figures}.", "未核对：{figures}。")
SPEC_YES = Text("{card}: {measure} {real}.", "{card}：{measure} {real}。")
SPEC_NO = Text("{card}: {measure} {real}, not {said}.", "{card}：{measure} {real}，不是 {said}。")
SPEC_SOME = Text(
    "By form: {real}. Have the exact form written into the order.",
    "各型号形态：{real}。订单要写明具体型号。",
)
SPEC_SPARSE = Text(
    "Only counted with sparsity or reduced accumulation: {card}: {measure} {real}; {said} is twice that.",
    "只有按稀疏或低精度累加计才成立：{card}：{measure} {real}；{said} 是它的两倍。",
)
SPEC_SHADER = Text(
    "Only without tensor cores: {card}: {measure} {real}; {said} is the rate of the plain FP32 units.",
    "只是不用张量核心的数：{card}：{measure} {real}；{said} 是普通 FP32 单元的速率。",
)
SPEC_ONE_CARD = Text(
    "{said} is the figure of one card; {card}: {measure} {real}.",
    "{said} 是一张卡的数；{card}：{measure} {real}。",
)
HAS = Text("{card} has {measure} ({real}).", "{card} 有{measure}（{real}）。")
HAS_NOT = Text("{card} has no {measure}.", "{card} 没有 {measure}。")
HAS_UNKNOWN = Text("Whether {card} has {measure} is not on record.", "没有 {card} 是否有 {measure} 的记录。")
HAS_SOME = Text("By form: {real}.", "各型号形态：{real}。")
FITS_YES = Text(
    "{model} with {method} needs about {need} a card on {cards}, {usable} GiB are usable.",
    "{model} 用{method}在 {cards} 上每卡约需 {need}，可用 {usable} GiB。",
)
FITS_TIGHT = Text(
    "Only just: {model} with {method} needs about {need} a card on {cards}, {usable} GiB are usable. It holds with "
    "short samples, gradient checkpointing and a batch of one.",
    "勉强：{model} 用{method}在 {cards} 上每卡约需 {need}，可用 {usable} GiB。"
    "样本短、开梯度检查点、batch 为 1 时成立。",
)
FITS_NO = Text(
    "{model} with {method} needs about {need} a card on {cards}, only {usable} GiB are usable.",
    "{model} 用{method}在 {cards} 上每卡约需 {need}，可用仅 {usable} GiB。",
)
FITS_IF = Text(
    "Only with {methods}: on {cards} ({usable} GiB usable a card) {model} needs {needs}.",
    "仅在{methods}时成立：在 {cards}（每卡可用 {usable} GiB）上，{model} 需要：{needs}。",
)
FITS_NEAR = Text(
    "On {cards} ({usable} GiB usable a card) {model} needs {needs}; what comes near the limit "
    "holds with short samples only.",
    "在 {cards}（每卡可用 {usable} GiB）上，{model} 需要：{needs}；接近上限的只在样本短时成立。",
)
NEED_YES = Text("{model} with {method} takes about {need}.", "{model} 用{method}约需 {need}。")
NEED_LOW = Text(
    "{model} with {method} takes about {need}, not {said}.",
    "{model} 用{method}约需 {need}，不是 {said}。",
)
NEED_HIGH = Text(
    "{model} with {method} takes about {need}, not {said}.",
    "{model} 用{method}约需 {need}，用不到 {said}。",
)
NEED_IF = Text("For {model}: {needs}.", "{model}：{needs}。")
WEIGHTS_YES = Text("The weights of {model} at {bits} bits take {need}.", "{model} 的 {bits} 位权重占 {need}。")
WEIGHTS_NO = Text(
    "The weights of {model} at {bits} bits take {need}, not {said}.",
    "{model} 的 {bits} 位权重占 {need}，不是 {said}。",
)
BYTES = Text("A weight of {bits} bits takes {real} bytes.", "{bits} 位权重每个占 {real} 字节。")
CHECKPOINT = Text(
    "A checkpoint of {model} that can be resumed takes about {real}: weights, their master copy and both optimizer "
    "states. Weights alone or an adapter take less.",
    "{model} 可续训的检查点约 {real}：权重、主副本和两份优化器状态。仅权重或适配器则更小。",
)
NODE = Text("{cards} with their server take about {real} at the wall.", "{cards} 连同整机约 {real}。")
RTT_BELOW = Text(
    "Light in fibre alone needs {floor} ms for the round trip between Hong Kong and {city}; {said} cannot be true.",
    "香港与{city}之间仅光纤往返就要 {floor} ms，{said} 不成立。",
)
RTT_DOUBT = Text(
    "Good lines to {city} were seen at {real} ms; {said} would have to be shown by a trace at the peak.",
    "到{city}的优质线路实见 {real} ms；{said} 要用高峰时段的追踪来证明。",
)
RTT_YES = Text("To {city} {real} ms are usual on such a line.", "这类线路到{city}通常为 {real} ms。")
RTT_SLOW = Text(
    "Slower than it should be: to {city} {real} ms are usual on such a line.",
    "偏慢：这类线路到{city}通常为 {real} ms。",
)
RTT_CITIES = Text(
    "By city: {real}. The name of a line promises no delay; measure from your own network.",
    "各城市：{real}。线路名称不保证时延，请从自己的网络实测。",
)
CITY = {
    "beijing": Text("Beijing", "北京"),
    "shanghai": Text("Shanghai", "上海"),
    "shenzhen": Text("Shenzhen", "深圳"),
    "guangzhou": Text("Guangzhou", "广州"),
    "us_west": Text("the US west coast", "美国西海岸"),
    "mainland": Text("the mainland", "内地"),
}
LINE_BYTES = Text(
    "{line} are {real} at the very most: a byte has eight bits, and lines are sold in bits.",
    "{line} 最多就是 {real}：1 字节等于 8 比特，带宽按比特卖。",
)
DELAY_PROMISED = Text(
    "Usual, and promised by nothing but a contract that names carrier, direction and hour:",
    "平常能做到，但只有写明运营商、方向和时段的合同才算保证：",
)
LINE_PROMISE = Text(
    "The name of a line promises nothing about loss: have loss, delay and rate written into the contract, by carrier, \
direction and hour, and measure them over 24 hours.",
    "线路名称保证不了丢包：请把丢包、时延、速率按运营商、方向、时段写进合同，并连测 24 小时。",
)
TRANSFER_YES = Text(
    "{data} over {line} takes {best} at full rate, {real} with the usual losses.",
    "{data} 走 {line} 满速要 {best}，计入通常损耗为 {real}。",
)
TRANSFER_NO = Text(
    "{data} over {line} takes {best} at full rate, {real} with the usual losses, not {said}.",
    "{data} 走 {line} 满速要 {best}，计入通常损耗为 {real}，不是 {said}。",
)
TIME_NO_FIT = Text(
    "{model} with {method} needs about {need} a card on {cards}, {usable} GiB are usable.",
    "{model} 用{method}在 {cards} 上每卡约需 {need}，可用 {usable} GiB。",
)
TIME_YES = Text(
    "{tokens} tokens of {model} with {method} on {cards} take {real}.",
    "{model} 用{method}在 {cards} 上训练 {tokens} 词元需 {real}。",
)
TIME_NO = Text(
    "{tokens} tokens of {model} with {method} on {cards} take {real}, not {said}.",
    "{model} 用{method}在 {cards} 上训练 {tokens} 词元需 {real}，不是 {said}。",
)
TIME_IF = Text(
    "Only for about {tokens} tokens: that is what {cards} get through in {said} with {method} of {model}. A time "
    "without a token count says nothing.",
    "只对约 {tokens} 词元成立：{cards} 以{method}训练 {model}，{said} 内只能过这么多。没有词元数的时间没有意义。",
)
TIME_NO_TOKENS = Text(
    "In {said} {cards} get through about {tokens} tokens of {model}; training from scratch "
    "takes thousands of times more.",
    "{cards} 在 {said} 内只能过约 {tokens} 词元（{model}）；从零训练要多出成千上万倍。",
)
PRICE_IN = Text(
    "Within what is published for {card}: {band} a card-hour ({oldest} to {youngest}). A list is no quote.",
    "在 {card} 的公开价范围内：每卡时 {band}（{oldest} 至 {youngest}）。价目不等于报价。",
)
PRICE_LOW = Text(
    "Suspiciously cheap: {said} a card-hour against {band} published for {card} ({oldest} to {youngest}). Ask what "
    "is left out.",
    "便宜得可疑：每卡时 {said}，而 {card} 公开价为 {band}（{oldest} 至 {youngest}）。要问少了什么。",
)
PRICE_HIGH = Text(
    "Dear: {said} a card-hour against {band} published for {card} ({oldest} to {youngest}). Ask what the premium buys.",
    "偏贵：每卡时 {said}，而 {card} 公开价为 {band}（{oldest} 至 {youngest}）。要问溢价买到什么。",
)
SUPPLY_YES = Text(
    "About {real} at the wall; with one supply gone {rest} remain.",
    "整机约 {real}；坏一个电源后还剩 {rest}。",
)
SUPPLY_NO = Text(
    "About {real} at the wall, and with one supply gone only {rest} remain.",
    "整机约 {real}，坏一个电源后只剩 {rest}。",
)
RAID = Text("{disks} in RAID {level} give {real} of usable space.", "{disks} 组 RAID {level} 可用 {real}。")
RAM_YES = Text(
    "{said} of host memory against {real} of GPU memory. Once is the floor; offload or heavy loaders want more.",
    "内存 {said}，显存合计 {real}。一倍为底线；卸载或重加载才要更多。",
)
RAM_LOW = Text(
    "{said} of host memory is less than the {real} of GPU memory.",
    "内存 {said}，还不到显存合计 {real}。",
)
RAM_NEEDED = Text(
    "{said} of host memory is {times} times the {real} of GPU memory; once is the floor, more is habit or offload.",
    "内存 {said} 是显存合计 {real} 的 {times} 倍；一倍为底线，更多是习惯或用于卸载。",
)
NOTHING = Text(
    "I have no statement on this and nothing to compute it from. Name the card, the model, the method or the line, "
    "with its figure.",
    "没有关于此说法的记录，也无从计算。请写明显卡、模型、方法或线路及其数字。",
)
RECORDED = {
    "yes": Text("Right.", "对。"),
    "yes_if": Text("It depends.", "看条件。"),
    "no": Text("Wrong.", "不对。"),
    "unknown": Text("Not verifiable.", "无法核实。"),
}
# Sentences of the records that begin with a verdict of their own.
BEGINNINGS = ("True", "Right", "Correct", "Yes", "No:", "No ", "Agreed", "Adopted", "Only", "Broadly", "About right")
PRICE_OTHER = Text(
    "No public list of {card} in {currency} is known; in USD it is {band} a card-hour ({oldest} to {youngest}). I "
    "apply no rate of exchange; a list is no quote.",
    "没有 {card} 的 {currency} 公开价；美元价为每卡时 {band}（{oldest} 至 {youngest}）。"
    "我不自行换算汇率；价目不等于报价。",
)
