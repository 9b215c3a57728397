"""Texts from one character to 200,000, in several languages, each with a word that no other text holds."""

from __future__ import annotations

import random
import threading

LONGEST = 200_000
SENTENCES = (
    "We talked about the harbour crane again, and the second shift wants it moved before the spring tide.",
    "Die Prüfung der Pumpe wurde auf Donnerstag verlegt, weil das Ersatzteil noch beim Zoll in Bremen liegt.",
    "会议决定把仓库搬到河的另一边，因为现在的屋顶一下雨就漏水。",
    "Мы договорились, что отчёт о поставках пришлёт Вера, а не склад, и только после проверки весов.",
    "اتفقنا على أن يُنقل الاجتماع إلى يوم الأحد لأن المهندس ما زال في الميناء.",
    "来週の点検は延期になりました。部品が届くまで、古い機械を使い続けます。",
    "La réunion du comité a confirmé que le budget du pont ne bougera pas avant l'automne.",
)


class Speech:
    """An endless supply of texts. The same seed gives the same ones."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._prefix = f"zq{self._random.getrandbits(28):07x}"
        self._count = 0
        self._turn = threading.Lock()

    def say(self) -> tuple[str, str]:
        """A word and a text that holds it. A text of a few characters is the word itself."""
        with self._turn:
            self._count += 1
            word, rng = f"{self._prefix}n{self._count}", self._random
            length = rng.choices((1, 200, 2_300, 20_000, LONGEST), (1, 10, 10, 2, 0.4))[0]
            if length == 1:
                lone = chr(0x4E00 + (self._count + rng.randrange(2_000)) % 20_000)
                return lone, lone
            parts, size = [word], len(word)
            while size < length:
                sentence = rng.choice(SENTENCES)
                parts.append(sentence)
                size += len(parts[-1]) + 1
            place = rng.randrange(len(parts))
            parts[0], parts[place] = parts[place], parts[0]
            return word, " ".join(parts)[: max(length, len(word))] if place == 0 else " ".join(parts)
