"""Search and whose it is: tenants, stores, persons, filters, and the limit after them."""

from __future__ import annotations

import pytest

from vigent import Memory
from vigent.errors import InvalidInput
from vigent.testing import HashEmbedder

NAMES = ("birch", "birch-east", "bir_h", "birxh", "%", "b%")


def values(answer):
    return [record.value for record in answer.records]


class TestC36Neighbours:
    @pytest.mark.parametrize("kind", ["tenant", "store", "person"])
    @pytest.mark.parametrize("arm", ["words", "vectors"])
    def test_each_finds_its_own(self, tmp_path, clock, kind, arm):
        model = HashEmbedder() if arm == "vectors" else "none"

        def opened(name):
            asked = {"tenant": "t", kind: name}
            return Memory.open(tmp_path / "m.db", clock=clock, embedder=model, **asked)

        for name in NAMES:
            with opened(name) as memory:
                memory.write(subject="s", attribute="secret", value=f"of {name}")
                memory.write(text=f"secret text of {name}")
                memory.capture(f"secret talk of {name}")
                memory.threads.create(id="t")
                memory.threads.append("t", f"secret item of {name}", role="user")
        for name in NAMES:
            with opened(name) as memory:
                memory.index.catch_up()
                for query in ("secret", "secret of birch", "S's secret", "birxh %"):
                    for include in ("current", "history", "episodes"):
                        found = memory.search(query, include=include, expand="always", limit=50)
                        assert all(h.excerpt.endswith(f"of {name}") for h in found), query
                        assert found.index.passages == 4
                assert len(memory.search("secret", include="episodes")) == 4

    def test_subjects_of_one_tenant_are_apart(self, recall):
        for name in ("u1", "u10", "u_1"):
            recall.write(subject=name, attribute="secret", value=f"of {name}")
        for name in ("u1", "u10", "u_1"):
            assert values(recall.search("secret", subject=name)) == [f"of {name}"]

    @pytest.mark.parametrize("field", ["subject", "attribute", "person"])
    @pytest.mark.parametrize("blank", ["", "  "])
    def test_a_blank_name_is_refused_and_not_everything(self, recall, field, blank):
        recall.write(subject="s", attribute="secret", value="x")
        with pytest.raises(InvalidInput):
            recall.search("secret", **{field: blank})

    def test_word_statistics_are_ones_own(self, tmp_path, clock):
        def scores(noise):
            path = tmp_path / f"{noise}.db"
            with Memory.open(path, tenant="mine", clock=clock) as memory:
                memory.write(text="rare zinnia")
                memory.write(text="common rose")
                memory.write(text="common rose again")
                with Memory.open(path, tenant="other", clock=clock) as other:
                    for n in range(noise):
                        other.write(text=f"zinnia {n}")
                        other.write(text=f"zinnia {n}", person="p")
                return [h.score for h in memory.search("zinnia rose")]

        assert scores(0) == scores(40)


class TestC39ElsewhereUntouched:
    def test_what_one_tenant_does_moves_nothing_in_another(self, on_file):
        one, two = (on_file(name, embedder=HashEmbedder()) for name in ("t1", "t2"))
        one.write(subject="desk", attribute="color", value="oak")
        two.write(subject="desk", attribute="color", value="pine")
        said = {"external_id": "e", "thread": "t"}
        one.capture("the desk is oak", **said)
        two.capture("the desk is pine", **said)
        two.index.catch_up()

        def of_two():
            found = two.search("pine", include="episodes", expand="always")
            history = [r.to_dict() for r in two.history("desk", "color")]
            return [h.to_dict() for h in found], history, two.check().audit["sealed"]

        before = of_two()
        assert len(before[0]) == 2

        def forget():
            one.forget(one.current("desk", "color").memory_id)

        for step in (
            lambda: one.write(subject="desk", attribute="color", value="ash"),
            forget,
            lambda: one.write(subject="desk", attribute="color", value="elm"),
            one.index.rebuild,
            lambda: one.index.rebuild(drop_other_models=True),
            lambda: one.update(one.current("desk", "color").memory_id, ttl_days=3),
            lambda: one.threads.delete("t"),
            one.sweep,
        ):
            step()
            assert of_two() == before
        assert values(one.search("desk color")) == ["elm"]


METADATA = [
    {"n": 8}, {"n": 30}, {"n": 200}, {"n": "30"}, {"n": 30.0}, {"ok": True}, {"ok": False},
    {"ok": 1}, {"ok": "true"}, {"ok": None}, {},
]  # fmt: skip


class TestC47TypedFilters:
    @pytest.mark.parametrize(
        ("given", "fits"),
        [
            ({"n": {"gte": 30}}, [1, 2, 4]),
            ({"n": {"lt": 30}}, [0]),
            ({"n": {"gt": 8, "lt": 200}}, [1, 4]),
            ({"n": 30}, [1, 4]),
            ({"n": "30"}, [3]),
            ({"n": {"ne": 30}}, [0, 2, 3]),
            ({"n": {"in": [8, "30"]}}, [0, 3]),
            ({"ok": True}, [5]),
            ({"ok": False}, [6]),
            ({"ok": 1}, [7]),
            ({"ok": "true"}, [8]),
            ({"ok": None}, [9]),
            ({"ok": {"exists": False}}, [0, 1, 2, 3, 4, 10]),
            ({"ok": {"exists": True}}, [5, 6, 7, 8, 9]),
            ({}, list(range(11))),
            ({"n": {"gte": 30}, "ok": True}, []),
        ],
    )
    def test_values_are_compared_by_type(self, recall, given, fits):
        for number, metadata in enumerate(METADATA):
            recall.write(subject="s", attribute=f"a{number}", value=f"thing {number}",
                         metadata=metadata)  # fmt: skip
            recall.capture(f"said thing {number}", metadata=metadata)
        found = recall.search("thing", metadata=given, limit=50, include="episodes")
        for kind in ("memory", "episode"):
            numbers = sorted(int(h.excerpt.split()[-1]) for h in found if h.kind == kind)
            assert numbers == fits, kind

    def test_state_is_filtered_as_well(self, recall):
        recall.write(subject="ana", attribute="city", value="Faro", metadata={"n": 8})
        assert values(recall.search("Ana's city", metadata={"n": {"gt": 5}})) == ["Faro"]
        assert values(recall.search("Ana's city", metadata={"n": {"gt": 30}})) == []

    @pytest.mark.parametrize(
        "given", [5, "n=30", [], {"n": {"like": 3}}, {"": 1}, {"n": {"gt": True}}, {"n": {}}]
    )
    def test_what_is_no_filter_is_refused(self, recall, given):
        with pytest.raises(InvalidInput) as refused:
            recall.search("thing", metadata=given)
        assert refused.value.field.startswith("metadata")


BOILER = (
    "the book of the boiler service lies in the hall", "Udo does the boiler service",
    "boiler service was paid in May",
)  # fmt: skip


class TestC49FilterBeforeLimit:
    @pytest.fixture
    def told(self, recall):
        for number in range(60):
            recall.write(
                subject="archive", attribute=f"n{number}", value=f"boiler service #{number}",
                type="note", metadata={"category": "archive"}, valid_from="2025-06-01",
            )  # fmt: skip
        for number, value in enumerate(BOILER):
            recall.write(
                subject="house", attribute=f"n{number}", value=value, type="fact",
                metadata={"category": "active"}, valid_from="2025-01-01",
            )  # fmt: skip
        recall.index.catch_up()
        return recall

    @pytest.mark.parametrize(
        "asked",
        [
            {"metadata": {"category": "active"}}, {"subject": "house"}, {"types": ["fact"]},
            {"as_of": "2025-03-01"}, {"metadata": {"category": "active"}, "as_of": "2025-07-01"},
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("recipe", ["relevance", "blend", "confidence", "generative"])
    def test_all_that_fit_are_found(self, told, asked, recipe):
        found = told.search("boiler service", limit=3, recipe=recipe, **asked)
        assert sorted(values(found)) == sorted(BOILER)

    def test_closed_ones_use_no_place(self, told):
        for number in range(60):
            told.write(subject="archive", attribute=f"n{number}", value="gone")
        found = told.search("boiler service", limit=3)
        assert sorted(values(found)) == sorted(BOILER)

    def test_fewer_only_if_fewer_fit(self, told):
        assert len(told.search("boiler service", limit=10, subject="house")) == 3
        assert len(told.search("boiler service", limit=200)) == 63

    def test_one_is_found_behind_a_thousand_better(self, memory):
        items = [
            {"subject": "archive", "attribute": f"n{n}", "value": "boiler service", "type": "note"}
            for n in range(1_000)
        ]
        memory.write_many(items)
        memory.write(
            text="somewhere in a long sentence about other things stands boiler", type="memo",
            metadata={"x": 1},
        )  # fmt: skip
        assert memory.search("boiler service", limit=1).hits[0].record.text is None
        for asked in ({"metadata": {"x": 1}}, {"types": ["memo"]}):
            (hit,) = memory.search("boiler service", limit=1, **asked)
            assert hit.record.memory_type == "memo"
