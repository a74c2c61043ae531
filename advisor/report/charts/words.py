"""The fixed words of the pictures in each language: titles, axes, legends, and what stands in for the picture."""

from __future__ import annotations

from advisor.core.text import Text

PART = {
    "weights": Text("weights", "权重"),
    "gradients": Text("gradients", "梯度"),
    "optimizer": Text("optimizer states", "优化器状态"),
    "adapters": Text("adapters", "适配器"),
    "activations": Text("activations", "激活值"),
    "logits": Text("logits and loss", "logits 与损失"),
    "kv_cache": Text("KV cache", "KV 缓存"),
    "buffers": Text("buffers", "缓冲区"),
    "overhead": Text("framework", "框架占用"),
    "reserve": Text("CUDA and fragments", "CUDA 与碎片"),
}
PICTURE = {
    "memory_title": Text("Memory of one card", "单卡显存"),
    "memory_note": Text(
        "Each bar is the likely peak, by part; the bracket below it is the range; the dashed line is what a program can"
        " use of the card.",
        "每条柱子是预计峰值的构成，下方括线是可能的范围，虚线是程序在这张卡上能用的显存。",
    ),
    "memory_of": Text(
        "{label}: about {likely} GiB a card, {low} to {high}, of {usable} GiB usable",
        "{label}：单卡约 {likely} GiB（{low}–{high}），可用 {usable} GiB",
    ),
    "memory_line": Text(
        "{likely} GiB ({low}–{high}) of {usable} usable", "{likely} GiB（{low}–{high}），可用 {usable}"
    ),
    "memory_line_open": Text("{likely} GiB ({low}–{high})", "{likely} GiB（{low}–{high}）"),
    "usable": Text("usable {usable}", "可用 {usable}"),
    "plan_now": Text("this plan", "当前方案"),
    "legend_now": Text("In this plan, GiB", "当前方案的构成（GiB）"),
    "lengths_title": Text("What length and batch fit", "多长的样本、多大的 batch 放得下"),
    "lengths_title_serving": Text("What length and how many requests fit", "多长的请求、多少路并发放得下"),
    "lengths_note": Text(
        "Likely peak of one card in GiB on {hardware}, with {usable} GiB usable. The framed field is the plan shown.",
        "在 {hardware} 上的单卡预计峰值（GiB），可用 {usable} GiB；加框的一格是当前方案。",
    ),
    "lengths_split": Text(
        " Where a field needs less than a smaller one, it is split over the cards in a way that saves more ({splits}).",
        "个别格子比更小的还省，是因为换成了更省显存的切分方式（{splits}）。",
    ),
    "fits": Text("fits", "放得下"),
    "tight": Text("tight: inside the range of the estimate", "临界：落在估算误差范围内"),
    "over": Text("does not fit", "放不下"),
    "length": Text("tokens", "token 数"),
    "batch": Text("micro-batch a card", "单卡 micro-batch"),
    "at_once": Text("requests at once", "并发请求数"),
    "lengths_alt": Text(
        "{fits} of {all} combinations of length and batch fit, {tight} are tight. Longest that fits at batch {batch}:"
        " {longest}.",
        "{all} 种长度与 batch 组合里，{fits} 种放得下，{tight} 种临界。batch 为 {batch} 时最长可到：{longest}。",
    ),
    "none": Text("none", "无"),
    "front_title": Text("Time against money", "时间与费用"),
    "front_note": Text(
        "Lower left is better. Filled points: nothing else here is both faster and cheaper. The line joins them.",
        "越靠左下越好。实心点：没有别的方案既更快又更便宜；连线就是取舍的边界。",
    ),
    "front_alt": Text("{count} plans; on the frontier: {names}", "{count} 个方案；位于边界上的：{names}"),
    "front_point": Text("{label}: {time} {unit}, {cost} {currency}", "{label}：{time} {unit}，{cost} {currency}"),
    "cost_run": Text("cost of the run, {currency}", "整次任务费用（{currency}）"),
    "cost_month": Text("cost of a month, {currency}", "每月费用（{currency}）"),
    "time_run": Text("hours for the run", "整次任务所需小时"),
    "time_amount": Text("hours for 1 billion tokens", "每 10 亿 token 所需小时"),
    "cost_amount": Text("cost of 1 billion tokens, {currency}", "每 10 亿 token 费用（{currency}）"),
    "time_serving": Text("seconds for 1,000 answer tokens at full load", "满载时每生成 1000 token 所需秒数"),
    "plan": Text("plan", "方案"),
    "part": Text("part", "构成"),
    "likely": Text("likely", "预计"),
    "range": Text("range", "范围"),
    "hours": Text("hours", "小时"),
    "on_front": Text("on the frontier", "在边界上"),
    "figures": Text("The figures as a table", "以表格查看数据"),
    "disk_title": Text("What the disk holds", "磁盘用在哪里"),
    "disk_alt": Text("{total} GB in all: {parts}", "合计 {total} GB：{parts}"),
}
