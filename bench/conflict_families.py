"""Families of facts for measuring false alarms: each pours forty facts about forty different things into one mould.

No two facts of a family are about the same thing, so any conflict among them is false. The families of `HELD_OUT` were
not looked at while the rules were written; they are measured on their own.
"""

from __future__ import annotations

import random
from collections.abc import Callable

FACTS = 40
Mould = Callable[[int, random.Random], str]

_NAMES = [
    "Dana",
    "Omar",
    "Lena",
    "Ravi",
    "Mina",
    "Jonas",
    "Sofia",
    "Tariq",
    "Elena",
    "Bruno",
    "Chiara",
    "Dmitri",
    "Esra",
    "Felix",
    "Greta",
    "Hugo",
    "Ines",
    "Jalil",
    "Karin",
    "Luca",
    "Maya",
    "Nils",
    "Olga",
    "Pavel",
    "Quinn",
    "Rosa",
    "Sven",
    "Tess",
    "Uwe",
    "Vera",
    "Wim",
    "Xenia",
    "Yuri",
    "Zoe",
    "Amir",
    "Bea",
    "Carl",
    "Dora",
    "Emil",
    "Fatma",
]
_TOWNS = [
    "Oslo",
    "Lima",
    "Quito",
    "Turin",
    "Ghent",
    "Porto",
    "Basel",
    "Malmo",
    "Split",
    "Bergen",
    "Cork",
    "Lyon",
    "Graz",
    "Brno",
    "Kyoto",
    "Perth",
    "Leeds",
    "Tampa",
    "Sofia",
    "Riga",
    "Bonn",
    "Kiel",
    "Jena",
    "Ulm",
    "Nice",
    "Metz",
    "Bari",
    "Pisa",
    "Gdansk",
    "Lodz",
    "Vaasa",
    "Turku",
    "Aarhus",
    "Odense",
    "Tartu",
    "Kaunas",
    "Cadiz",
    "Vigo",
    "Braga",
    "Faro",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
_COLOURS = ["red", "blue", "green", "yellow", "black", "white"]
_DRUGS = ["ibuprofen", "metformin", "lisinopril", "atorvastatin", "amoxicillin", "omeprazole", "sertraline", "warfarin"]
_REGIONS = ["eu-west-2", "eu-central-1", "us-east-1", "us-west-2", "ap-south-1", "sa-east-1"]
_STATES = ["open", "closed", "blocked", "pending", "approved", "rejected"]


def _name(n: int) -> str:
    return _NAMES[n % FACTS]


def _initial(n: int) -> str:
    return f"Dana {chr(65 + n % 26)}{'.' if n < 26 else chr(65 + n // 26) + '.'}"


FAMILIES: dict[str, Mould] = {
    # logistics
    "order shipped": lambda n, r: f"Order {1003 + n} shipped on {r.choice(_DAYS)}",
    "parcel weight": lambda n, r: f"Parcel P-{200 + n} weighs {r.randint(1, 60)} kg",
    "truck dock": lambda n, r: (
        f"Truck {n + 1} unloads at dock {r.randint(1, 9)} at {r.randint(6, 20)}:{r.choice(('00', '30'))}"
    ),
    "warehouse pallets": lambda n, r: f"The {_TOWNS[n]} warehouse holds {r.randint(100, 9000):,} pallets",
    "container seal": lambda n, r: f"Container MSKU{7000000 + n} carries seal {r.randint(10000, 99999)}",
    "route length": lambda n, r: (
        f"The route from {_TOWNS[n]} to {_TOWNS[(n + 7) % 40]} is {r.randint(50, 900)} km long"
    ),
    "pallet moved": lambda n, r: f"Pallet {300 + n} was moved to aisle {r.randint(1, 30)} yesterday",
    "shipment late": lambda n, r: (
        f"Shipment {9000 + n} is {r.randint(1, 9)} days late because of customs in {r.choice(_TOWNS)}"
    ),
    # finance
    "invoice total": lambda n, r: f"Invoice {8803 + n} comes to {r.randint(50, 900)} euros",
    "account balance": lambda n, r: (
        f"Account DE{44 + n} has a balance of {r.randint(10, 99)},{r.randint(100, 999)} euros"
    ),
    "budget share": lambda n, r: f"Cost centre {100 + n} spends {r.randint(1, 40)}% of its budget on travel",
    "loan rate": lambda n, r: f"Loan L{n:03} runs at {r.randint(1, 9)}.{r.randint(0, 9)}% until {2027 + n % 9}",
    "customer pays": lambda n, r: f"Customer {n + 1} pays {r.randint(10, 90)} euros per month",
    "refund": lambda n, r: f"The refund for ticket {5500 + n} is ${r.randint(5, 400)}",
    "price": lambda n, r: f"Article {7700 + n} costs {r.randint(1, 300)}.99 dollars",
    "paid by": lambda n, r: f"We paid {r.randint(100, 900)} euros for invoice {n + 40}",
    # people
    "joined": lambda n, r: f"{_name(n)} joined the {r.choice(_TOWNS)} office in {r.randint(2011, 2025)}",
    "initials": lambda n, r: f"{_initial(n)} prefers {r.choice(('tea', 'coffee', 'water'))} in meetings",
    "salary band": lambda n, r: f"{_name(n)} is in salary band {r.randint(1, 9)}",
    "desk": lambda n, r: f"{_name(n)} sits at desk {r.randint(1, 400)}",
    "birthday": lambda n, r: f"{_name(n)}'s birthday is on {r.choice(('March', 'June', 'October'))} {r.randint(1, 28)}",
    "manager": lambda n, r: f"The manager of {_name(n)} is {r.choice(_NAMES)}",
    "days off": lambda n, r: f"{_name(n)} has {r.randint(1, 30)} days of leave left",
    "home": lambda n, r: f"{_name(n)} lives in {r.choice(_TOWNS)} now",
    "role": lambda n, r: f"Employee {4100 + n} is {r.choice(('a designer', 'an analyst', 'a manager', 'an engineer'))}",
    # medicine
    "dose": lambda n, r: f"Patient {n + 11} takes {r.choice((5, 10, 20, 40))} mg of {r.choice(_DRUGS)} a day",
    "bed": lambda n, r: (
        f"The patient in bed {n + 1} has a temperature of {r.randint(36, 40)}.{r.randint(0, 9)} degrees"
    ),
    "ward": lambda n, r: f"Ward {n + 1} {r.choice(('accepts', 'does not accept'))} visitors after 18:00",
    "allergy": lambda n, r: f"{_name(n)} is {r.choice(('allergic', 'not allergic'))} to penicillin",
    "appointment": lambda n, r: f"The appointment of patient {n + 70} is on {r.choice(_DAYS)} at {r.randint(8, 17)}:15",
    "blood": lambda n, r: f"Sample {n + 600} shows a potassium of {r.randint(3, 6)}.{r.randint(0, 9)} mmol",
    # devops
    "database moved": lambda n, r: f"The staging database {n + 1} moved to {r.choice(_REGIONS)}",
    "flag": lambda n, r: f"Flag ff_{n} is {r.choice(('enabled', 'disabled'))}",
    "host version": lambda n, r: f"web-{n:02} runs nginx 1.{r.randint(10, 29)}.{r.randint(0, 9)}",
    "service port": lambda n, r: f"Service svc-{n} listens on port {r.randint(1000, 9999)}",
    "release": lambda n, r: f"Release 2.{n}.0 fixes {r.randint(2, 30)} bugs in the parser",
    "error code": lambda n, r: f"Error E{1000 + n} means that the {r.choice(('disk', 'queue', 'cache'))} is full",
    "pod restarts": lambda n, r: f"Pod api-{n} restarted {r.randint(1, 50)} times since midnight",
    "node runs": lambda n, r: f"Node n{n} {r.choice(('runs', 'does not run'))} {r.choice(('Redis', 'Kafka', 'Vault'))}",
    "threshold": lambda n, r: f"Alert {n + 1} fires when the load is {r.choice(('>', '<'))} {r.randint(1, 99)}",
    "two clauses": lambda n, r: (
        f"Pump {n + 1} was inspected, and the second run stalls for about {r.randint(5, 59)} minutes"
    ),
    "offset": lambda n, r: f"The offset of channel {n + 1} is {r.choice(('-', '+'))}{r.randint(1, 9)}",
    # chat
    "hobby": lambda n, r: f"My friend {_name(n)} {r.choice(('loves', 'hates'))} hiking",
    "trip": lambda n, r: f"We went to {_TOWNS[n]} in {r.randint(1999, 2024)} with {r.randint(2, 9)} people",
    "pet": lambda n, r: f"{_name(n)}'s dog is {r.randint(1, 15)} years old",
    "recipe": lambda n, r: f"The soup from {_TOWNS[n]} needs {r.randint(1, 9)} onions",
    "call": lambda n, r: f"The call with {_name(n)} is at {r.randint(8, 18)}:{r.choice(('00', '30'))}",
    # law
    "clause": lambda n, r: f"Clause {n + 1}.2 requires a notice of {r.randint(10, 90)} days",
    "contract": lambda n, r: (
        f"Contract {n + 500} expires on {2025 + n % 5}-{r.randint(1, 12):02}-{r.randint(1, 28):02}"
    ),
    "case": lambda n, r: f"Case 4 C {n + 100}/24 was {r.choice(('won', 'lost'))} in {r.choice(_TOWNS)}",
    "party": lambda n, r: f"{_name(n)} Ltd {r.choice(('signed', 'did not sign'))} the addendum",
    "fine": lambda n, r: f"Violation V-{n} carries a fine of {r.randint(50, 5000)} dollars",
    # games
    "level": lambda n, r: f"Level {n + 1} needs {r.randint(100, 9000)} points",
    "sword": lambda n, r: f"The sword of {_name(n)} deals {r.randint(3, 40)} damage",
    "team": lambda n, r: f"Team {_TOWNS[n]} plays in {r.choice(_COLOURS)}",
    "player": lambda n, r: f"Player {n + 1} scored {r.randint(0, 30)} points in round {r.randint(1, 9)}",
    "quest": lambda n, r: f"Quest q{n} is {r.choice(_STATES)}",
    "card": lambda n, r: f"Card {n + 1} of the deck is {r.choice(_COLOURS)}",
}

HELD_OUT: dict[str, Mould] = {
    "flight gate": lambda n, r: f"Flight LH{400 + n} leaves from gate {r.choice('ABC')}{r.randint(1, 40)}",
    "room": lambda n, r: (
        f"Room {n + 1} on the second floor is {r.choice(('free', 'taken'))} until {r.randint(9, 18)}:00"
    ),
    "batch": lambda n, r: (
        f"Batch {n:04} passed the {r.choice(('drop', 'heat', 'salt'))} test with {r.randint(50, 99)}%"
    ),
    "shift": lambda n, r: f"{_name(n)} has the {r.choice(('early', 'late'))} shift this week",
    "vote": lambda n, r: f"{_TOWNS[n]} voted {r.choice(('for', 'against'))} the motion",
    "meter": lambda n, r: f"Meter {n + 900} reads {r.randint(1000, 99999)} kWh",
    "lease": lambda n, r: (
        f"The lease of flat {n + 1} ends in {r.choice(('May', 'June', 'July'))} {r.randint(2026, 2031)}"
    ),
    "chapter": lambda n, r: f"Chapter {n + 1} has {r.randint(9, 60)} pages",
    "bucket": lambda n, r: f"Bucket logs-{n:02} is {r.choice(('public', 'private'))}",
    "vaccine": lambda n, r: f"{_name(n)} got the second dose on {r.choice(_DAYS)}",
    "switch": lambda n, r: (
        f"Team {n + 1} switched from {r.choice(('Jira', 'Trello'))} to {r.choice(('Linear', 'Asana'))}"
    ),
    "customs": lambda n, r: f"Customs released shipment {4400 + n} after {r.randint(1, 6)} days",
    "dose given": lambda n, r: f"The vet gave {_name(n)} the cat {n + 1} ml of syrup",
    "works again": lambda n, r: f"The radio of {_name(n)} works again since {r.choice(_DAYS)}",
    "orbit": lambda n, r: f"Satellite S{n} is now at {r.randint(400, 900)} km",
}


_SAID = [
    "Ran the {thing} benchmark",
    "Talked to {name} about the {thing}",
    "Had a call with {name}",
    "Deployed the {thing} service",
    "I think the {thing} is slow",
    "We use the {thing} a lot",
    "The {thing} page feels slow",
    "{name} likes the {thing}",
    "The {thing} needs a restart every morning",
    "Our {thing} works again",
    "Not sure about the {thing}",
    "There is a {thing} in the office",
    "Quick note on the {thing}: it works",
    "Still waiting for {name}",
    "So the {thing} was down",
    "Working on the {thing} with {name}",
]
_ADDED = [
    " and the second run stalls for about {n} minutes",
    " and it took {n} minutes",
    " which is {n} percent more than before",
    " but {n} tests still fail",
    " so we wait {n} days",
    ", the rest takes {n} hours",
    ", then it runs for {n} minutes",
    " - {n} rows are missing",
    ". The second run stalls for {n} minutes",
    " and the log shows {n} errors",
    " because the cache holds {n} items",
    " and that costs us {n} euros a week",
]
_THINGS = ("kettle", "mixer", "toaster")


def notes(seed: int) -> list[tuple[str, str]]:
    """Pairs of notes of two clauses: alike but for the figure in the second, whose subject is left open."""
    chance, pairs = random.Random(seed), []
    for said in _SAID:
        for added in _ADDED:
            first = said.format(thing=chance.choice(_THINGS), name=chance.choice(_NAMES))
            one, other = chance.sample(range(2, 99), 2)
            pairs.append((first + added.format(n=one), first + added.format(n=other)))
    return pairs


def facts(family: Mould, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [family(number, chance) for number in range(FACTS)]
