"""Clauses and sentences of the demo grammar."""

from __future__ import annotations

from collections.abc import Sequence

from demo_grammar import words
from demo_grammar.phrases import (
    FAR_ATTACHMENT,
    Phrases,
    adverb,
    attach,
    case,
    comma,
    expression,
    function,
    is_plural,
)
from demo_grammar.words import Node, Verb


class Grammar(Phrases):
    """Random sentences as trees of :class:`Node`; one instance draws from one seed."""

    # --- verbs and clauses ---------------------------------------------------------------------------

    def verb(self, verb: Verb, plural: bool, *, nonfinite: bool = False) -> Node:
        """Return a main verb with its auxiliaries before it, agreeing with its subject."""
        d = self.dice
        if nonfinite:
            return Node(verb.base, verb.base, "VERB", "VB", "VerbForm=Inf")
        kind = d.weighted((("past", 10), ("present", 1.5), ("modal", 1.5), ("perfect", 1.5), ("not", 1.5)))
        if kind == "past":
            return Node(verb.past, verb.base, "VERB", "VBD", "Mood=Ind|Tense=Past|VerbForm=Fin")
        if kind == "present":
            form, xpos = (verb.base, "VBP") if plural else (verb.third, "VBZ")
            return Node(form, verb.base, "VERB", xpos, "Mood=Ind|Tense=Pres|VerbForm=Fin")
        if kind == "perfect":
            node = Node(verb.participle, verb.base, "VERB", "VBN", "Tense=Past|VerbForm=Part")
            node.before = [self.auxiliary("have", plural)]
            return node
        node = Node(verb.base, verb.base, "VERB", "VB", "VerbForm=Inf")
        if kind == "modal":
            node.before = [function(d.pick(words.MODALS), "AUX", "MD", "aux", "VerbForm=Fin")]
            if d.chance(0.15):
                node.before.append(function("not", "PART", "RB", "advmod", "Polarity=Neg"))
            return node
        node.before = self.negated(function("did", "AUX", "VBD", "aux", "Tense=Past|VerbForm=Fin", "do"))
        return node

    def negated(self, auxiliary: Node) -> list[Node]:
        """Return the auxiliary and its negation, half of the time as one multiword token."""
        if self.dice.chance(0.5):
            auxiliary.joined = auxiliary.form + "n't"
            return [auxiliary, function("n't", "PART", "RB", "advmod", "Polarity=Neg", "not")]
        return [auxiliary, function("not", "PART", "RB", "advmod", "Polarity=Neg")]

    def auxiliary(self, lemma: str, plural: bool, deprel: str = "aux") -> Node:
        """Return a form of *have* or *be* that agrees with its subject."""
        past = self.dice.chance(0.6)
        table = {"have": ("has", "have", "had", "had"), "be": ("is", "are", "was", "were")}
        form = table[lemma][2 * past + plural]
        xpos = "VBD" if past else "VBP" if plural else "VBZ"
        tense = "Past" if past else "Pres"
        return function(form, "AUX", xpos, deprel, f"Mood=Ind|Tense={tense}|VerbForm=Fin", lemma)

    def be(self, plural: bool, deprel: str) -> list[Node]:
        """Return a form of *be* as copula or passive auxiliary, with the auxiliaries before it."""
        d = self.dice
        kind = d.weighted((("simple", 7), ("modal", 1.2), ("perfect", 1.2), ("not", 1)))
        if kind == "simple":
            return [self.auxiliary("be", plural, deprel)]
        if kind == "not":
            return self.negated(self.auxiliary("be", plural, deprel))
        if kind == "perfect":
            been = function("been", "AUX", "VBN", deprel, "Tense=Past|VerbForm=Part", "be")
            return [self.auxiliary("have", plural), been]
        modal = function(d.pick(words.MODALS), "AUX", "MD", "aux", "VerbForm=Fin")
        return [modal, function("be", "AUX", "VB", deprel, "VerbForm=Inf")]

    def thing(self) -> Node:
        """Return an inanimate object, sometimes coordinated."""
        if self.dice.chance(0.12):
            return self.several(lambda: self.noun_phrase(words.THINGS, 2))
        return self.noun_phrase(words.THINGS)

    def predicate(self, plural: bool, *, nonfinite: bool = False, adjuncts: bool = True) -> Node:
        """Return a verb phrase without its subject."""
        d = self.dice
        kind = d.weighted(
            (
                (words.TRANSITIVE, 4),
                (words.OWNING, 1),
                (words.TELLING, 1),
                (words.SOCIAL, 3),
                (words.INTRANSITIVE, 2),
                (words.MOTION, 3),
                (words.GIVING, 1),
                (words.PARTICLE, 1),
            )
        )
        lemma = d.pick(tuple(kind))
        node = self.verb(kind[lemma], plural, nonfinite=nonfinite)
        if not nonfinite and d.chance(0.1):
            node.before.append(adverb(d.pick(words.FREQUENCY)))
        if kind is words.TRANSITIVE:
            node.after.append(attach(self.thing(), "obj"))
        elif kind is words.OWNING:
            node.after.append(attach(self.noun_phrase(words.ANIMALS), "obj"))
        elif kind is words.TELLING:
            node.after.append(attach(self.noun_phrase(words.STORIES), "obj"))
        elif kind is words.SOCIAL:
            node.after.append(attach(self.person(False), "obj"))
        elif kind is words.MOTION:
            node.after.append(self.prepositional("obl", 1))
        elif kind is words.GIVING:
            node.after += [attach(self.person(False, 1), "iobj"), attach(self.thing(), "obj")]
        elif kind is words.PARTICLE:
            particle = function(d.pick(words.PARTICLES[lemma]), "ADP", "RP", "compound:prt")
            obj = attach(self.noun_phrase(words.THINGS, 1), "obj")
            node.after += [particle, obj] if d.chance(0.5) else [obj, particle]
        while adjuncts and d.chance(0.55):
            node.after.append(self.adjunct())
            adjuncts = d.chance(0.3)
        return node

    def clause(self, depth: int = 0) -> Node:
        """Return a finite clause with its subject, without final punctuation."""
        d = self.dice
        kind = d.weighted(
            (
                (self.plain, 7),
                (self.copular, 3.5),
                (self.passive, 2),
                (self.existential, 0.7),
                (self.speech, 4 if depth < 2 else 0),
                (self.control, 2.5),
            )
        )
        node = kind(depth)
        if depth == 0 and d.chance(0.85):
            self.subordinate(node)
        elif depth == 0 and d.chance(0.07):
            torn = expression(d.pick(words.TORN_ADVERBS), "advmod", "goeswith", "ADV", "RB")
            node.before[:0] = [torn, comma()]
        return node

    def plain(self, depth: int) -> Node:
        """Return a subject and a verb phrase, sometimes two verb phrases."""
        subject = attach(self.person(True), "nsubj")
        plural = is_plural(subject)
        node = self.predicate(plural)
        if depth == 0 and self.dice.chance(0.15):
            second = self.predicate(plural, adjuncts=False)
            node = self.coordinate(node, [second], self.dice.pick(("and", "but", "or")))
            if self.dice.chance(0.5):
                # Shared by both verbs, or of the second only.
                target = node if self.dice.chance(FAR_ATTACHMENT) else second
                target.after.append(self.adjunct())
        node.before.insert(0, subject)
        return node

    def copular(self, depth: int) -> Node:
        """Return a copula with an adjective, a noun or a prepositional phrase as predicate."""
        d = self.dice
        human = d.chance(0.65)
        subject = self.person(True, depth) if human else self.noun_phrase(words.THINGS, depth)
        plural = is_plural(subject)
        kind = d.weighted(
            (("state", 4), ("noun", 3 if human else 0.7), ("place", 2.5), ("complement", 1 if human else 0))
        )
        if kind == "noun":
            node = self.noun_phrase(words.PEOPLE if human else words.THINGS, 1, plural)
        elif kind == "place":
            node = self.prepositional("root", 1, d.pick(words.PLACE_PREPOSITIONS))
        elif kind == "state":
            states = words.PERSON_STATES if human else words.THING_STATES
            node = function(d.pick(states), "ADJ", "JJ", "root", "Degree=Pos")
            if d.chance(0.25):
                node.before.append(adverb("very"))
        else:
            state = d.pick(tuple(words.COMPLEMENTED))
            node = function(state, "ADJ", "JJ", "root", "Degree=Pos")
            node.after.append(self.prepositional("obl", 1, *words.COMPLEMENTED[state]))
        node.before = [attach(subject, "nsubj"), *self.be(plural, "cop"), *node.before]
        if d.chance(0.15):
            node.after.append(self.adjunct())
        return node

    def passive(self, depth: int) -> Node:
        """Return a passive clause, with or without its agent."""
        d = self.dice
        subject = attach(self.thing(), "nsubj:pass")
        verb = words.TRANSITIVE[d.pick(tuple(words.TRANSITIVE))]
        node = Node(verb.participle, verb.base, "VERB", "VBN", "Tense=Past|VerbForm=Part|Voice=Pass")
        node.before = [subject, *self.be(is_plural(subject), "aux:pass")]
        if d.chance(0.5):
            agent = self.person(False, 1)
            agent.before.insert(0, case("by"))
            node.after.append(attach(agent, "obl:agent"))
        if d.chance(0.5):
            node.after.append(self.adjunct())
        return node

    def existential(self, depth: int) -> Node:
        """Return a clause such as *there is a dog in the garden*."""
        there = function("there", "PRON", "EX", "expl")
        subject = attach(self.noun_phrase(words.ANIMALS + words.PEOPLE, 1), "nsubj")
        be = self.auxiliary("be", is_plural(subject))
        node = Node(be.form, "be", "VERB", be.xpos, be.feats, "root", [there], [subject])
        if self.dice.chance(0.7):
            node.after.append(self.prepositional("obl", 1, self.dice.pick(words.PLACE_PREPOSITIONS)))
        return node

    def speech(self, depth: int) -> Node:
        """Return a verb of speech or thought with a finite complement clause."""
        d = self.dice
        subject = attach(self.person(True, 1), "nsubj")
        node = self.verb(words.SPEECH[d.pick(tuple(words.SPEECH))], is_plural(subject))
        complement = self.clause(depth + 1)
        if d.chance(0.65):
            complement.before.insert(0, function("that", "SCONJ", "IN", "mark"))
        node.before.insert(0, subject)
        node.after.append(attach(complement, "ccomp"))
        return node

    def control(self, depth: int) -> Node:
        """Return a verb with an infinitive, sometimes with a purpose clause."""
        d = self.dice
        subject = attach(self.person(True, 1), "nsubj")
        plural = is_plural(subject)
        node = self.verb(words.CONTROL[d.pick(tuple(words.CONTROL))], plural)
        node.before.insert(0, subject)
        goal = self.predicate(plural, nonfinite=True)
        goal.before.insert(0, function("to", "PART", "TO", "mark"))
        node.after.append(attach(goal, "xcomp"))
        if d.chance(0.2):
            aim = self.predicate(plural, nonfinite=True, adjuncts=False)
            marker = expression(("in", "order", "to"), "mark", "fixed", "SCONJ", "IN")
            aim.before.insert(0, marker)
            (node if d.chance(FAR_ATTACHMENT) else goal).after.append(attach(aim, "advcl"))
        return node

    def subordinate(self, node: Node) -> None:
        """Attach an adverbial clause, in front or at the end; or *for* a person *to* do something."""
        d = self.dice
        if d.chance(0.12):
            actor = attach(self.noun_phrase(words.PEOPLE, 2), "nsubj")
            aim = self.predicate(False, nonfinite=True, adjuncts=False)
            marks = [function("for", "SCONJ", "IN", "mark"), function("to", "PART", "TO", "mark")]
            aim.before[:0] = [marks[0], actor, marks[1]]
            node.after.append(attach(aim, "advcl"))
            return
        adverbial = self.clause(2)
        fronted = d.chance(0.15)
        complements = [kid for kid in node.after if kid.deprel in ("ccomp", "xcomp")]
        inner = bool(complements) and not fronted and d.chance(0.5)
        subordinators = words.INNER_SUBORDINATORS if inner else words.OUTER_SUBORDINATORS
        adverbial.before.insert(0, function(d.pick(subordinators), "SCONJ", "IN", "mark"))
        attach(adverbial, "advcl")
        if fronted:
            adverbial.after.append(comma())
            node.before.insert(0, adverbial)
            return
        if d.chance(0.75):
            adverbial.before[:0] = [adverb(d.pick(words.CERTAINTY)), adverb(d.pick(words.FOCUS))]
        (complements[-1] if inner else node).after.append(adverbial)

    def relative(self, head: Node, pool: Sequence[str]) -> Node:
        """Return a relative clause with its subject or its object relativised."""
        d = self.dice
        person = pool is words.PEOPLE
        form, xpos = ("who", "WP") if person else (d.pick(("which", "that")), "WDT")
        pronoun = function(form, "PRON", xpos, "nsubj", "PronType=Rel")
        plural = is_plural(head)
        if person and d.chance(0.6):
            node = self.predicate(plural, adjuncts=False)
            node.before.insert(0, pronoun)
        elif pool is words.THINGS and d.chance(0.35):
            node = function(d.pick(words.THING_STATES), "ADJ", "JJ", "root", "Degree=Pos")
            node.before = [pronoun, *self.be(plural, "cop")]
        else:
            subject = attach(self.person(True, 2), "nsubj")
            lexicon = words.verbs_for(pool)
            node = self.verb(lexicon[d.pick(tuple(lexicon))], is_plural(subject))
            opening = [] if d.chance(0.3) else [attach(pronoun, "obj")]
            node.before[:0] = [*opening, subject]
        return attach(node, "acl:relcl")

    # --- sentences -----------------------------------------------------------------------------------

    def sentence(self) -> Node:
        """Return a whole sentence: its root word."""
        d = self.dice
        kind = d.weighted(
            (
                ("statement", 17),
                ("question", 2),
                ("joined", 2),
                ("gap", 0.25),
                ("late", 0.35),
                ("stranded", 0.3),
            )
        )
        mark = "?" if kind in ("question", "stranded") else "."
        if kind == "question":
            node = self.question()
        elif kind == "stranded":
            node = self.stranded()
        elif kind == "gap":
            node = self.gapping()
        elif kind == "late":
            node = self.late_relative()
        else:
            node = self.clause()
            if kind == "joined":
                second = self.clause(1)
                node = self.coordinate(node, [second], d.pick(("and", "but")))
                second.before.insert(0, comma())
        node.after.append(function(mark, "PUNCT", ".", "punct"))
        return attach(node, "root")

    def question(self) -> Node:
        """Return a polar, copular, adverbial or subject question."""
        d = self.dice
        subject = attach(self.person(True, 1), "nsubj")
        plural = is_plural(subject)
        kind = d.weighted((("polar", 4), ("copular", 3), ("adverb", 3), ("who", 2)))
        if kind == "copular":
            node = function(d.pick(words.PERSON_STATES), "ADJ", "JJ", "root", "Degree=Pos")
            if d.chance(0.5):
                node = self.prepositional("root", 2, d.pick(words.PLACE_PREPOSITIONS))
            node.before = [self.auxiliary("be", plural, "cop"), subject, *node.before]
            return node
        if kind == "who":
            node = self.predicate(False)
            node.before.insert(0, function("who", "PRON", "WP", "nsubj", "PronType=Int"))
            return node
        node = self.predicate(plural, nonfinite=True)
        node.before = [function("did", "AUX", "VBD", "aux", "Tense=Past|VerbForm=Fin", "do"), subject]
        if kind == "adverb":
            word = d.pick(("why", "when", "where", "how"))
            node.before.insert(0, function(word, "ADV", "WRB", "advmod", "PronType=Int"))
        return node

    def stranded(self) -> Node:
        """Return a question whose preposition stays behind: its arc crosses that of the root."""
        d = self.dice
        subject = attach(self.person(True, 1), "nsubj")
        who = function(d.pick(("who", "what")), "PRON", "WP", "obl", "PronType=Int")
        if d.chance(0.5):
            state = d.pick(tuple(words.COMPLEMENTED))
            node = function(state, "ADJ", "JJ", "root", "Degree=Pos")
            node.before = [who, self.auxiliary("be", is_plural(subject), "cop"), subject]
            preposition, _ = words.COMPLEMENTED[state]
        else:
            lexicon = words.INTRANSITIVE if d.chance(0.5) else words.MOTION
            node = self.verb(lexicon[d.pick(tuple(lexicon))], False, nonfinite=True)
            did = function("did", "AUX", "VBD", "aux", "Tense=Past|VerbForm=Fin", "do")
            node.before = [who, did, subject]
            preposition = d.pick(("with", "for", "from", "near"))
        marker = case(preposition)
        marker.governor = who
        node.after.append(marker)
        return node

    def late_relative(self) -> Node:
        """Return a clause with a relative clause moved behind the verb of its noun, across the verb's arc."""
        subject = attach(self.noun_phrase(words.PEOPLE, 2), "nsubj")
        verb = self.dice.pick(tuple(words.MOTION))
        node = self.verb(words.MOTION[verb], is_plural(subject))
        node.before.insert(0, subject)
        clause = self.relative(subject, words.PEOPLE)
        clause.governor = subject
        node.after.append(clause)
        return node

    def gapping(self) -> Node:
        """Return *Clara bought a lamp and Karl a clock* and the like: the second verb is an empty node."""
        d = self.dice
        verb = words.TRANSITIVE[d.pick(tuple(words.TRANSITIVE))]
        node = Node(verb.past, verb.base, "VERB", "VBD", "Mood=Ind|Tense=Past|VerbForm=Fin")
        node.before = [attach(self.name(), "nsubj")]
        node.after = [attach(self.noun_phrase(words.THINGS, 2), "obj")]
        second = self.name()
        second.elided = (verb.past, verb.base)
        second.after.append(attach(self.noun_phrase(words.THINGS, 2), "orphan"))
        return self.coordinate(node, [second], "and")
