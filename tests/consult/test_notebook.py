"""`from advisor import Advisor`: typed results, the same as the command line gives, that show themselves."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from advisor import Advisor
from advisor.consult import answer
from advisor.core.errors import BadInput

ROOT = Path(__file__).resolve().parents[2]
FACTS = {"params_b": 7, "task": "lora", "gpu_model": "RTX 4090", "gpu_count": 1}


def test_a_plan_is_the_answer_of_the_desk_with_types() -> None:
    plan = Advisor().advise(**FACTS)
    assert plan.json["plan"] == answer.advise(FACTS).json["plan"]
    (way,) = plan.ways
    assert (way.method, way.gpu, way.gpu_count) == ("lora", "RTX 4090", 1)
    assert way.peak_gib is not None
    assert way.peak_gib.low <= way.peak_gib.likely <= way.peak_gib.high
    assert plan.checklist() == answer.render_checklist(answer.advise(FACTS), "markdown")


def test_a_plan_shows_itself_as_a_picture_and_a_table() -> None:
    html = Advisor(lang="zh").advise(FACTS)._repr_html_()
    tree = ElementTree.fromstring(html)
    assert tree.find("p/strong") is not None
    assert [child.tag.rpartition("}")[2] for child in tree] == ["p", "svg", "table", "table"]
    ways, order = tree.findall("table")
    assert [cell.text for cell in ways.iterfind("tbody/tr/td")][:3] == ["LoRA", "可以", "1 × RTX 4090"]
    assert [cell.text for cell in order.iterfind("tbody/tr/td")][:2] == ["硬件", "1 × RTX 4090"]


def test_what_a_person_typed_is_escaped_where_it_is_shown() -> None:
    html = Advisor().ask("LoRA of 7B on a 4090 <script>alert(1)</script>")._repr_html_()
    assert "<script" not in html


def test_wrong_input_is_one_line() -> None:
    with pytest.raises(BadInput, match="lang"):
        Advisor(lang="fr")
    with pytest.raises(BadInput, match="gpu_modell"):
        Advisor().advise(gpu_modell="A100")
    with pytest.raises(BadInput, match="there are no rows"):
        Advisor().estimate([])


def test_a_bad_row_has_an_error_and_the_others_their_figures() -> None:
    good, bad = Advisor().estimate([{"id": "a", "params_b": 7, "method": "lora"}, {"id": "b", "params_b": -1}])
    assert good.likely_gib is not None
    assert not good.error
    assert bad.error


def test_one_row_by_name_and_rows_without_a_name_are_estimated_and_shown_as_a_table() -> None:
    advisor = Advisor()
    (one,) = advisor.estimate(params_b=7, method="lora", gpu="A100 80GB", grad_ckpt=True)
    both = advisor.estimate(
        [{"params_b": 7, "method": "lora", "gpu": "A100 80GB", "grad_ckpt": "yes"}, {"params_b": 8}]
    )
    assert (one.id, one.verdict, one.error) == ("1", "fits", "")
    assert [each.id for each in both] == ["1", "2"]
    assert both[0] == one
    table = ElementTree.fromstring(both._repr_html_())
    assert [row[0].text for row in table.iterfind("tbody/tr")] == ["1", "2"]


def test_what_a_sentence_is_worth_shows_its_verdict_and_sources() -> None:
    claim = Advisor().claims("70B trains on one A100 80G")
    page = claim._repr_markdown_()
    assert page.startswith("**")
    assert all(source["title"] in page for source in claim.json["sources"])


def test_importing_the_package_loads_none_of_it() -> None:
    program = "import sys, advisor; print([m for m in sys.modules if m.startswith('advisor.') or m == 'numpy'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_examples_of_the_documentation_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.+?)```", (ROOT / "docs/library.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 4
    exec("\n".join(blocks), {"__name__": "docs"})
    assert (tmp_path / "checklist.md").read_text("utf-8").startswith("#")
