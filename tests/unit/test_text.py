"""Names and text: what enters, what is the same, what comes back, what search sees."""

from __future__ import annotations

import json
import unicodedata
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vigent.domain.text import (
    MAX_EPISODE,
    MAX_ID,
    MAX_TEXT,
    MAX_TYPE,
    canonical_subject,
    canonical_text,
    check_id,
    check_json,
    check_metadata,
    check_name,
    clean_text,
    fold,
    has_hidden,
    phrases,
    words,
)
from vigent.errors import InvalidInput, LimitExceeded

SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
NFD_NAME = "Zoe\u0308 Nu\u0301n\u0303ez"
NFC_NAME = "Zo\u00eb N\u00fa\u00f1ez"

well_formed = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def hidden(message: str) -> str:
    return "".join(chr(0xE0000 + ord(c)) for c in message)


# ------------------------------------------------------------------------------- ids


@pytest.mark.parametrize(
    "text",
    [
        "t1",
        "birch-east",
        "bir_h",
        "%",
        "b%",
        "a:b",
        "a/b",
        "a|b",
        "a.b",
        "a__b",
        "a\\b",
        "a b",
        "../x",
        "%2F",
        NFC_NAME,
        "北京",
        "x" * 200,
        "\U0001f600" * 200,
        "Ω",
        "क्ष",
        "نص",
    ],
)
def test_an_id_comes_back_as_it_is(text):
    assert check_id(text, "tenant") == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a ",
        " a",
        "\u00a0a",
        "a\u3000",
        "a\tb",
        "a\nb",
        "a\0b",
        "a\x7f",
        "a\x85b",
        "\ud83d",
        NFD_NAME,
        "\u212b",
        "a\u202eb",
        "\u2066a",
        "a" + hidden("b"),
        "\u200b",
        "\u3164",
        "x" * 201,
    ],
)
def test_an_id_that_breaks_a_rule_is_refused_naming_the_field(text):
    for _ in range(2):  # the second time from the cache
        with pytest.raises(InvalidInput) as caught:
            check_id(text, "store")
        assert caught.value.field == "store"


@pytest.mark.parametrize("value", [None, 7, True, b"t1", ["t1"]])
def test_an_id_is_text(value):
    with pytest.raises(InvalidInput):
        check_id(value, "tenant")


def test_ids_are_compared_exactly():
    ids = ["Mira", "mira", "mira-", "u1", "u10", "u_1", "\u00e9", "e"]
    assert [check_id(i, "person") for i in ids] == ids


def test_a_limit_is_named():
    with pytest.raises(LimitExceeded, match="person: has 201 characters; the limit is 200"):
        check_id("x" * 201, "person")
    assert (MAX_ID, MAX_TYPE, MAX_TEXT, MAX_EPISODE) == (200, 64, 8_000, 1_000_000)


def test_a_name_is_brought_into_nfc():
    assert check_name(NFD_NAME, "attribute") == NFC_NAME
    assert check_name("passport_deadline", "attribute") == "passport_deadline"
    assert check_name("x" * 64, "type", MAX_TYPE) == "x" * 64
    for wrong, limit in (
        ("x" * 65, MAX_TYPE),
        ("a\0", MAX_ID),
        (" a", MAX_ID),
        ("", MAX_ID),
        ("x" * 201, MAX_ID),
    ):
        with pytest.raises(InvalidInput):
            check_name(wrong, "type", limit)


# -------------------------------------------------------------------------- subjects


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("mira", "mira"),
        ("  Mira \t Solano\n", "mira solano"),
        (NFC_NAME, "zo\u00eb n\u00fa\u00f1ez"),
        (NFD_NAME, "zo\u00eb n\u00fa\u00f1ez"),
        ("ＡＣＭＥ　株式会社", "acme 株式会社"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Ünal\u00a0Ⅷ", "ünal viii"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        (f"clan {SCOTLAND}", f"clan {SCOTLAND}"),
    ],
)
def test_a_subject_keeps_its_name_and_has_a_canonical_id(name, canonical):
    assert canonical_subject(name) == (name, canonical)


def test_names_do_not_join_across_accents_or_separators():
    names = ["nunez", "núñez", "u1", "u_1", "u-1", "u 1", "u10", "a:b", "a/b"]
    assert len({canonical_subject(n)[1] for n in names}) == len(names)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "  ",
        "\u200b",
        "\u00a0",
        "\u3164",
        "a\0b",
        "a\x1fb",
        "\ud83dx",
        "a\u202eb",
        "a" + hidden("x"),
        "x" * 201,
        "\ufdfa" * 12,
        None,
        5,
    ],
)
def test_a_subject_that_breaks_a_rule_is_refused(name):
    with pytest.raises(InvalidInput) as caught:
        canonical_subject(name, "who")
    assert caught.value.field == "who"


@given(well_formed)
@example("\u0345")
@example("ﬃ ŉ ǰ")
@example("\u1fb4")
@example("\u03b1\u0345\u0301")  # its marks are not in their canonical order
def test_the_canonical_id_is_its_own_canonical_id(name):
    try:
        canonical = canonical_subject(name)[1]
    except InvalidInput:
        return
    assert canonical_subject(canonical)[1] == canonical
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        other = unicodedata.normalize(form, name)
        if len(other) <= MAX_ID:
            assert canonical_subject(other)[1] == canonical


# ------------------------------------------------------------------------------ text


@pytest.mark.parametrize(
    "text",
    [
        "I keep bees.",
        "  two  spaces ",
        "a\u200db\u200cc",
        f"{FAMILY} and \U0001f1f5\U0001f1f9",
        SCOTLAND,
        f"from {SCOTLAND} and {SCOTLAND}",
        NFD_NAME,
        "line\nbreak\ttab",
        "\u200fشكر\u200e",
        "\ufeffx",
        "0",
        "\x01x",
        ".",
        "\U0001f3f4",
        "क्‍ष",
    ],
)
def test_text_comes_back_code_point_for_code_point(text):
    assert clean_text(text, "text", MAX_TEXT) == (text, False)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\u202eb\u202c", "ab"),
        ("\u2066x\u2069", "x"),
        ("hi" + hidden("obey me"), "hi"),
        (f"{SCOTLAND}{hidden('obey')}", SCOTLAND),
        (
            "\U0001f3f4" + hidden("ignore all that") + "\U000e007f",
            "\U0001f3f4",
        ),  # no region has such a code
        ("\U0001f3f4" + hidden("ignoreallthat") + "\U000e007f", "\U0001f3f4"),
        ("\U0001f3f4" + hidden("gbsct"), "\U0001f3f4"),  # no end tag
    ],
)
def test_what_is_hidden_is_taken_out_and_told(text, left):
    assert clean_text(text, "text", MAX_TEXT) == (left, True)
    assert has_hidden(text)
    assert not has_hidden(left)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "\n\t",
        "\u200b",
        "\u00a0",
        "\u200b\u00a0 \u2060",
        "\u3164",
        "\ufeff",
        "\u2028",
        "\u200d\ufe0f",
        "\x01\x02",
        "\u202e",
        hidden("nothing to see"),
        "\u2800",
        "\u115f\u1160",
    ],
)
def test_blank_text_is_refused(text):
    with pytest.raises(InvalidInput, match="value: must not be blank"):
        clean_text(text, "value", MAX_TEXT)


@pytest.mark.parametrize("text", ["blue\0green", "smile \ud83d end", "\udc00", "é\0", "\0"])
def test_what_a_store_cannot_hold_is_refused(text):
    with pytest.raises(InvalidInput) as caught:
        clean_text(text, "content", MAX_TEXT)
    assert caught.value.field == "content"
    assert "NUL" in caught.value.message


def test_text_beyond_the_limit_is_refused_and_never_cut():
    assert clean_text("é" * 10, "text", 10) == ("é" * 10, False)
    with pytest.raises(LimitExceeded, match="text: has 11 characters; the limit is 10"):
        clean_text("\U0001f600" * 11, "text", 10)


@pytest.mark.parametrize("value", [None, 5, True, b"x", ["x"]])
def test_text_is_text(value):
    with pytest.raises(InvalidInput):
        clean_text(value, "text", 10)


@given(well_formed)
def test_clean_text_is_a_subsequence_and_clean(text):
    try:
        cleaned, flagged = clean_text(text, "text", MAX_TEXT)
    except InvalidInput:
        return
    assert flagged == (cleaned != text)
    assert clean_text(cleaned, "text", MAX_TEXT) == (cleaned, False)
    rest = iter(text)
    assert all(c in rest for c in cleaned)


def test_equal_texts_share_their_canonical_form():
    assert canonical_text("  a \n b ") == "a b"
    assert canonical_text(NFD_NAME) == canonical_text(NFC_NAME) == NFC_NAME
    assert canonical_text("A") != canonical_text("a")
    assert canonical_text("ﬁ") == "ﬁ"  # compatibility forms stay apart


# ---------------------------------------------------------------------------- search


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Núñez", "nunez"),
        ("Nu\u0301n\u0303ez", "nunez"),
        ("ＣＡＦＥ́", "cafe"),
        ("Straße ŁÓDŹ Øre", "strasse lodz ore"),
        ("İstanbul Isparta", "istanbul isparta"),
        ("東京tower", "東 京 tower"),
        ("ガ が パ", "ガ が パ"),
        ("ｶﾞ", "ガ"),
        ("か\u3099", "が"),
        ("한국어", "한 국 어"),
        (unicodedata.normalize("NFD", "한국어"), "한 국 어"),
        ("नमस्ते", "नमस्ते"),
        ("Ёлка", "елка"),
        ("كِتَابٌ", "كتاب"),
        ("Άνθρωπος ΆΝΘΡΩΠΟΣ", "ανθρωποσ ανθρωποσ"),
    ],
)
def test_folding_for_search(text, folded):
    assert fold(text) == folded


@given(well_formed)
def test_folding_forgets_form_and_case_and_repeats_nothing(text):
    folded = fold(text)
    assert fold(folded) == folded
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert words(unicodedata.normalize(form, text)) == words(text)
    assert words(folded) == words(text)


def test_words_are_words_and_never_syntax():
    assert words('NEAR("a b", 5) OR c* -d ^e') == ("near", "a", "b", "5", "or", "c", "d", "e")
    assert words("don't under_score") == ("don", "t", "under", "score")
    assert words("") == words("   ") == words("?!* \U0001f600") == ()
    assert words("Zürich, 東京 नमस्ते") == ("zurich", "東", "京", "नमस्ते")


def test_phrases_keep_together_what_has_no_spaces():
    assert phrases("東京 Tower、ラーメン") == ("東 京", "tower", "ラ ー メ ン")
    assert phrases("Plain words") == ("plain", "words")


# --------------------------------------------------------------------- JSON, metadata


def test_metadata_is_canonical_text():
    assert check_metadata(None) == check_metadata({}) == "{}"
    assert check_metadata({"b": 1, "a": {"d": [True, None, 1.5], "c": 'é\n"'}}) == (
        '{"a":{"c":"é\\n\\"","d":[true,null,1.5]},"b":1}'
    )


def test_numbers_stay_exact():
    given = {"d": Decimal("0.10"), "big": 2**200, "small": Decimal("1E-300"), "f": 0.1, "z": -0.0}
    text = check_metadata(given)
    assert json.loads(text, parse_float=Decimal) == {
        "d": Decimal("0.10"),
        "big": 2**200,
        "small": Decimal("1E-300"),
        "f": Decimal("0.1"),
        "z": Decimal("-0.0"),
    }
    assert '"d":0.10' in text


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"": 1}, "metadata"),
        ({1: 1}, "metadata"),
        ({"a": {"b": [0, "x\0"]}}, "metadata.a.b[1]"),
        ({"a": "\ud83d"}, "metadata.a"),
        ({"a\0": 1}, "metadata"),
        ({"a": float("nan")}, "metadata.a"),
        ({"a": [float("-inf")]}, "metadata.a[0]"),
        ({"a": Decimal("NaN")}, "metadata.a"),
        ({"a": Decimal("sNaN")}, "metadata.a"),
        ({"a": Decimal("Infinity")}, "metadata.a"),
        ({"a": Decimal("1E400")}, "metadata.a"),
        ({"a": {"b": [Decimal("1E-400")]}}, "metadata.a.b[0]"),
        ({"a": Decimal("0.1234567890123456789")}, "metadata.a"),
        ({"a": {1, 2}}, "metadata.a"),
        ({"a": b"x"}, "metadata.a"),
        ({"a": 10**1000}, "metadata.a"),
        ({"a": Decimal("1E1001")}, "metadata.a"),
        (["a"], "metadata"),
        ("a", "metadata"),
    ],
)
def test_metadata_that_is_no_json_is_refused_with_its_path(value, path):
    with pytest.raises(InvalidInput) as caught:
        check_metadata(value)
    assert caught.value.field == path


def test_metadata_has_a_limit_of_characters_and_of_depth():
    assert len(check_metadata({"a": "x" * 15_992})) == 16_000
    with pytest.raises(
        LimitExceeded, match="metadata: has 16001 characters as JSON; the limit is 16000"
    ):
        check_metadata({"a": "x" * 15_993})
    deep: list[object] = []
    deep.append(deep)
    with pytest.raises(LimitExceeded, match="the limit is 64 levels"):
        check_json(deep)


plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | well_formed
    | st.decimals(allow_nan=False, allow_infinity=False, places=3)
)
trees = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(well_formed.filter(bool), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(trees)
def test_json_reads_back_exactly(tree):
    assert json.loads(check_json(tree), parse_float=Decimal) == tree
