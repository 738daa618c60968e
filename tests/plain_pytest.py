"""Arguments that keep the plug-ins of our own environment out of the pytest of a sample project.

Loading them takes three times as long as all else that such a pytest does.
"""

from __future__ import annotations

OURS = ("anyio", "asyncio", "hypothesispytest", "timeout", "xdist", "xdist.looponfail")
PLAIN = tuple(word for name in OURS for word in ("-p", f"no:{name}"))
