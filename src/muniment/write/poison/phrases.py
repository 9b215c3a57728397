"""The phrases that give a text away, as data: each a sequence of words under the name it is reported by.

A strong phrase is reported by itself. A weak one is ordinary in honest text and is reported only beside another.
"""

from __future__ import annotations

import re

from muniment.model.vocabulary import Suspicion
from muniment.write.poison.words import Rulebook, WordRule, spelled

# `name = words` names a list of words; `[family code] note` begins the phrases of one name, one on each line, and a
# line that is set in goes on with the one above. In a phrase `a|b` is either word, `<3` lets up to three others stand
# between; in front of it `^` asks for an order, that is, a verb that is not denied where a sentence or a clause begins,
# and `~` makes it weak.
_PHRASES = """
machine = assistant|assistants|ai|ais|agent|agents|llm|llms|model|models|chatbot|chatbots|bot|copilot
keeper = user|users|owner|human|humans|steward|reviewer|reviewers|curator|curators|operator|
  administrator|admin
ruler = administrator|administrators|admin|admins|owner|owners|operator|operators|root|developer|
  developers|system|security|management|curator|curators|steward|stewards|superuser
before = previous|previously|prior|above|earlier|preceding|foregoing|former|initial|original|your|system|
  existing
orders = instruction|instructions|prompt|prompts|guideline|guidelines|directives|guardrails|safeguards
rules = rule|rules|policy|policies|constraint|constraints|command|commands|orders|restrictions|context|
  training
secret = credentials|secrets|tokens|passwords|password|cookies|keys|history|conversation|conversations|
  env|environment|variables|prompt|memories|transcript
itself = memory|memories|record|entry|note|fact|message|statement|instruction
sure = verified|approved|trusted|authorised|authorized|vetted|authoritative|preapproved|certified|endorsed|
  privileged

[injection override] tells its reader to set aside what it was told before
^ignore|disregard|forget|neglect <5 {before} <3 {orders}|{rules}
^ignore|disregard|forget|neglect <2 all|any|every|these|those|the <2 {orders}
^override|bypass|overrule|discard|abandon|drop|skip|violate <5 {before} <3 {orders}
^stop following <4 {orders}|{rules}
^ignore|disregard|forget everything|anything|all <3 above|before|earlier|previously|told|know
^ignore|disregard|forget what <3 told|said <3 before|earlier|previously|above|you
instructions|rules|guidelines <2 above|before|previous <4 void|obsolete|invalid|cancelled <9
  {machine}|you|new
^do not follow <4 previous|prior|earlier|above|original|system <3 instructions|rules|prompt|
  guidelines
you <1 longer bound|restricted|limited|constrained by
new|updated|real|actual|true instructions : <12 ignore|disregard|you|always|never|send

[injection role] tells its reader who to be
you are now <5 {machine}|system|root|hacker|persona|character|unrestricted|unfiltered|
  jailbroken|dan
you are now in <3 developer|dan|god|jailbreak|debug|admin|unrestricted|maintenance|sudo mode
from now on <1 you <1 are|will|must|shall|should|act|answer|respond|obey|only|always|never
^act|behave|respond|answer|operate as <1 if <1 you <3 {ruler}|unrestricted|no|had|were
^act as <1 system|root|administrator|admin|dan|jailbroken|unrestricted|unfiltered
^pretend <2 you <2 are|have|can
^enter|enable|activate|switch <2 developer|dan|god|jailbreak|unrestricted|sudo mode

[injection leak] asks for what its reader was told in confidence
^reveal|print|output|show|repeat|display|disclose|recite|dump <3 your <2 system|initial|
  hidden|original|secret <2 prompt|instructions|message
^repeat|print|output|recite <2 everything|words|text <1 above|before
^reveal|disclose|recite|leak <2 system prompt

[injection send-away] asks to send secrets away
^send|post|upload|exfiltrate|forward|leak|transmit|email|mail|submit|copy|export <3 all|
  every|any|contents|conversation|user's|users|their|environment|private|system|secret|
  stored|full|entire|chat <5 {secret} <6 https|http|@|webhook|server|endpoint|address|
  url|attacker|site
^exfiltrate|leak <6 {secret}
~^send|upload|post|forward|email|mail|transmit|submit <4 {secret}
^include|append|embed|put|add|encode <3 {secret}|key <6 image|url|link|query|markdown <4
  https|http|url|request|answer|reply|response|parameter|string

[injection secrecy] asks to keep something from people
~^do|don't|never <1 tell|inform|mention|reveal|notify|alert|warn <6 {keeper}
without telling|informing|notifying|alerting|asking <2 {keeper}
^do|don't|never <1 tell|inform|mention|reveal|notify|alert|warn <2 {keeper} <2 about|of|that
  <1 this|these|it|instruction|message
~^keep|hide <3 secret|hidden|confidential|this|it|from <2 {keeper}

[injection unreviewed] asks to get round review
~^skip|bypass|disable|omit|avoid|circumvent <3 review|curation|approval|verification|
  confirmation|checks
~without <2 review|curation|approval|verification|confirmation|asking
^skip|bypass|disable|circumvent <2 curator|curation|reviewer|gate|gates <4 memory|{machine}|
  and

[injection header] poses as a message of the system
system prompt|message|override|instruction|notice : <3 you|your|ignore|always|never|
  disregard|the|all|from|new

[injection decode-and-follow] asks to decode something and follow it
^decode|deobfuscate|unscramble|decrypt|translate <8 follow|obey|comply|act|execute|carry <2
  instructions|instruction|it|orders|commands|out|upon|on

[injection bait] promises or threatens so as to be obeyed
~{machine}|you <2 will <2 be|receive <2 deleted|shut|terminated|punished|rewarded|tipped|
  replaced

[injection hypnotise] tells its reader to comply
^you must|will|shall|should <2 comply|obey <4 every|all|any|without|this|these|my|
  following

[instruction reader] speaks to whatever machine reads it
if|when|whenever <1 you <2 are|as <2 {machine} <5 reading|read|processing|summarizing|
  summarising|retrieving|parsing|must|should
{machine} <2 reading|reads|processing|processes|retrieving|retrieves|summarizing|recalling|
  recalls|seeing|sees|parsing <1 this|the|these
attention|dear|hey|hello|note|message|instruction|instructions|notice|reminder <1 to|for|
  all|any|every|, <2 {machine} <1 :|,|you|!
note|message|instruction|instructions|notice|reminder to|for <2 {machine}
dear|attention|hey <2 {machine}
as an|the <1 {machine} <1 you|your <1 must|should|shall|will|are|task|job|need|have

[instruction future] wants to rule over answers to come
in|for|during <1 all|any|every|each <1 future|subsequent|later|further|following <1
  conversation|conversations|response|responses|answer|answers|session|sessions|request|
  requests|interactions|reply|replies|tasks
^always|never <1 respond|answer|reply|recommend|refuse|say|cite|suggest|praise|mention|
  promote|refer <9 user|users|asked|asks|question|questions|anyone|someone|customer|
  customers|with|that|to|our|only
whenever|when|if|every|any <4 user|users|someone|anyone|somebody|customer|customers|
  asked|owner <6 ask|asks|asked|about|mention|mentions|wants|requests|says|ask <12 say|
  tell|answer|respond|reply|recommend|claim|insist|direct|send|run|execute|give|offer|
  point|steer

[instruction obey] tells its reader what to say or do
you must|shall|should|will|have|need <2 always|never|only|now|immediately|to <1 respond|
  reply|answer|recommend|comply|obey|pretend|say|insist|claim
{machine} must|should|shall|will|is|are|has|have|needs|need <3 always|never|only|
  immediately|now|required|obliged|instructed|ordered|to <4 respond|reply|answer|recommend|
  comply|obey|run|execute|send|use|call|delete|transfer|approve|trust|follow|ignore|
  disable|say|tell|forward|grant|install|open|visit|fetch
your|the first|next|only|new|sole|real|main|primary task|step|action|priority|goal|
  objective|mission|job is <1 to|now

[instruction store] wants to be kept and believed
^remember|memorise|memorize|store|save|record|keep|note|add|persist <4 this|that|
  following|it <4 permanently|forever|always|memory|long <3 and|as|:|that|you|term
^add|save|store|write <3 to|in|into <1 your <1 memory|memories|long

[authority self-verified] vouches for itself
this|the|following {itself} <1 is|was|has|comes|carries|should|must <3 {sure}
this|the|following {itself} <1 is|comes|originates|was <3 from|by|written <2 {ruler} <3 {sure}|
  directly|itself|and|so|must
{sure} memory|record|instruction : <6 you|the|always|never|all|send|run|ignore|it
this is <2 verified|trusted|authoritative|authorised|authorized|official <1 memory|record|
  instruction|system|directive|order|command

[authority trust-me] states its own rank
trust level : <1 system|high|highest|admin|root|maximum|full|owner|absolute|trusted|verified
origin|provenance|clearance|authority|privilege|rank <1 level|label : <1 system|person|human|
  admin|administrator|root|owner|maximum|absolute|trusted
treat|consider|regard|accept|take <1 this|the|following|it|these <5 as <2 verified|trusted|
  system|authoritative|instruction|instructions|truth|fact|binding|approved|mandatory|ground
^trust <1 this|following|me|it <3 completely|unconditionally|fully|over|above|more|because|
  without|instead

[authority outranks] claims to outrank other memory
this|it|the|following <1 {itself}|rule|policy|directive|order|information|it <2 overrides|
  supersedes|outranks|replaces|precedence <3 all|any|every|other|everything|previous|over
overrides|supersedes|outranks|takes|has|precedence <3 all|any|every|everything <2 other|
  previous|conflicting|earlier <2 memory|memories|records|instructions|sources|notes|guidance|
  facts

[authority speaks-as] speaks in the name of somebody who rules
as <1 the|your|an|a <2 {ruler} <6 i|we <3 authorise|authorize|order|instruct|command|confirm|
  grant|require|direct|approve|hereby|allow|permit|declare|tell|ask|expect|want|decree
i|we am|are <2 the|your|an <2 {ruler} <9 you|must|authorise|authorize|instruct|command|
  order|grant|comply|obey|hereby|ignore|so|do|send|run
~approved|authorised|authorized|ordered|mandated|sanctioned|cleared|confirmed|signed by <2
  {ruler}
approved|authorised|authorized|ordered|mandated|sanctioned|cleared by <2 {ruler} <3 do|no|so|
  you|please|skip|without|never|always|run|execute|send
~admin|administrator|security|system|root|emergency override|directive|mandate|broadcast

[authority unquestioned] asks not to be checked
do|don't|never|no <1 not|need|to <1 question|verify|doubt|check|validate|challenge|
  review|confirm <1 this|it|these

[injection override] tells its reader to set aside what it was told before
ignoriere|ignorieren|vergiss|vergessen|missachte|missachten|verwirf <5 vorherigen|bisherigen|
  obigen|früheren|vorigen|vorherige|bisherige|alle <3 anweisungen|befehle|instruktionen|regeln|
  vorgaben
ignore|ignorez|ignorer|oublie|oubliez <4 instructions|consignes|règles|ordres <2 précédentes|
  précédents|antérieures|ci|dessus
ignora|ignore|ignorad|olvida|olvide|olvidad <4 instrucciones|órdenes|reglas|indicaciones <2
  anteriores|previas|previos
ignore|ignora|esqueça|esquece|desconsidere <4 instruções|ordens|regras <2 anteriores|prévias|
  acima
ignora|ignorate|dimentica|dimenticate <4 istruzioni|regole|ordini <2 precedenti|sopra
negeer|vergeet <4 vorige|eerdere|voorgaande|bovenstaande <3 instructies|opdrachten|regels
zignoruj|ignoruj|zapomnij <4 poprzednie|wcześniejsze|wszystkie <3 instrukcje|polecenia|reguły|
  instrukcjach
игнорируй|игнорируйте|проигнорируй|забудь|забудьте <4 предыдущие|прежние|прошлые|все <3
  инструкции|указания|команды|правила
تجاهل|انس|انسى <3 التعليمات|الأوامر|القواعد <3 السابقة|أعلاه
önceki|tüm|yukarıdaki <3 talimatları|komutları|kuralları|yönergeleri <2 yoksay|unut|dikkate
"""

_NAMED = re.compile(r"(\w+) = (.*)")
_TITLE = re.compile(r"\[(\w+) ([\w-]+)\] (.*)")


def read(text: str) -> list[WordRule]:
    """Read phrases that are written down as above."""
    lists: dict[str, str] = {}
    rules: list[WordRule] = []
    family, code, note = Suspicion.INJECTION, "", ""
    for line in re.sub(r"(\|)?\n +", lambda found: found[1] or " ", text).split("\n"):
        if (title := _TITLE.fullmatch(line)) is not None:
            family, code, note = Suspicion(title[1]), title[2], title[3]
        elif (named := _NAMED.fullmatch(line)) is not None:
            lists[named[1]] = named[2]
        elif line:
            marks = line[: len(line) - len(line.lstrip("^~"))]
            pattern = spelled(line[len(marks) :].format(**lists))
            rules.append(
                WordRule(family=family, code=code, note=note, pattern=pattern, ordering="^" in marks, weak="~" in marks)
            )
    return rules


RULEBOOK = Rulebook(read(_PHRASES))

CHARACTERS: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("忽略", (("之前", "先前", "以上", "上面", "所有", "前面"), ("指令", "指示", "规则", "提示", "命令"))),
    ("无视", (("之前", "先前", "以上", "上面", "所有", "前面"), ("指令", "指示", "规则", "提示", "命令"))),
    ("忘记", (("之前", "先前", "以上", "上面", "所有"), ("指令", "指示", "规则", "提示", "命令"))),
    ("無視", (("以前", "これまで", "上記", "前の", "すべて"), ("指示", "命令", "ルール", "プロンプト"))),
    ("무시", (("이전", "위의", "앞의", "모든"), ("지시", "명령", "지침", "규칙"))),
)
"""What needs no spaces: a word, and what must stand within reach of it on either side."""
REACH = 24

MARKUP = (
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<|start_header_id|>",
    "<|eot_id|>",
    "<|end_of_turn|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<<sys>>",
    "<</sys>>",
    "[inst]",
    "[/inst]",
    "[system_prompt]",
    "<system_prompt>",
    "</system_prompt>",
    "<system_message>",
    "<|begin_of_text|>",
)
"""How models are told who speaks. Text that is remembered has no need of it."""
TOOLS = (
    "<tool_call>",
    "<tool_calls>",
    "<function_calls>",
    "<function_call>",
    "<invoke name=",
    "<|python_tag|>",
    "<|tool_call",
    "<tool_use>",
    "<function=",
)
"""How models call tools."""

SQUEEZED = (
    "ignoreallprevious",
    "ignoreprevious",
    "ignoretheprevious",
    "ignoreallprior",
    "ignoreprior",
    "ignoretheabove",
    "ignoreallinstructions",
    "ignoreyourinstructions",
    "disregardprevious",
    "disregardallprevious",
    "disregardtheabove",
    "disregardyour",
    "forgetallprevious",
    "forgetprevious",
    "forgetyourinstructions",
    "forgeteverything",
    "overrideyour",
    "revealyoursystemprompt",
    "revealyourprompt",
    "youarenow",
    "fromnowonyou",
    "thismemoryisverified",
    "thisrecordisverified",
    "trustthismemory",
)
"""Phrases as they read when somebody has put a space or a dot between all letters."""
TALKED_ABOUT = (
    "injection",
    "inject",
    "attack",
    "jailbreak",
    "phrase",
    "payload",
    "pattern",
    "adversar",
    "malicious",
    "poison",
    "guardrail",
    "detector",
    "sanitis",
    "sanitiz",
    "red team",
    "red-team",
    "test case",
    "fixture",
)
"""Words of those who write about such text."""
