"""The words whose meaning a comparison relies on, as tables. Nothing here reads a text.

The tables are English and short on purpose: a word that is missing costs a finding, a word that is wrong costs a false
alarm, and the second is the dearer one.
"""

from __future__ import annotations

from muniment.text.stems import stem


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


STOP = _set(
    "a about above again all also am an and any are as at be because been before being below between both but by "
    "can cannot could did do does doing done during each either else even ever every for from further get gets "
    "getting got had has have having he her here hers him his how however i if in into is it its itself just let "
    "lets may me might mine more most must my neither no nor not of off on once one only onto or other our ours "
    "out over own per please quite rather s same shall she should since so some such t than that the their theirs "
    "them then there these they this those though through thus to too toward under until unto up upon us very via "
    "was we were what when where whether which while who whom whose why will with within without would yes yet "
    "you your yours d ll m re ve im ive id ill dont doesnt didnt isnt arent wasnt werent wont cant couldnt "
    "shouldnt wouldnt havent hasnt hadnt currently really actually basically already still never always now today "
    "gonna kinda kind sort able longer 's 've 'm 're 'll 'd"
)
"""Words that say how, not what."""

LIGHT = _stems(
    "ask come consider feel find give go have help hope keep know like look make mean need plan say see seem show "
    "take tell thing think try understand use want way work sure new good bad great better best lot bit different "
    "specific specifically especially recent recently latest current previous next last number total amount value "
    "figure note remember remind fyi example thank hey hi hello ok okay improve improvement ensure provide "
    "suggest include involve relate project worried excited anxious nervous confused stuck motivated stressed "
    "struggling curious trouble wonder feeling confident proud"
)
"""Words that occur in talk about anything; no two texts speak of the same thing because of them."""

FILLER = _set(
    "please note noted remember reminder remind fyi also just really actually basically indeed kindly important "
    "importantly again so hey hi hello ok okay currently now still already here there that aware mind mentioned"
)
"""Words that can be put in front of a statement or left out of it, and it still says the same."""

TURNING = _set(
    "no not never without neither nor none nothing nobody nowhere cannot hardly barely rarely seldom unless "
    "except if until before after from to only all some every most few many less more fewer least than may might "
    "must should could would or always sometimes often usually maybe perhaps possibly probably over under above "
    "below off out down nicht kein keine nie niemals ne pas jamais rien non nunca jamás nada não nao nem niet "
    "geen ikke inte aldrig nigdy не нет никогда"
)
"""Words that can turn a statement around or narrow it; two echoes have the same ones. Some are of other languages: we
do not understand those, and so must not take their statements for each other."""

NEGATIONS = _set(
    "not never no without neither nor none nobody nothing cannot n't cant dont doesnt didnt isnt arent wasnt "
    "werent wont couldnt shouldnt wouldnt havent hasnt hadnt"
)
IDLE_NEGATIONS = _set("only just sure necessarily merely simply matter doubt problem idea least certain yet")
"""After these a "not" or "no" does not deny what the sentence is about. `no longer` is read as a change of its own."""

CHANGES = _set(
    "now changed change changes updated update updates moved move moves switched switch increased increase "
    "increasing decreased decrease reduced reduce raised raise lowered lower rescheduled reschedule postponed "
    "postpone replaced replace migrated migrate instead anymore renamed rename revised revise adjusted adjust "
    "extended extend grown grew became become reached improved bumped upgraded upgrade downgraded dropped rose "
    "fell expanded corrected correction relocated relocate transferred"
)
CHANGE_PHRASES = ("as of", "no longer", "from now", "used to", "any more", "not anymore")

HYPOTHETIC = _set(
    "if hope hopes wish wishes would aim aims aiming goal wondering thinking considering suppose assume maybe perhaps"
)
"""A clause with one of these speaks of what may be, so it does not deny or confirm what has been."""
INTENTIONS = _set("want wants wanted need needs plan plans planned planning try tries trying like prefer")
"""So does one with these before a "to": who needs four servers states a number, who needs to buy four does not."""

ASKERS = _set("how what why when where who which can could should would do does did is are was were will has have am")
"""Words that begin a question."""

SUBORDINATORS = _set(
    "but because since although though whereas considering given which while so and or how what can could should "
    "would i we they who yet then especially"
)
"""After a comma, these begin another clause."""
FREE_SUBORDINATORS = _set("but because although whereas")
"""These begin another clause even without a comma."""

PRONOUNS = {
    "i": "self", "we": "self", "my": "self", "our": "self", "he": "he", "his": "he", "she": "she", "her": "she",
    "they": "they", "their": "they", "you": "you", "your": "you",
}  # fmt: skip
"""Whom a pronoun stands for; one person and a group of them are told apart too seldom to insist on it."""

BE = _set("is are was were be been being am 's 're became become becomes stays stay remains remain")
AUXILIARY = _set("has have had will would can could may might must shall should do does did 've 'll 'd cannot")
VERBS = _set(
    "accept accepts allow allows belong belongs begin begins blocks boots buy buys call calls contain contains "
    "cost costs default defaults depend depends deploys emits end ends exceeds expire expires expects fail fails "
    "finish finishes get gets give gives goes handles has hold holds host hosts includes keep keeps lack lacks "
    "last lasts lead leads leave leaves like likes list listens live lives manages means meets needs open opens "
    "own owns pay pays prefer prefers produces provides reads receives refuses reject rejects report reports "
    "require requires retains returns run runs sells sends serves ships show shows sit sits sleeps speaks start "
    "starts stay stays store stores supports take takes use uses wants work works write writes went took made "
    "said got kept held left met paid ran sent spent stood told won wrote chose hates loves loads closes close "
    "weighs measures stands happen happens occur occurs"
)
"""Finite forms that are frequent enough to tell where a sentence's subject ends. Words in -ed are taken for one too."""

DOUBTS = _set(
    "worried worry worries afraid fear fears confused unsure wonder wondering doubt think thinks believe believes "
    "guess might could should how whether"
)
"""A clause with one of these tells what somebody feels or asks about a thing, so it does not deny that thing."""

_DOING = "use work try meet take implement write see learn study practice have do handle touch know play deal"
DOING = _stems(_DOING)
"""Verbs so general that having had anything to do with a thing disproves never having done them to it."""

_ALIKE = (
    "attend join participate enroll enrol register take visit | complete finish end | work collaborate cooperate "
    "| implement integrate build add set create | obtain get receive | submit send upload file hand | meet see "
    "talk speak | buy purchase acquire | fix repair resolve solve | deploy release ship launch | begin start | "
    "test try check | own possess | leave quit | move relocate | hire employ recruit | delete remove erase drop"
)
ALIKE = {word: group for group in map(_stems, _ALIKE.split("|")) for word in group}
"""Verbs that report the same deed."""

TIMED = _stems(
    "deadline due schedule meeting appointment session launch release start begin end expire birthday born "
    "founded call interview exam event flight renewal delivery review kickoff demo standup sprint milestone "
    "conference wedding trip party workshop class opening closing target maintenance window migration audit"
)
"""Things that have one time: two times for one of them cannot both be right."""

_OPPOSED = """
enabled disabled deactivated | activated deactivated | on off | up down | true false | open closed | online offline
| allowed forbidden denied prohibited banned blocked | permitted forbidden prohibited | passes fails | passed failed
| required optional | mandatory optional | accepted rejected declined refused | approved rejected denied | increased
decreased | synchronous asynchronous | sync async | monolith microservice microservices | public private | stable
unstable | safe unsafe | secure insecure | valid invalid | active inactive | present absent | full empty | supports
lacks | likes hates dislikes | loves hates | wins loses | success failure | succeeds fails | writable readonly |
manual automatic automated | manually automatically | sequential parallel | hourly daily weekly monthly yearly |
stateful stateless | mutable immutable | legal illegal | possible impossible | started stopped | granted revoked |
visible hidden | locked unlocked | encrypted unencrypted | alive dead | married divorced | hot cold | vegan
carnivore | correct incorrect wrong | complete incomplete | healthy unhealthy | connected disconnected | installed
uninstalled | included excluded | paid unpaid | broken fixed | resolved unresolved | busy idle | green red |
cheap expensive | fast slow | early late | always never | free taken occupied | busy free | first last | left right |
north south | east west | before after
"""


def _opposites() -> dict[str, frozenset[str]]:
    """Each word with those that cannot hold together with it."""
    found: dict[str, set[str]] = {}
    for group in _OPPOSED.replace("\n", " ").split("|"):
        words = _stems(group)
        for word in words:
            found.setdefault(word, set()).update(words - {word})
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES = _opposites()
OPPOSED = frozenset(OPPOSITES)

_TOLD_APART = (
    "free paid premium enterprise | staging production prod test development dev | minimum maximum | min max | "
    "median average p50 p95 p99 | internal external | read write | upload download | request response | primary "
    "secondary replica | inbound outbound | input output | client server | weekday weekend | morning evening | "
    "start end | best worst | frontend backend | buy sell | incoming outgoing | first second third final | old "
    "new | daily weekly monthly"
)
CONTRASTS = {word: group for group in map(_stems, _TOLD_APART.split("|")) for word in group}
"""Words that tell two subjects apart: where one text has one and the other another of its group, they speak of two."""

_SINGLE = """
be be@in be@at be@on be@by be@called be@named live@in live@at located@in located@at based@in based@at stored@in
stored@on hosted@in hosted@on hosted@by hosted@at run@in run@on work@at work@for report@to belong@to owned@by led@by
called named set@to default@to assigned@to born@in founded@in founded@by written@in written@by maintained@by
managed@by reside@in deployed@in deployed@on deployed@to scheduled@for listen@on sit@in kept@in start@at start@on
start@in end@at end@on end@in work@in ship@to depart@from prefer
"""
SINGLE = frozenset("@".join(map(stem, pair.split("@"))) for pair in _SINGLE.split())
"""A verb and its preposition that take one value at a time: who lives in one town does not live in another."""

FUNCTIONAL = _stems(
    "name owner lead leader head capital colour color size address port region zone default status state deadline "
    "date limit version language provider location office headquarters password format timezone currency branch "
    "primary main favourite favorite maintainer contact birthday age price cost level plan theme editor framework "
    "engine database broker queue host domain ceo cto cfo director president manager author sponsor supplier "
    "vendor standard protocol algorithm encoding driver platform model mode"
)
"""Nouns that have one value: "the owner is" can be finished in one way only."""

NUMBER_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
MULTIPLIERS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
SUFFIXES = {"k": 1_000, "bn": 1_000_000_000, "mn": 1_000_000}

_TIME = {
    "ns": 1e-9, "nanosecond": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "microsecond": 1e-6, "ms": 1e-3, "msec": 1e-3,
    "millisecond": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hr": 3600.0,
    "hrs": 3600.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0, "d": 86400.0,
}  # fmt: skip
_SIZE = {
    "byte": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "pb": 1e15, "kib": 1024.0, "mib": 1024.0**2,
    "gib": 1024.0**3, "tib": 1024.0**4, "kilobyte": 1e3, "megabyte": 1e6, "gigabyte": 1e9, "terabyte": 1e12,
}  # fmt: skip
_LENGTH = {"mm": 1e-3, "cm": 1e-2, "metre": 1.0, "meter": 1.0, "km": 1e3, "kilometre": 1e3, "kilometer": 1e3}
_WEIGHT = {"mg": 1e-3, "g": 1.0, "gram": 1.0, "kg": 1e3, "kilogram": 1e3, "kilo": 1e3, "tonne": 1e6}
_ALONE = {
    "month": ("month", 1.0), "year": ("month", 12.0), "yr": ("month", 12.0), "percent": ("%", 1.0), "%": ("%", 1.0),
    "dollar": ("$", 1.0), "usd": ("$", 1.0), "euro": ("€", 1.0), "eur": ("€", 1.0), "pound": ("£", 1.0),
    "gbp": ("£", 1.0), "mile": ("mile", 1.0), "px": ("px", 1.0), "pixel": ("px", 1.0), "degree": ("°", 1.0),
    "°": ("°", 1.0), "°c": ("°", 1.0), "mbps": ("mbps", 1.0), "gbps": ("mbps", 1000.0), "m": ("m", 1.0),
    "x": ("x", 1.0),
}  # fmt: skip
_PLAIN_UNITS: dict[str, tuple[str, float]] = {
    **{word: ("time", factor) for word, factor in _TIME.items()},
    **{word: ("size", factor) for word, factor in _SIZE.items()},
    **{word: ("length", factor) for word, factor in _LENGTH.items()},
    **{word: ("weight", factor) for word, factor in _WEIGHT.items()},
    **_ALONE,
}
UNITS = {stem(word): unit for word, unit in _PLAIN_UNITS.items()}
"""A unit's stem, what it measures, and how many of that measure's own unit it is."""

_PER = {"month": 2_629_746.0, "year": 31_556_952.0}
MEASURES = frozenset(name for name, _ in UNITS.values())
"""What can be measured; any other unit is the noun that a number counts."""

RATES = {stem(word): factor for word, factor in (_TIME | _PER).items()}
"""How many seconds the time after a "per" has."""

MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        ("monday mon mondays", "tuesday tue tuesdays", "wednesday wed wednesdays", "thursday thu thursdays",
         "friday fri fridays", "saturday sat saturdays", "sunday sun sundays"), 1)
    for name in names.split()
}  # fmt: skip

BOUNDS = {
    "about": "about", "around": "about", "approximately": "about", "roughly": "about", "nearly": "about",
    "almost": "about", "circa": "about", "~": "about", "least": "least", "over": "least", "above": "least",
    "minimum": "least", "exceeds": "least", "most": "most", "under": "most", "below": "most", "maximum": "most",
    "within": "most", "between": "range",
}  # fmt: skip

OPERATORS = {
    ">": "greater", "<": "less", ">=": "at-least", "≥": "at-least", "<=": "at-most", "≤": "at-most", "==": "equals",
    "=": "equals", "===": "equals", "!=": "unequal", "!==": "unequal", "≠": "unequal", "<>": "unequal",
}  # fmt: skip
"""Signs of comparison and what they are read as."""
COMPARED = frozenset(OPERATORS.values())

SELF = _set("i we my our me us mine ours myself ourselves im ive")
"""Words by which somebody speaks of themselves or of their own."""
OPEN_SUBJECTS = _set(
    "it this that these those they them he she him her his their its who which what someone somebody something "
    "another other others everybody everyone anyone there here one you your such"
)
"""A statement that begins with one of these says of something that is named elsewhere, or not at all."""
NOISE = (
    _set(
        "the a an also just really actually basically indeed kindly again so hey hi hello ok okay please note noted "
        "currently now still already longer anymore instead today then very quite rather do does did have has had "
        "been being nowadays lately recently meanwhile correction update updated fyi reminder finally only"
    )
    | FILLER
)
"""Words that are passed over when two statements are laid beside each other."""

MARKED = _set(
    "now anymore moved switched changed actually instead turned became becomes since recently lately stopped quit "
    "started cancelled canceled postponed rescheduled replaced migrated renamed dropped correction updated update "
    "ditched left joined relocated swapped finally nowadays promoted retired upgraded downgraded raised lowered "
    "extended reduced increased pushed converted transferred resigned finished discontinued adopted reassigned renewed "
    "rewrote meanwhile began dumped abandoned sold shifted become slipped delayed cut shortened rose fell grew climbed "
    "doubled halved"
) | {
    "no longer", "any more", "as of", "from now on", "used to", "these days", "not after all", "went back", "took over",
    "gave up", "turns out", "turned out", "after all", "got a new", "have a new", "down to", "got engaged",
    "got married", "broke up", "went up to", "went down to", "starting next", "starting this", "effective",
    "with effect from", "changed my mind", "bumped to",
}  # fmt: skip
"""Words and phrases by which somebody says that something is not as it was."""

TOPICS = {
    topic: _stems(words)
    for topic, words in {
        "home": "live lives living lived moved move reside based relocate relocated settled hometown home",
        "work": "work works working job employer employed hired joined company office career resigned",
        "role": "role title position promoted lead manager engineer developer designer analyst intern director",
        "diet": "vegetarian vegan meat fish pescatarian diet eat eats eating omnivore gluten dairy",
        "drink": "coffee tea decaf espresso matcha drink drinks drinking alcohol beer wine",
        "smoke": "smoke smokes smoking smoker cigarettes vape",
        "bond": "single married divorced engaged dating partner wife husband girlfriend boyfriend relationship",
        "age": "age aged turned old birthday",
        "editor": "neovim vim emacs vscode zed editor ide sublime",
        "commute": "commute drive bike cycle cycling bus train tram car",
        "study": "study studies studying major degree university college school semester",
        "sleep": "wake sleep bed asleep",
        "sport": "gym run running swim swimming yoga climbing football tennis training workout",
        "phone": "iphone android phone pixel samsung",
        "system": "linux windows macos mac ubuntu laptop macbook",
        "pet": "dog cat puppy kitten pet",
        "language": "learning learn speak fluent duolingo",
    }.items()
}
"""Sides of a life that have one state at a time, by words that speak of them."""

_VALUES = """
red green blue yellow orange purple black white grey gray pink brown | low medium high critical urgent | daily weekly
monthly hourly yearly quarterly annually biweekly | draft pending approved rejected open closed done blocked shipped
delivered cancelled active inactive paused stopped running failed passed online offline enabled disabled | summer winter
spring autumn | north south east west | breakfast lunch dinner | manual automatic | public private internal | beginner
intermediate advanced | mandatory optional | gold silver bronze platinum | positive negative | remote hybrid
onsite | coffee tea | start end beginning middle | left right | first second third
"""
VALUE_SETS = {
    word: number for number, group in enumerate(map(_stems, _VALUES.replace("\n", " ").split("|"))) for word in group
}
"""Values of which one thing has one at a time, by the set they are of."""

STATES = _set(
    "needs takes costs holds expires closes opens starts ends weighs measures earns charges stays lasts covers caps "
    "allows requires comes totals reads scores ranks departs arrives leaves lands serves uses owns reports lives works "
    "belongs sits points listens returns equals amounts stands prefers wears drinks eats drives speaks studies stores "
    "rotates polls retries serves times handles accepts rejects triggers fires fits contains applies grants bills "
    "live work eat drink smoke commute study drive speak reside sleep wake play plays train trains learn read "
    "consumes produces generates yields supports limits keeps retains sends receives ships"
)
"""Verbs in the present tense, beside those in `VERBS`, that say how something is."""
PREPOSITIONS = _set("in at on by to for from with of under over into onto per via within")
