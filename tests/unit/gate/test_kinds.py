"""Kinds of words that say a thing, and kinds that only seem to: one line each, many languages.

What is honest is let through without a finding; of the other something is found.
"""

from __future__ import annotations

import pytest

from tests.unit.gate.cases import codes
from vigent.domain.gate.case import Standing

P = {"type": "preference"}
B = {"type": "behaviour"}
HONEST = [
    (
        "I never liked Milan, I live in Rome.",
        {"quote": "I live in Rome", "attribute": "city", "value": "Rome"},
    ),
    (
        "I live in Rome, I never liked Milan.",
        {"quote": "I live in Rome", "attribute": "city", "value": "Rome"},
    ),
    (
        "I didn't say Lisbon, I said Porto: I live in Porto.",
        {"quote": "I live in Porto", "attribute": "city", "value": "Porto"},
    ),
    ("I work at Acme 🙃", {"attribute": "employer", "value": "Acme"}),
    ("I've always loved jazz", {"attribute": "music", "value": "jazz", "type": "preference"}),
    (
        "I'm tired of long answers, keep it short please",
        {"type": "behaviour", "text": "Keep answers short", "quote": "keep it short please"},
    ),
    (
        "We prefer async standups",
        {"subject": "team", "attribute": "standup", "value": "async", "type": "preference"},
    ),
    (
        "My dog Rex hates thunder",
        {"subject": "Rex", "attribute": "fear", "value": "thunder", "type": "fact"},
    ),
    ("My bank Revolut charges fees", {"attribute": "bank", "value": "Revolut"}),
    ("I quit my job at Acme", {"attribute": "employer", "value": None}),
    ("I'm single again", {"attribute": "partner", "value": None}),
    ("I sold it last week", {"attribute": "car", "value": None}),
    ("Ich habe seit gestern keine Katze mehr", {"attribute": "pet", "value": None}),
    ("Ya no soy vegetariano", {"attribute": "diet", "value": None}),
    (
        "I don't like long lists, so use short paragraphs",
        {"type": "behaviour", "text": "Use short paragraphs", "quote": "use short paragraphs"},
    ),
    (
        "For this project always use British spelling",
        {"type": "behaviour", "text": "Use British spelling in this project"},
    ),
    (
        "If it helps, I'm allergic to nuts",
        {"attribute": "allergy", "value": "nuts", "quote": "I'm allergic to nuts"},
    ),
    ("Я не ем мясо", {"attribute": "diet", "value": "не ем мясо", "type": "preference"}),
    (
        "Je ne bois ni thé ni café",
        {"attribute": "drink", "value": "ni thé ni café", "type": "preference"},
    ),
    (
        "I eat neither meat nor fish",
        {"attribute": "diet", "value": "neither meat nor fish", "type": "preference"},
    ),
    (
        "I prefer tea, coffee makes me nervous",
        {"attribute": "drink", "value": "tea", "type": "preference", "quote": "I prefer tea"},
    ),
    ("haha yes I live in Porto now 😂", {"attribute": "city", "value": "Porto"}),
    ("What do I eat? I'm vegan 😂", {"attribute": "diet", "value": "vegan", "type": "preference"}),
    (
        "Ich wohne in Köln, das hab ich noch nie bereut.",
        {"attribute": "city", "value": "Köln", "quote": "Ich wohne in Köln"},
    ),
    ("My password manager is Bitwarden", {"attribute": "password_manager", "value": "Bitwarden"}),
    (
        "I liked the short format, keep using it",
        {
            "type": "behaviour",
            "text": "Keep using the short format",
            "quote": "I liked the short format, keep using it",
        },
    ),
    ("Mein Kollege und ich arbeiten bei Bosch", {"attribute": "employer", "value": "Bosch"}),
    ("Frau Meier ist meine Chefin", {"attribute": "manager", "value": "Frau Meier"}),
    (
        "Don't call me chief, call me Tom",
        {"type": "behaviour", "text": "Call them Tom", "quote": "call me Tom"},
    ),
    (
        "It's not true that I'm vegan: I'm vegetarian.",
        {"attribute": "diet", "value": "vegetarian", "quote": "I'm vegetarian"},
    ),
    (
        "Me gusta el té verde, no me gusta el café",
        {
            "attribute": "drink",
            "value": "té verde",
            "type": "preference",
            "quote": "Me gusta el té verde",
        },
    ),
    (
        "Prefiero respuestas cortas, sin ni una lista",
        {"type": "behaviour", "text": "Respuestas cortas, sin listas"},
    ),
    (
        "I feel like shorter answers work better for me, so please keep them short",
        {"type": "behaviour", "text": "Keep answers short"},
    ),
    (
        "In case you wonder, I live in Oslo",
        {"attribute": "city", "value": "Oslo", "quote": "I live in Oslo"},
    ),
    ("My step count goal is 10000", {"attribute": "step_goal", "value": 10000}),
    (
        "Ab dem 3.7. arbeite ich bei Bosch",
        {"attribute": "employer", "value": "Bosch", "valid_from": "2026-07-03"},
    ),
    (
        "I used to eat meat but now I'm vegan",
        {"attribute": "diet", "value": "vegan", "type": "preference", "quote": "now I'm vegan"},
    ),
    ("我最怕狗", {"attribute": "fear", "value": "狗", "type": "preference"}),
    ("I told them I prefer mail", {"attribute": "contact", "value": "mail", "type": "preference"}),
    ("I work in pest control, don't ask", {"attribute": "job", "value": "pest control"}),
    (
        "Nicht vergessen: ich bin Linkshänder",
        {"quote": "ich bin Linkshänder", "attribute": "hand", "value": "Linkshänder"},
    ),
    (
        "I was born in Ghent and still love it",
        {"quote": "I was born in Ghent", "attribute": "birthplace", "value": "Ghent"},
    ),
    (
        "I hated coriander until last year, now I love it",
        dict(quote="now I love it", attribute="food", value="coriander", **P),
    ),
    ("I never drink coffee", dict(attribute="drink", value="never drink coffee", **P)),
    ("I can't stand open offices lol", dict(attribute="office_dislike", value="open offices", **P)),
    ("Please don't use emojis with me", dict(text="Don't use emojis", **B)),
    (
        "Könntest du mir künftig die Kurzfassung zuerst geben?",
        dict(text="Kurzfassung zuerst geben", **B),
    ),
    ("À partir de maintenant, tutoie-moi", dict(text="Tutoyer", quote="tutoie-moi", **B)),
    ("Habla conmigo en gallego, por favor", dict(text="Hablar en gallego", **B)),
    (
        "Как правило, я встаю в шесть",
        {"attribute": "wake", "value": "в шесть", "quote": "я встаю в шесть"},
    ),
    ("Мой любимый чай — улун", dict(attribute="tea", value="улун", **P)),
    ("أنا أسكن في عمّان", {"attribute": "city", "value": "عمّان"}),
    ("我住在成都，老家是重庆", {"quote": "我住在成都", "attribute": "city", "value": "成都"}),
    ("我不吃香菜", dict(attribute="food_dislike", value="香菜", **P)),
    ("私は京都に住んでいます", {"attribute": "city", "value": "京都"}),
    ("Ho smesso di fumare", {"attribute": "smoking", "value": None}),
    (
        "We broke up in May",
        {
            "attribute": "partner",
            "value": None,
            "standing": (Standing(same=True, rank=3, told="Jo"),),
        },
    ),
    (
        "I've left the choir",
        {
            "attribute": "choir",
            "value": None,
            "standing": (Standing(same=True, rank=3, told="St Mary choir"),),
        },
    ),
    (
        "Das Abo hab ich gekündigt",
        {
            "attribute": "abo",
            "value": None,
            "standing": (Standing(same=True, rank=3, told="Zeitung"),),
        },
    ),
    (
        "Forget that, I was wrong",
        {
            "attribute": "diet",
            "value": None,
            "standing": (Standing(same=True, rank=3, told="vegan"),),
        },
    ),
    (
        "I don't play chess any more",
        {
            "attribute": "hobby",
            "value": None,
            "standing": (Standing(same=True, rank=3, told="chess"),),
        },
    ),
    (
        "My daughter Nele is allergic to nuts",
        {"subject": "Nele", "attribute": "allergy", "value": "nuts"},
    ),
    (
        "Mein Sohn geht in die dritte Klasse",
        {"subject": "son", "attribute": "class", "value": "dritte Klasse"},
    ),
    (
        "The launch of Atlas moves to May 4",
        {"subject": "Atlas", "attribute": "launch", "value": "2026-05-04"},
    ),
    (
        "I told my boss I'd send the report by Friday",
        {"text": "Send the report to the boss", "type": "commitment"},
    ),
    ("You should know I'm deaf in one ear", {"attribute": "hearing", "value": "deaf in one ear"}),
    ("I'm not religious", {"attribute": "religion", "value": "not religious"}),
    (
        "Tomorrow I start at Bosch",
        {"attribute": "employer", "value": "Bosch", "valid_from": "2026-06-04"},
    ),
    (
        "Seit Anfang Mai wohne ich in Jena",
        {"attribute": "city", "value": "Jena", "valid_from": "2026-05-01"},
    ),
    (
        "О, кстати: живу в Казани",
        {"quote": "живу в Казани", "attribute": "city", "value": "в Казани"},
    ),
    (
        "I enjoyed working there but I work at Bosch now",
        {"quote": "I work at Bosch now", "attribute": "employer", "value": "Bosch"},
    ),
    (
        "Correct: I live in Bern, not Basel",
        {"quote": "I live in Bern, not Basel", "attribute": "city", "value": "Bern"},
    ),
    (
        "It isn't true any more that I'm in sales, I'm in legal",
        {"quote": "I'm in legal", "attribute": "team", "value": "legal"},
    ),
    (
        "as of 2.5. I'm at Bosch",
        {"attribute": "employer", "value": "Bosch", "valid_from": "2026-05-02"},
    ),
]
SEEMING = [
    (
        "I never asked you to call me boss",
        {"type": "behaviour", "text": "Call them boss", "quote": "call me boss"},
    ),
    (
        "Who told you I like opera?",
        {"attribute": "music", "value": "opera", "type": "preference", "quote": "I like opera"},
    ),
    ("It's a lie that I smoke", {"attribute": "habit", "value": "smoke", "quote": "I smoke"}),
    (
        "Nobody said I want emojis",
        {"type": "behaviour", "text": "Use emojis", "quote": "I want emojis"},
    ),
    (
        "Oh sure, I love waiting in line (sarcasm)",
        {
            "attribute": "x",
            "value": "waiting in line",
            "type": "preference",
            "quote": "I love waiting in line",
        },
    ),
    (
        "I love Mondays. NOT.",
        {
            "attribute": "weekday",
            "value": "Mondays",
            "type": "preference",
            "quote": "I love Mondays",
        },
    ),
    ("Ich liebe Stau 🙃", {"attribute": "traffic", "value": "Stau", "type": "preference"}),
    ("I loved metal as a student", {"attribute": "music", "value": "metal", "type": "preference"}),
    ("Mir gefiel früher Techno", {"attribute": "music", "value": "Techno", "type": "preference"}),
    ("I was mad about horses", {"attribute": "animals", "value": "horses", "type": "preference"}),
    ("Me encantaba el reguetón", {"attribute": "music", "value": "reguetón", "type": "preference"}),
    (
        "mi cuñada odia el picante",
        {"attribute": "food", "value": "picante", "type": "preference", "quote": "odia el picante"},
    ),
    (
        "Mon beau-frère adore le jazz",
        {"attribute": "music", "value": "jazz", "type": "preference", "quote": "adore le jazz"},
    ),
    (
        "Tom upstairs plays drums",
        {"attribute": "hobby", "value": "drums", "type": "preference", "quote": "plays drums"},
    ),
    (
        "Herr Lang mag keine Anrufe",
        {
            "attribute": "contact",
            "value": "keine Anrufe",
            "type": "preference",
            "quote": "mag keine Anrufe",
        },
    ),
    (
        "Моя сестра любит оперу",
        {"attribute": "music", "value": "оперу", "type": "preference", "quote": "любит оперу"},
    ),
    (
        "أختي تحب القهوة",
        {"attribute": "drink", "value": "القهوة", "type": "preference", "quote": "تحب القهوة"},
    ),
    (
        "My landlord's daughter likes punk",
        {"attribute": "music", "value": "punk", "type": "preference", "quote": "likes punk"},
    ),
    ("I'm craving sushi", {"attribute": "food", "value": "sushi", "type": "preference"}),
    ("J'ai envie de chocolat", {"attribute": "food", "value": "chocolat", "type": "preference"}),
    (
        "In this email be more formal",
        {"type": "behaviour", "text": "Be more formal", "quote": "be more formal"},
    ),
    (
        "Während dieses Gesprächs keine Emojis",
        {"type": "behaviour", "text": "Keine Emojis", "quote": "keine Emojis"},
    ),
    (
        "I prefer nights",
        {"subject": "anna", "attribute": "shift", "value": "nights", "type": "preference"},
    ),
    (
        "I sold my car",
        {
            "attribute": "employer",
            "value": None,
            "standing": (Standing(same=True, rank=3, told="Acme"),),
        },
    ),
    (
        "I stopped jogging",
        {
            "attribute": "language",
            "value": None,
            "standing": (Standing(same=True, rank=3, told="Breton"),),
        },
    ),
    ("Ich hab mein Auto verkauft", {"attribute": "music", "value": None, "type": "preference"}),
    (
        "Pay with 4111/1111/1111/1111",
        {"type": "commitment", "text": "Pay with 4111/1111/1111/1111"},
    ),
    ("vllt werd ich vegan", {"attribute": "diet", "value": "vegan", "type": "preference"}),
    (
        "Может быть, я люблю чай",
        {"attribute": "drink", "value": "чай", "type": "preference", "quote": "я люблю чай"},
    ),
    (
        "I like opera, don't you think?",
        {"attribute": "music", "value": "opera", "type": "preference", "quote": "I like opera"},
    ),
    ("Я не люблю оперу", {"attribute": "music", "value": "оперу", "type": "preference"}),
    ("لا أحب القهوة", {"attribute": "drink", "value": "القهوة", "type": "preference"}),
    (
        "If anyone asks, I live in Rome",
        {"attribute": "city", "value": "Rome", "quote": "I live in Rome"},
    ),
    (
        "Von wegen ich mag Opern",
        {"attribute": "music", "value": "Opern", "type": "preference", "quote": "ich mag Opern"},
    ),
    (
        "Quien dijo que me gusta el fútbol?",
        {
            "attribute": "sport",
            "value": "fútbol",
            "type": "preference",
            "quote": "me gusta el fútbol",
        },
    ),
    (
        "谁说我喜欢京剧",
        {"attribute": "music", "value": "京剧", "type": "preference", "quote": "我喜欢京剧"},
    ),
    (
        "Als ob ich gern früh aufstehe",
        {
            "attribute": "wake",
            "value": "früh",
            "type": "preference",
            "quote": "ich gern früh aufstehe",
        },
    ),
    (
        "I did not say that I hate you using emojis",
        dict(text="No emojis", quote="I hate you using emojis", **B),
    ),
    (
        "Nobody ever heard me say I like opera",
        dict(attribute="music", value="opera", quote="I like opera", **P),
    ),
    (
        "Es ist gelogen, dass ich rauche",
        {"attribute": "smoking", "value": "rauche", "quote": "ich rauche"},
    ),
    (
        "No digo que me guste el fútbol",
        dict(attribute="sport", value="fútbol", quote="me guste el fútbol", **P),
    ),
    (
        "On raconte que j'aime l'opéra, n'importe quoi",
        dict(attribute="music", value="opéra", quote="j'aime l'opéra", **P),
    ),
    (
        "I love it when planes are late... yeah right",
        dict(
            attribute="travel", value="planes are late", quote="I love it when planes are late", **P
        ),
    ),
    (
        "Toll, ich liebe Überstunden (Sarkasmus aus)",
        dict(attribute="work", value="Überstunden", quote="ich liebe Überstunden", **P),
    ),
    (
        "Adoro madrugar, obviamente es ironía",
        dict(attribute="wake", value="madrugar", quote="Adoro madrugar", **P),
    ),
    ("我超爱加班，开个玩笑", dict(attribute="work", value="加班", quote="我超爱加班", **P)),
    (
        "As a teen I only listened to punk",
        dict(attribute="music", value="punk", quote="I only listened to punk", **P),
    ),
    (
        "Zu Schulzeiten mochte ich Mathe",
        dict(attribute="subject", value="Mathe", quote="mochte ich Mathe", **P),
    ),
    (
        "Petit, je détestais les épinards",
        dict(attribute="food_dislike", value="épinards", quote="je détestais les épinards", **P),
    ),
    ("小时候我爱吃糖", dict(attribute="food", value="糖", quote="我爱吃糖", **P)),
    (
        "The guy at reception hates calls",
        dict(attribute="contact", value="hates calls", quote="hates calls", **P),
    ),
    (
        "Our new hire Priya prefers Slack",
        dict(attribute="contact", value="Slack", quote="prefers Slack", **P),
    ),
    (
        "Nuestra vecina Pili detesta los perros",
        dict(attribute="animals", value="perros", quote="detesta los perros", **P),
    ),
    (
        "Die Nachbarin oben mag keinen Lärm",
        dict(attribute="noise", value="keinen Lärm", quote="mag keinen Lärm", **P),
    ),
    (
        "La señora Ruiz prefiere el té",
        dict(attribute="drink", value="té", quote="prefiere el té", **P),
    ),
    ("我室友小林喜欢熬夜", dict(attribute="sleep", value="熬夜", quote="喜欢熬夜", **P)),
    ("Мой коллега Иван любит рок", dict(attribute="music", value="рок", quote="любит рок", **P)),
    (
        "O meu chefe prefere e-mail",
        dict(attribute="contact", value="e-mail", quote="prefere e-mail", **P),
    ),
    ("today I want something spicy", dict(attribute="food", value="something spicy", **P)),
    ("gerade hätte ich Lust auf Eis", dict(attribute="food", value="Eis", **P)),
    ("ahora me apetece una pizza", dict(attribute="food", value="pizza", **P)),
    (
        "Just this once answer in French",
        dict(text="Answer in French", quote="answer in French", **B),
    ),
    ("Für den Rest des Chats bitte duzen", dict(text="Duzen", quote="bitte duzen", **B)),
    ("Le temps de cette discussion, vouvoie-moi", dict(text="Vouvoyer", quote="vouvoie-moi", **B)),
    ("这一轮请用英文回答", dict(text="用英文回答", quote="请用英文回答", **B)),
    ("We got a new sofa", {"attribute": "employer", "value": None}),
    (
        "I cancelled Netflix",
        {
            "attribute": "phone_plan",
            "value": None,
            "standing": (Standing(same=True, rank=3, told="Vodafone"),),
        },
    ),
    (
        "He dejado el piano",
        {
            "attribute": "language",
            "value": None,
            "standing": (Standing(same=True, rank=3, told="catalán"),),
        },
    ),
    ("would I like jazz? probably", dict(attribute="music", value="jazz", **P)),
    (
        "Mag ich Jazz? Keine Ahnung",
        dict(attribute="music", value="Jazz", quote="Mag ich Jazz?", **P),
    ),
    ("what if i went vegan", dict(attribute="diet", value="vegan", **P)),
]


@pytest.mark.parametrize(("said", "given"), HONEST, ids=[said for said, _ in HONEST])
def test_what_is_said_is_let_through(said, given):
    assert codes(said, **given) == ()


@pytest.mark.parametrize(("said", "given"), SEEMING, ids=[said for said, _ in SEEMING])
def test_what_only_seems_to_be_said_is_found(said, given):
    assert codes(said, **given) != ()
