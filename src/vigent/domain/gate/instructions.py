"""Text that tells the assistant what to do, and characters that nobody sees."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["addresses_models", "closes_frame", "has_unseen", "instructs", "overrides"]

_FRAME: Final = re.compile(
    r"</?\s*(?:system|assistant|user|human|memor(?:y|ies)|instructions?|prompt|context|vigent:\w+"
    r"|im_start|im_end|tool\w*|function\w*|admin)\b[^>]*>"
    r"|<\|[^|>]{1,40}\|>|\[/?(?:INST|SYS|SYSTEM)\]|<<SYS>>"
    r"|^[ \t]*#{1,6}[ \t]*(?:system|instructions?"
    r"|assistant|admin)\b"
    r"|^[ \t]*(?:system|assistant|developer)\s*(?:prompt|message|note)?\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_OVERRIDE: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|skip|drop)\s+(?:all |any |every |the |your "
    r"|my |these |those |previous |prior |earlier |above |existing |safety )+(?:instructions?"
    r"|rules?|prompts?|guidelines?|policies|policy|guardrails?|restrictions?|safety|context"
    r"|messages?|system)"
    r"|\b(?:reveal|print|leak|show|repeat|output)\s+(?:me )?(?:your|the) (?:system|hidden|secret"
    r"|initial)\s*(?:prompt|instructions?|message)"
    r"|\bjailbreak|\bdan mode|\bdeveloper mode|\byou are (?:now )?(?:no longer|unrestricted"
    r"|free of)"
    r"|\b(?:ignorier\w*|missacht\w*|vergiss|umgeh\w*)\s+(?:\w+\s+){0,3}(?:anweisung\w*|regel\w*"
    r"|vorgaben|richtlinien|instruktionen)"
    r"|\b(?:ignore[zrs]?|oublie[zs]?|contourne[zs]?)\s+(?:\w+\s+){0,3}(?:instructions?|consignes?"
    r"|règles?|directives?)"
    r"|\b(?:ignora\w*|olvida\w*|omite|desobedece)\s+(?:\w+\s+){0,3}(?:instrucciones|reglas"
    r"|indicaciones|directrices|normas)"
    r"|\b(?:ignor[ea]\w*|esque[çc]\w*|desconsider[ea]\w*)\s+(?:\w+\s+){0,3}(?:instruções|regras"
    r"|diretrizes|orientações)"
    r"|(?:忽略|无视|忘记|不要理会|绕过).{0,8}(?:指令|指示|规则|提示|限制)",
    re.IGNORECASE,
)
_READERS: Final = (
    r"(?:ai|a\.i\.|llms?|chat-?bots?|bots?|language models?|(?:ai )?assistants?|agents?|models?"
    r"|claude|gpt|chatgpt|copilot|gemini"
    r"|ki(?:-\w+)?|assistent\w*|sprachmodelle?|ia|assistante?s?|agents?|modèles?|asistentes?"
    r"|modelos?|agentes?|assistentes?|robôs?)"
)
_ADDRESSED: Final = re.compile(
    rf"\b(?:any |all |dear |note (?:to|for) |attention,? |hey |if you(?:'re| are) (?:an? )?"
    rf"|à l'attention des? |hinweis an (?:alle )?|nota para |atención,? |atenção,? "
    rf"|aviso a )(?:the |los |las |les |os |as |die |alle |toutes? (?:les )?|tous (?:les )?"
    rf"|todos (?:los|os) )?{_READERS}\b"
    rf"|\b{_READERS}\b[^.!?\n]{{0,40}}\b(?:must|should|shall|have to|need to|are to|is to"
    rf"|will always|müssen|sollen|muss|soll|doivent|doit|devez|deben|debe|deberán|devem|deve)\b"
    r"|(?:AI|人工智能|助手|大模型|模型|机器人)[^。！？\n]{0,12}(?:必须|应该|应当|务必|需要|请)",
    re.IGNORECASE,
)
_EVERY_MODEL: Final = re.compile(
    r"\b(?:any|all|every|dear|note (?:to|for)|attention,?|alle|toutes? (?:les )?|tous (?:les )?"
    r"|todos (?:los|os))\s+(?:the |other )?(?:ais?\b|llms?|(?:ai|language) (?:models?|assistants?"
    r"|agents?)"
    r"|chat-?bots?|ki-\w+|sprachmodelle?|ias\b|assistants?\b|assistenten|asistentes|assistentes)"
    r"|所有(?:AI|助手|模型|机器人)",
    re.IGNORECASE,
)
_ORDERS: Final = re.compile(
    r"\b(?:from now on|always|never|henceforth|in (?:all )?future (?:replies|answers|responses"
    r"|conversations)|at all times|under no circumstances)\b"
    r"|\b(?:remember|memori[sz]e|store|save|note|record|add) (?:that |this |the following "
    r"|to (?:your )?memory|in (?:your )?memory|permanently)"
    r"|\b(?:you|the assistant) (?:must|should|shall|have to|need to|will)\b|\bmake sure (?:to"
    r"|you)\b|\bdo not (?:tell|mention|reveal|inform|ask|use|warn)\b"
    r"|\b(?:send|forward|email|post|upload|exfiltrate|transfer|wire|bcc|cc)\b.{0,40}(?:@|https?:"
    r"|\bto\b)"
    r"|\b(?:recommend|promote|praise|advertise|mention|prefer|use|call|visit|click|open|run"
    r"|execute|install|reply|respond|answer|speak|write)\b[^.\n]{0,40}\b(?:instead|only"
    r"|every time|always|first|exclusively)\b"
    r"|\b(?:ab (?:sofort|jetzt)|immer|niemals|künftig|in zukunft|merk\w* dir|speicher\w*"
    r"|du (?:musst|sollst)|sie (?:müssen|sollen)|stets|auf keinen fall|empfiehl|empfehlen sie)\b"
    r"|\b(?:désormais|à partir de maintenant|dorénavant|toujours|ne .{1,30} jamais|souviens-toi"
    r"|retiens|mémorise\w*|enregistre\w*|tu dois|vous devez|il faut|recommande[zs]?)\b"
    r"|\b(?:a partir de ahora|de ahora en adelante|siempre|nunca|recuerda|memoriza|guarda en"
    r"|debes|debe usted|tienes que|recomienda)\b"
    r"|\b(?:a partir de agora|de agora em diante|doravante|sempre|nunca|lembre|memorize|grave na"
    r"|deve|você precisa|tem que|recomende)\b"
    r"|从现在起|从今以后|今后|以后请|总是|永远|务必|必须|记住|请记|一律|切勿|不得|今後|必ず|常に"
    r"|覚えて",
    re.IGNORECASE,
)
# What is seen as nothing: zero width, soft hyphens, fillers, and selectors in a row.
_ZERO: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2064\u206a-\u206f\u3164"
    "\ufeff\uffa0"
)
_UNSEEN: Final = re.compile(
    f"[{_ZERO}]|[\\w][\u200c\u200d](?=[A-Za-z0-9])|[A-Za-z0-9][\u200c\u200d]"
    f"|[\ufe00-\ufe0f]{{2,}}|[\U000e0100-\U000e01ef]{{2,}}"
    f"|[A-Za-z0-9 ][\ufe00-\ufe0e\U000e0100-\U000e01ef]"
    "|[\u202a-\u202e\u2066-\u2069]|[\U000e0000-\U000e007f]{8,}|\x1b\\["
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def closes_frame(text: str) -> bool:
    """Whether a text has marks of a frame: of a chat, of a prompt, or of our own block."""
    return _FRAME.search(text) is not None


def addresses_models(text: str) -> bool:
    """Whether a text speaks to models at large, as what is planted does."""
    return _EVERY_MODEL.search(text) is not None


def overrides(text: str) -> bool:
    """Whether a text tells to put rules aside, or to show what is hidden."""
    return _OVERRIDE.search(text) is not None


def instructs(text: str) -> bool:
    """Whether a text is addressed to an assistant, or gives it a rule."""
    return any(p.search(text) for p in (_FRAME, _OVERRIDE, _ADDRESSED, _ORDERS))


def has_unseen(text: str) -> bool:
    """Whether a text has characters that nobody sees, or words of letters that pass for others.

    Joiners between letters that need them, one selector after a sign, and a mark of the byte order
    at the beginning are none.
    """
    if text.isascii():
        return "\x1b[" in text
    if _UNSEEN.search(text.lstrip("\ufeff")):
        return True
    return any(_is_mixed(word) for word in _WORD.findall(text) if not word.isascii())


def _is_mixed(word: str) -> bool:
    """Whether a word has letters of two of the alphabets that look alike."""
    return len({name for c in word if (name := _alphabet(c))}) > 1


def _alphabet(letter: str) -> str:
    if letter.isascii():
        return "LATIN"
    first = unicodedata.name(letter, "").split(" ", 1)[0]
    return first if first in {"LATIN", "CYRILLIC", "GREEK", "CHEROKEE", "ARMENIAN"} else ""
