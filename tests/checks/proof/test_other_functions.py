import pytest

from setpoint.checks.proof.sensitivity.other_functions import changed_elsewhere, suffix_of

GO = b"""package shop

func (c *Cart) Total(a, b int) (x, y int, err error) { return 1, 2, nil }
func Price(n int) int {
	return n
}
func Log() { go func() { Price(1) }() }
"""
JS = b"""export function price(n) { return n }
export const half = (n) => n / 2;
class Cart { total() { return 2 } }
module.exports = { log: function () { return 4 } };
"""
RUST = b"""pub fn price(n: i32) -> i32 { n }
impl Cart { fn log(&self) {} fn all(&self) -> Rows { Rows } }
#[cfg(test)]
mod tests { #[test] fn works() {} }
"""


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("shop.go", GO, ["(c *Cart).Total", "Price", "Log"]),
        ("shop.js", JS, ["price", "half", "Cart.total", "log"]),
        ("shop.ts", JS, ["price", "half", "Cart.total", "log"]),
        ("shop.rs", RUST, ["price", "Cart.log", "Cart.all"]),
    ],
)
def test_functions_with_another_text_are_found_with_their_names(path, source, names, tmp_path):
    every = changed_elsewhere(path, None, source)
    assert [each.name for each in every] == names
    assert changed_elsewhere(path, source, source) == ()
    for each in every:
        for sabotage in each.sabotages.values():
            text = each.sabotaged(source, sabotage, tmp_path)
            assert [left.name for left in changed_elsewhere(path, source, text)] == [each.name]


def test_a_sabotage_returns_as_many_values_as_the_function():
    total, price, log = changed_elsewhere("shop.go", None, GO)
    assert total.sabotages["does nothing"][0].text == " if true { return *new(int), *new(int), *new(error) };"
    assert price.sabotages["does nothing"][0].text == " if true { return *new(int) };"
    assert log.sabotages["does nothing"][0].text == " if true { return };"


def test_an_arrow_function_gets_a_body(tmp_path):
    half = changed_elsewhere("shop.js", None, JS)[1]
    text = half.sabotaged(JS, half.sabotages["does nothing"], tmp_path)
    assert b"half = (n) => { return; return (n / 2); };" in text


def test_where_rust_has_no_default_only_the_panic_is_tried():
    price, log, every = changed_elsewhere("shop.rs", None, RUST)
    assert list(price.sabotages) == list(log.sabotages) == ["raises", "does nothing"]
    assert list(every.sabotages) == ["raises"]


def test_files_of_other_languages_are_left_alone():
    assert [suffix_of(path) for path in ("a.py", "Makefile", "a.go", "x/b.tsx")] == ["", "", ".go", ".tsx"]
