"""Check sentences before and after a change, so that no decision brings an error that was not there.

The official validator checks them where it is installed, with the lists of the language that the name of the
file says. Elsewhere the rules of `guidelines` do, which are a part of its own.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnability.extending import (
    ConlluFile,
    RunError,
    Sentence,
    Tree,
    read_conllu,
    write_conllu,
)
from learnability.extensions.doubts.guidelines import RULES, describe_violation, violations
from learnability.extensions.doubts.validator import PROGRAM, Incident, is_installed, validate_text

if TYPE_CHECKING:
    from learnability.extensions.doubts.doubt import Doubt
    from learnability.extensions.doubts.listing import AssessedTreebank, Listing

_LANGUAGE = re.compile(r"([a-z]{2,3})(_[a-z0-9]+)?-ud-")
"""The beginning of the name of a file of UD: the code of its language."""

OUR_CHECKS = "our own check of trees"


@dataclass
class SentenceChecker:
    """Check sentences.

    Attributes:
        language: whose lists the official validator reads; empty where it is not installed.
        broke_off: whether the validator could not read the sentences, so that our own checks did.
    """

    language: str
    broke_off: bool = False

    @classmethod
    def of(cls, files: Sequence[ConlluFile]) -> SentenceChecker:
        """Return what checks the sentences of a treebank here."""
        if not is_installed():
            return cls("")
        codes = {match[1] if (match := _LANGUAGE.match(file.name)) else "ud" for file in files}
        return cls(codes.pop() if len(codes) == 1 else "ud")

    @property
    def name(self) -> str:
        """Return what checks, in words."""
        if not self.language:
            return OUR_CHECKS
        if self.broke_off:
            return f"{OUR_CHECKS} ({PROGRAM} broke off)"
        return f"the official validator ({PROGRAM} --lang {self.language})"

    def find_new(
        self, sentences: Sequence[Sentence], before: Sequence[Tree], after: Sequence[Tree]
    ) -> list[list[Incident]]:
        """Return which errors each sentence has with another tree that it did not have before.

        Args:
            sentences: the sentences.
            before: their trees.
            after: the trees that take their place.
        """
        try:
            old, new = self._find(sentences, before), self._find(sentences, after)
        except RunError:
            self.broke_off = True
            old, new = _broken_rules(before), _broken_rules(after)
        found = []
        for earlier, later in zip(old, new, strict=True):
            known = Counter((error.line, error.test) for error in earlier)
            fresh = []
            for error in later:
                known[error.line, error.test] -= 1
                if known[error.line, error.test] < 0:
                    fresh.append(error)
            found.append(fresh)
        return found

    def _find(self, sentences: Sequence[Sentence], trees: Sequence[Tree]) -> list[list[Incident]]:
        """Return the errors of each sentence, which their lines count from the first word."""
        if not sentences:
            return []
        if not self.language or self.broke_off:
            return _broken_rules(trees)
        blocks, starts = [], []
        line = 1
        for number, sentence in enumerate(sentences, start=1):
            kept = [row for row in sentence.lines if not row.startswith("#") or row.startswith("# text =")]
            blocks.append("\n".join([f"# sent_id = {number}", *kept]))
            starts.append(line)
            line += len(kept) + 2
        file = read_conllu(io.BytesIO(("\n\n".join(blocks) + "\n\n").encode()), multiple_roots=True)
        incidents = validate_text(write_conllu(file, trees, deps="follow"), self.language)
        found: list[list[Incident]] = [[] for _ in sentences]
        place = 0
        for error in sorted(incidents):
            while place + 1 < len(starts) and error.line >= starts[place + 1]:
                place += 1
            found[place].append(error._replace(line=error.line - starts[place]))
        return found


def _broken_rules(trees: Sequence[Tree]) -> list[list[Incident]]:
    """Return which rules of the guidelines each tree breaks."""
    found = []
    for tree in trees:
        broken = violations([tree])
        found.append(
            [
                Incident(word, rule, describe_violation(tree, word, rule))
                for word in range(1, len(tree) + 1)
                for rule, is_broken in zip(RULES, broken[word - 1].tolist(), strict=True)
                if is_broken
            ]
        )
    return found


def describe_incidents(incidents: Sequence[Incident]) -> str:
    """Return errors in words, each once: ``rel-upos-cop ('cop' should be 'AUX' …)``."""
    named = dict.fromkeys(f"{error.test} ({error.message})" for error in incidents)
    return "; ".join(named)


CHECKED, LOOKED_AT = 300, 5000
"""The first doubts whose proposals the official validator checks, which takes its time; and our checks."""


def mark_breaking(assessed: AssessedTreebank, listing: Listing, checker: SentenceChecker) -> Listing:
    """Return a list with the errors that its proposals would bring.

    Args:
        assessed: the treebank.
        listing: the doubts.
        checker: looks at the first `CHECKED`; our own checks at the others.
    """
    ordered = list({id(doubt): doubt for doubt in (*listing.doubts, *listing.pool)}.values())[:LOOKED_AT]
    marked = {
        id(doubt): replace(doubt, would_break=name_tests(errors))
        for some, check in ((ordered[:CHECKED], checker), (ordered[CHECKED:], SentenceChecker("")))
        for doubt, errors in zip(some, _find_brought(assessed, some, check), strict=True)
    }
    doubts, pool = (
        [marked.get(id(doubt), doubt) for doubt in some] for some in (listing.doubts, listing.pool)
    )
    return replace(listing, doubts=doubts, pool=pool)


def _find_brought(
    assessed: AssessedTreebank, doubts: Sequence[Doubt], checker: SentenceChecker
) -> list[list[Incident]]:
    return checker.find_new(
        [assessed.words.sentences[doubt.sentence] for doubt in doubts],
        [assessed.words.trees[doubt.sentence] for doubt in doubts],
        [assessed.proposed_tree(doubt) for doubt in doubts],
    )


def name_tests(incidents: Sequence[Incident]) -> str:
    """Return the names of the tests that find errors, each once."""
    return "; ".join(dict.fromkeys(error.test for error in incidents))
