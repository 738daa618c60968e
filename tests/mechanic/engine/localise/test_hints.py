from __future__ import annotations

from setpoint_mechanic.engine.localise.hints import hinted_lines
from setpoint_probe.localise.ochiai import Reached, Spectra
from setpoint_probe.source.source import Source


def test_a_name_read_before_it_is_bound_points_to_where_it_is_bound():
    text = "def f(x):\n    if x in KNOWN:\n        return 1\n    for KNOWN in x:\n        pass\n"
    reached = Reached("failed", 0.1, frozenset([("/a.py", 2)]), traceback=(("/a.py", 2),))
    reached.error = (
        "UnboundLocalError: cannot access local variable 'KNOWN' where it is not associated with a value"
    )
    source = Source("/a.py", text.encode())
    assert hinted_lines({"/a.py": source}, Spectra({"t": reached}), ["t"]) == {("/a.py", 4): 0.7}
