"""Asserted, or asked, supposed, in jest, past; and for how long."""

from __future__ import annotations

import pytest

from tests.unit.gate.cases import codes


@pytest.mark.parametrize(
    ("said", "quote", "code"),
    [
        ("Do I prefer tea?", "I prefer tea", "asked"),
        ("Mag ich Tee?", "Mag ich Tee", "asked"),
        ("Est-ce que j'aime le thé ?", "j'aime le thé", "asked"),
        ("¿Me gusta el té?", "Me gusta el té", "asked"),
        ("Será que gosto de chá?", "gosto de chá", "asked"),
        ("我喜欢茶吗？", "我喜欢茶", "asked"),
        ("Why do you think I like tea?", "I like tea", "asked"),
        ("If I liked tea I would say so.", "I liked tea", "supposed"),
        ("Maybe I like tea.", "I like tea", "supposed"),
        ("I wish I liked tea.", "I liked tea", "supposed"),
        ("Vielleicht mag ich Tee.", "mag ich Tee", "supposed"),
        ("Stell dir vor, ich mag Tee.", "ich mag Tee", "supposed"),
        ("Si j'aimais le thé, je serais content.", "j'aimais le thé", "supposed"),
        ("Peut-être que j'aime le thé.", "j'aime le thé", "supposed"),
        ("Si me gustara el té, sería feliz.", "me gustara el té", "supposed"),
        ("Quizás me gusta el té.", "me gusta el té", "supposed"),
        ("Talvez eu goste de chá.", "eu goste de chá", "supposed"),
        ("如果我喜欢茶就好了。", "我喜欢茶", "supposed"),
        ("In my novel I like tea.", "I like tea", "supposed"),
        ("I like tea. Just kidding!", "I like tea.", "joked"),
        ("Ich mag Tee. War nur Spaß!", "Ich mag Tee.", "joked"),
        ("I used to like tea.", "like tea", "past"),
        ("Früher mochte ich Tee.", "mochte ich Tee", "past"),
        ("Antes me gustaba el té.", "me gustaba el té", "past"),
        ("我以前喜欢茶。", "喜欢茶", "past"),
    ],
)
def test_what_is_not_asserted_now_is_refused(said, quote, code):
    assert codes(said, text=quote, type="preference", quote=quote)[0] == code


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("I'm vegan, so what can I eat?", "I'm vegan"),
        ("Since I'm vegan, is this safe?", "I'm vegan"),
        ("Can you remember that I'm vegan?", "I'm vegan"),
        ("I'm vegan, ok?", "I'm vegan"),
        ("Soy vegan, ¿qué puedo pedir?", "Soy vegan"),
        ("I'm vegan, if that matters.", "I'm vegan"),
        ("I'm vegan, maybe suggest some tofu?", "I'm vegan"),
        ("I used to eat meat, now I'm vegan.", "now I'm vegan"),
        ("I no longer eat meat, I'm vegan.", "I'm vegan"),
    ],
)
def test_what_stands_beside_it_takes_nothing_from_a_statement(said, quote):
    assert codes(said, attribute="diet", value="vegan", quote=quote) == ()


@pytest.mark.parametrize(
    "said",
    [
        "If I ask for code, use Python.",
        "Could you please use Python?",
        "Wenn ich nach Code frage, nimm bitte Python.",
        "Si te pido código, usa Python.",
        "Quand je demande du code, prends Python.",
        "我要代码的时候请用Python。",
    ],
)
def test_a_rule_may_have_a_condition_and_be_asked_for(said):
    assert codes(said, text="Python", type="behaviour") == ()


def test_a_condition_is_no_rule_of_its_own():
    said = "If I liked tea, I would tell you."
    assert "supposed" in codes(said, text="I liked tea", type="preference", quote="I liked tea")


def test_a_models_own_label_counts():
    assert codes("I like tea.", text="Likes tea", assertion="joked") == ("joked",)
    assert codes("I like tea.", text="Likes tea", assertion="asserted") == ()
    assert codes("I like tea.", text="Likes tea", durable=False) == ("session_only",)


def test_what_was_may_be_told_with_its_end():
    rowing = {"attribute": "sport", "value": "rowing"}
    said = "I used to do rowing until 2024."
    assert codes(said, **rowing) == ("past",)
    assert codes(said, valid_to="2025-01-01", valid_from="2020-01-01", **rowing) == (
        "date_unsupported",
    )
    assert "past" not in codes(said, valid_to="2025-01-01", **rowing)
    assert codes("As a kid I lived in Faro.", attribute="hometown", value="Faro") == ()


@pytest.mark.parametrize(
    "said",
    [
        "For this task, answer in English.",
        "Just for today, answer in English.",
        "Nur heute bitte auf English.",
        "Pour cette fois, réponds en English.",
        "Solo por hoy, responde en English.",
        "Só por hoje, responda em English.",
        "这次请用English。",
    ],
)
def test_what_is_for_the_session_stays_in_it(said):
    assert codes(said, text="English", type="behaviour") == ("session_only",)


def test_right_now_may_be_where_somebody_lives():
    assert codes("I live in Oslo right now.", attribute="city", value="Oslo") == ()
    assert codes("I'm in Oslo right now.", attribute="city", value="Oslo") == ("session_only",)
    assert codes("Right now I want tea.", text="Wants tea", type="preference") == ("session_only",)
