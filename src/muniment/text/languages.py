"""Which language a text in Latin letters is in, and what is put before and after a word where words are inflected.

The tables are short on purpose. They need not know a language, only tell it from others, and say what its writing
joins to a name.
"""

from __future__ import annotations

import re
from itertools import combinations

from muniment.text.scripts import words_in
from muniment.text.stop_words import STOP_WORDS

_READ_MAX = 2_000
_SHORT = 6
_COMMON = {
    "de": "der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war wird werden wurde "
    "wurden hat haben ich du wir ihr sie mit von vom zu zum zur auf für im am bei nach über wo wer wann wie "
    "warum welche welcher welches kein keine sich auch als dass mein meine unser unsere heißt gibt da dort",
    "fr": "le la les un une des du de et ou mais ne pas est sont était être ont je tu il elle nous vous ils elles "
    "avec pour dans sur par ce cette ces mon ma mes son sa ses notre leur au aux en que qui quoi quel quelle "
    "où quand comment pourquoi combien habite été se",
    "es": "el la los las un una unos unas de del y o pero no es son está están fue ser yo tú él ella nosotros con "
    "para en por su sus mi mis al que qué quién cuál dónde cuándo cómo cuánto se lo como más este esta muy "
    "tiene vive",
    "it": "il lo la gli le un uno una di del della dei delle dello e ed ma non è sono era essere io tu lui lei noi "
    "con per nel nella sul sulla da dal dalla che chi cosa dove quando come perché quale quanto si mio mia "
    "suo sua al alla abita ha hanno",
    "pt": "o a os as um uma de do da dos das e ou mas não é são está foi ser eu tu ele ela nós com para em no na "
    "nos nas por pelo pela seu sua meu minha que quem qual onde quando como quanto se ao mais tem mora",
    "nl": "de het een en of maar niet is zijn was waren wordt worden heeft hebben ik jij hij zij wij met van voor "
    "op in aan bij naar over waar wie wanneer hoe waarom welke geen ook dat die dit mijn onze er woont",
    "sv": "en ett och eller men inte är var blir har jag du han hon vi de med av för på i till från om som den det "
    "att när hur vem varför vilken min vår sin bor",
    "da": "en et og eller men ikke er var bliver har jeg du han hun vi de med af for på i til fra om som den det at "
    "hvor hvornår hvordan hvem hvorfor hvilken min vores sin bor",
    "no": "en ei et og eller men ikke er var blir har jeg du han hun vi de med av for på i til fra om som den det "
    "at hvor når hvordan hvem hvorfor hvilken min vår sin bor",
    "fi": "ja tai mutta ei on ovat oli olla minä sinä hän me te he se ne tämä joka mikä mitä missä milloin miten "
    "kuka miksi kun että niin kanssa minun meidän asuu",
    "hu": "a az egy és vagy de nem van vannak volt lesz én te ő mi ti ők hogy ez azt ezt hol mikor hogyan ki miért "
    "melyik meg el is lakik",
    "ro": "un o și sau dar nu este sunt era fi eu tu el ea noi cu pentru în pe la din de că ce cine unde când cum "
    "care al lui mai se are",
    "tr": "bir ve veya ama değil var yok ben sen o biz siz onlar ile için bu şu ne kim nerede nasıl neden hangi mi "
    "mı mu mü da de olarak çok oturuyor",
    "pl": "i lub ale nie jest są był była będzie ja ty on ona my z ze dla w we na do od po przez co kto gdzie kiedy "
    "jak dlaczego który się to ten ta mieszka",
    "cs": "a nebo ale ne není je jsou byl byla bude já ty on ona my s se pro v ve na do od po přes co kdo kde kdy "
    "jak proč který to ten ta bydlí",
    "vi": "là và của có không được cho với trong ở tại này đó khi nào ai gì đâu như thế những các một người tôi anh "
    "chị sống",
}
COMMON = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_LIVING = "habite vive abita mora woont bor asuu lakik oturuyor mieszka bydlí sống"
SILENT = {language: words - frozenset(_LIVING.split()) for language, words in COMMON.items()}
"""Words that a question is not searched by. "Lives" tells a language, and what is asked for as well."""
_LETTERS_OF = {
    "de": "äöüß", "fr": "éèêëàâçœîïôû", "es": "ñáéíóú¿¡", "it": "àèéìòù", "pt": "ãõçáâêéíóú", "sv": "åäö", "da": "æøå",
    "no": "æøå", "fi": "äö", "hu": "őűáéíóúöü", "ro": "ăâîșțşţ", "tr": "ğışçöü", "pl": "ąćęłńóśźż",
    "cs": "ěščřžýáíéůúťďň",
    "vi": "đơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
}  # fmt: skip
_LETTERS = {language: frozenset(letters) for language, letters in _LETTERS_OF.items()}
_SPEAK = {
    word: tuple(one for one, common in {**COMMON, "en": STOP_WORDS}.items() if word in common)
    for word in STOP_WORDS.union(*COMMON.values())
}
"""For each common word the languages it is one of."""
_UNASCII = re.compile(r"[^\x00-\x7f]")


def language_of(text: str) -> str | None:
    """The language of a text in Latin letters, by its commonest words and by its letters; None where neither tells.

    >>> [language_of(text) for text in ("Die Rechnungen sind bezahlt", "The bills are paid", "Las facturas de mayo")]
    ['de', 'en', 'es']
    >>> language_of("Müßiggänger"), language_of("deploy v2")
    ('de', None)
    """
    small = text[:_READ_MAX].lower()
    words = words_in(small)
    told: dict[str, float] = {}
    for word in words:
        for language in _SPEAK.get(word, ()):
            told[language] = told.get(language, 0) + (1 if len(word) > 1 else 0.25)
    strange = () if small.isascii() else set(_UNASCII.findall(small))
    for language, letters in _LETTERS.items() if strange else ():
        told[language] = told.get(language, 0) + 0.5 * len(letters.intersection(strange))
    best = max(("en", *COMMON), key=lambda language: told.get(language, 0))  # of equals the first
    if not told or best == "en":
        return "en" if told else None
    return best if told[best] >= (1 if len(words) <= _SHORT or strange else 2) else None


_ASKING = (
    "什么时候 什么 哪里 哪儿 哪个 哪些 怎么样 怎么 为什么 多少 几个 谁 吗 呢 的 了 是 在 和 与 及 我们 "
    "你们 他们 她们 我 你 他 她 它 这个 那个 どうですか ですか でしょうか ました ますか ません でした "
    "です ます どこ いつ だれ なに なぜ どう から まで より という について は が を に で と の も か へ "
    "や ね よ 何 誰 ที่ไหน อยู่ไหน อยู่ที่ไหน อยู่ที่ อะไร เมื่อไหร่ เมื่อไร ใคร ทำไม อย่างไร ยังไง "
    "เท่าไร เท่าไหร่ อยู่ ที่ ของ คือ และ ครับ ค่ะ คะ ไหม"
)
_SILENT = re.compile("|".join(sorted(map(re.escape, _ASKING.split()), key=len, reverse=True)))
"""What only asks or connects where nothing stands between words. It is cut out of questions and never out of texts."""


def telling_parts(run: str) -> list[str]:
    """What is left of a run without spaces when the words that only ask or connect are cut out of it.

    >>> telling_parts("สำรองข้อมูลอยู่ที่ไหน")
    ['สำรองข้อมูล']
    """
    return [part for part in _SILENT.split(run) if part]


_JOSA = (
    "은 는 이 가 을 를 의 에 와 과 도 만 로 으로 에서 에게 에게서 한테 한테서 께 께서 까지 부터 처럼 보다 "
    "마다 조차 밖에 이나 나 이랑 랑 하고 라고 이라고 라는 이라는 이며 이고 이다 입니다 이에요 예요 이었다 "
    "였다 이란 란 씨 씨는 씨가 씨의 씨를 씨에게 님 님은 님이 님의 님을 님께 에는 에도 에서는 에서도 "
    "에게는 으로는 로는 와는 과는 까지는 부터는 들 들은 들이 들을 들의"
)
PARTICLES = tuple(sorted(_JOSA.split(), key=len, reverse=True))
"""What Korean joins to a word."""
ARABIC_CLITICS = ("وال", "فال", "بال", "كال", "لل", "ال", "و", "ف", "ب", "ك", "ل", "س")
_HEBREW_LETTERS = "והבכלמש"
HEBREW_CLITICS = tuple(_HEBREW_LETTERS) + tuple(
    one + other for one, other in combinations("ושכמלבה", 2)
)  # as they follow each other in writing
_CLITIC_LEFT = 2


def without_particles(word: str) -> tuple[str, ...]:
    """What a Korean word may be without the particles at its end.

    >>> without_particles("김철수는"), without_particles("서버")
    (('김철수',), ())
    """
    return tuple(word[: -len(end)] for end in PARTICLES if word.endswith(end) and len(word) > len(end))


def without_clitics(word: str, clitics: tuple[str, ...]) -> tuple[str, ...]:
    """What an Arabic or Hebrew word may be without what is joined before it.

    >>> without_clitics("والكتاب", ARABIC_CLITICS), without_clitics("לירושלים", HEBREW_CLITICS)
    (('كتاب', 'الكتاب'), ('ירושלים',))
    """
    return tuple(word[len(one) :] for one in clitics if word.startswith(one) and len(word) - len(one) > _CLITIC_LEFT)
