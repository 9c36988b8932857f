"""What had hidden characters taken out says so in the answer."""

from __future__ import annotations

from vigent import Memory


def test_a_write_says_that_hidden_characters_were_removed():
    with Memory.open(":memory:") as memory:
        done = memory.write(subject="mira", attribute="city", value="Po\u202erto")
        assert (done.memory.value, done.reason) == ("Porto", "hidden_characters_removed")
        text = memory.write(type="fact", text="Mira likes tea.\U000e0041")
        assert (text.memory.text, text.reason) == ("Mira likes tea.", "hidden_characters_removed")
        assert memory.write(subject="mira", attribute="home", value="Porto").reason is None
