"""Options are stated once: what commands, API and records take is what the dataclasses say."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import Any

import pytest

from learnability import InputError, api, cli
from learnability.comparing.options import DataOptions, ExperimentOptions, TreebankSelection
from learnability.parsing.parser_options import ParserOptions
from learnability.studies.registry import known_studies, studies_of_run, studies_with_command
from learnability.support.options import check_values, option, same


def test_the_api_takes_the_options_of_run_with_their_types() -> None:
    stated = {one.name: one.type for kind in (TreebankSelection, ExperimentOptions) for one in fields(kind)}
    resolved = {"parsers": "tuple[str, ...]"}  # names, which the dataclass resolves
    for name, annotation in api.Options.__annotations__.items():
        assert annotation.__forward_arg__ == resolved.get(name, stated[name]), name
    run = {one.name for one in cli.cli.get_command(None, "run").params}
    only_run = {"treebank", "every_treebank", "train", "dev", "test", "transform"}
    only_run |= {declaration.name for declaration in studies_of_run()}  # in Python by `then`
    only_run |= {"quiet", "dry_run", "as_json", "explain", "help_all"}
    explicit = set(inspect.signature(api.run_experiment).parameters)
    explicit -= {"then", "treebanks", "transforms", "progress", "options"}
    only_python = {"nonprojective", "max_options"}  # of commands those that train a single parser have them
    assert run - only_run == {*api.Options.__annotations__, *explicit} - only_python


@pytest.mark.parametrize("name", ["joint", "system", "missing_trian"])
def test_the_api_refuses_what_is_no_argument_of_it(name: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        api.run_experiment("demo", "det", **{name: True})  # type: ignore[arg-type]


def own_options(name: str) -> type[Any]:
    """The dataclass of what only this command takes, beside those of all runs."""
    if name in known_studies():
        return known_studies()[name].options
    return ParserOptions if name == "train" else ExperimentOptions


@pytest.mark.parametrize("name", [*studies_with_command(), "train", "measure"])
def test_defaults_on_the_command_line_are_those_of_the_dataclasses(name: str) -> None:
    defaults: dict[str, Any] = {
        one.name: one.default
        for kind in (DataOptions, ExperimentOptions, own_options(name))
        for one in fields(kind)
    }
    changed = dict(known_studies()[name].defaults) if name in known_studies() else {}
    command = cli.cli.get_command(None, name)
    context = cli.cli.make_context("learnability", [name], resilient_parsing=True)
    seen = 0
    for parameter in command.params:
        if parameter.name in defaults and parameter.show_default:
            value = parameter.type_cast_value(context, parameter.get_default(context))
            assert value == changed.get(parameter.name, defaults[parameter.name]), parameter.name
            seen += 1
    assert seen >= {"measure": 1, "harmonise": 2}.get(name, 3)


@dataclass(frozen=True)
class Example:
    size: int = option(4, "Size.", least=1)
    share: float = option(0.5, "Share.", least=0.0, most=1.0)
    kind: str = option("a", "Kind.", choices=("a", "b", "c"))
    deep: int = same(ParserOptions, "k", default=-1)
    free: str = ""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 0}, "`size=0` is not accepted; use at least 1"),
        ({"share": 1.5}, "`share=1.5` is not accepted; use a number from 0 to 1"),
        ({"kind": "d"}, "`kind='d'` is not accepted; use a, b or c"),
        ({"deep": -2}, "`deep=-2` is not accepted; use a number from 0 to 1,000"),
    ],
)
def test_values_out_of_range_are_refused(values: dict[str, Any], message: str) -> None:
    check_values(Example())
    with pytest.raises(InputError, match=message):
        check_values(Example(**values))
