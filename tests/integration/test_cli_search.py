"""``vigent search`` and ``vigent reindex`` on the command line."""

from __future__ import annotations

import pytest

from tests.integration.command_line import spawn
from vigent import Memory
from vigent.testing import EmbeddingServer


@pytest.fixture
def told(store):
    store.ask("write", "Mira", "city", "Porto", "--valid-from", "2025-01-01",
              "--metadata", '{"n": 8}')  # fmt: skip
    store.ask("write", "Mira", "city", "Braga", "--valid-from", "2025-09-01",
              "--metadata", '{"n": 2}')  # fmt: skip
    store.ask("write", "--text", "Mira waters the ferns on Mondays", "--type", "habit")
    with Memory.open(store.path) as memory:
        memory.capture("The ferns are on the balcony.", speaker="Mira")
    return store


def values(answer):
    return [hit["record"] and hit["record"]["value"] for hit in answer["hits"]]


class TestSearch:
    def test_state_answers_first(self, told):
        answer = told.ask("search", "What is Mira's city?")
        assert values(answer) == ["Braga"]
        (hit,) = answer["hits"]
        assert (hit["exact"], hit["kind"], hit["in_force"]) == (True, "memory", True)
        assert answer["plan"]["arms"] == ["state"]
        assert answer["index"]["model"] is None
        out = told.run("search", "What is Mira's city?").out
        assert "state" in out
        assert "by words alone" not in out

    def test_every_option_reaches_the_search(self, told):
        assert values(told.ask("search", "Mira's city", "--as-of", "2025-03-01")) == ["Porto"]
        assert values(told.ask("search", "Mira's city", "--include", "history")) == [
            "Porto", "Braga",
        ]  # fmt: skip
        asked = ["--metadata", '{"n": {"gt": 5}}', "--include", "history"]
        assert values(told.ask("search", "Mira's city", *asked)) == ["Porto"]
        answer = told.ask("search", "ferns", "--include", "episodes")
        assert {hit["kind"] for hit in answer["hits"]} == {"memory", "episode"}
        answer = told.ask("search", "ferns", "--type", "habit", "--explain", "--recipe", "blend")
        assert "confidence" in answer["hits"][0]["parts"]
        assert answer["plan"]["recipe"] == "blend"
        answer = told.ask("search", "Porto Braga", "--subject", "MIRA", "--attribute", "city")
        assert values(answer) == ["Braga"]
        for nothing in (
            ["search", "Mira's city", "--known-at", "2020-01-01"],
            ["search", "ferns", "--expand", "never"],
            ["search", "ferns", "--type", "fact"],
            ["search", "ferns", "--before", "2020-01-01"],
            ["search", "Mira's city", "--budget", "0"],
        ):
            assert told.run(*nothing).code == 1, nothing

    def test_no_answer_is_exit_code_1_and_a_document(self, told):
        ran = told.run("search", "copper price in Chile", "--json")
        assert (ran.code, ran.json["hits"], ran.err) == (1, [], "")
        ran = told.run("search", "copper price in Chile")
        assert ran.code == 1
        assert "Nothing here answers that." in ran.out + ran.err

    @pytest.mark.parametrize(
        ("words", "field"),
        [
            (["--limit", "0"], "limit"), (["--budget", "-5"], "budget_tokens"),
            (["--recipe", "best"], "recipe"), (["--include", "all"], "include"),
            (["--expand", "maybe"], "expand"), (["--as-of", "soon"], "as_of"),
            (["--timezone", "Mars/Base"], "timezone"), (["--metadata", "n=30"], "metadata"),
            (["--metadata", '{"n": {"like": 3}}'], "metadata.n"),
        ],
    )  # fmt: skip
    def test_bad_input_names_the_field(self, told, words, field):
        assert told.refused("search", "ferns", *words)["field"] == field
        assert told.refused("search", "  ")["field"] == "query"

    def test_for_people_it_says_what_to_know(self, told):
        out = told.run("search", "Where did Mira live on 1 March 2025?", "--explain").out
        assert "was taken as a time" in out
        assert "by words alone" in out
        out = told.run("search", "Porto", "--include", "history").out
        assert "not in force" in out
        out = told.run("search", "ferns Mondays", "--budget", "3", "--include", "episodes")
        assert out.code == 1

    def test_text_of_others_is_shown_harmless(self, told):
        told.ask("write", "--text", "zinnia \x1b[31mred\x1b[0m [bold]x[/bold]")
        out = told.run("search", "zinnia").out
        assert "\x1b" not in out
        assert "[bold]x[/bold]" in out

    def test_persons_are_apart(self, told):
        told.ask("write", "--text", "zinnia of ana", "--person", "ana")
        assert told.run("search", "zinnia").code == 1
        assert len(told.ask("search", "zinnia", "--person", "ana")["hits"]) == 1


class TestReindex:
    def test_it_gives_the_same_answers(self, told):
        def found():
            hits = told.ask("search", "ferns", "--include", "episodes")["hits"]
            for hit in hits:  # to find something counts
                for name in ("retrieved_count", "as_of", "known_at", "answered_at"):
                    (hit["record"] or {}).pop(name, None)  # each read has its own
            return hits

        before = found()
        done = told.ask("reindex")
        assert (done["memories"], done["episodes"]) == (3, 1)
        assert (done["index"]["pending"], done["index"]["partial"]) == (0, True)
        assert found() == before
        assert "Indexed 3 memories and 1 episode." in told.run("reindex").out

    def test_with_a_server_every_passage_has_a_vector_by_its_model(self, told):
        with EmbeddingServer() as server:
            model = {"VIGENT_EMBEDDER": f"{server.url}#m"}
            ran = spawn("reindex", "--json", "--db", str(told.path), **model)
            assert ran.code == 0, ran
            index = ran.json["index"]
            assert (index["embedded"], index["pending"], index["partial"]) == (4, 0, False)
            assert index["model"].endswith("m")
            ran = spawn("search", "ferns", "--json", "--db", str(told.path), **model)
            assert ran.json["index"]["pending"] == 0
            again = spawn("reindex", "--drop-other-models", "--db", str(told.path), **model)
            assert "4 of" in again.out

    def test_reindex_without_vectors_is_no_success(self, told):
        model = {"VIGENT_EMBEDDER": "http://127.0.0.1:9/v1#m"}
        ran = spawn("reindex", "--json", "--db", str(told.path), **model)
        assert (ran.code, ran.json["status"]) == (4, "incomplete")
        assert (ran.json["index"]["embedded"], ran.json["index"]["pending"]) == (0, 4)
        assert "127.0.0.1:9" in ran.json["index"]["problem"]
        assert told.ask("reindex")["status"] == "complete"

    def test_a_server_that_is_away_is_told_and_words_are_found(self, told):
        model = {"VIGENT_EMBEDDER": "http://127.0.0.1:9/v1#m"}
        ran = spawn("search", "ferns", "--json", "--db", str(told.path), **model)
        assert ran.code == 0, ran
        assert "127.0.0.1:9" in ran.json["index"]["problem"]
        assert len(ran.json["hits"]) >= 1
        ran = spawn("search", "copper price in Chile", "--db", str(told.path), **model)
        assert ran.code == 1, ran
        assert ran.out.startswith("Nothing here answers that.\nno vectors: ")
        assert "127.0.0.1:9" in ran.out

    def test_a_wrong_setting_is_named_as_it_was_given(self, told):
        wrong = {"VIGENT_EMBEDDER": "openai"}
        ran = spawn("search", "ferns", "--json", "--db", str(told.path), **wrong)
        assert (ran.code, ran.error["field"]) == (2, "VIGENT_EMBEDDER")
        assert ran.error["message"].startswith("VIGENT_EMBEDDER: must be ")
