"""The console at 100,000 records, as a person waits for it: first paint, and each step until the page has settled.

`muniment serve` runs in a process of its own, a real browser beside it on the same machine. A step is timed inside the
page, from the deed to the frame after nothing on it is busy any more.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page
from tests.browser.chromium import MISSING, installed, launched

from bench.report import Row, publish
from bench.serve_load import Server, served
from bench.texts import Texts
from muniment import Memory
from muniment.model.claim import Claim
from muniment.model.claim_options import make_claim

SEED = 20_261_117
BATCH = 1_000
RECEIPTS = 500
WAITING = 2_000
"""How many proposals wait in the queue of a full run; a short one has fewer."""
PAINT_MS, STEP_MS = 500.0, 100.0
WAIT_MS = 30_000
_SETTLED = """
([deed, argument]) => new Promise((done) => {
  const deeds = {
    go: (hash) => { location.hash = hash; },
    more: () => document.querySelector("main [data-part=more], main .paged .foot button").click(),
    ask: (text) => {
      const boxes = "input[type=search], textarea, input[type=text]";
      const box = document.querySelector("main form").querySelector(boxes);
      box.value = text;
      box.dispatchEvent(new Event("input", { bubbles: true }));
      box.form.requestSubmit();
    },
  };
  const rows = () => document.querySelectorAll("main li").length;
  const before = rows();
  const began = performance.now();
  const over = () => {
    if (document.querySelector("[aria-busy=true], main .waiting")) return false;
    if (deed === "go") return document.querySelector("main").dataset.place === argument.slice(1).split("?")[0];
    return deed !== "more" || rows() > before;
  };
  const look = () => (over() ? requestAnimationFrame(() => done(performance.now() - began)) : setTimeout(look, 1));
  deeds[deed](argument);
  setTimeout(look, 0);
})
"""
_PAINT = """
() => new Promise((done) => {
  const seen = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  const look = () => (seen() === undefined ? setTimeout(look, 5) : done(seen()));
  look();
})
"""


class Bench:
    """The steps of the bench, and what they took."""

    def __init__(self, server: Server, browser: Browser, rounds: int, size: int) -> None:
        self._url = f"http://{server.host}:{server.port}/"
        self._browser = browser
        self._rounds = rounds
        self._size = size
        self._texts = Texts(SEED + 1)
        self.rows: list[Row] = []
        self.details: dict[str, list[float]] = {}

    def paint(self) -> None:
        """How long until something is to be seen: by who comes for the first time, and by who comes again."""
        first, again = list[float](), list[float]()
        for _ in range(self._rounds):
            with self._page() as page:
                first.append(page.evaluate(_PAINT))
                page.reload()
                again.append(page.evaluate(_PAINT))
        self._told("first contentful paint, first visit", first, PAINT_MS)
        self._told("first contentful paint, again", again, PAINT_MS)

    def steps(self, records: list[str]) -> None:
        """Every place, one page further, a record, a question."""
        with self._page() as page:
            for name, place in (("overview", "#/"), ("queue", "#/queue"), ("search", "#/search")):
                self._told(f"open {name}", self._round(page, place), STEP_MS)
            for name in ("conflicts", "receipts", "ledger", "forget"):
                self._told(f"open {name}", self._round(page, f"#/{name}"), STEP_MS)
            self._told("queue: the next page", [self._next(page) for _ in range(self._rounds)], STEP_MS)
            opened = [self._step(page, "go", f"#/records/{record}") for record in records[: self._rounds]]
            self._told("open a record", opened, STEP_MS)
            self._step(page, "go", "#/search")
            asked = [self._step(page, "ask", self._texts.question()) for _ in range(self._rounds)]
            self._told("ask a question", asked, STEP_MS)

    @contextmanager
    def _page(self) -> Iterator[Page]:
        context = self._browser.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(WAIT_MS)
        page = context.new_page()
        try:
            page.goto(self._url)
            page.wait_for_function("() => document.querySelector('main[data-place]:not([aria-busy=true])')")
            yield page
        finally:
            context.close()

    def _round(self, page: Page, place: str) -> list[float]:
        """The same place several times, each time from the page that says there is none."""
        took = []
        for _ in range(self._rounds + 1):
            self._step(page, "go", "#/nowhere")
            took.append(self._step(page, "go", place))
        return took[1:]

    def _next(self, page: Page) -> float:
        self._step(page, "go", "#/nowhere")
        self._step(page, "go", "#/queue")
        return self._step(page, "more")

    def _step(self, page: Page, deed: str, argument: str = "") -> float:
        took: float = page.evaluate(_SETTLED, [deed, argument])
        return took

    def _told(self, name: str, took: list[float], bound: float) -> None:
        ordered = sorted(took)
        title = f"{name}, {self._size:,} records"
        self.details[name] = took
        self.rows += [
            Row(f"{title}: p50", ordered[len(ordered) // 2], "ms", floor=bound, most=True),
            Row(f"{title}: p95", ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], "ms"),
        ]
        print(f"  {name}: {ordered[len(ordered) // 2]:.0f} ms", flush=True)


def fill(vault: Path, size: int, waiting: int) -> None:
    """Make a vault of so many records, with proposals that wait, receipts and a few disputes."""
    texts = Texts(SEED)
    with Memory.open(vault, embedder=None) as memory:
        agent = memory.as_actor("bench")
        for first in range(0, size, BATCH):
            numbers = range(first, min(first + BATCH, size))
            agent.propose([_claim(agent, texts, number) for number in numbers])
        for first in range(0, waiting, BATCH):
            count = min(BATCH, waiting - first)
            agent.propose([_claim(agent, texts, number, kind="decision") for number in range(count)])
        for number in range(20):
            for limit in (100, 200):
                agent.remember(f"The rate limit of gate {number} is {limit} requests per minute", confidence=0.8)
        for _ in range(RECEIPTS):
            agent.recall(texts.question(), limit=5)


def some_of(vault: Path) -> list[str]:
    """The ids of a few records, from all over the vault."""
    texts = Texts(SEED + 2)
    with Memory.open(vault, embedder=None, create=False) as memory:
        found = [told for _ in range(40) for told in memory.recall(texts.question(), limit=1).records]
    return [told.record.id for told in found]


def _claim(agent: Memory, texts: Texts, number: int, *, kind: str = "observation") -> Claim:
    space = f"/bench/{number % 40}"
    return make_claim(
        texts.sentence(),
        agent.actor,
        {"kind": kind, "confidence": 0.8, "evidence": [f"ticket:{number}"], "namespace": space},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a look in about half a minute, at 5,000 records")
    parser.add_argument("--size", type=int, help="how many records; 100,000 unless said")
    parser.add_argument("--folder", type=Path, help="where the vault goes, or is from a former run; kept afterwards")
    said = parser.parse_args()
    size = said.size or (5_000 if said.short else 100_000)
    path = installed()
    if path is None:
        raise SystemExit(MISSING)
    folder = said.folder or Path(tempfile.mkdtemp(prefix="muniment-console-"))
    try:
        if not (folder / "vault").exists():
            print(f"writing {size:,} records …", flush=True)
            fill(folder / "vault", size, min(WAITING, size // 10))
        records = some_of(folder / "vault")
        with served(folder / "vault", embedder="none") as server, launched(path) as browser:
            bench = Bench(server, browser, rounds=5 if said.short else 20, size=size)
            bench.paint()
            bench.steps(records)
    finally:
        if said.folder is None:
            shutil.rmtree(folder)
    publish("console", bench.rows, seed=SEED, details=bench.details)


if __name__ == "__main__":
    main()
