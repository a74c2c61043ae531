"""`hkgpu kit`: the order pack as a folder or an archive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.core.errors import BadInput
from bots.cli import options

Session = Annotated[str | None, typer.Option(help="The plan of this conversation.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="A new folder, or one with an earlier pack.")]


def kit(
    output: Output,
    input: options.Input = None,
    set_: options.Set = None,
    session: Session = None,
    zip: Annotated[bool, typer.Option("--zip", help="Write one archive, OUTPUT, instead of a folder.")] = False,
    target: Annotated[str, typer.Option(help="The server's address.")] = "",
    user: Annotated[str, typer.Option(help="Who logs in there.")] = "",
    port: Annotated[str, typer.Option(help="SSH's port there.")] = "",
    data_dir: Annotated[str, typer.Option(help="The folder on the training disk.")] = "",
    source_dir: Annotated[str, typer.Option(help="Where the data lies now.")] = "",
    dataset: Annotated[str, typer.Option(help="The file of training data on the server.")] = "",
    model: Annotated[str, typer.Option(help="The model: owner/name on the hub, or a folder on the server.")] = "",
    bucket: Annotated[str, typer.Option(help="Where saves are backed up: an rclone remote, name:bucket/folder.")] = "",
    interface: Annotated[str, typer.Option(help="The network interface between several servers.")] = "",
    project: Annotated[str, typer.Option(help="A short name of the run.")] = "",
    lang: options.Lang = None,
) -> None:
    """The order pack: request to vendors, checklist, set-up, configurations, transfer, monitoring."""
    from advisor.consult import pack

    if session is not None and (input is not None or set_):
        raise BadInput("--session has a plan already", do="leave --input and --set away")
    if session is None and input is None and not set_:
        raise BadInput("there is no plan", do="say it with --set fact=value, --input FILE or --session ID")
    site = {"target": target, "user": user, "port": port, "data_dir": data_dir, "source_dir": source_dir}
    site |= {"dataset": dataset, "model": model, "bucket": bucket, "interface": interface, "project": project}
    given = None if session is not None else options.given_facts(input, set_)
    # A conversation has its own language; facts have that of the person at the terminal.
    spoken = options.language(lang) or (options.default_lang() if session is None else None)
    made = pack.kit(given, session=session, lang=spoken, site=site)
    if zip:
        try:
            output.write_bytes(made.zip())
        except OSError as error:
            raise BadInput(f"cannot be written ({error.strerror})", where=str(output)) from None
    else:
        pack.write(made, output)
    options.show("\n".join([str(output), *(f"  {name}" for name in ([] if zip else made.files))]))
