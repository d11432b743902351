"""The words of the bundled demo treebank: a small lexicon and the node its grammar builds trees from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Node:
    """A word with the subtrees before and after it; the surface order is that of the lists.

    Attributes:
        before, after: dependents in surface order (also words with another head, see `governor`).
        governor: the head, if it is not the node whose list contains this one.
        glued: no space follows.
        joined: the multiword token in which this word and the next one are written.
        elided: form and lemma of an omitted verb right before this word (gapping), an empty node.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    deprel: str = "dep"
    before: list[Node] = field(default_factory=list)
    after: list[Node] = field(default_factory=list)
    governor: Node | None = None
    glued: bool = False
    joined: str = ""
    elided: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Verb:
    """The five forms of a verb."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str


def _verbs(table: str) -> dict[str, Verb]:
    rows = [line.split() for line in table.strip().splitlines()]
    return {row[0]: Verb(*row) for row in rows}


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PEOPLE = _words(
    "miller teacher baker doctor farmer sailor neighbour mayor girl boy painter singer merchant sister "
    "brother guest fisherman widow carpenter nurse"
)
ANIMALS = _words("dog cat horse fox goat bird cow hare")
THINGS = _words(
    "book lamp letter basket hat key boat picture chair box clock coat map bottle cart ladder violin bell"
)
PLACES = _words(
    "village town market garden mill school harbour forest river church house kitchen bridge station island "
    "hill orchard barn square tower"
)
EVENTS = _words("wedding festival meeting storm journey concert fire lesson harvest dinner")
TIMES = _words("morning evening winter summer week night autumn afternoon")
STORIES = _words("story song plan idea secret rumour poem joke")
PLURALS = {"child": "children", "fisherman": "fishermen", "story": "stories", "fox": "foxes", "box": "boxes"}
PLURALS |= {"harbour": "harbours", "church": "churches", "country": "countries"}

FIRST_NAMES = _words("Clara Karl Anna Peter Ida Oskar Maria Henrik Lena Tomas Julia Emil")
MIDDLE_NAMES = _words("Maria Johann Louise Peter Sophie August")
LAST_NAMES = _words("Holm Berg Lindner Novak Moreau Keller Duval Sand")
TOWNS = _words("Arnsby Lowmere Kestrel Westhaven Oldbridge")

TRANSITIVE = _verbs("""
buy buys bought bought buying
sell sells sold sold selling
find finds found found finding
lose loses lost lost losing
carry carries carried carried carrying
paint paints painted painted painting
repair repairs repaired repaired repairing
steal steals stole stolen stealing
hide hides hid hidden hiding
bring brings brought brought bringing
see sees saw seen seeing
keep keeps kept kept keeping
break breaks broke broken breaking
""")
OWNING = _verbs("""
buy buys bought bought buying
sell sells sold sold selling
find finds found found finding
see sees saw seen seeing
lose loses lost lost losing
feed feeds fed fed feeding
""")
TELLING = _verbs("""
tell tells told told telling
write writes wrote written writing
forget forgets forgot forgotten forgetting
hear hears heard heard hearing
""")
SOCIAL = _verbs("""
meet meets met met meeting
help helps helped helped helping
follow follows followed followed following
invite invites invited invited inviting
visit visits visited visited visiting
watch watches watched watched watching
remember remembers remembered remembered remembering
hear hears heard heard hearing
""")
INTRANSITIVE = _verbs("""
sleep sleeps slept slept sleeping
laugh laughs laughed laughed laughing
sing sings sang sung singing
wait waits waited waited waiting
work works worked worked working
swim swims swam swum swimming
smile smiles smiled smiled smiling
dance dances danced danced dancing
rest rests rested rested resting
""")
MOTION = _verbs("""
go goes went gone going
walk walks walked walked walking
run runs ran run running
travel travels travelled travelled travelling
come comes came come coming
return returns returned returned returning
sail sails sailed sailed sailing
hurry hurries hurried hurried hurrying
""")
GIVING = _verbs("""
give gives gave given giving
show shows showed shown showing
send sends sent sent sending
lend lends lent lent lending
""")
SPEECH = _verbs("""
say says said said saying
think thinks thought thought thinking
know knows knew known knowing
believe believes believed believed believing
hope hopes hoped hoped hoping
""")
CONTROL = _verbs("""
want wants wanted wanted wanting
try tries tried tried trying
decide decides decided decided deciding
begin begins began begun beginning
promise promises promised promised promising
refuse refuses refused refused refusing
""")
PARTICLE = _verbs("""
pick picks picked picked picking
put puts put put putting
take takes took taken taking
give gives gave given giving
""")
PARTICLES = {"pick": ("up",), "put": ("down", "away"), "take": ("away", "out"), "give": ("away", "back")}

PERSON_ADJECTIVES = _words("old young tall quiet happy tired angry famous rich poor strange clever")
THING_ADJECTIVES = _words("old small red green heavy broken beautiful new strange empty wooden")
PLACE_ADJECTIVES = _words("old small quiet new beautiful empty famous strange")
EVENT_ADJECTIVES = _words("long strange famous beautiful terrible quiet")
PERSON_STATES = _words("happy tired angry quiet famous rich poor old late hungry alone")
THING_STATES = _words("old broken heavy new empty red beautiful expensive")
COMPLEMENTED = {
    "afraid": ("of", ANIMALS),
    "proud": ("of", THINGS),
    "ready": ("for", EVENTS),
    "angry": ("about", EVENTS),
    "fond": ("of", PEOPLE),
}
MANNER = _words("slowly quietly suddenly carefully soon together again")
CERTAINTY = _words("perhaps probably surely maybe")
FOCUS = _words("only just even")
FREQUENCY = _words("often never always already still")

PLACE_PREPOSITIONS = _words("in near behind beside at")
# They follow verbs and nouns alike. The noun behind them tells what the phrase modifies.
LOOSE_PREPOSITIONS = _words("with from near behind without for beside")
NOUNS_IN_PHRASES = {"nmod": (PEOPLE, THINGS), "obl": (PLACES, EVENTS)}
FIXED_PREPOSITIONS = (
    (("in", "front", "of"), PLACES),
    (("in", "spite", "of"), EVENTS),
    (("on", "top", "of"), PLACES),
    (("because", "of"), EVENTS),
    (("instead", "of"), PEOPLE),
    (("by", "means", "of"), THINGS),
)
DOUBLE_PREPOSITIONS = (("out", "of"), ("from", "behind"), ("from", "under"), ("up", "to"))
# The conjunction tells which verb its clause modifies: that of the sentence or that of a complement clause.
OUTER_SUBORDINATORS = _words("because if although while")
INNER_SUBORDINATORS = _words("when before after until")
MODALS = _words("will can must should could would may")
# Words that a careless writer has torn apart: their first part has the tag of the whole.
TORN_ADVERBS = (("never", "the", "less"), ("mean", "while"), ("none", "the", "less"))
TORN_PREPOSITIONS = ((("with", "out"), PEOPLE), (("be", "side"), PLACES), (("be", "hind"), PLACES))


def adjectives_for(nouns: Sequence[str]) -> tuple[str, ...]:
    """Return the adjectives that go with the nouns of a list of this module."""
    if nouns is PLACES:
        return PLACE_ADJECTIVES
    if nouns is EVENTS or nouns is STORIES:
        return EVENT_ADJECTIVES
    return THING_ADJECTIVES if nouns is THINGS else PERSON_ADJECTIVES


def verbs_for(nouns: Sequence[str]) -> dict[str, Verb]:
    """Return transitive verbs whose object may be a noun of a list of this module."""
    if nouns is THINGS:
        return TRANSITIVE
    if nouns is ANIMALS:
        return OWNING
    if nouns is STORIES:
        return TELLING
    if nouns is PEOPLE:
        return SOCIAL
    return {name: SOCIAL[name] for name in ("visit", "remember")}
