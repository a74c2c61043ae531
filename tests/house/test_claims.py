"""Every statement of the three documents became a claim, and every piece of advice something one can act on."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from advisor.knowledge.library import Library
from advisor.knowledge.reader import read_file
from tests.house import seeds_doc

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Library([ROOT])
SHARED = ROOT.parent / "shared"
LONGEST_QUOTE = 16  # characters in a row that may be the document's own: names, commands, a figure with its unit


def test_all_216_statements_are_claims() -> None:
    claims = list(LIBRARY.claims.values())
    assert len(claims) == 216
    assert len({claim.seed for claim in claims}) == 216
    by_document = Counter((claim.seed or "")[:2] for claim in claims)
    assert by_document == {"S0": 72, "S3": 53, "S4": 91}


def test_no_advice_of_the_documents_ends_in_nothing() -> None:
    gaps = seeds_doc.gaps(LIBRARY)
    assert not gaps, "\n".join(gaps)


def test_the_page_of_the_documents_is_up_to_date() -> None:
    assert seeds_doc.main(["--check"]) == 0, "run: python -m tests.house.seeds_doc"


def test_every_wrong_or_misleading_statement_has_evidence_beyond_the_document_itself() -> None:
    bare = [
        claim.id
        for claim in LIBRARY.claims.values()
        if claim.verdict in ("wrong", "misleading") and set(claim.because) <= set(claim.said_in)
    ]
    assert not bare, "name the source that refutes it:\n" + "\n".join(bare)


def test_general_knowledge_alone_verifies_no_claim() -> None:
    loose = {"general_knowledge", "secondary_texts", "advisor_judgement"}
    wrong = [c.id for c in LIBRARY.claims.values() if set(c.because) <= loose and c.status != "unverified"]
    assert not wrong, "give these the status unverified or a better source:\n" + "\n".join(wrong)


@pytest.mark.skipif(not SHARED.exists(), reason="the documents are not here")
def test_the_verdicts_are_those_of_the_judged_statements() -> None:
    judged = {row["id"]: row for row in read_file(SHARED / "data/knowledge/seed_claims.yaml").data["claims"]}
    claims = {claim.seed: claim for claim in LIBRARY.claims.values()}
    assert claims.keys() == judged.keys()
    wrong = [f"{id}: {row['verdict']}" for id, row in judged.items() if claims[id].verdict != row["verdict"]]
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(not SHARED.exists(), reason="the documents are not here")
@pytest.mark.parametrize("seed", list(seeds_doc.TITLES))
def test_every_line_of_a_document_is_accounted_for(seed: str) -> None:
    (path,) = (SHARED / "seeds").glob(f"{seed.removeprefix('seed_')}_*.txt")
    lines = {number for number, text in enumerate(path.read_text("utf-8").splitlines(), 1) if text.strip()}
    told = {*seeds_doc.claims_of(LIBRARY, seed), *seeds_doc.outline()[seed]}
    assert sorted(lines - told) == []
    assert sorted(told - lines) == []


@pytest.mark.skipif(not SHARED.exists(), reason="the documents are not here")
def test_no_sentence_of_the_documents_is_copied() -> None:
    documents = "\n".join(path.read_text("utf-8") for path in (SHARED / "seeds").glob("*.txt"))
    every = {
        plain[i : i + LONGEST_QUOTE]
        for text in documents.splitlines()
        for plain in [_plain(text)]
        for i in range(max(0, len(plain) - LONGEST_QUOTE + 1))
    }
    copied = []
    for claim in LIBRARY.claims.values():
        for text in (claim.said.zh, claim.instead.zh):
            plain = _plain(text)
            runs = [plain[i : i + LONGEST_QUOTE] for i in range(max(0, len(plain) - LONGEST_QUOTE + 1))]
            hit = next((run for run in runs if run in every and len(re.findall(r"[\u4e00-\u9fff]", run)) > 8), None)
            if hit:
                copied.append(f"{claim.id}: {hit}")
    assert not copied, "say it in our words:\n" + "\n".join(copied)


def _plain(text: str) -> str:
    return re.sub(r"[\s，。、；：！？（）“”\"'《》]+", "", text)
