"""Whether words that end something bear on what they would end.

A sentence may end one thing and be proposed as the end of another. So what is ended has to be
named: by its value as it stands, by the name of its attribute, or by a word of the same topic.
"""

from __future__ import annotations

import re
from typing import Final

from vigent.domain.gate.case import Case
from vigent.domain.gate.values import alike, is_empty
from vigent.domain.support import denies_past
from vigent.domain.text import words

__all__ = ["bears_on"]

# A topic: the words of attributes that are of it, and the words of talk that are of it.
_TOPICS: Final = tuple(
    (re.compile(rf"\b(?:{names})", re.IGNORECASE), re.compile(said, re.IGNORECASE))
    for names, said in (
        (
            (
                r"employ|job|work|company|role|occupation|profession|position|arbeit|beruf|trabajo"
                r"|emprego|travail|工作|职"
            ),
            (
                r"\b(?:job|work\w*|employ\w*|company|retired?|resign\w*|laid off|fired|arbeit\w*"
                r"|firma"
                r"|kündig\w*|gekündigt|rente|trabaj\w*|empresa|renunci\w*|jubil\w*|trabalh\w*"
                r"|emprego"
                r"|demissão|travaill\w*|boulot|démission\w*|retraite|работ\w*|уволил\w*)\b"
                r"|工作|上班|辞职|离职|退休|أعمل|العمل"
            ),
        ),
        (
            (
                r"city|home|address|residence|location|country|live|town|ort\b|wohn|ciudad|cidade"
                r"|ville"
                r"|住|城市"
            ),
            (
                r"\b(?:liv\w+|moved|moving|home|flat|apartment|wohn\w*|umgezogen|ausgezogen|zog"
                r"|viv\w*"
                r"|mud\w*|mor[oae]\w*|habit\w*|déménag\w*|жив\w*|переехал\w*)\b|住|搬"
            ),
        ),
        (
            r"car|vehicle|bike|commut|transport|auto\b|coche|carro|voiture|车",
            (
                r"\b(?:cars?|bikes?|vehicle|commut\w*|driv\w*|tram|bus|train|auto|wagen|fahr\w*"
                r"|coche"
                r"|carro|moto|voiture|vélo|машин\w*)\b|车"
            ),
        ),
        (
            r"pet|dog|cat|animal|haustier|mascota|宠物",
            (
                r"\b(?:pets?|dogs?|cats?|puppy|beagle|hund\w*|katze\w*|perr[oa]|gat[oa]|chien|chat"
                r"|cachorr[oa]|собак\w*|кошк\w*)\b|狗|猫|宠物"
            ),
        ),
        (
            r"music|band|instrument|song|musik|música|musique|音乐",
            (
                r"\b(?:music|band|guitar\w*|piano|violin|listen\w*|musik|gitarre|klavier|música"
                r"|guitarra"
                r"|musique|guitare|музык\w*|гитар\w*)\b|音乐|吉他|钢琴|听歌"
            ),
        ),
        (
            r"diet|food|drink|coffee|tea|meal|cuisine|alcohol|smok|allerg|ernährung|dieta|饮|食|过敏",
            (
                r"\b(?:eat\w*|food|diet|vegan|vegetarian|drink\w*|coffee|meat|alcohol|smok\w*"
                r"|allerg\w*"
                r"|ess\w*|trink\w*|rauch\w*|kaffee|fleisch|vegetari\w*|com[oe]\w*|beb\w*|fum\w*"
                r"|carne"
                r"|mang\w*|boi[st]|viande)\b|吃|喝|烟|酒|过敏"
            ),
        ),
        (
            r"sport|team|club|gym|fitness|exercise|hobby|课|运动",
            (
                r"\b(?:sport\w*|team|club|gym|squash|tennis|football|soccer|run(?:ning)?|yoga"
                r"|verein\w*"
                r"|gimnasio|equipo|salle|academia|клуб\w*)\b|球|队|运动|健身"
            ),
        ),
        (
            r"partner|spouse|married|relationship|marital|girlfriend|boyfriend|pareja|ehe",
            (
                r"\b(?:single|divorc\w*|split up|broke up|married|separat\w*|getrennt|geschieden"
                r"|pareja"
                r"|soltera?|célibataire|развел\w*)\b|离婚|分手|单身"
            ),
        ),
        (
            r"phone|mobile|contact|number|handy|tel[eé]fon|电话",
            (
                r"\b(?:phone|number|mobile|sim|handy\w*|telefon\w*|teléfono|celular|téléphone)\b"
                r"|电话|手机|号码"
            ),
        ),
        (
            r"language|sprache|idioma|língua|langue|语言",
            (
                r"\b(?:speak\w*|language|learn\w*|sprech\w*|lerne\w*|habl\w*|idioma|fal[ao]\w*"
                r"|parle\w*"
                r"|langue|говор\w*)\b|说|语"
            ),
        ),
    )
)
_POINTING: Final = re.compile(
    r"\b(?:that|it|this|those|them|das|es|damit|dies\w*|ça|cela|en|eso|esto|lo|isso|это)\b|这|那|它",
    re.IGNORECASE,
)


def bears_on(case: Case, said: str) -> bool:
    """Whether words name what a retraction would end; where nothing stands, not something else.

    Who says that what was said was wrong need not say it again.
    """
    name = re.sub(r"[_\-./:]+|(?<=[a-z])(?=[A-Z])", " ", case.nomination.attribute or "")
    there = words(said)
    told = [one.told for one in case.standing if one.told]
    wanted = [w for text in (name, *told) for w in words(text) if not is_empty(w)]
    if not wanted or any(alike(w, t) for w in wanted for t in there if not is_empty(t)):
        return True
    if denies_past(said):
        return True
    mine = [spoken for names, spoken in _TOPICS if names.search(name)]
    if any(spoken.search(said) for spoken in mine):
        return True
    others = any(spoken.search(said) for _, spoken in _TOPICS)
    if told:
        return not others and _POINTING.search(said) is not None
    return not (mine and others)
