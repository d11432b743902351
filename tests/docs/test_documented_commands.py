"""What the pages say can be typed exists, is run, and prints what they show; nothing is forgotten."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pages
import pytest
from click import Context
from explained import brought_by_missing
from running_pages import REPOSITORY, check_outputs, need_treebanks, text_of

from learnability import cli

NOT_RUN = {
    "docs/commands.md": "the examples of --help; tests/commands run the commands",
    "docs/extending.md": "scripts that change the pages",
}
"""Pages whose commands are checked but not run, and why."""

RUN = sorted(
    f"{folder}/{path.name}"
    for folder in ("howto", "extensions")
    for path in (REPOSITORY / "docs" / folder).glob("*.md")
    if f"docs/{folder}/{path.name}" not in NOT_RUN
)


def all_pages() -> list[str]:
    folders = (REPOSITORY / "docs", REPOSITORY / "research")
    found = sorted(page for folder in folders for page in folder.rglob("*.md"))
    return ["README.md", *(str(path.relative_to(REPOSITORY)) for path in found)]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*RUN, "labels/index.md"])
def test_what_a_page_shows_is_what_its_commands_print(name: str, tmp_path: Path) -> None:
    if brought_by_missing() & set(re.findall(r"[\w-]+", text_of(f"docs/{name}"))):
        pytest.skip("an extension is missing")
    if name == "howto/fetch.md":
        need_treebanks("UD_Irish")
    if name == "howto/cluster.md":
        pytest.importorskip("distributed", reason="dask is not installed; pip install '.[cluster]'")
    if name == "howto/own-scheme.md":
        pytest.importorskip("udapi", reason="udapi is not installed; pip install udapi")
    check_outputs(f"docs/{name}", tmp_path)


def parsed(text: str, folder: Path) -> list[list[str]]:
    """The words of each `learnability` in a command line, after the shell has expanded it."""
    script = 'learnability() { printf "%s\\0" "$@" >> words; printf "\\0" >> words; }\n'
    (folder / "words").write_bytes(b"")
    line = text.replace(".venv/bin/learnability", "learnability")
    # one after the other: in a pipe they would write at the same time
    keep = [part for part in re.split(r"&&|\||\n", line) if part.strip().startswith("learnability")]
    for part in keep:
        subprocess.run(
            ["bash", "-c", script + part],
            cwd=folder,
            env={**os.environ, "UD": "ud"},
            stdin=subprocess.DEVNULL,
            check=False,
            capture_output=True,
        )
    calls = (folder / "words").read_bytes().split(b"\0\0")
    return [[word.decode() for word in call.split(b"\0")] for call in calls if call]


@pytest.mark.parametrize("page", all_pages())
def test_every_command_and_option_on_a_page_exists(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = text_of(page)
    lines = [command.text for command in pages.commands(text) if "<Tab>" not in command.text]
    lines += re.findall(r"(?<!`)`(learnability [a-z][^`]*)`(?!`)", text.replace("\n", " "))
    missing = brought_by_missing()
    for line in lines:
        for words in parsed(line, tmp_path):
            if words == ["COMMAND", "--help"] or missing & set(words):
                continue
            for name in (word for word in words if word.endswith((".txt", ".csv"))):
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).touch()  # a file of the reader, which an option reads
            with Context(cli.cli, info_name="learnability", **cli.cli.context_settings) as context:
                name, command, rest = cli.cli.resolve_command(context, words)
                assert name in cli.command_names()
                if rest:  # else it is only named
                    command.make_context(name, rest, parent=context)


def test_no_command_is_forgotten() -> None:
    tested = ("docs/tutorial", "docs/howto", "docs/extensions", "docs/transformations", "docs/labels")
    for page in all_pages():
        text = text_of(page)
        found = [command.text for command in pages.commands(text)]
        typed = re.findall(r"^(?:    |\$ )?(?:\S+ )?learnability [a-z].*$", in_blocks(text), re.MULTILINE)
        assert len(typed) <= len([one for one in found if "learnability" in one]), page
        run = page == "README.md" or page.startswith(tested)
        excused = page in NOT_RUN or page.startswith("research/")  # minutes to hours of trainings
        assert run or not found or excused, f"{page}: its commands are neither run nor excused"


def test_the_example_of_the_readme_is_that_of_the_tutorial() -> None:
    """The tutorial's outputs are compared with those of its commands, and README's are not."""
    tutorial = {command.text: command.output for command in pages.commands(text_of("docs/tutorial.md"))}
    examples = [command for command in pages.commands(text_of("README.md")) if command.output]
    assert [command.output for command in examples] == [tutorial[command.text] for command in examples]
    assert examples


def in_blocks(text: str) -> str:
    """The lines of a page that stand in fences with commands, or are indented."""
    kept, fence = [], ""
    for line in text.split("\n"):
        if line.strip().startswith("```"):
            fence = "" if fence else line.strip() + " "
        elif fence.startswith(("```sh", "```console")) or (not fence and line.startswith("    ")):
            kept.append(line)
    return "\n".join(kept)


def test_steps_of_a_page() -> None:
    text = """# T

<!-- file: a.toml -->
```toml
x = 1
```

Prose with `learnability list` in it.

```console
$ learnability list \\
    transforms | head
one
two
$ true
```

<!-- not run: no network -->
```sh
learnability fetch X   # a remark
```

    a drawing ──► not a command
    learnability run --treebank demo

| `learnability compare R` | words |
"""
    found = list(pages.steps(text))
    assert found[0] == pages.PageFile("a.toml", "x = 1\n")
    commands = found[1:]
    assert [one.text for one in commands if isinstance(one, pages.Command)] == [
        "learnability list transforms | head",
        "true",
        "learnability fetch X",
        "learnability run --treebank demo",
        "learnability compare R",
    ]
    assert [one.output for one in pages.commands(text)] == ["one\ntwo\n", "", None, None, None]
    assert [one.why_not for one in pages.commands(text)] == ["", "", "no network", "", ""]
    first, *_ = pages.commands(text)
    assert text.split("\n")[first.lines[0] : first.lines[1]] == ["one", "two"]
    changed = pages.refreshed(text, [pages.Ran(first, 0, "one\nthree\n")])
    assert changed == text.replace("two\n$ true", "three\n$ true")


def test_times_and_widths_may_differ_and_numbers_may_not() -> None:
    assert pages.steady("took 12.5 seconds\n──── \n") == pages.steady("took 3 seconds\n──\n")
    assert pages.steady("about 1 minute of") == pages.steady("about 2 minutes of")
    assert pages.steady("UAS 12.5\n") != pages.steady("UAS 12.6\n")


def test_words_are_split_as_the_shell_does(tmp_path: Path) -> None:
    line = "learnability run --treebank 'a b' $(printf -- '--transform %s ' x y) | learnability evaluate g"
    assert parsed(line, tmp_path) == [
        ["run", "--treebank", "a b", "--transform", "x", "--transform", "y"],
        ["evaluate", "g"],
    ]
