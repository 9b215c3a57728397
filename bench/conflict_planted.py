"""Planted disagreements of our own making, each told in three styles: what was said, and what is said now.

A pair names one thing and gives two values for it (contradictions), or tells that it is no longer as it was (updates).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

Style = Callable[[str], str]
Pair = tuple[str, str]


def _note(text: str) -> str:
    return text


def _chat(text: str) -> str:
    return f"Hi, {_low(text)}!"


def _ticket(text: str) -> str:
    return f"{text}.\nReported by the service desk."


STYLES: dict[str, Style] = {"note": _note, "chat": _chat, "ticket": _ticket}


def _low(text: str) -> str:
    return text if text.startswith("I ") or text.split(" ")[0].isupper() else text[0].lower() + text[1:]


def told(pairs: tuple[Pair, ...]) -> Iterator[tuple[str, str, str]]:
    """The style, what was said, and what is said now in that style."""
    for name, style in STYLES.items():
        for old, new in pairs:
            yield name, old, style(new)


CONTRADICTIONS: tuple[Pair, ...] = (
    ("The API rate limit is 100 requests per minute", "The API rate limit is 250 requests per minute"),
    ("Sessions expire after 30 minutes", "Sessions expire after 45 minutes"),
    ("The warehouse in Ghent holds 4,500 pallets", "The warehouse in Ghent holds 5,200 pallets"),
    ("Invoice 8803 comes to 123 euros", "Invoice 8803 comes to 321 euros"),
    ("Order 1003 ships on Tuesday", "Order 1003 ships on Friday"),
    ("The renewal deadline is April 28", "The renewal deadline is May 3"),
    ("The retention period is 2 years", "The retention period is 18 months"),
    ("Flag ff_3 is enabled", "Flag ff_3 is disabled"),
    ("Login is enabled on staging", "Login is not enabled on staging"),
    ("The garden gate is locked", "The garden gate is unlocked"),
    ("The office is in Berlin", "The office is in Madrid"),
    ("The owner of the search module is Dana", "The owner of the search module is Omar"),
    ("Patient 12 takes 10 mg of ibuprofen a day", "Patient 12 takes 20 mg of ibuprofen a day"),
    ("Mina is allergic to penicillin", "Mina is not allergic to penicillin"),
    ("Ward 4 accepts visitors after 18:00", "Ward 4 does not accept visitors after 18:00"),
    ("Service auth listens on port 8443", "Service auth listens on port 9443"),
    ("web-07 runs nginx 1.24.0", "web-07 runs nginx 1.25.3"),
    ("The offset of channel 2 is -5", "The offset of channel 2 is 5"),
    ("The valve opens at > 3 bar", "The valve opens at < 3 bar"),
    ("Contract 512 expires on 2027-03-01", "Contract 512 expires on 2027-09-01"),
    ("Clause 4.2 requires a notice of 30 days", "Clause 4.2 requires a notice of 60 days"),
    ("The refund for ticket 5510 is $40", "The refund for ticket 5510 is $400"),
    ("The standup starts at 9:15", "The standup starts at 10:00"),
    ("Customers are billed at the start of the month", "Customers are billed at the end of the month"),
    ("The nightly backup takes 3 hours", "The nightly backup takes 90 minutes"),
    ("The cluster has 12 nodes", "The cluster has 9 nodes"),
    ("The default language of the app is German", "The default language of the app is French"),
    ("The database of the shop is Postgres", "The database of the shop is MySQL"),
    ("Level 7 needs 300 points", "Level 7 needs 500 points"),
    ("The sword of Greta deals 12 damage", "The sword of Greta deals 21 damage"),
    ("Team Turin plays in red", "Team Turin plays in blue"),
    ("Meter 904 reads 1204 kWh", "Meter 904 reads 2104 kWh"),
    ("The lease of flat 3 ends in May 2027", "The lease of flat 3 ends in July 2027"),
    ("Room 12 is free", "Room 12 is taken"),
    ("Bucket logs-03 is public", "Bucket logs-03 is private"),
    ("The deploy window is Friday", "The deploy window is Thursday"),
    ("The capital of the project is 40,000 euros", "The capital of the project is 55,000 euros"),
    ("The meeting with Lena is at 14:00", "The meeting with Lena is at 16:30"),
    ("The max upload size is 5 MB", "The max upload size is 50 MB"),
    ("The premium plan costs $12 per month", "The premium plan costs $19 per month"),
    ("Node n4 runs Redis", "Node n4 does not run Redis"),
    ("The alert fires at 80% load", "The alert fires at 95% load"),
    ("The author of the report is Karin", "The author of the report is Sven"),
    ("The pump in hall 3 is manual", "The pump in hall 3 is automatic"),
    ("Report generation is synchronous", "Report generation is asynchronous"),
    ("The build is green", "The build is red"),
    ("Release 2.14.0 fixes 12 bugs", "Release 2.14.0 fixes 21 bugs"),
    ("Luca's birthday is on March 3", "Luca's birthday is on March 13"),
    ("My dentist appointment is on Monday", "My dentist appointment is on Wednesday"),
    ("Our budget for the party is 300 euros", "Our budget for the party is 450 euros"),
    ("My favourite colour is green", "My favourite colour is orange"),
    ("The parking garage closes at 22:00", "The parking garage closes at 20:00"),
    ("Training is mandatory for new staff", "Training is optional for new staff"),
    ("The contractor speaks Dutch", "The contractor does not speak Dutch"),
    ("The test suite passes on Windows", "The test suite fails on Windows"),
    ("Overtime is paid", "Overtime is unpaid"),
    ("The password minimum is 8 characters", "The password minimum is 12 characters"),
    ("Vouchers are valid for 6 months", "Vouchers are valid for 12 months"),
    ("The queue retries a job 3 times", "The queue retries a job 5 times"),
    ("Backups are encrypted", "Backups are not encrypted"),
)

UPDATES: tuple[Pair, ...] = (
    ("I'm vegetarian", "I am no longer vegetarian, I eat fish now"),
    ("Our team's standup is at 9:15", "Our standup is now at 10:00"),
    ("I live in Hamburg", "I moved to Bremen last week"),
    ("I use Neovim", "I switched from Neovim to Zed"),
    ("My daughter is 7", "My daughter turned 8 yesterday"),
    ("I go to the gym on Mondays and Wednesdays", "I go to the gym only on Wednesdays now"),
    ("The demo is on Friday", "Actually the demo is on Thursday instead"),
    ("The upload limit is 5 GB", "The upload limit is now 10 GB"),
    ("The importer is maintained by the core team", "The importer is no longer maintained"),
    ("I work at Siemens", "I started at Bosch as of this month, I left Siemens"),
    ("I drink two coffees a day", "I stopped drinking coffee"),
    ("I'm single", "I got engaged, so I'm no longer single"),
    ("The staging database is in eu-west-1", "The staging database moved to eu-central-1"),
    ("The release is planned for June 3", "The release was postponed to June 17"),
    ("The on-call lead is Omar", "The on-call lead is now Rosa"),
    ("We deploy on Fridays", "We no longer deploy on Fridays"),
    ("My commute is by car", "I bike to work now instead of taking the car"),
    ("I have an iPhone", "I switched to a Pixel phone recently"),
    ("The price of the basic plan is $9", "The price of the basic plan was raised to $11"),
    ("I study physics", "I switched my major from physics to maths"),
    ("Our office is in Leeds", "Our office relocated to York"),
    ("My car is a Golf", "I sold the car, the Golf is gone"),
    ("Support hours are 9 to 5", "Support hours are extended to 8 pm now"),
    ("The retro takes place on Thursdays", "The retro takes place on Tuesdays from now on"),
    ("I smoke", "I quit smoking in spring"),
    ("The cache lives for 60 seconds", "The cache now lives for 120 seconds"),
    ("I take ibuprofen for my back", "I stopped taking ibuprofen"),
    ("The builds run on Jenkins", "The builds run on Buildkite now"),
    ("My manager is Felix", "My manager is Greta since Monday"),
    ("I run 5 km every morning", "I swim every morning now instead, running hurt my knee"),
    ("The kickoff is at 14:00", "The kickoff has been rescheduled to 16:00"),
    ("The app supports Python 3.9", "The app dropped support for Python 3.9"),
    ("My dog is called Rex and weighs 20 kg", "My dog weighs 23 kg now"),
    ("I prefer dark mode", "I prefer light mode these days"),
    ("The shop opens at 9:00", "The shop opens at 10:00 starting next week"),
    ("The quota is 500 GB per team", "The quota was increased to 800 GB per team"),
    ("I'm learning Spanish", "I gave up Spanish, I'm learning Italian now"),
    ("Our sprint lasts two weeks", "Our sprint lasts three weeks now"),
    ("The contact for billing is Wim", "The contact for billing is no longer Wim"),
    ("I wake up at 6:30", "I wake up at 7:15 now"),
)
