"""Of whom words speak: the speaker, somebody near them, somebody named, or a thing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from vigent.domain.gate.passage import Passage
from vigent.domain.text import fold, words

__all__ = [
    "SELF",
    "is_relational",
    "is_third",
    "names_subject",
    "of_another",
    "speaks_as_self",
    "speaks_of_others",
    "third_party",
    "third_subject",
]

SELF: Final = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|ive|me|my|mine|myself|we|we're|our|us"
    r"|ich|mir|mich|mein\w*|wir|uns|unser\w*"
    r"|je|j'|j|moi|me|m'|mon|ma|mes|nous|notre|nos"
    r"|yo|mí|mi|mis|conmigo|nosotr\w+|nuestr\w+|soy|estoy|tengo|vivo|trabajo|prefiero|quiero"
    r"|necesito|odio|hablo|bebo"
    r"|eu|meu|minha|meus|minhas|mim|comigo|nós|nosso|nossa|sou|estou|tenho|moro|trabalho|prefiro"
    r"|quero|preciso|odeio|falo|gosto"
    r"|io|mio|mia|miei|mie|sono|ho|abito|preferisco|voglio|odio|ik|mij|mijn|wij|onze|ons"
    r"|я|мне|меня|мной|мо(?:й|я|ё|и|его|ей|их|ему)|мы|нам|нас|наш\w*|أنا|نحن|لي|عندي)\b"
    r"|[我咱俺]|私|僕|俺|わたし",
    re.IGNORECASE,
)
"""Words with which a speaker speaks of themselves."""

_KIN: Final = (
    r"wife|husband|partner|spouse|fianc[ée]e?|girlfriend|boyfriend|ex|son|daughter|child|kids?"
    r"|children|baby|mother(?! tongue)|father"
    r"|mom|mum|dad|parents?|brothers?|sisters?|siblings?|friends?|boss|manager|colleagues?"
    r"|coworkers?|co-workers?|neighbou?rs?"
    r"|grandmother|grandfather|grandma|grandpa|grandparents|uncle|aunt|cousins?|nephew|niece"
    r"|roommates?|flatmates?|housemates?"
    r"|team|teammates?|client|customer|landlord|teacher|professor|doctor|dentist|lawyer|therapist"
    r"|assistant|intern|buddy|mate"
    r"|in-laws?|\w+-in-law|step(?:mother|father|mom|dad|son|daughter|brother|sister)|classmates?"
    r"|deskmate|bestie|bff|godson|goddaughter|grandson"
    r"|granddaughter|apprentice|dog|cat|pet|guests?|students?"
)
_KIN_DE: Final = (
    r"frau|mann|partner(?:in)?|freund(?:in|e|innen)?|sohn|tochter|kind(?:er)?|mutter|vater|mama"
    r"|papa|eltern|bruder|schwester"
    r"|geschwister|chef(?:in)?|kolleg(?:e|in|en|innen)|nachbar(?:in|n)?|oma|opa|onkel|tante"
    r"|cousine?|neffe|nichte|mitbewohner(?:in)?"
    r"|kundin|kunde|vermieter(?:in)?|lehrer(?:in)?|arzt|ärztin|zahnarzt|hund|katze"
    r"|schwieger\w+|schwager|schwägerin|mitschüler(?:in)?|kommiliton(?:e|in)|bekannter?"
    r"|enkel(?:in)?"
    r"|azubi|praktikant(?:in)?|team"
)
_KIN_FR: Final = (
    r"femme|mari|compagn(?:e|on)|conjointe?|fils|fille|enfants?|mère|père|maman|papa|parents"
    r"|frère|sœur|soeur|amie?s?|copine|copain"
    r"|chef(?:fe)?|patronn?e?|collègues?|voisine?s?|grand-mère|grand-père|oncle|tante|cousine?"
    r"|neveu|nièce|colocataire|cliente?"
    r"|professeure?|médecin|dentiste|chien|chat|bel(?:le)?-\w+|beau-\w+|coloc|pote|gendre"
    r"|stagiaire|associée?|filleule?|équipe|manager"
)
_KIN_ES: Final = (
    r"esposa|esposo|mujer|marido|parejas?|novi[oa]|hij[oa]s?|madre|padre|mamá|papá|padres"
    r"|herman[oa]s?|amig[oa]s?|jef[ea]"
    r"|compañer[oa]s?|vecin[oa]s?|abuel[oa]s?|tí[oa]s?|prim[oa]s?|sobrin[oa]s?|cliente|casero"
    r"|profesora?|médic[oa]|doctora?|dentista|perr[oa]|gat[oa]|suegr[oa]|cuñad[oa]s?|yerno|nuera"
    r"|niet[oa]s?|soci[oa]|colegas?|equipo"
)
_KIN_PT: Final = (
    r"esposa|esposo|mulher|marido|companheir[oa]|namorad[oa]|filh[oa]s?|mãe|pai|pais|irmãos?"
    r"|irmãs?|amig[oa]s?|chefe|colegas?"
    r"|vizinh[oa]s?|avós?|avô|tios?|tias?|prim[oa]s?|sobrinh[oa]s?|cliente|professora?|médic[oa]"
    r"|dentista|cachorr[oa]|gat[oa]|sogr[oa]|cunhad[oa]s?|genro|nora"
    r"|net[oa]s?|sóci[oa]|equipe|gerente"
)
_KIN_IT: Final = (
    r"moglie|marito|compagn[ao]|fidanzat[ao]|figli[ao]?|bambin[oi]|madre|padre|mamma|papà"
    r"|genitori|fratell[oi]|sorell[ae]|amic[oahi]+"
    r"|capo|collega|colleghi|vicin[oai]|nonn[aoie]|zi[oae]|cugin[oaie]|nipot[ei]|coinquilin[oa]"
    r"|cliente|medico|dentista|cane|gatt[oa]|suocer[oa]"
)
_KIN_NL: Final = (
    r"vrouw|man|partner|vriend(?:in|en|innen)?|zoon|dochter|kind(?:eren)?|moeder|vader|mama|papa"
    r"|ouders|broers?|broer|zus(?:sen|je)?|baas"
    r"|collega'?s?|buur(?:man|vrouw)?|oma|opa|oom|tante|neef|nicht|huisgeno(?:o)?t|klant|arts"
    r"|tandarts|hond|kat|schoon(?:moeder|vader)"
)
_KIN_RU: Final = (
    r"жен[аы]|муж|парень|девушка|сын|дочь|дочка|ребёнок|дети|мать|мама|отец|папа|родители|брат"
    r"|сестра|друг|подруга|друзья|начальни(?:к|ца)|шеф|коллег[аи]|сосед(?:ка|и)?|бабушка|дедушка"
    r"|дядя|тётя|племянни(?:к|ца)|клиент(?:ка)?|врач|учитель(?:ница)?|собака|кошка|кот|тёща"
    r"|свекровь|свёкор|зять|невестка"
)
_KIN_AR: Final = (
    "(?:زوج|زوجت|أخ|أخت|أم|أب|والد|والدت|ابن|ابنت|صديق|صديقت|زميل|زميلت|مدير|مديرت|جار|جارت|عم|خال"
    "|جد|جدت|قط|قطت|كلب)ي"
)
_KIN_ZH: Final = (
    "老婆|老公|妻子|丈夫|太太|先生|女朋友|男朋友|儿子|女儿|孩子|妈妈|爸爸|母亲|父亲|父母|哥哥|弟弟|姐姐|妹妹|朋友|老板|经理|上司|同事|邻居"
    "|宠物|家人|配偶|奶奶|爷爷|外婆|外公|叔叔|阿姨|表哥|表妹|室友|客户|房东|老师|医生|狗|猫"
    "|同桌|同学|闺蜜|哥们|发小|岳父|岳母|公公|婆婆|领导|搭档|徒弟|师父|嫂子|姐夫|妹夫|侄子|侄女|外甥|孙子|孙女|舅舅|姑姑|姨妈|叔|伯"
    "|妈|爸|哥|姐|弟|妹"
)
_OWNER: Final = (
    r"my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr\w+|meus?|minhas?|nossos?|nossas?"
    r"|[ao]s? meus?|[ao]s? minhas?|(?:il |la |i |le )?(?:mi[oa]|mie|miei)|mijn|ons|onze|de mi"
    r"|d'un de mes|einer? meiner|(?:^\W*|\bthat )(?:a|an|one|another|one of my|ein|eine|un|une"
    r"|una|um|uma|een)"
)
_ALL_KIN: Final = f"{_KIN}|{_KIN_DE}|{_KIN_FR}|{_KIN_ES}|{_KIN_PT}|{_KIN_IT}|{_KIN_NL}"
_IS_KIN: Final = re.compile(_ALL_KIN, re.IGNORECASE)
_RELATIVE: Final = re.compile(
    rf"(?<![\w'-])(?:{_OWNER})\s+(?:[\w'-]+\s+){{0,2}}?(?P<kin>{_ALL_KIN})\b(?!-)"
    r"|(?<![\w'-])(?:my|our|mis?|ma|mon|notre|nuestr[oa]|meu|minha|noss[oa]|mi[oa]|mijn)\s+"
    r"(?:(?!(?:chiamo|is|are|was|in|at|on|for|to|of|from|and|with|est|es|era|em|en|à|de|da|do|nel"
    r"|é|è|y|et"
    r"|e)\b)[a-zà-ÿ]+(?:-\w+)?\s+){1,3}"
    r"(?P<called>(?-i:[A-Z][a-zà-ÿ]+))\s+(?-i:[a-z])"
    rf"|(?<!\w)(?:мо[йяёи]|наша?|наши)\s+(?:\w+\s+)?(?P<ru>{_KIN_RU})\b"
    rf"|(?<!\w)(?P<ar>{_KIN_AR})(?!\w)"
    rf"|我们?的?(?P<zh>{_KIN_ZH})"
    "|(?P<ja>母|父|妻|夫|兄|姉|弟|妹|息子|娘|友達|上司|彼氏|彼女|犬|猫)(?:は|が|の)",
    re.IGNORECASE,
)
# Words for a relation in the name of an attribute, or in a text: what it says is of both.
_RELATIONAL: Final = frozenset(
    """family relation relative contact emergency household spouse pets people owner married marital
    partner kids children parents siblings familie kontakt famille familia família mascota animal
    haustier supervisor reports colleague physician vet doctor gp dentist team staff manager boss
    assistant marriage relationship""".split()  # noqa: SIM905
)
_AND_ME: Final = re.compile(
    r"\s*(?:\w+\s+)?(?:and|und|et|y|e|&|en|和)\s*(?:i|me|ich|moi|yo|eu|io|ik|我)\b", re.IGNORECASE
)
_THIRD_ZH: Final = re.compile(
    r"^\W*(?:他|她|他们|她们|老板|经理|客户|同事|(?:小|老"
    r"|阿)[\u4e00-\u9fff]{1,2}(?=[喜讨爱恨不最想要住在吃喝很从只])"
    r"|[\u4e00-\u9fff]{1,3}(?:先生|女士|小姐|老师|同学)(?!我)|(?:彼|彼女|彼ら)[はがの])"
)
_THIRD: Final = re.compile(
    r"^\W*(?:(?:and|but|also|so|now|hey|hi|ok|well|because|since|that|und|aber|et|mais|y|pero|e"
    r"|mas)\s+)*"
    r"(?:he|she|they|он|она|они|هو|هي|هم|er|il|elle|ils|elles|él|ella|ellos|ele|ela|eles|elas"
    r"|(?:the|this|that|der|die|das|le|la|l'|les|el|los|o|a|os|as)\s*"
    r"(?:customer|client|user|manager|boss|patient|caller|author|reader|candidate|employee|team"
    r"|guest|tenant|owner|writer|kids|children|family|guys|girls|boys|neighbou?rs|people|users"
    r"|staff"
    r"|kund(?:e|in)|kinder|leute|familie|nutzer(?:in)?|chef(?:in)?|enfants|gens|niñ[oa]s|chicos"
    r"|(?!assistant\b)(?:\w+ )?(?:guy|woman|man|lady|bloke|dude|typ|kerl|mann|frau|gars|dame|tipo"
    r"|tipa"
    r"|señora?|homem|moç[oa]|senhora?)"
    rf"|(?!assistant|team|equipo|équipe)(?:{_ALL_KIN})"
    r"|gente|crianças|pessoal|clienta?e?|utilisat(?:eur|rice)|usuari[oa]|lecteur"
    r"|lector|leitor|cliente|jefe|chefe))\b"
    r"(?!\s+(?:is|was) (?:me|i)\b)",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"^\W*(?:(?:and|but|also|so|now|hey|because|since|that|und|aber|weil|et|mais|y|pero|e|mas)\s+)*"
    r"(?P<name>(?-i:[A-ZÄÖÜÉÁÍÓÚÇ][\w'-]+(?:\s+[A-ZÄÖÜÉÁÍÓÚÇ][\w'-]+)?))\s+(?:(?:from|at|of|von"
    r"|aus|de|da|do|di|van) [\w-]+\s+|(?:next door|upstairs|downstairs|across the \w+|over there"
    r"|nebenan|d'à côté|de al lado|ao lado)\s+)?(?:(?:also|just|always"
    r"|really|now|only|never|auch|immer|nur|aussi|también|também)\s+)?"
    r"(?:is|was|has|had|lives?|lived|works?|worked|likes|loves|hates|prefers|wants|needs|moved"
    r"|got|speaks|eats|drinks|owns|studies|plays|drives|can't|doesn't|isn't|can|will|turned"
    r"|became|bought|left|joined|started|collects|enjoys|uses|teaches|avoids"
    r"|smokes|sings|rents"
    r"|ist|hat|wohnt|lebt|arbeitet|mag|liebt|hasst|bevorzugt|will|möchte|spricht|isst|trinkt"
    r"|spielt|fährt|zog|heißt"
    r"|est|a(?=\s+\w+é)|habite|vit|travaille|aime|adore|déteste|préfère|veut|parle|mange|boit"
    r"|joue|s'appelle"
    r"|es|está|tiene|vive|trabaja|ama|odia|prefiere|quiere|habla|come|bebe|juega|se"
    r"|é|tem|mora|trabalha|gosta|adora|odeia|prefere|quer|fala|joga"
    r"|vive|abita|lavora|ama|preferisce|vuole|parla|mangia|beve|gioca|woont|werkt|houdt|haat|wil"
    r"|spreekt|eet|drinkt|speelt)\b"
)
_TITLED: Final = re.compile(
    r"^\W*(?:(?:und|and|et|y|e|die|der|the|la|le|el|o|a)\s+)*(?P<name>(?:frau|herr|mr|mrs|ms|miss"
    r"|mme|madame|monsieur|mlle|señora?|sr|sra|don|doña|dona|senhora?|signora?|mevrouw|meneer"
    r"|onkel|tante|oma|opa|uncle|aunt|tía|tío|tia|tio)\.?\s+(?-i:[A-ZÄÖÜ])[\w'-]+)",
    re.IGNORECASE,
)
_POSSESSIVE: Final = re.compile(
    r"^\W*(?P<name>(?!It|That|This|What|Who|Let|Here|There|He|She|Today|Tomorrow|Yesterday"
    r"|One)[A-Z][\w-]+)'s"
    r"\s+(?!been\b|a\b|an\b|the\b|not\b|my\b)"
)
_FIRST_BEING: Final = re.compile(
    r"^\W*(?:(?:and|but|also|so|well|hi|hey|hello|yes|ok|und|et|y|e)[\s,]+)*(?:i'm"
    r"|i am)\s+(?!\w+ing\b)|^\W*(?:i live|i work (?:at|for|as)|my name is)\b"
    r"|^\W*(?:ich bin (?!auf)|ich wohne|ich lebe|ich heiße)|^\W*(?:je suis (?!en train)|j'habite"
    r"|je m'appelle)\b"
    r"|^\W*(?:yo )?(?:soy|vivo en|me llamo)\b|^\W*(?:eu )?(?:sou|moro em|me chamo|chamo-me)\b"
    r"|^\W*我(?:是|住在|叫)",
    re.IGNORECASE,
)


def speaks_as_self(text: str) -> bool:
    """Whether some words have the speaker in them."""
    return SELF.search(text) is not None


def is_relational(names: Iterable[str]) -> bool:
    """Whether the name of an attribute, or a text, is of a relation between two."""
    for name in names:
        plain = re.sub(r"[_\-./:]+|(?<=[a-z])(?=[A-Z])", " ", name).lower()
        if any(w in _RELATIONAL or _IS_KIN.fullmatch(w) for w in re.findall(r"[^\W\d_]+", plain)):
            return True
        if re.search(_KIN_ZH, name):
            return True
    return False


def names_subject(subject: str, text: str) -> bool:
    """Whether a text names a subject: one of the words of its name, longer than a letter."""
    there = set(words(text))
    spaced = re.sub(r"[_\-./:]+|(?<=[a-z])(?=[A-Z])", " ", subject)
    return any(w in there for w in words(spaced) if len(w) > 1 or not w.isascii())


def third_party(passage: Passage) -> str | None:
    """Give the relative or acquaintance that the clause of a quote is of, if it is.

    What the speaker says of themselves before the relation is named is theirs: “I live with my
    brother” is of the speaker.
    """
    match = _RELATIVE.search(passage.clause)
    if match is None:
        lead = _RELATIVE.search(passage.lead)
        if lead is None or speaks_as_self(_after(lead, passage.lead) + " " + passage.quote):
            return None
        return _called(lead)
    if _AND_ME.match(passage.clause, match.end()):
        return None
    before = passage.clause[: match.start()]
    if speaks_as_self(before):
        return None
    after = re.split(r"\b(?:and|so|und|et|y|e)\b", passage.clause[match.end() :], maxsplit=1)
    if len(after) > 1 and re.match(r"\s*(?:i\b|i'm|ich|je|j'|yo|eu)", after[1], re.IGNORECASE):
        stands = passage.clause.find(passage.quote)
        if stands > match.end():
            return None
    return _called(match)


def _called(match: re.Match[str]) -> str:
    return (
        match["kin"] or match["called"] or match["zh"] or match["ja"] or match["ru"] or match["ar"]
    )


def _after(match: re.Match[str], text: str) -> str:
    return text[match.end() :]


def is_third(passage: Passage) -> bool:
    """Whether a clause begins with a third person, or with somebody by their role."""
    return bool(_THIRD.search(passage.clause) or _THIRD_ZH.search(passage.clause))


def third_subject(passage: Passage, selves: frozenset[str], value: str) -> str | None:
    """Give the third person or the name that a clause begins with, if it is of one.

    A name that is the speaker's own, or the value itself (“Faro is home”), is none.
    """
    clause = passage.clause
    if (match := _THIRD.search(clause)) or (match := _THIRD_ZH.search(clause)):
        return match.group().strip()
    match = _NAMED.search(clause) or _TITLED.search(clause) or _POSSESSIVE.search(clause)
    if match is None or speaks_as_self(clause):
        return None
    name = fold(match["name"])
    if any(name in fold(own) or fold(own) in name for own in selves if own):
        return None
    return None if set(words(match["name"])) & set(words(value)) else match["name"]


_OTHERS: Final = re.compile(
    r"\b(?:he|she|they|him|her|his|their|er|sie|ihr\w*|sein\w*|il|elle|ils|elles|lui|leur|sa|son"
    r"|él|ella|ellos|ellas|le|les|su|ele|ela|eles|elas|lui|lei|hij|zij|ze|он|она|они)\b|[他她]",
    re.IGNORECASE,
)


_TOGETHER: Final = re.compile(
    r"\b(?:we|our|us|wir|uns|unser\w*|nous|notre|nos|nosotr[oa]s|nuestr\w+|nós|nosso|nossa|noi"
    r"|nostr\w+|wij|onze|мы|нам|наш\w*)\b|我们|咱们|私たち",
    re.IGNORECASE,
)


def speaks_of_others(text: str) -> bool:
    """Whether some words have a third person in them, or the speaker with others."""
    return _OTHERS.search(text) is not None or _TOGETHER.search(text) is not None


def of_another(clause: str) -> bool:
    """Whether a clause says of its speaker what they are, so that it cannot be of another."""
    return _FIRST_BEING.search(clause) is not None
