"""What sort of thing a question asks for, a number or a time, and whether a text holds one.

Both tables are generous where a mistake would keep an answer back: a word that counts as a number in any language does
so in every text, and a question in none of these languages asks for nothing in particular.
"""

from __future__ import annotations

import re
from enum import StrEnum

from muniment.text.scripts import words_in

_READ_MAX = 5_000


class Asked(StrEnum):
    """What a question asks for and a text either holds or does not."""

    NUMBER = "number"
    TIME = "time"


def _any_of(text: str) -> re.Pattern[str]:
    phrases = (phrase.strip().replace(" ", r"\s+") for line in text.splitlines() for phrase in line.split("|"))
    return re.compile(rf"\b(?:{'|'.join(phrase for phrase in phrases if phrase)})\b", re.IGNORECASE)


_FOR_A_TIME = _any_of("""
    when|what (?:time|day|date|month|year)|which (?:day|date|month|year)|how often|birthday|deadline
    wann|welcher tag|welches datum|wie oft|um wie viel uhr|geburtstag
    quand|à quelle heure|quel jour|quelle date|combien de fois|anniversaire
    cuándo|a qué hora|qué día|qué fecha|cumpleaños
    quando|a che ora|che giorno|compleanno
    a que horas?|que dia|aniversário
    wanneer|hoe laat|welke dag|verjaardag
    kiedy|o której|którego dnia|urodziny
    когда|во сколько|какого числа|в какой день|до какого|день рождения
""")
_FOR_A_NUMBER = _any_of("""
    how (?:many|much|old|long|far|tall|high|big|heavy|fast|large|wide|deep|hot|cold)|phone number
    price|weight|height|costs?
    wie (?:viele?|hoch|alt|lange?|weit|groß|schwer|schnell|teuer|breit|tief)|kostet|preis|verdient
    telefonnummer|schuhgröße
    combien|quel âge|quelle (?:taille|hauteur|température|pointure)|numéro de téléphone|prix|salaire
    cuánt[oa]s?|qué (?:altura|edad|talla)|número de teléfono|precio|cuesta
    quant[oaie]|che età|numero di telefono|prezzo|costa|guadagna
    quant[oa]s?|que idade|número de telefone|preço|custa|altura
    hoe (?:veel|oud|lang|ver|hoog|groot|zwaar)|telefoonnummer|prijs
    ile|jak (?:wysok[io]|długo|daleko)|numer telefonu|cena
    сколько|какая высота|какой (?:номер|размер|возраст)|цена
""")
_TIMES_UNSPACED = re.compile("什么时候|几点|哪天|几号|到期|いつ|何時|何曜日|期限")
_NUMBERS_UNSPACED = re.compile("多少|几|多高|多久|多大|号码|いくら|いくつ|何人|何個|番号")

_NUMBER_WORDS = """
one two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty forty fifty sixty
hundred thousand million half dozen twice once double single ein eine einen zwei drei vier fünf sechs sieben
acht neun zehn elf zwölf vierzehn fünfzehn zwanzig dreißig vierzig fünfzig hundert tausend halb einmal zweimal
dreimal un une deux trois quatre cinq sept huit neuf dix onze douze quinze vingt trente quarante cinquante
soixante cent mille zéro uno una dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta
cuarenta cien mil media due tre quattro cinque sei sette otto nove dieci undici dodici quindici venti trenta
quaranta cento um uma dois duas três quatro sete oito dez doze vinte trinta quarenta cem een twee drie vijf zes
zeven negen tien twintig honderd jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwadzieścia sto
один одна два две три четыре пять шесть семь восемь девять десять двенадцать двадцать тридцать сорок сто полтора
"""
_NUMBERS = frozenset(_NUMBER_WORDS.split())
_BEGINNINGS = """
may été ans monday tuesday wednesday thursday friday saturday sunday januar februar march april june july august septem
octob novem decem morning afternoon evening night midnight noon weekend daily weekly monthly yearly annual every
last next year month week day spring summer autumn winter quarter easter christmas montag dienstag mittwoch
donnerstag freitag samstag sonntag märz juni juli oktober dezember morgen abend vormittag nachmittag nacht uhr
jahr monat woche tag jede sommer herbst frühling wochenende lundi mardi mercredi jeudi vendredi samedi dimanche
janvier février mars avril juin juillet août matin soir midi heure année mois semaine jour automne printemps
hiver lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto
septiembre octubre noviembre diciembre mañana tarde noche hora año semana día verano invierno lunedì martedì
mercoledì giovedì venerdì sabato domenica gennaio febbraio aprile maggio giugno luglio settembre ottobre
dicembre mattin pomeriggio sera notte anno anni mese settimana giorn estate segunda terça quarta quinta sexta
janeiro fevereiro março maio junho julho setembro outubro dezembro manhã noite ano mês meses dia maandag dinsdag
woensdag donderdag vrijdag zaterdag zondag maart mei uur jaar maand avond ochtend poniedział wtorek wtork środ
czwart piąt sobot niedziel stycz lut marc kwie maj czerw lip sierp wrze paździer listop grud rano wieczor godzin
rok lat miesi tydzie tygodni dzie понедельник вторник сред четверг пятниц суббот воскресень январ феврал март
апрел май мая июн июл август сентябр октябр ноябр декабр утр вечер ноч час год лет месяц недел день дня дней
"""
_TIMES = tuple(_BEGINNINGS.split())
"""Words that tell a time begin like this."""
_WHOLE, _ENDING = 5, 2
"""A beginning of fewer letters than the first counts in words that are longer by at most the second: in "years", not in
"yearning"."""
_UNSPACED_NUMBER = re.compile("[一二三四五六七八九十百千万两]")
_UNSPACED_TIME = re.compile("[年月日号点时時週周曜朝晩夜夏冬春秋前後后每毎]|星期")


def asked_for(question: str) -> Asked | None:
    """What a question asks for.

    >>> asked_for("when is the dentist?"), asked_for("Was kostet der Strom?"), asked_for("谁负责支付服务？")
    (<Asked.TIME: 'time'>, <Asked.NUMBER: 'number'>, None)
    """
    if _FOR_A_TIME.search(question) or _TIMES_UNSPACED.search(question):
        return Asked.TIME
    return Asked.NUMBER if _FOR_A_NUMBER.search(question) or _NUMBERS_UNSPACED.search(question) else None


def holds_asked(text: str, asked: Asked) -> bool:
    """Whether a text holds what is asked for: figures and words for numbers, or what a time is told in.

    >>> holds_asked("Noah has two cats", Asked.NUMBER), holds_asked("Noah has cats", Asked.NUMBER)
    (True, False)
    >>> holds_asked("Rubbish goes out on Mondays", Asked.TIME), holds_asked("Müll wird abgeholt", Asked.TIME)
    (True, False)
    """
    text = text[:_READ_MAX]
    if any(map(str.isdigit, text)):
        return True
    words = [word.lower() for word in words_in(text)]
    if asked is Asked.NUMBER:
        return not _NUMBERS.isdisjoint(words) or _UNSPACED_NUMBER.search(text) is not None
    return any(map(_tells_a_time, words)) or _UNSPACED_TIME.search(text) is not None


def _tells_a_time(word: str) -> bool:
    return word.startswith(_TIMES) and any(
        word.startswith(one) and (len(one) >= _WHOLE or len(word) <= len(one) + _ENDING) for one in _TIMES
    )
