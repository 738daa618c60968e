# "add a discount of ten percent"
cat >> src/corner_shop/discounts.py <<'END'


def ten_percent(cents: int) -> int:
    """Return what is left of an amount after a discount of ten percent."""
    return cents - share(cents, 10)
END
cat > tests/test_ten_percent.py <<'END'
from corner_shop.discounts import ten_percent


def test_a_tenth_is_taken_off():
    assert ten_percent(1000) == 900
END
