"""Words, noun phrases and prepositional phrases of the demo grammar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from demo_grammar import words
from demo_grammar.dice import Dice
from demo_grammar.words import Node

FAR_ATTACHMENT = 0.1
"""How often a phrase that fits two words modifies the farther of the two."""
ADJECTIVES = 0.35
"""How often a noun has adjectives."""


def function(form: str, upos: str, xpos: str, deprel: str, feats: str = "_", lemma: str = "") -> Node:
    """Return a word without dependents."""
    return Node(form, lemma or form, upos, xpos, feats, deprel)


def noun(lemma: str, plural: bool) -> Node:
    """Return a common noun without dependents."""
    form = words.PLURALS.get(lemma, lemma + "s") if plural else lemma
    return Node(form, lemma, "NOUN", "NNS" if plural else "NN", f"Number={'Plur' if plural else 'Sing'}")


def proper(form: str, deprel: str = "dep") -> Node:
    """Return one word of a proper name."""
    return Node(form, form, "PROPN", "NNP", "Number=Sing", deprel)


def adverb(form: str) -> Node:
    """Return an adverbial modifier of one word."""
    return function(form, "ADV", "RB", "advmod")


def comma() -> Node:
    """Return a comma."""
    return function(",", "PUNCT", ",", "punct")


def case(form: str) -> Node:
    """Return a case marker of one word."""
    return function(form, "ADP", "IN", "case")


def definite() -> Node:
    """Return the definite article."""
    return function("the", "DET", "DT", "det", "Definite=Def|PronType=Art")


def expression(parts: Sequence[str], deprel: str, inner: str, upos: str, xpos: str) -> Node:
    """Return a fixed expression (`inner` = fixed) or a torn word (goeswith), all parts on the first."""
    if inner == "goeswith":
        head = function(parts[0], upos, xpos, deprel, "Typo=Yes", "".join(parts))
        head.after = [function(part, "X", "GW", inner, lemma="_") for part in parts[1:]]
        return head
    tags = {"of": ("ADP", "IN"), "to": ("ADP", "IN"), "as": ("ADP", "IN"), "well": ("ADV", "RB")}
    head = function(parts[0], upos, xpos, deprel)
    head.after = [function(part, *tags.get(part, ("NOUN", "NN")), inner) for part in parts[1:]]
    return head


def attach(node: Node, deprel: str) -> Node:
    """Set the relation of `node` to its head, and return it."""
    node.deprel = deprel
    return node


def is_plural(subject: Node) -> bool:
    """Return True for a plural word and for a coordination."""
    return "Number=Plur" in subject.feats or any(kid.deprel == "conj" for kid in subject.after)


PRONOUNS = {
    "he": ("him", "Gender=Masc|Number=Sing|Person=3|PronType=Prs"),
    "she": ("her", "Gender=Fem|Number=Sing|Person=3|PronType=Prs"),
    "they": ("them", "Number=Plur|Person=3|PronType=Prs"),
    "we": ("us", "Number=Plur|Person=1|PronType=Prs"),
}


class Phrases:
    """Random phrases as trees of :class:`Node`; one instance draws from one seed."""

    def __init__(self, seed: int) -> None:
        self.dice = Dice(seed)

    def relative(self, head: Node, pool: Sequence[str]) -> Node:
        """Return a relative clause for `head`, a noun of this pool; a subclass implements it."""
        raise NotImplementedError

    def pronoun(self, subject: bool) -> Node:
        """Return a personal pronoun."""
        form = self.dice.pick(tuple(PRONOUNS))
        other, feats = PRONOUNS[form]
        shape, grammatical = (form, "Nom") if subject else (other, "Acc")
        return function(shape, "PRON", "PRP", "dep", f"Case={grammatical}|{feats}", form)

    def name(self) -> Node:
        """Return a person's name of one to four words, flat on the first."""
        d = self.dice
        last = d.pick(words.LAST_NAMES)
        middle = d.pick(words.MIDDLE_NAMES)
        further: tuple[str, ...] = d.weighted(
            (((), 4), ((last,), 5), ((middle, last), 0.6), ((middle, "van", last), 0.4))
        )
        head = proper(d.pick(words.FIRST_NAMES))
        head.after = [proper(part, "flat:name") for part in further]
        return head

    def determiner(self, plural: bool, following: str) -> list[Node]:
        """Return no, one or two determiners that fit the number and the word that follows."""
        d = self.dice
        kind = d.weighted((("the", 9), ("a", 5), ("this", 1.5), ("every", 0.8), ("no", 0.4), ("all", 1)))
        if kind == "this":
            form, number = ("these", "Plur") if plural else ("this", "Sing")
            return [function(form, "DET", "DT", "det", f"Number={number}|PronType=Dem", "this")]
        if kind == "no":
            return [function("no", "DET", "DT", "det", "PronType=Neg")]
        if plural:
            if kind == "all":
                return [function("all", "DET", "PDT", "det:predet", "PronType=Tot"), definite()]
            if kind == "a":
                return [function("some", "DET", "DT", "det", "PronType=Ind")] if d.chance(0.6) else []
        elif kind == "a":
            form = "an" if following[0] in "aeiou" else "a"
            return [function(form, "DET", "DT", "det", "Definite=Ind|PronType=Art", "a")]
        elif kind == "every":
            return [function("every", "DET", "DT", "det", "PronType=Tot")]
        return [definite()]

    def adjectives(self, pool: Sequence[str]) -> list[Node]:
        """Return one or two different adjectives that fit nouns of this pool, sometimes coordinated."""
        d = self.dice
        options = words.adjectives_for(pool)
        first, second = (function(d.pick(options), "ADJ", "JJ", "amod", "Degree=Pos") for _ in range(2))
        if d.chance(0.12):
            first.before.append(adverb("very"))
        if first.form == second.form or d.chance(0.75):
            return [first]
        return [self.coordinate(first, [second], "and")] if d.chance(0.5) else [first, second]

    def possessor(self) -> Node:
        """Return a genitive or a possessive pronoun."""
        d = self.dice
        if d.chance(0.4):
            feats = "Number=Sing|Person=3|Poss=Yes|PronType=Prs"
            return function(d.pick(("his", "her")), "PRON", "PRP$", "nmod:poss", feats)
        owner = self.name() if d.chance(0.5) else self.noun_phrase(words.PEOPLE, 2)
        last = owner
        while last.after:
            last = last.after[-1]
        last.glued = True
        clitic = "'" if last.xpos == "NNS" and last.form.endswith("s") else "'s"
        owner.after.append(function(clitic, "PART", "POS", "case", lemma="'s"))
        return attach(owner, "nmod:poss")

    def noun_phrase(self, pool: Sequence[str], depth: int = 0, plural: bool | None = None) -> Node:
        """Return a noun of this pool with determiners and modifiers; deeper phrases are plainer."""
        d = self.dice
        if plural is None:
            plural = d.chance(0.25)
        node = noun(d.pick(pool), plural)
        inner = self.adjectives(pool) if d.chance(ADJECTIVES) else []
        if d.chance(0.1) and pool is words.THINGS:
            inner.append(attach(noun(d.pick(words.PLACES), False), "compound"))
        first = inner[0] if inner else node
        while first.before:
            first = first.before[0]
        outer = [self.possessor()] if d.chance(0.18) and depth < 2 else self.determiner(plural, first.form)
        if plural and outer and outer[0].lemma in ("the", "this") and d.chance(0.2):
            number = d.pick(("two", "three", "four", "seven"))
            inner.insert(0, function(number, "NUM", "CD", "nummod", "NumForm=Word|NumType=Card"))
        node.before = outer + inner
        if pool is words.STORIES and d.chance(0.5):
            about = d.weighted(((words.PEOPLE, 2), (words.ANIMALS, 1), (words.EVENTS, 1)))
            node.after.append(self.prepositional("nmod", 2, "about", about))
        elif depth < 2 and d.chance(0.34 / (depth + 1)):
            modifier = self.prepositional("nmod", depth + 1)
            node.after.append(modifier)
            if d.chance(0.3):
                (node if d.chance(FAR_ATTACHMENT) else modifier).after.append(self.prepositional("nmod", 2))
        if depth == 0 and d.chance(0.1):
            node.after.append(self.relative(node, pool))
        return node

    def person(self, subject: bool, depth: int = 0) -> Node:
        """Return a person: a pronoun, a name, a noun phrase or a coordination of them."""
        d = self.dice
        kind = d.weighted((("pronoun", 2), ("name", 3), ("noun", 5), ("several", 1.6)))
        if kind == "pronoun":
            return self.pronoun(subject)
        if kind == "name":
            node = self.name()
            if d.chance(0.12):
                apposition = noun(d.pick(words.PEOPLE), False)
                apposition.before = [comma(), definite()]
                if d.chance(0.3):
                    apposition.before += self.adjectives(words.PEOPLE)
                apposition.after = [comma()]
                node.after.append(attach(apposition, "appos"))
            return node
        if kind == "noun" or depth:
            return self.noun_phrase(words.PEOPLE, depth)
        return self.several(lambda: self.name() if d.chance(0.5) else self.noun_phrase(words.PEOPLE, 2))

    def several(self, make: Callable[[], Node]) -> Node:
        """Return two to four coordinated phrases, sometimes with a coordination nested in the last one."""
        d = self.dice
        first = make()
        others = [make() for _ in range(d.weighted(((1, 6), (2, 3), (3, 1))))]
        word = d.weighted((("and", 6), ("or", 2), ("as well as", 0.7)))
        if len(others) == 1 and d.chance(0.15) and not first.after:
            others[-1] = self.coordinate(others[-1], [make()], "or" if word == "and" else "and")
        node = self.coordinate(first, others, word)
        if word == "and" and d.chance(0.1):
            node.before.insert(0, function("both", "CCONJ", "CC", "cc:preconj"))
        elif word == "or" and d.chance(0.15):
            node.before.insert(0, function("either", "CCONJ", "CC", "cc:preconj"))
        if d.chance(0.4):
            # A modifier at the end: of the whole coordination, or of the last conjunct only.
            target = node if d.chance(FAR_ATTACHMENT) else others[-1]
            target.after.append(self.prepositional("nmod", 2))
        return node

    def coordinate(self, first: Node, others: Sequence[Node], word: str) -> Node:
        """Return `first` with the others as conjuncts: commas between them, `word` before the last."""
        for number, other in enumerate(others):
            if number < len(others) - 1:
                other.before.insert(0, comma())
            elif word == "as well as":
                other.before.insert(0, expression(word.split(), "cc", "fixed", "ADV", "RB"))
            else:
                other.before.insert(0, function(word, "CCONJ", "CC", "cc"))
                if len(others) > 1 and self.dice.chance(0.5):
                    other.before.insert(0, comma())
            first.after.append(attach(other, "conj"))
        return first

    def prepositional(
        self, deprel: str, depth: int = 1, preposition: str = "", pool: Sequence[str] = words.PLACES
    ) -> Node:
        """Return a noun phrase with one or two case markers, simple, fixed or torn apart."""
        d = self.dice
        if preposition:
            markers = [case(preposition)]
        else:
            kinds = (
                ("loose", 15),
                ("of", 1 if deprel == "nmod" else 0),
                ("fixed", 1.8),
                ("double", 1),
                ("torn", 0.4),
            )
            kind = d.weighted(kinds)
            if kind == "fixed":
                parts, pool = d.pick(words.FIXED_PREPOSITIONS)
                markers = [expression(parts, "case", "fixed", "ADP", "IN")]
            elif kind == "double":
                markers = [case(form) for form in d.pick(words.DOUBLE_PREPOSITIONS)]
            elif kind == "torn":
                parts, pool = d.pick(words.TORN_PREPOSITIONS)
                markers = [expression(parts, "case", "goeswith", "ADP", "IN")]
            elif kind == "of":
                markers, pool = [case("of")], d.pick((words.PLACES, words.PEOPLE))
            else:
                markers, pool = (
                    [case(d.pick(words.LOOSE_PREPOSITIONS))],
                    d.pick(words.NOUNS_IN_PHRASES[deprel]),
                )
        simple = len(markers) == 1 and not markers[0].after
        if pool is words.PLACES and simple and d.chance(0.12):
            phrase = proper(d.pick(words.TOWNS))
        else:
            phrase = self.noun_phrase(pool, depth)
        phrase.before = markers + phrase.before
        return attach(phrase, deprel)

    def adjunct(self) -> Node:
        """Return an adverbial after the verb."""
        d = self.dice
        kind = d.weighted((("place", 6), ("time", 2.5), ("manner", 2), ("pair", 0.6)))
        if kind == "manner":
            return adverb(d.pick(words.MANNER))
        if kind == "time":
            time = noun(d.pick(words.TIMES), False)
            if d.chance(0.4):
                time.before = [function("last", "ADJ", "JJ", "amod", "Degree=Pos")]
                return attach(time, "obl:tmod")
            time.before = [case("in"), definite()]
            return attach(time, "obl")
        first = self.prepositional("obl", 1)
        if kind == "pair" and not first.after:
            return self.coordinate(first, [self.prepositional("obl", 2)], "and")
        return first
