"""The files of a plan, each made when it is asked for from the answers that the page posts.

The answers come from a browser and are checked again. The checklist has the very bytes of `hkgpu checklist`.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from advisor.consult.pool import Pool
from advisor.core.errors import BadInput, HkgpuError
from bots.web import work

KINDS = {
    "checklist.md": "text/markdown; charset=utf-8",
    "plan.json": "application/json",
    "order-pack.zip": "application/zip",
}


def router(pool: Pool) -> APIRouter:
    """`POST /download/NAME` with a form whose field `plan` holds the answers."""
    routes = APIRouter()

    @routes.post("/download/{name}")
    async def download(name: str, request: Request) -> Response:
        if name not in KINDS:
            return Response("there is no such file", HTTPStatus.NOT_FOUND, media_type="text/plain")
        try:
            form = await request.form(max_files=0, max_fields=1, max_part_size=2**20)
            given, lang, config = _answers(form.get("plan"))
            body = await pool.run(_made, name, given, lang, config)
        except HkgpuError as error:
            return Response(str(error), HTTPStatus.BAD_REQUEST, media_type="text/plain; charset=utf-8")
        headers = {"content-disposition": f'attachment; filename="{quote(name)}"', "cache-control": "no-store"}
        return Response(body, media_type=KINDS[name], headers=headers)

    return routes


def _answers(posted: object) -> tuple[dict[str, object], Any, str | None]:
    try:
        said = json.loads(posted) if isinstance(posted, str) else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or not isinstance(said.get("given"), dict):
        raise BadInput("holds no plan", where="plan", expected="what the page posts")
    config = said.get("config")
    return said["given"], work.lang_of(said.get("lang"), "en"), config if isinstance(config, str) else None


def _made(name: str, given: dict[str, object], lang: Any, config: str | None) -> bytes:
    if name == "checklist.md":
        return work.checklist(given, lang, config=config).encode("utf-8")
    if name == "plan.json":
        return work.plan_json(given, lang, config).encode("utf-8")
    return work.packed(given, lang, config)
