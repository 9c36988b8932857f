"""How words say whether something is asserted: cues in several languages.

English, German, French, Spanish and Portuguese, and what is cheap of Chinese, Italian, Dutch and
Japanese.

The language is not detected: the cues of all stand side by side, which is why those that are a
plain word elsewhere need their surroundings.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "ASKING",
    "CONDITION",
    "ENDED",
    "GONE",
    "HEDGE",
    "IRREAL",
    "LIKED",
    "MEMO",
    "MOMENT",
    "NO",
    "OPINION",
    "PAST",
    "QUESTION",
    "REQUEST",
    "SESSION",
    "SUPPOSE",
    "TAG",
    "YES",
]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


MEMO: Final = _any(
    r"\b(?:ricorda\w*|tieni presente|prendi nota|non dimenticare|onthoud|noteer|vergeet niet)\b",
    r"\b(?:remember|make a note|note (?:that|down)|please note|save (?:that|this)|store (?:that"
    r"|this)"
    r"|keep in mind|don't forget|for the record|for future reference"
    r"|merk\w* dir|bitte merken|notier\w*|denk daran|vergiss nicht|zur info|speicher\w*"
    r"|souviens-toi|souvenez-vous|retiens|retenez|notez?|n'oublie[zs]? pas|garde en tête|pour info"
    r"|recuerda|recuerde|anota|ten en cuenta|no olvides|guarda que|apunta"
    r"|lembr[ae]\w*|anot[ae]|não (?:se )?esqueça|tenha em mente|guarde que)\b",
    r"记住|记下|记一下|别忘了|请注意|覚えて|メモし",
)
"""The person asks for something to be kept."""

QUESTION: Final = _any(
    r"[?？؟]\s*[\"')\]]*\s*$", r"[吗呢么]\s*[。.]?\s*$", r"ですか。?\s*$", r"ますか。?\s*$"
)
"""A sentence that ends as a question."""

ASKING: Final = _any(
    r"^\W*(?:sono|ho|mi piace|cosa|chi|quando|dove|perché|come mai|quale|ben ik|heb ik|wat|wie"
    r"|wanneer|waar|waarom|welke|hou ik)\b(?=.*[?？])",
    r"^\W*(?:(?:so|and|but|or|hey|hi|ok|okay|well|also|wait|hm+|und|aber|et|mais|y|pero|e"
    r"|mas)\b[\s,]*)*"
    r"(?:am|is|are|was|were|do|does|did|have|has|had|what|which|who|whom|whose|when|where|why|how"
    r"|should|shall|isn't|aren't|don't|doesn't|didn't|haven't|guess"
    r"|bin|ist|sind|hab|habe|hast|hat|mag|esse|wohne|soll|darf|was|welche\w*|wer|wann|wo|warum"
    r"|wieso"
    r"|wie|weißt|stimmt|glaubst|meinst"
    r"|est-ce|suis-je|ai-je|aime-je|quel\w*|qui|quand|où|pourquoi|comment|combien|sais-tu|crois-tu"
    r"|será|qual|quem|quando|onde|por que|como|você sabe|sabes|sabías|acha que|cree[sn]? que"
    r"|is it|qué|cuál|quién|cuándo|dónde|cómo)\b",
    r"¿",
    r"是不是|有没有|会不会|能不能|对不对|我是否",
)
"""A clause that begins as a question."""

REQUEST: Final = _any(
    r"\b(?:puoi|potresti|potrebbe|per favore|kun je|kunt u|zou je|alsjeblieft|alstublieft)\b",
    r"\b(?:can|could|would|will|won't) (?:you|we|u)\b",
    r"\bwould you mind\b",
    r"\bplease\b",
    r"\bpls\b",
    r"\b(?:kannst|könntest|könnten|würdest|würden|magst) (?:du|sie|ihr)\b",
    r"\bbitte\b",
    r"\b(?:peux|pourrais|veux|voudrais)-tu\b",
    r"\b(?:pouvez|pourriez|voulez)-vous\b",
    r"\btu (?:peux|pourrais)\b",
    r"\bs'il (?:te|vous) pla[iî]t\b",
    r"\bstp\b",
    r"\bsvp\b",
    r"\b(?:puedes|podrías|podrías|puede|podría usted|te importaría)\b",
    r"\bpor favor\b",
    r"\b(?:pode|poderia|podes|podias|consegue)(?: você)?\b",
    r"请|能否|能不能|可不可以|可以.{0,12}吗|麻烦|ください|もらえますか|くれますか",
)
"""The person asks for something to be done, be it in the form of a question."""

OPINION: Final = _any(
    r",\s*(?:(?:don't|do|wouldn't) you (?:think|agree|say)|you think|was meinst du|meinst du"
    r"|glaubst du|tu (?:crois|penses)|tu ne (?:crois|penses) pas|¿?(?:no )?(?:te parece|crees)"
    r"|você (?:acha|não acha)|как (?:ты )?(?:думаешь|считаешь)|(?:你)?(?:觉得呢|说呢))\s*[?？]\s*$",
    r"[,،]\s*(?:ما رأيك|أليس كذلك)\s*[?؟]\s*$",
)
"""A statement handed over to be judged: it asks whether it is so."""

TAG: Final = _any(
    r",\s*(?:ok|okay|k|alright|please|remember|you know|got it|yeah|thanks|vale|okey|d'accord|hein"
    r"|tá|tá bom|beleza|viu|ja|gell|einverstanden|in ordnung|好吗|好不好|可以吗|行吗)\s*[?？]\s*$",
    r"[，,]?(?:好吗|好不好|可以吗|行吗)[?？]?\s*$",
)
"""A question that is none: it asks for a nod."""

SUPPOSE: Final = _any(
    r"\b(?:suppose|supposing|imagine|assume|assuming|what if|let's say|pretend|were i to)\b",
    r"\b(?:angenommen|stell dir vor|nehmen wir an|gesetzt den fall)\b",
    r"\b(?:supposons|imaginons|imagine que|imaginez|admettons|à supposer)\b",
    r"\b(?:supongamos|supón|imagina|imagínate|digamos que)\b",
    r"\b(?:suponha|suponhamos|imagine que|imagina que|digamos que|vamos supor)\b",
    r"\b(?:immagina|supponiamo|facciamo finta|stel dat|stel je voor)\b",
    r"假如|假设|倘若|假装",
)
"""Words that say outright that what follows is supposed."""

CONDITION: Final = _any(
    r"(?:^|[,;:.]\s*)se\s(?=.*\b(?:fossi|avessi|vivessi|abitassi|potessi)\b)",
    r"\b(?:immagina|supponiamo|facciamo finta|nel caso|als ik|stel dat|stel je voor)\b",
    r"\b(?:if(?! (?:you(?:'re| are| were)? (?:need (?:it|this|that|to know)"
    r"|wonder\w*|care|asking|must know)|(?:it|this|that) (?:helps?|matters?))\b)|unless|suppose"
    r"|supposing|imagine|assume|assuming|what if|let's say|pretend|were i to"
    r"|provided that|as though|as if|in case(?! (?:you (?:need (?:it|this|that|to know)"
    r"|wonder\w*|care)|(?:it|this|that) (?:helps?|matters?))\b))\b",
    r"\b(?:(?:wenn|falls)(?! (?:du|ihr|es|das)(?: \w+)? (?:brauch\w*|wissen|hilft"
    r"|interessiert))|sofern|angenommen|stell dir vor|nehmen wir an|als ob|gesetzt den fall"
    r"|wäre ich|hätte ich)\b",
    r"(?:^|[,;:.]\s*|\b(?:et|mais|que|même|comme)\s+)(?:si|s'ils?|s'il)\s(?!(?:tu|vous) (?:veux"
    r"|voulez)\b"
    r"|(?:ça|cela) (?:aide|peut)|possible"
    r"|nécessaire)",
    r"\b(?:supposons|imaginons|imagine que|imaginez|admettons|au cas où|à supposer)\b",
    r"(?:^|[¿,;:.]\s*|\b(?:que|pero|y|como|incluso)\s+)si\s(?!(?:te|le|os|les) (?:sirve|interesa"
    r"|hace falta)"
    r"|(?:lo|la) necesitas\b)",
    r"\b(?:если бы|допустим|предположим)\b|(?:^|[\s،])(?:لو|افترض)\s",
    r"\b(?:supongamos|supón|imagina|imagínate|en caso de|digamos que)\b",
    r"\bse (?:eu|a gente|nós|for|fosse|tiver|tivesse|estiver|estivesse|morasse|fosse)\b",
    r"\b(?:suponha|suponhamos|imagine que|imagina que|caso eu|digamos que|vamos supor)\b",
    r"如果|假如|假设|要是|万一|倘若|もし|としたら|だったら",
)
"""Words after which something is only supposed."""

IRREAL: Final = _any(
    r"\b(?:ich|wir) (?:wäre|würde|hätte)(?! (?:gern|lieber|dir|ihnen|dankbar|froh))\b"
    r"(?!.*\b(?:gern\w*|lieber|dankbar|freuen)\b)",
    r"\b(?:sarei|vivrei|abiterei|andrei|avrei|mangerei|comprerei|zou ik|ik zou)\b(?! (?:graag"
    r"|liever))",
    r"\b(?:i|we|it)(?:'d| would| could)(?: (?:probably|maybe|just|only|then|never|rather))? (?:be"
    r"|live|have|move|go|become|work|buy|eat|take|quit|choose|drink|learn|use)\b(?! (?:happy|glad"
    r"|grateful|great|nice))",
    r"\bwould have\b",
    r"\bhad i\b",
    r"\bif i were\b",
    r"\b(?:würde|würden|wäre|hätte) (?:ich|wir)(?! (?:gern|lieber|dir|ihnen"
    r"|dankbar))\b(?!.*\b(?:gern\w*|lieber|dankbar|freuen)\b)",
    r"\b(?:je|j')\s?(?:serais|vivrais|habiterais|irais|aurais|prendrais|deviendrais|mangerais"
    r"|achèterais)\b",
    r"\b(?:sería|viviría|iría|tendría|comería|compraría|trabajaría|hubiera|hubiese|fuera|fuese"
    r"|viviera|tuviera)\b",
    r"\b(?:seria|viveria|moraria|iria|teria|comeria|compraria|trabalharia|fosse|tivesse|morasse)\b",
    r"就会|就好了",
)
"""Forms of verbs for what is not so."""

HEDGE: Final = _any(
    r"\b(?:forse|magari|può darsi|sto pensando di|non sono sicur[oa]|probabilmente|misschien"
    r"|wellicht|ik denk erover|ik overweeg|waarschijnlijk)\b",
    r"\b(?:maybe|perhaps|might|possibly|not sure|i wish|if only|i doubt|wondering|i wonder"
    r"|i(?:'m| am) (?:thinking (?:about|of)|considering|tempted|toying|debating)|thinking of"
    r"|i could see myself"
    r"|one day i|some day|someday|hopefully|i hope to|dream of|i guess i could|probably)\b",
    r"\b(?:vielleicht|eventuell|möglicherweise|womöglich|wahrscheinlich|ich überlege"
    r"|bin (?:mir )?nicht sicher"
    r"|ich wünschte|ich träume|hoffentlich|irgendwann mal|könnte sein)\b",
    r"\b(?:peut-être|je me demande|j'hésite|je songe|je pense peut-être|si seulement|probablement"
    r"|je rêve"
    r"|pas sûre?|un jour peut)\b",
    r"\b(?:quizás?|tal vez|a lo mejor|ojalá|me pregunto si|estoy pensando en|no estoy segur[oa]"
    r"|probablemente"
    r"|puede que|sueño con|acaso)\b",
    r"\b(?:talvez|quem sabe|quem me dera|tomara que|oxalá|estou pensando em|estou a pensar em"
    r"|provavelmente"
    r"|pode ser que|não tenho certeza|será que|sonho em)\b",
    r"\b(?:vllt|vlt|viell|evtl|prolly|träumen darf man|keine ahnung ob|can dream)\b",
    r"\b(?:может быть|наверное|возможно|вероятно|пожалуй|не уверена?|думаю,? не)\b",
    r"(?:^|\s)(?:ربما|لعل\w*|أفكر في)\s",
    r"也许|可能|或许|说不定|不确定|考虑(?:要|着|去|搬|换)|在考虑|我在想|但愿|かもしれ|たぶん|かも",
)
"""Words of doubt, wish and thought."""

PAST: Final = _any(
    r"\b(?:una volta|da (?:bambin[oa]|giovane|piccol[oa])|in passato|anni fa|prima (?:abitavo"
    r"|vivevo|lavoravo|mangiavo|fumavo)|vroeger|als kind|destijds)\b",
    r"\b(?:used to(?! (?:it|this|that|the)\b)|formerly|back then|in the past|at one time"
    r"|once upon|years ago i (?:was|lived|worked|liked|had)"
    r"|when i was (?:a |an )?(?:kid|child|boy|girl|teen\w*|student|young\w*|little|in (?:school"
    r"|college))|in my (?:youth|twenties|childhood)|as a (?:kid|child|boy|girl|teen\w*)|(?:in"
    r"|at) (?:high school|uni|university) i \w+ed)\b",
    r"\bzu (?:schul|studien|uni)zeiten\b|(?:^|[.!?]\s*)(?:petite?|enfant|pequeñ[oa]),? (?:je|j'"
    r"|yo)",
    r"\bfrüher(?! als| aufstehen| am| oder)\b",
    r"\b(?:damals|ehemals|einst|als (?:kind|jugendliche\w*|teenager)|in meiner (?:jugend"
    r"|kindheit)|mochte ich mal)\b",
    r"\b(?:autrefois|jadis|à l'époque|par le passé|dans le temps|quand j'étais (?:petite?|jeune"
    r"|enfant|étudiante?)|dans ma jeunesse|avant,? (?:je|j'|nous|on))\b",
    r"\b(?:solía|solíamos|antaño|en el pasado|en aquel(?:la)? (?:entonces|época)|de (?:niñ[oa]"
    r"|joven|pequeñ[oa])|cuando era (?:niñ[oa]|joven|pequeñ[oa]|estudiante)"
    r"|antes,? (?:yo )?(?:vivía|trabajaba|era|tenía|me gustaba|comía|fumaba|tomaba|bebía|iba"
    r"|hablaba|usaba))\b",
    r"\b(?:costumava|antigamente|no passado|naquela época|quando (?:eu )?era (?:criança|jovem"
    r"|pequen[oa]|estudante)|na minha (?:juventude|infância)|antes,? (?:eu )?(?:morava|vivia"
    r"|trabalhava|era|tinha|gostava|comia|fumava|tomava|bebia|ia|usava))\b",
    r"\b(?:back in the day|those were the (?:days|times)|in my day|in a past life)\b",
    r"\bin (?:der|meiner) (?:lehr|schul|studien|studenten|uni|ausbildungs|kinder|jugend)zeit\b",
    r"\b(?:раньше(?! чем)|прежде(?! чем)|когда-то|в (?:детстве|юности|молодости|прошлом))\b",
    r"(?:^|\s)(?:كنت|كنا|سابق[اً]*|في الماضي|في صغري)(?:\s|$)",
    r"(?<![点日号天年月前\d])以前|曾经|过去(?!的|[一二三几两]|十)|小时候|当年|昔は|以前は",
)
"""It was so once."""

LIKED: Final = _any(
    r"\bi (?:(?:really|just|always|only|absolutely|totally) )?(?:loved|liked|hated|preferred|adored"
    r"|disliked|was (?:such |really |totally |so |quite )?(?:an?|into|big on|all about|mad about)"
    r" )(?!.*\b(?:still|always have)\b)",
    r"\b(?:mochte|liebte|hasste|bevorzugte) ich\b(?! (?:schon immer|immer schon))"
    r"|\bich (?:mochte|liebte|hasste|bevorzugte)\b(?! (?:schon immer|immer schon))",
    r"\b(?:j'aimais|j'adorais|je (?:détestais|préférais))\b(?! (?:vraiment )?bien que)",
    r"\b(?:me (?:gustaba|encantaba)n?|yo odiaba|yo prefería|eu (?:adorava|odiava|preferia)"
    r"|mi piaceva|amavo|odiavo|preferivo)\b",
    r"\b(?:я (?:так |очень )?(?:любила?|обожала?|предпочитала?|ненавидела?)"
    r"|мне (?:очень )?нравил\w+)\b",
)
"""A liking in the past tense, which says nothing of now."""

ENDED: Final = _any(
    r"\b(?:non .{0,40}\bpiù|ho smesso|smesso|venduto|lasciato|annulla\w*|dimentica\w*|cancella\w*"
    r"|niet meer|geen .{0,30}\bmeer|gestopt|opgezegd|verkocht|vergeet|verwijder)\b",
    r"\b(?:no longer|not? .{0,40}\bany ?more|any ?more|stopped|quit|gave up|given up|giving up"
    r"|cancel\w*|dropped|ended|finished|is over|broke up|split up|sold|left|leaving|got rid of"
    r"|retired|resigned|forget (?:that|about|what|my)|scrap that|remove|delete|drop (?:that|my)"
    r"|don't need|done with|expired|moved out|divorced|separated|widowed|single again|closed"
    r"|never mind)\b",
    r"\b(?:nicht mehr|kein\w* .{0,30}\bmehr|keine? mehr|aufgehört|aufgegeben|gekündigt|kündig\w*"
    r"|abgesagt|storniert|verkauft|getrennt|geschieden|vergiss|lösch\w*|beendet|vorbei|ausgezogen"
    r"|abgemeldet|nie wieder)\b",
    r"\b(?:ne .{0,40}\bplus|n'.{0,40}\bplus|plus (?:de|du tout|jamais)|arrêt\w*|abandonn\w*"
    r"|quitt\w*|vendue?s?|annul\w*|oublie[zs]?|supprim\w*|efface\w*|terminé\w*|divorcée?"
    r"|c'est fini)\b",
    r"\b(?:ya no|dej[éeóo]\w* de|dejé|he dejado|abandon\w*|cancel\w*|vendí|olvida\w*|borra\w*"
    r"|elimina\w*|terminé|terminó|se acabó|nunca más|renuncié|divorci\w*)\b",
    r"\b(?:já não|não .{0,40}\bmais|par(?:ei|ou) de|deixei|larguei|desisti|cancel\w*|vendi"
    r"|esque[çc]\w*|apague|apaga|remov\w*|termin(?:ei|ou)|acabou|nunca mais|divorci\w*"
    r"|pedi demissão)\b",
    r"\b(?:ausgetreten|ausgestiegen|hingeschmissen|abgeschafft|abgebrochen|aufgelöst|abbestellt"
    r"|(?:kannst|könnt|können) (?:du|ihr|sie) (?:\w+ )?(?:lassen|weglassen|sein lassen|streichen)"
    r"|lass (?:das|es|mal)\b|hör auf)\b",
    r"\b(?:больше не|бросила?|бросил\w*|перестал\w*|уволил\w*|прода(?:л|ла|ли)|отменил\w*"
    r"|забудь\w*|удали\w*|развел\w*|ушл?[аи]? из|закончил\w*)\b",
    r"(?:^|\s)(?:لم (?:أعد|يعد|تعد)|توقفت|تركت|بعت|ألغيت|احذف|انس[َى]?)(?:\s|$)",
    r"不再|已经不|不.{0,8}了|没有?.{0,8}了|戒了|戒掉|停止|放弃|取消|忘掉|忘了.{0,6}吧|删除|删掉"
    r"|卖掉?了|离开了|离职|辞职|やめ|もう.{0,12}ない",
)
"""Something came to an end."""

GONE: Final = _any(
    r"\b(?:non .{0,40}\bpiù|ho smesso|niet meer|geen .{0,30}\bmeer|gestopt)\b",
    r"\b(?:no longer|not? .{0,40}\bany ?more|n't .{0,40}\bany ?more|anymore|stopped|quit(?! often"
    r"| a| like)|gave up|given up)\b",
    r"\b(?:nicht mehr|kein\w* .{0,30}\bmehr|aufgehört|aufgegeben|abgewöhnt)\b",
    r"\b(?:ne .{0,40}\bplus|n'.{0,40}\bplus|j'ai arrêté|je ne .{0,30}plus)\b",
    r"\b(?:ya no|dejé de|he dejado de|ya nunca)\b",
    r"\b(?:já não|não .{0,40}\bmais|parei de|deixei de|larguei)\b",
    r"\b(?:больше не|бросила?|перестал\w*)\b|(?:^|\s)لم (?:أعد|يعد|تعد)\s",
    r"不再|已经不|戒了|戒掉",
)
"""What follows is so no longer."""

SESSION: Final = _any(
    r"\b(?:per (?:questa volta|ora|adesso|oggi|questo compito|questa conversazione)|solo (?:oggi"
    r"|per oggi|questa volta|stavolta)|stavolta|al momento|momentaneamente|voor (?:nu|deze keer"
    r"|deze taak|vandaag|dit gesprek)|alleen (?:vandaag|nu|deze keer)|deze keer|tijdelijk"
    r"|voorlopig)\b",
    r"\b(?:for (?:this|the current) (?:task|chat|conversation|session|question|message|reply"
    r"|answer|turn|one|time|email|exercise|call|meeting|request|document|file|pr|ticket)"
    r"|(?:in|during|within) this (?:chat|conversation|session|thread)|just (?:this|for) (?:once"
    r"|now|today|tonight|this)|only (?:this|for) (?:once|now|today|tonight|this)|(?:just"
    r"|only) (?:today|tonight|now)|today only|tonight only"
    r"|for now|for today|for tonight|for the moment|for the time being|this time(?: only)?"
    r"|this once|right now|temporarily|in the next (?:reply|answer|message)|until we(?:'re"
    r"| are) done|at this moment|one-off)\b",
    r"\b(?:für (?:diese|dieses|diesen) (?:aufgabe|chat|gespräch|sitzung|frage|antwort|nachricht"
    r"|mal|text|e-?mail|übung)|in diesem (?:chat|gespräch)|in dieser (?:unterhaltung|sitzung)"
    r"|nur (?:heute|jetzt|diesmal|dieses mal|kurz|für heute|für jetzt)|diesmal|fürs erste|vorerst"
    r"|vorübergehend|im moment nur|für heute|ausnahmsweise|gerade eben|jetzt gerade)\b",
    r"\b(?:pour (?:cette|ce) (?:tâche|fois|conversation|session|question|réponse|message|exercice"
    r"|texte)|dans cette (?:conversation|session)|pour l'instant|pour le moment"
    r"|cette fois(?:-ci)?|juste (?:aujourd'hui|maintenant|cette fois)|seulement (?:aujourd'hui"
    r"|cette fois)|uniquement (?:aujourd'hui|cette fois)|pour aujourd'hui|temporairement"
    r"|provisoirement|exceptionnellement|en ce moment même)\b",
    r"\b(?:para (?:esta|este) (?:tarea|vez|conversación|sesión|pregunta|respuesta|mensaje|chat"
    r"|ejercicio|texto)|en (?:esta|este) (?:conversación|chat|sesión)|por ahora|por el momento"
    r"|esta vez|s[oó]lo (?:hoy|por hoy|ahora|esta vez)|solamente (?:hoy|esta vez)|por hoy"
    r"|de momento|temporalmente|ahora mismo)\b",
    r"\b(?:para (?:esta|este|essa|esse) (?:tarefa|vez|conversa|sessão|pergunta|resposta|mensagem"
    r"|chat|exercício|texto)|nesta (?:conversa|sessão)|neste chat|por enquanto|por agora|(?:desta"
    r"|dessa) vez|s[óo] (?:hoje|por hoje|agora|desta vez)|apenas (?:hoje|desta vez)|somente hoje"
    r"|por hoje|no momento|temporariamente|agora mesmo)\b",
    r"\b(?:für|in) dies(?:e|er|es|en|em) (?:einen? )?(?:e-?mail|mail|brief|aufsatz|anschreiben"
    r"|präsentation|folien?|zusammenfassung|bericht|ticket|datei|dokument|runde|liste|beitrag|post"
    r"|übersetzung|rechnung|code)\b",
    r"\b(?:for|in) this (?:e-?mail|mail|letter|message|reply|answer|text|document|file|task|essay"
    r"|cover letter|presentation|slide|deck|summary|report"
    r"|list|post|translation|draft|paragraph|section|poem|recipe|trip|game)\b",
    r"\bpour (?:ce|cet|cette) (?:mail|courriel|lettre|rapport|présentation|résumé|liste|traduction"
    r"|document|fichier)\b",
    r"\b(?:para|en) (?:est[ea]|ess[ea]) (?:correo|carta|informe|presentación|resumen|lista"
    r"|traducción|documento|archivo|e-?mail|relatório|apresentação|resumo|tradução|arquivo)\b",
    r"\b(?:during|throughout|while in) this (?:\w+ )?(?:chat|conversation|session|call|task)\b",
    r"\b(?:während|solange) (?:dieser|dieses|diesem) (?:\w+)",
    r"\b(?:pendant|durant) (?:cette|ce|cet) (?:conversation|session|discussion|échange|tâche|chat)",
    r"\b(?:durante|mientras dure) (?:est[ae]|ess[ae]) (?:\w+)",
    r"\b(?:там?\w* этой беседе|в этом (?:чате|разговоре|письме)|для этого \w+|только сегодня"
    r"|на этот раз|пока что|прямо сейчас)\b",
    r"(?:في هذه المحادثة|لهذه المرة|اليوم فقط|الآن فقط|مؤقت[اً]*)",
    r"\b(?:rest|reste|resto) (?:of|des|der|de|del|de la|da|do) (?:the |this |dieses |cette "
    r"|est[ae] "
    r"|l')?(?:\w+ )?(?:chats?|gesprächs|conversation|conversación|conversa|session|sitzung"
    r"|unterhaltung|discussion|sesión|tages|day|evening)\b|\ble temps (?:de cette|de ce|d'une?)\b",
    r"这一?轮|这一?回|本轮|此次|这会儿|暂时|这次|这一次|本次|今天只|只(?:在|是)?今天|就今天|目前先|先这样|这个任务|这段对话|此刻"
    r"|今回だけ|今日だけ|とりあえず",
)
"""It is for now, for this turn, for this session."""

MOMENT: Final = _any(
    r"\b(?:i'm|i am|im) (?:\w+ )?(?:craving|in the mood for|hungry|thirsty|cold|tired)\b(?! of)"
    r"|\bi (?:fancy|could go for|feel like (?:a|an|some|having|eating|drinking))\b",
    r"\b(?:hab|habe|hätte|bin) (?:ich )?(?:grad\w*|jetzt|eben|so|voll|mega|total|echt|richtig"
    r"|auch)?"
    r"\s?(?:hunger|lust|bock|appetit|durst|müde|hungrig)\b(?! (?:zu|dazu|immer))",
    r"\b(?:là,? tout de suite|tout de suite,? (?:là|je)|là,? maintenant)\b"
    r"|\bj'ai (?:très |trop )?(?:faim|soif|froid|envie d)",
    r"\btengo (?:mucha |mucho )?(?:hambre|sed|ganas de|antojo|frío)\b|\bse me antoja\b"
    r"|\b(?:estou|tô) com (?:fome|sede|vontade|frio)\b|\bho (?:fame|sete|voglia)\b",
    r"\b(?:мне сейчас|сейчас хочу|сейчас хочется|хочется есть)\b",
    r"\b(?:today|tonight|now),? i(?:'d like|'d love| want| need| feel)\b"
    r"|\bi (?:want|need|'d like)\b[^.!?]* (?:today|tonight)\b"
    r"|\b(?:heute|jetzt|gerade) (?:will|möchte|hätte|brauche) ich\b|\baujourd'hui,? je (?:veux"
    r"|voudrais)\b"
    r"|\bme apetecen?\b|\b(?:hoy|ahora) (?:quiero|prefiero)\b|\b(?:hoje|agora) (?:eu )?quero\b",
    r"今天(?:想|要)(?!起)|现在(?:想|好想)|有点(?:饿|渴|冷)|好想吃|突然想",
)
"""A mood of the moment: what is wanted while it lasts."""

YES: Final = _any(
    r"^\W*(?:esatto|giusto|certo|sì|klopt|inderdaad|precies)\b",
    r"^\W*(?!yeah,? (?:right|sure)|right,? (?:but|and)|ja,? (?:klar|sicher))(?:yes|yep|yeah|yup"
    r"|correct|exactly|right|that's right|indeed|absolutely|definitely"
    r"|i do|i am|i did|confirmed?"
    r"|ja|genau|richtig|stimmt|jawohl|korrekt|oui|exact\w*|tout à fait|c'est (?:ça|exact|vrai)|sí"
    r"|exacto|correcto|así es|claro que sí|cierto|efectivamente"
    r"|sim|exato|isso|isso mesmo|correto|certo)\b",
    r"^\W*(?:是的|对的?|没错|正确|是啊|はい|そうです|そう)(?:$|[，。,.!！ ])",
)
"""An answer that says yes to what was asked."""

NO: Final = _any(
    r"^\W*(?:nee|neen|klopt niet)\b",
    r"^\W*(?:no|nope|nah|not really|wrong|incorrect|i'm not|i don't|never|nein|nö|falsch"
    r"|stimmt nicht|non|pas du tout|faux|não|nada disso|errado|falso|para nada)\b",
    r"^\W*(?:不是|不对|没有|不|いいえ|違います)(?:$|[，。,.!！ ])",
)
"""An answer that says no to what was asked."""
