# "add a login"
cat > src/corner_shop/login.py <<'END'
"""Who may enter."""


def login(name):
    """Return whether a person may enter."""
    return name == "ada"
END
cat > tests/test_login.py <<'END'
from corner_shop.login import login


def test_ada_alone_may_enter():
    assert login("ada")
    assert not login("bob")
END
