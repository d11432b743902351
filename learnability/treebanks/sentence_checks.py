"""Check sentences before and after a change, so that no decision brings an error that was not there.

The official validator checks them where it is installed, with the lists of the language that the name of the
file says. Elsewhere the rules of `Guidelines` do, which are a part of its own.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from learnability.errors import RunError
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import write_conllu
from learnability.treebanks.guidelines import Guidelines
from learnability.treebanks.sentence import Sentence, Tree
from learnability.treebanks.validator import PROGRAM, Incident, is_installed, validate_files, validate_text

_LANGUAGE = re.compile(r"([a-z]{2,3})(_[a-z0-9]+)?-ud-")
"""The beginning of the name of a file of UD: the code of its language."""

CYCLE, ROOTS = "cycle", "multiple-roots"
"""Stand for the errors of a proposal that makes no tree, or a second root."""


@dataclass
class SentenceChecker:
    """Check sentences.

    Attributes:
        language: whose lists the official validator reads; empty where it is not installed.
        broke_off: whether the validator could not read the sentences, so that our own checks did.
    """

    PROGRAM: ClassVar[str] = PROGRAM
    OURS: ClassVar[str] = "our own check of trees"
    VALIDATED, CHECKED = 300, 20_000
    """The first proposals that the official validator checks, which takes time; and all that are checked."""

    language: str
    broke_off: bool = False
    _before: dict[int, tuple[Tree, list[Incident]]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, files: Iterable[str]) -> SentenceChecker:
        """Return what checks the sentences of files with these names here."""
        if not is_installed():
            return cls("")
        codes = {match[1] if (match := _LANGUAGE.match(name)) else "ud" for name in files}
        return cls(codes.pop() if len(codes) == 1 else "ud")

    @property
    def name(self) -> str:
        """Return what checks, in words."""
        if not self.language:
            return self.OURS
        if self.broke_off:
            return f"{self.OURS} ({PROGRAM} broke off)"
        return f"the official validator ({PROGRAM} --lang {self.language})"

    check_files = staticmethod(validate_files)
    """Returns file, line and name of each error that the official validator finds in files."""

    def find_broken(self, sentences: Sequence[Sentence], after: Sequence[Tree]) -> list[str]:
        """Return the names of the errors that each proposal alone would bring, for which it is refused.

        Args:
            sentences: those that change, the first of them most important: the official validator looks at
                `VALIDATED`, our own checks at the others up to `CHECKED`.
            after: the trees that take their place.

        Returns:
            An empty name for what brings none, and for those that nothing looked at.
        """
        found: list[str] = []
        ends = (0, self.VALIDATED, self.CHECKED)
        for check, start, end in zip((self, SentenceChecker("")), ends, ends[1:], strict=False):
            some = sentences[start:end]
            before = [sentence.tree for sentence in some]
            broken = list(map(_break_tree, before, after[start:end]))
            pairs = zip(before, after[start:end], broken, strict=True)
            trees = [old if error else new for old, new, error in pairs]
            errors = check.find_new(some, before, trees)
            found += [name or _name_tests(new) for name, new in zip(broken, errors, strict=True)]
        return found + [""] * (len(sentences) - len(found))

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
            return self._compare(sentences, before, after)
        except RunError:
            self.broke_off = True
            self._before.clear()
            return self._compare(sentences, before, after)

    @staticmethod
    def describe(incidents: Sequence[Incident]) -> str:
        """Return errors in words, each once: ``rel-upos-cop ('cop' should be 'AUX' …)``."""
        named = dict.fromkeys(f"{error.test} ({error.message})" for error in incidents)
        return "; ".join(named)

    def _compare(
        self, sentences: Sequence[Sentence], before: Sequence[Tree], after: Sequence[Tree]
    ) -> list[list[Incident]]:
        found: list[list[Incident]] = [[] for _ in sentences]
        pairs = enumerate(zip(before, after, strict=True))
        changed = [place for place, (tree, other) in pairs if self._reads_change(tree, other)]
        new = self._find([sentences[place] for place in changed], [after[place] for place in changed])
        wrong = [(place, errors) for place, errors in zip(changed, new, strict=True) if errors]
        fresh = {
            id(before[place]): place for place, _ in wrong
        }  # only they need to be checked before, and once
        places = [place for tree, place in fresh.items() if tree not in self._before]
        old = self._find([sentences[place] for place in places], [before[place] for place in places])
        for place, errors in zip(places, old, strict=True):
            self._before[id(before[place])] = before[place], errors
        for place, later in wrong:
            known = Counter((error.line, error.test) for error in self._before[id(before[place])][1])
            for error in later:
                known[error.line, error.test] -= 1
                if known[error.line, error.test] < 0:
                    found[place].append(error)
        return found

    def _reads_change(self, tree: Tree, other: Tree) -> bool:
        """Return whether what changes may bring an error; our own check reads tags and arcs alone."""
        if self.language and not self.broke_off:
            return tree != other
        return (tree.upos, tree.heads, tree.deprels) != (other.upos, other.heads, other.deprels)

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
    return [
        [
            Incident(word, rule, Guidelines.describe_violation(tree, word, rule))
            for word, rule in Guidelines.find_violations(tree)
        ]
        for tree in trees
    ]


def _break_tree(before: Tree, after: Tree) -> str:
    """Return why new heads make no tree, or more roots than before; empty if they do not."""
    if after.heads == before.heads:
        return ""
    if after.find_cycle():
        return CYCLE
    return ROOTS if after.heads.count(0) > max(1, before.heads.count(0)) else ""


def _name_tests(incidents: Sequence[Incident]) -> str:
    return "; ".join(dict.fromkeys(error.test for error in incidents))
