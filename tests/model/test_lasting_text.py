"""What of a text stays the same from one run to the next."""

from __future__ import annotations

from setpoint.model.lasting_text import lasting


def test_numbers_addresses_and_folders_do_not_tell_two_runs_apart():
    first = "Current thread 0x00007f3a1b2c (most recent call first) in 3.2 s: /tmp/one/shop.py"
    again = "Current thread 0x00007ffffa81 (most recent call first) in 11 s: /tmp/two/shop.py"
    assert lasting(first) == lasting(again)


def test_words_tell_them_apart():
    assert lasting("no module named shop") != lasting("no module named shops")
