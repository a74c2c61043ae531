"""The desk that words an answer for whoever passes it on, a language model above all: all that may be said, briefly.

Verdict, ways with their ranges, what to order, what would change it, risks, the next question, and every source with
its date, so that nothing has to be made up. The checklist is left out: it has a form of its own.
"""

from __future__ import annotations

from advisor.consult.answer import Reply
from advisor.knowledge.library import open_library
from advisor.report import plain, sentences
from advisor.report.wording import Wording


def relay(reply: Reply) -> str:
    """The answer as plain text in its own language, verdict first, sources last."""
    wording = Wording(open_library(), reply.lang)
    told = plain.render({**reply.json, "checklist": []}, wording)
    sources = [f"  {source['title']}, {source['date']} [{source['id']}]" for source in reply.json["sources"]]
    if not sources:
        return told
    return "\n".join([told, wording.fixed(sentences.HEADING, "sources"), *sources]) + "\n"
