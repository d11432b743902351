"""What comes from outside is shown on terminals and never obeyed: in messages, in tables, in JSON."""

from __future__ import annotations

import ast
import io
import json
import sys
from pathlib import Path

import pytest
from sources import package_sources

from learnability import cli
from learnability.reports.section import Section, print_section
from learnability.reports.text import Table
from learnability.support.terminal import PAGE, WIDE, console, visible

HOSTILE = "a\x1b[31mb\x9b2Jc\u202ed\u2066e\x7f\x07\u2028"
SHOWN = r"a\u001b[31mb\u009b2Jc\u202ed\u2066e\u007f\u0007\u2028"


def test_control_characters_are_shown_and_letters_are_not() -> None:
    assert visible(HOSTILE) == SHOWN
    spelled = "می\u200cخواهم क्\u200dष \u200fשלום\u200e e\u0301 \u00a0\t\n"
    assert visible(spelled) == spelled


def test_lines_are_printed_in_one_place() -> None:
    """No module but `terminal` writes text on a stream; data are bytes. The command line prints its help."""
    found = []
    for path, module in package_sources().items():
        for node in ast.walk(module):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name in ("print", "Console") or name.endswith(("stdout.write", "stderr.write", ".echo")):
                found.append((path, ast.unparse(node)[:60]))
    assert [where for where, _ in found] == [
        *("cli.py", "cli.py", "cli.py"), "commands/options.py", "support/terminal.py",
    ]  # fmt: skip
    assert [what for where, what in found if where != "support/terminal.py"] == [
        "rich_click.echo(f'learnability {learnability.__version__}')",
        "rich_click.echo(ctx.get_help(), color=ctx.color)",
        "print(error.message, file=sys.stderr)",
        "click.echo(context.get_help(), color=context.color)",
    ]


def test_styles_stay_and_what_is_styled_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    console().print(HOSTILE[:-2], style="bold", markup=False, soft_wrap=True)
    assert stream.getvalue() == f"\x1b[1m{SHOWN[:-12]}\x1b[0m\n"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str]:
    """The exit code and all that was printed."""
    streams = [io.TextIOWrapper(io.BytesIO()) for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    code = cli.run(arguments)
    for stream in streams:
        stream.flush()
    return code, "".join(stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]


SENTENCE = "# sent_id = {0}\n1\t{0}\t_\tADP\t_\t_\t2\tcase\t_\t_\n2\tb\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["transform", "--transform", HOSTILE], 2),
        (["show", "--transform", "case", "FILE"], 0),
        (["show", "--transform", "case", "FILE", "--sent-id", HOSTILE], 2),
        (["transform", "--transform", "case", "--places", "FILE"], 0),
        (["run", "--treebank", HOSTILE], 2),
        (["parse", "-m", HOSTILE, "FILE"], 2),
        ([HOSTILE], 2),
        (["list", "treebanks", "--ud-home", HOSTILE], 2),
    ],
)
def test_nothing_reaches_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int
) -> None:
    file = tmp_path / "file.conllu"
    file.write_text(SENTENCE.format(HOSTILE), encoding="utf-8")
    arguments = [str(file) if word == "FILE" else word for word in arguments]
    ended, printed = run(monkeypatch, *arguments)
    assert ended == code, printed
    assert visible(printed) == printed
    assert "u001b" in printed or "x1b" in printed
    if "--json" in arguments:
        assert json.loads(printed)[0]["form"] == HOSTILE


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_text_in_a_pipe_is_as_wide_as_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    asked = []

    def laid_out(width: int) -> list[str]:
        asked.append(width)
        return ["x" * width]

    monkeypatch.setenv("COLUMNS", str(columns))
    table = Table("no table", ("a",), (("b",),))
    print_section(Section("Doubts", ("word " * 100,), (table,), laid_out=laid_out))
    printed = capsys.readouterr().out
    assert asked == [columns]
    assert max(map(len, printed.splitlines())) == columns
    assert "no table" not in printed


@pytest.mark.parametrize("columns", ["", "0", "wide"])
def test_no_terminal_and_no_columns(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert console().width == PAGE
    assert console(WIDE).width == WIDE
