"""Original heads and deprels recorded in MISC, and their exact restoration.

`write_conllu(..., provenance=True)` records; here is the way back.
"""

from __future__ import annotations

from learnability.treebanks.conllu_io import (
    DEPREL,
    HEAD,
    MISC,
    ConlluFile,
    Place,
    check_tree,
    show,
)
from learnability.treebanks.conllu_writing import ORIGINAL_DEPREL, ORIGINAL_HEAD, replace_lines
from learnability.treebanks.sentence import Sentence


def read_provenance(
    sentence: Sentence, *, name: str = "<input>"
) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
    """The original heads and deprels that ``write_conllu(..., provenance=True)`` recorded.

    Tokens without a record keep their present head and deprel. None if no token has a record. Messages
    call the file `name`.

    Raises:
        InputError: a record is no head of this sentence, occurs twice, or the heads are no tree.
    """
    heads, deprels = list(sentence.tree.heads), list(sentence.tree.deprels)
    place = Place(name, sentence.sent_id)
    found = False
    for word, row in enumerate(sentence.rows):
        misc = sentence.lines[row].split("\t")[MISC]
        if ORIGINAL_HEAD not in misc and ORIGINAL_DEPREL not in misc:
            continue
        items = misc.split("|")
        recorded = [i[len(ORIGINAL_HEAD) :] for i in items if i.startswith(ORIGINAL_HEAD)]
        labels = [i[len(ORIGINAL_DEPREL) :] for i in items if i.startswith(ORIGINAL_DEPREL)]
        if not recorded and not labels:
            continue
        value = recorded[0] if len(recorded) == 1 else ""
        if (
            not (value.isascii() and value.isdigit() and len(value) <= 9 and int(value) <= len(heads))
            or len(labels) > 1
        ):
            place.fail(
                sentence.line + row,
                f"MISC {show(misc)} records no single original head; correct or remove it",
            )
        found = True
        heads[word] = int(value)
        deprels[word] = labels[0] if labels else deprels[word]
    if not found:
        return None
    check_tree(heads, sentence.line, sentence.rows, place, multiple_roots=True)
    return tuple(heads), tuple(deprels)


def restore_provenance(file: ConlluFile) -> bytes:
    """The inverse of writing with provenance: recorded heads and deprels back, the records removed.

    The result equals the original file, byte for byte, but for the DEPS and empty nodes that were
    dropped on writing. Sentences without records stay as they are.

    Raises:
        InputError: as :func:`read_provenance`.
    """
    changes: dict[int, str | None] = {}
    for sentence in file.sentences:
        original = read_provenance(sentence, name=file.name)
        if original is None:
            continue
        for row, head, deprel in zip(sentence.rows, *original, strict=True):
            cells = sentence.lines[row].split("\t")
            items = cells[MISC].split("|")
            kept = [i for i in items if not i.startswith((ORIGINAL_HEAD, ORIGINAL_DEPREL))]
            if len(kept) == len(items):
                continue
            cells[HEAD], cells[DEPREL] = str(head), deprel
            cells[MISC] = "|".join(kept) if kept else "_"
            changes[sentence.line + row] = "\t".join(cells)
    return replace_lines(file, changes) if changes else file.data
