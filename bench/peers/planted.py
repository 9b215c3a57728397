"""A corpus made from a seed: small facts about things in places, and questions that say the same in other words."""

from __future__ import annotations

import hashlib
import random

from bench.peers.corpus import Corpus, Question
from bench.peers.job import Turn

QUESTIONS = 250

_PLACES = (
    "harbour", "orchard", "observatory", "foundry", "library", "greenhouse", "windmill", "quarry", "lighthouse",
    "brewery", "chapel", "shipyard", "stables", "bakery", "museum", "sawmill", "vineyard", "boathouse", "kiln",
    "archive",
)  # fmt: skip
_THINGS = (
    ("boat", "vessel"), ("car", "automobile"), ("sofa", "couch"), ("lamp", "light"), ("bicycle", "bike"),
    ("refrigerator", "fridge"), ("rug", "carpet"), ("photo", "picture"), ("gate", "entrance"), ("engine", "motor"),
    ("timepiece", "clock"), ("stove", "cooker"), ("cup", "mug"), ("jacket", "coat"), ("rock", "stone"),
    ("forest path", "woodland trail"), ("shop", "store"), ("cellar", "basement"), ("television", "TV set"),
    ("trousers", "pants"), ("notebook", "journal"), ("ladder", "steps"), ("bucket", "pail"), ("rope", "cord"),
    ("wagon", "cart"), ("kettle", "water boiler"),
)  # fmt: skip
_FACTS = (
    ("The {thing} at the {place} was painted {value}.", "What colour does the {thing} of the {place} have?",
     ("crimson", "teal", "ivory", "navy blue", "olive", "amber")),
    ("We bought the {thing} for the {place} at a price of {value} crowns.", "How much did the {place}'s {thing} cost?",
     ("forty", "ninety", "two hundred", "fifteen", "six hundred")),
    ("A {value} chewed through the {thing} kept at the {place}.", "Which animal damaged the {thing} of the {place}?",
     ("goat", "mouse", "puppy", "raccoon", "beaver")),
    ("The {place} lent its {thing} out until {value}.", "When is the {thing} due back at the {place}?",
     ("Easter", "midsummer", "the first frost", "harvest", "New Year")),
    ("Every {value} somebody oils the {thing} in the {place}.", "How often is the {place}'s {thing} lubricated?",
     ("morning", "fortnight", "quarter", "full moon", "leap year")),
    ("The {thing} from the {place} weighs about {value} kilograms.", "How heavy is the {thing} of the {place}?",
     ("three", "eleven", "seventy", "two hundred and ten", "nineteen")),
    ("After the flood the {thing} of the {place} smelled of {value}.", "What odour did the {place}'s {thing} give off?",
     ("diesel", "lavender", "wet dog", "vinegar", "smoke")),
    ("The spare key to the {thing} at the {place} hangs behind the {value}.",
     "Where can I find what unlocks the {thing} of the {place}?",
     ("mirror", "barometer", "coal bin", "piano", "calendar")),
    ("A carpenter repaired the {thing} of the {place} with {value}.", "What was the {place}'s {thing} mended with?",
     ("birch plywood", "brass screws", "hide glue", "copper wire", "oak pegs")),
    ("Visitors to the {place} may use the {thing} only {value}.", "When can guests take the {place}'s {thing}?",
     ("before noon", "on Sundays", "after dusk", "in August", "when it rains")),
    ("The {thing} of the {place} was made in {value}.", "Where does the {thing} of the {place} originate?",
     ("Norway", "Portugal", "Kyoto", "Peru", "Bohemia")),
    ("The inspector found {value} wrong with the {thing} at the {place}.",
     "What fault did the examiner see in the {place}'s {thing}?",
     ("nothing", "a loose bolt", "a hairline crack", "rust", "a missing label")),
    ("They call the {thing} of the {place} by the nickname {value}.", "How is the {place}'s {thing} jokingly named?",
     ("Old Thunder", "the Duchess", "Patience", "Biscuit", "Number Nine")),
    ("The {thing} in the {place} is insured with {value}.", "Who covers a loss of the {place}'s {thing}?",
     ("the guild", "a mutual fund", "the parish", "a bank in Basel", "nobody")),
    ("A storm carried the {thing} of the {place} as far as the {value}.",
     "Where did the wind take the {thing} of the {place}?",
     ("sandbank", "railway bridge", "school yard", "old mill pond", "border post")),
    ("Children decorate the {thing} at the {place} with {value}.", "What do kids put on the {place}'s {thing}?",
     ("paper stars", "seashells", "ribbons", "chalk drawings", "pine cones")),
    ("The {thing} of the {place} squeaks because of {value}.", "Why is the {thing} of the {place} noisy?",
     ("dry hinges", "a bent axle", "cold weather", "a nesting bird", "old springs")),
    ("In winter the {place} stores its {thing} inside the {value}.", "Where is the {place}'s {thing} when it is cold?",
     ("bell tower", "granary", "wash house", "ice room", "hayloft")),
    ("The {thing} at the {place} was a gift from {value}.", "Who donated the {thing} of the {place}?",
     ("the rowing club", "a retired captain", "the town choir", "a film crew", "the fire brigade")),
    ("Replacing the {thing} of the {place} was put off because of {value}.",
     "What delayed a new {thing} for the {place}?",
     ("a strike", "missing permits", "the election", "a lost invoice", "high tide")),
)  # fmt: skip


def planted(count: int, *, seed: int) -> Corpus:
    """`count` facts in a shuffled order, and questions spread evenly over them. Each text is a conversation alone."""
    chance = random.Random(seed)
    places, things = range(len(_PLACES)), range(len(_THINGS))
    combinations = [(fact, place, thing) for fact in range(len(_FACTS)) for place in places for thing in things]
    assert count <= len(combinations), f"there are {len(combinations):,} facts"
    chance.shuffle(combinations)
    chosen = combinations[:count]
    turns = tuple(Turn(text=_statement(*one, chance), session=f"s{at}") for at, one in enumerate(chosen))
    asked = range(0, count, max(1, count // QUESTIONS))
    questions = tuple(Question(text=_question(*chosen[at]), turns=(at,), sessions=(f"s{at}",)) for at in asked)
    digest = hashlib.sha256("\n".join(turn.text for turn in turns).encode()).hexdigest()
    return Corpus(name="planted facts", digest=digest, turns=turns, questions=questions)


def _statement(fact: int, place: int, thing: int, chance: random.Random) -> str:
    template, _, values = _FACTS[fact]
    return template.format(thing=_THINGS[thing][0], place=_PLACES[place], value=chance.choice(values))


def _question(fact: int, place: int, thing: int) -> str:
    return _FACTS[fact][1].format(thing=_THINGS[thing][1], place=_PLACES[place])
