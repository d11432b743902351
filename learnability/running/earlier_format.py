"""Read runs of the format before this one, whose files have other names for the same things.

Format 2 (versions before 1.0) calls a place a site, a parser a judge, and the two annotations of a pair the
original and the transformed one; a compared pair is a condition there. It says of both annotations together
what a pair now says of each.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

EARLIER = 2
"""The format that is read besides the present one."""

NAMES = {
    "condition": "subject",
    "finds_conditions": "finds_pairs",
    "found_sites": "found_places",
    "gold_sites": "gold_places",
    "judge": "parser",
    "judge_files": "parser_files",
    "judges": "parsers",
    "original": "base",
    "original_share": "base_share",
    "sentences_with_sites": "sentences_with_places",
    "site_original_share": "place_base_share",
    "site": "place",
    "sites": "places",
    "test_sites": "test_places",
    "transformed": "alternative",
    "transformed_share": "alternative_share",
}
"""The names of fields of records and configurations, before and now."""

FACTS = {
    "parts": "specs",
    "has_rules": "has_rule",
    "has_conversion_back": "has_inverse",
    "has_common_labels": "has_labelling",
    "has_nuclei": "keeps_nuclei",
    "changed_columns": "changed_columns",
    "tags_follow_trees": "tags_follow_trees",
}
"""What is known of a pair, and the fact of an annotation that it follows from."""

OF_EARLIER = re.compile(rb'"(?:%s)":' % "|".join(NAMES).encode())

SPLITS = {"error": "released", "split": "cut"}
"""The values of `missing_train`, which is called `splits` now."""


def upgrade_record(line: bytes) -> bytes:
    """Return a line of records.jsonl with present names; one that has them is returned as it is."""
    if not OF_EARLIER.search(line):
        return line
    record = _rename_fields(msgspec.json.decode(line))
    record["key"] = record["key"].replace("/judge=", "/parser=")
    return msgspec.json.encode(record)


def upgrade_config(config: dict[str, Any], present: int) -> dict[str, Any]:
    """Return a configuration of the format before in the `present` one."""
    upgraded: dict[str, Any] = _with_splits(_rename_fields(config))
    if "pairs" in upgraded:
        upgraded["pairs"] = list(map(_with_sides, upgraded["pairs"]))
    return {**upgraded, "format": present}


def _with_sides(pair: dict[str, Any]) -> dict[str, Any]:
    """Return a pair with the facts of each annotation (`comparing.pair.AnnotationFacts`).

    The earlier format describes the pair as a whole. Its facts become those of the alternative, and the base
    allows everything and changes nothing.
    """
    name, variant, against = (pair.get(part, "") for part in ("transform", "variant", "against"))
    base = {
        "spelling": against or "ud",
        "title": against or "UD",
        "construction": [against or "UD", ""],
        "is_ud": not against,
        "changed_columns": [],
    }
    alternative = {
        "spelling": pair.get("spelling"),
        "title": f"{name}:{variant}" if variant else name,
        "construction": [name, variant],
        **{fact: pair[known] for known, fact in FACTS.items() if known in pair},
    }
    return {"base": base, "alternative": alternative}


def _rename_fields(value: Any) -> Any:
    """Return a JSON value whose fields have present names."""
    if isinstance(value, list):
        return [_rename_fields(element) for element in value]
    if not isinstance(value, dict):
        return value
    renamed = {NAMES.get(name, name): _rename_fields(inner) for name, inner in value.items()}
    if "conditions" in renamed:
        conditions = renamed.pop("conditions")
        described = any(isinstance(condition, dict) for condition in conditions)
        renamed["pairs" if described else "alternatives"] = conditions
    return renamed


def _with_splits(value: Any) -> Any:
    """Return a part of a configuration in which `missing_train` has the name and the values of now."""
    if isinstance(value, list):
        return [_with_splits(element) for element in value]
    if not isinstance(value, dict):
        return value
    renamed = {name: _with_splits(inner) for name, inner in value.items()}
    if "missing_train" in renamed:
        policy = renamed.pop("missing_train")
        renamed["splits"] = SPLITS.get(policy, policy)
    return renamed
