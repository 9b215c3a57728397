"""What people say to each other about their work, made from templates in several languages, and how to ask for it."""

from __future__ import annotations

import random
from dataclasses import dataclass

NAMES = (
    "Marta",
    "Jonas",
    "Priya",
    "Tomas",
    "Ingrid",
    "Kwame",
    "Leila",
    "Oskar",
    "Yuki",
    "Dmitri",
    "Amara",
    "Felix",
    "Noor",
    "Pavel",
    "Selin",
    "Henrik",
    "Rosa",
    "Anselm",
    "Ottilie",
    "Bruno",
    "Farida",
    "Gustav",
    "Hanako",
    "Ivo",
    "Jelena",
    "Karim",
    "Lucia",
    "Mirela",
    "Nils",
    "Olga",
)
PLACES = (
    "Aldermoor",
    "Brixwell",
    "Castelnova",
    "Dunharrow",
    "Eastmere",
    "Fernhill",
    "Grimsvik",
    "Hollowbrook",
    "Ilmarshed",
    "Juniperton",
    "Kestrelby",
    "Lindfirth",
    "Marrowdale",
    "Northsedge",
    "Ostervale",
    "Pinecrest",
    "Quillford",
    "Ravensworth",
    "Saltmarsh",
    "Thornbury",
)
SPOKEN = (
    # what is said, and a question that asks for it in other words; only English has the second
    (
        "{name}: the heating at {place} broke down overnight and all the seedlings froze. {slip}",
        "which young plants died of the cold in {place}?",
    ),
    (
        "{name} here. My car would not start in {place}, so I took the early train instead. {slip}",
        "whose automobile had a problem at {place}?",
    ),
    (
        "Quick note from {name}: we moved the payroll run at {place} to Friday because the bank is shut. {slip}",
        "when do employees in {place} get their wages?",
    ),
    (
        "{name} says the doctor at {place} told him to rest for two weeks after the fall. {slip}",
        "what did the physician in {place} recommend?",
    ),
    ("{name}: Die Heizung in {place} ist ausgefallen, der Techniker kommt erst am Montag. {slip}", ""),
    ("{name} hat den Vertrag mit {place} unterschrieben, die Rechnung folgt im März. {slip}", ""),
    ("{name}说{place}的仓库漏水了，货物要在周五之前搬走。{slip}", ""),
    ("{name}: отчёт по складу {place} готов, но три позиции не сходятся. {slip}", ""),
    ("{name}: الاجتماع في {place} تأجل إلى يوم الأحد لأن المدير مسافر. {slip}", ""),
    ("{name}さんから連絡です。{place}の点検は来週に延期になりました。{slip}", ""),
    ("{name} confirme que la livraison de {place} arrivera jeudi, sans les pièces de rechange. {slip}", ""),
    ("{name}: el puente de {place} sigue cerrado, hay que ir por la carretera del norte. {slip}", ""),
)
CHATTER = (
    "Right, and what about the other one we spoke of last week?",
    "I asked them twice. Nobody wrote back, which is not like them at all.",
    "Ich melde mich, sobald ich etwas höre; bis dahin bleibt alles beim Alten.",
    "好的，我明天再确认一下时间。",
    "Хорошо, тогда договорились, созвонимся после обеда.",
    "تمام، سأرسل التفاصيل بعد الظهر.",
    "承知しました。また明日ご連絡します。",
)


@dataclass(frozen=True, slots=True)
class Said:
    """A text, the slip number that no other text holds, and the questions it answers. `mark` is in the text and in no
    question, so that receipts of questions do not hold it."""

    text: str
    slip: str
    mark: str
    question: str
    other_words: str


class Talk:
    """An endless conversation. The same seed gives the same one."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._prefix = f"{self._random.getrandbits(32):08x}"
        self._count = 0

    def say(self, more: int | None = None) -> Said:
        """A message, with so many answers to it, or with a few most of the time."""
        rng = self._random
        self._count += 1
        slip = f"slip{self._prefix}x{self._count}e"
        mark = f"mark{self._prefix}y{self._count}e"  # ends with a letter: no mark is the beginning of another
        template, other = rng.choice(SPOKEN)
        filling = {"name": rng.choice(NAMES), "place": rng.choice(PLACES), "slip": f"{slip} {mark}"}
        lines = [template.format(**filling)]
        if more is None:
            more = rng.choices((0, 2, 8, 40), (6, 6, 3, 0.3))[0]
        lines += [f"{rng.choice(NAMES)}: {rng.choice(CHATTER)}" for _ in range(more)]
        place = rng.randrange(len(lines))
        lines[0], lines[place] = lines[place], lines[0]
        question = f"what did {filling['name']} say about {filling['place']} in {slip}?"
        return Said("\n".join(lines), slip, mark, question, other.format(**filling))
