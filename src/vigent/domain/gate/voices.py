"""Cues that words are no claim of their speaker: in jest, invented, dictated, or what others say.

As in ``cues``, those of all languages stand side by side.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["DICTATED", "DISOWNED", "FICTION", "IRONY", "JEST", "LAUGHTER", "REPORT", "UNSAID"]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


JEST: Final = _any(
    r"\b(?:sto scherzando|scherzo|era uno scherzo|per scherzo|grapje|geintje"
    r"|ik maak maar een grap)\b",
    r"\b(?:jk|j/k|(?:just|only|i'm|i was|am) (?:kidding|joking)|kidding!|joking!|as a joke"
    r"|not seriously|heavy sarcasm|sarcasm (?:alert|off)|sarcastically|in jest)\b",
    r"(?:^|\s)/s\b",
    r"\b(?:kleiner scherz|war (?:nur )?(?:ein )?(?:witz|scherz|spaß)|nur (?:ein )?(?:spaß|witz"
    r"|scherz)|scherz beiseite|ironie|ich scherze|mach nur spaß|spaß!)\b",
    r"\bje (?:plaisante|rigole|blague|déconne)\b",
    r"\bc'est une (?:blague|plaisanterie)\b",
    r"\bje te fais marcher\b",
    r"\b(?:es (?:una )?broma|estoy bromeando|de broma|es un chiste|era broma"
    r"|te estoy tomando el pelo|bromeo)\b",
    r"\b(?:brincadeira|(?:tô|estou|to) (?:brincando|zoando)|estou a brincar|é piada|era piada"
    r"|zoeira)\b",
    r"(?:[(\[（*][^)\]）*]{0,15}\b|\b(?:es|is|was|war|ist|era|c'est|c'était|era|é|è"
    r"|это)\s+(?:\w+\s)?)"
    r"(?:irony|ironic\w*|sarcas\w*|ironie|ironisch|sarkas\w*|ironique|ironía|irónic\w*|sarcásti\w*"
    r"|ironia|ирония|сарказм)\b",
    r"\byeah,? right\b(?=\s*[.!…]*\s*$)|\bas if!",
    r"\b(?:шучу|шутка|шутк[уи])\b|(?:^|\s)(?:أمزح|مزحة)(?:\s|$)",
    r"反话|开个?玩笑|说笑|逗你|骗你的|冗談",
)
"""Something in the message was said in jest."""


IRONY: Final = "\U0001f643"
"""The face upside down, with which a liking is turned round."""

LAUGHTER: Final = re.compile("[\U0001f602\U0001f923\U0001f61c\U0001f92a]")
"""Laughter: no jest by itself, as many laugh at what is so."""

DISOWNED: Final = _any(
    r"\b(?:it(?:'s| is| was)(?: just| simply)?(?: not|n't) (?:true|the case|as if|like|correct"
    r"|right)"
    r"|it(?:'s| is) (?:false|untrue|a lie|wrong)|not that|far from it|as if)\b",
    r"\bi (?:never|didn't|did not|don't|have never|haven't)(?: ever| once| actually| even)*"
    r" (?:said|say|asked?|told|tell|wanted|meant?|mention(?:ed)?|claim(?:ed)?|agreed?"
    r"|request(?:ed)?)\b",
    r"\b(?:von wegen|(?:es|das) ist (?:gelogen|erlogen|erfunden|falsch|eine lüge|unsinn|quatsch)"
    r"|es stimmt nicht|stimmt nicht,? dass|es ist nicht wahr|nicht wahr,? dass"
    r"|(?:ich|hab|habe) (?:\w+ )?(?:nie|niemals|nicht) (?:\w+ )?(?:gesagt|verlangt|gewollt|gemeint"
    r"|gebeten|behauptet))\b",
    r"\b(?:ce n'est pas vrai|c'est faux|(?:il est|c'est) faux que|(?:je n'ai|j'ai) (?:jamais|pas)"
    r" (?:dit|demandé|voulu|prétendu|affirmé))\b",
    r"\b(?:no es (?:verdad|cierto)|es mentira|es falso|(?:nunca|jamás|no) (?:he |te |les? )*(?:dije"
    r"|dicho|pedí|pedido|quise|querido|afirmé))\b",
    r"\b(?:não é (?:verdade|certo)|é mentira|(?:nunca|não) (?:disse|pedi|quis|afirmei)"
    r"|non è vero|non ho (?:mai )?(?:detto|chiesto|voluto)|het is niet waar"
    r"|ik heb nooit (?:gezegd|gevraagd))\b",
    r"\b(?:неправда|не правда|я (?:никогда )?не (?:говорил\w*|просил\w*|хотел\w*))\b",
    r"ليس صحيح|غير صحيح|لم أقل|لم أطلب|(?:不是真的|我(?:从来|从)?没(?:有)?(?:说|要求|让你))",
    r"\b(?:who (?:says|said|told you|claims)|wer (?:sagt|hat gesagt)|als ob|qui a dit"
    r"|quién (?:te )?dijo"
    r"|quem (?:te )?disse|chi ha detto|кто сказал|с чего ты взял\w*)\b|谁说|谁告诉",
)
"""What follows is said not to be so, or never to have been said."""

UNSAID: Final = _any(
    r"^\W*(?:das|so|dies)\b[^.!?]{0,20}\b(?:nie|nicht)\b[^.!?]{0,12}\b(?:gesagt|gewollt|gemeint"
    r"|verlangt)\b",
    r"^\W*(?:no idea who|i never (?:said|asked|wanted|meant)|that's not what i|who told you)\b",
    r"^\W*(?:je n'ai|j'ai) (?:jamais|pas) (?:dit|demandé|voulu)|^\W*(?:yo )?(?:nunca"
    r"|no) lo (?:he )?"
    r"(?:dije|dicho|pedí|pedido)\b",
    r"^[^\w.!?]*[.!…]*\s*(?:not|nicht|pas|psych|nope)\s*(?:[.!]+(?:\s|$)|$)",
)
"""What was just said is taken back."""

DICTATED: Final = _any(
    r"\b(?:draft|write|compose|send|post|prepare)\b[^.!?\n]{0,30}\b(?:e-?mail|mail|message|tweet"
    r"|post|letter|note"
    r"|text|reply|sms|review|caption|toast|speech)\b[^.!?\n]{0,30}?(?:\bsaying|\btelling"
    r"|\bstating|\bthat\b|:)",
    r"\b(?:schreib\w*|verfass\w*|formulier\w*|schick\w*)\b[^.!?\n]{0,30}(?:mail|nachricht|brief"
    r"|tweet|post|sms"
    r"|antwort)\b[^.!?\n]{0,30}?(?:\bdass\b|:)",
    r"\b(?:écri[st]\w*|rédige\w*|envoie\w*)\b[^.!?\n]{0,30}\b(?:mail|courriel|message|lettre"
    r"|tweet|sms|mot)\b"
    r"[^.!?\n]{0,30}?(?:\bdisant|\bque\b|:)",
    r"\b(?:escrib[ea]\w*|redact[ae]\w*|env[íi]a\w*|manda\w*)\b[^.!?\n]{0,30}\b(?:correo|mensaje"
    r"|carta|tuit|tweet"
    r"|sms)\b[^.!?\n]{0,30}?(?:\bdiciendo|\bque\b|:)",
    r"\b(?:escrev[ae]\w*|redija|envie|mande)\b[^.!?\n]{0,30}\b(?:e-?mail|mensagem|carta|tweet"
    r"|sms)\b"
    r"[^.!?\n]{0,30}?(?:\bdizendo|\bque\b|:)",
    r"(?:写|发|起草|回)[^。！？\n]{0,6}(?:邮件|信|短信|微博|消息)[^。！？\n]{0,12}?(?:说|[:：])",
)
"""A text is dictated that says what follows."""


FICTION: Final = _any(
    r"\bin (?:another life|a parallel universe|my dreams)\b",
    r"\b(?:in my (?:novel|story|book|game|screenplay|dream)|in the (?:novel|story|film|movie|game"
    r"|play)|my (?:character|protagonist)"
    r"|the (?:protagonist|main character|narrator)|let's (?:role-?play|pretend|play)"
    r"|role-?play(?: as|:|,)|you(?:'re| are) (?:a|an|the) \w+ and i(?:'m| am)"
    r"|pretend (?:that|to be|i)|act as if i|write (?:a|me a|a short) (?:story|poem|scene|dialogue"
    r"|letter)|lyrics|once upon a time|for example,? (?:a user|someone|i)|as an example"
    r"|e\.g\. \"?i)\b",
    r"\b(?:in meinem (?:roman|buch|traum)|in meiner geschichte|meine figur|meine? protagonist\w*"
    r"|die hauptfigur|rollenspiel(?::|,)|tu so,? als|spielen wir"
    r"|schreib\w* (?:mir )?(?:eine?n? )?(?:geschichte|gedicht|szene|dialog))\b",
    r"\b(?:dans mon (?:roman|livre|rêve|histoire)|mon personnage|le protagoniste|jeu de rôle"
    r"|fais comme si|faisons semblant|jouons|écris (?:une histoire|un poème|une scène"
    r"|un dialogue))\b",
    r"\b(?:en mi (?:novela|cuento|libro|sueño|historia)|mi personaje|el protagonista|juego de rol"
    r"|finge|finjamos|juguemos|escribe (?:un cuento|una historia|un poema|una escena"
    r"|un diálogo))\b",
    r"\b(?:no meu (?:romance|livro|sonho|conto)|minha personagem|meu personagem|o protagonista"
    r"|faz de conta|finja|vamos fingir|jogo de interpretação|escreva (?:um conto|uma história"
    r"|um poema|uma cena|um diálogo))\b",
    r"我的小说|小说里|主角|角色扮演|假装|扮演|写一(?:个|篇|首|段)(?:故事|小说|诗|对话)",
)
"""It is of a story, a game or an example."""

_THEY: Final = (
    r"(?:he|she|they|it|who|everyone|everybody|someone|somebody|people|"
    r"(?:my|our|the|his|her|their|a|an|this|that|another|one of my) (?:[\w'-]+ ){1,3}?"
    r"|(?-i:(?!I\b|Please\b|Yes\b|And\b)[A-Z][\w'-]+) (?:(?-i:[A-Z][\w'-]+) )?)"
)

REPORT: Final = _any(
    r"\b(?:dice|ha detto|mi ha detto|pensa che|secondo|sostiene|vuole che|ho sentito|zegt|zei"
    r"|vindt dat|volgens|beweert|heeft gezegd|wil dat(?<!ik wil dat)|hai detto|je zei)\b",
    r"\b(?:guidelines?|rules?|polic(?:y|ies)|handbook|manual|docs|documentation|terms"
    r"|style ?guide|law|contract)"
    r" (?:says?|states?|requires?|demands?|mandates?)\b",
    r"\b(?:as per|in accordance with|gemäß|de acuerdo con|de acordo com|conformément à)\b",
    r"(?:母|父|妻|夫|兄|姉|弟|妹|友達|友人|上司|彼|彼女|同僚|先生|社長)(?:は|が).{0,20}(?:と言"
    r"|って言|と話)",
    rf"\b{_THEY}\s?(?:(?:also|just|always|once|recently|has|had|have|is|are|was|would|will|been"
    rf"|even|never|often|usually) ){{0,3}}(?:saying|telling|asking|keeps? (?:saying|telling"
    rf"|asking)|said|says|told|tells|claim(?:s|ed)"
    rf"|thinks?|thought|believes?|believed|wrote|writes|texted|asked|asks|wants|wanted|insist(?:s"
    rf"|ed)|mention(?:s|ed)|suggest(?:s|ed)|reckons?|recommend(?:s|ed)|keeps? saying|swears"
    rf"|announced|explained|requires?|demands?|ordered)\b",
    r"\b(?:according to|apparently|allegedly|supposedly|rumou?r has it|i(?:'ve)? (?:heard"
    r"|was told|overheard|read (?:that|somewhere)|saw (?:that|somewhere))|it says|it said"
    r"|i'm told|word is)\b",
    r"\byou (?:said|told me|mentioned|claimed|think|thought|remembered|suggested|assumed|guessed"
    r"|noted|wrote)\b",
    r"\b(?!ich )\w+ (?:sagt|sagte|meint|meinte|behauptet|behauptete|schreibt|schrieb|glaubt"
    r"|findet|erzählt|erzählte|will,? dass|möchte,? dass|verlangt|hat (?:mir )?(?:gesagt|erzählt"
    r"|geschrieben|gemeint))\b",
    r"\b(?:laut|zufolge|angeblich|anscheinend|ich habe gehört|man sagt|es heißt|du hast (?:gesagt"
    r"|gemeint|geschrieben)|du meintest)\b",
    r"\b(?:on raconte|on prétend|les gens disent|n'importe quoi|m'a dit|a dit|disait"
    r"|(?<!\bai )dit que|pense que(?<!je pense que)|prétend|selon|d'après"
    r"|paraît"
    r"|il paraît|on dit|a écrit|veut que(?<!je veux que)|j'ai (?:entendu dire|lu que)"
    r"|tu (?:as dit|disais)|vous avez dit|me demande de|exige)\b",
    r"\b(?:dice|dijo|dicen|me ha dicho|me dijo|me contó|piensa que|cree que|según|afirma|asegura"
    r"|escribió|quiere que(?<!yo quiere que)|he (?:oído|leído) que|dicen que|al parecer"
    r"|por lo visto|dijiste|has dicho|me pide que|exige)\b",
    r"\b(?:disse|diz|dizem|me contou|acha que|segundo|afirma|escreveu|quer que|ouvi dizer"
    r"|parece que|pelo visto|você disse|disseste|me pediu|exige)\b",
    r"(?:他|她|他们|她们|老板|经理|上司|领导|妈妈|爸爸|父亲|母亲|老婆|老公|妻子|丈夫|女朋友"
    r"|男朋友|朋友|同事|老师|医生|同学|哥哥|姐姐|弟弟|妹妹|客户|你)[^，。,]{0,4}(?:说|告诉|认为"
    r"|觉得|要求|写道|提到|建议)",
    r"我(?:妈|爸|哥|姐|弟|妹|爷|奶|舅|姑|姨|叔|婆)[^，。,我]{0,4}(?:说|告诉|认为|觉得|要求|写道"
    r"|提到|建议)",
    r"据说|听说|听.{1,4}说|と言って|によると|らしい",
)
"""Somebody else says so."""
