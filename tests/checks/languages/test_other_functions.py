"""Functions of Go, JavaScript, TypeScript and Rust that a change touches, and how they are sabotaged."""

import shutil
import subprocess

import pytest

from setpoint.checks.languages import parsed_language
from setpoint.checks.languages.all import LANGUAGES, language_of
from setpoint.checks.languages.changed_function import NOTHING, OTHER, RAISES

GO = b"""package shop

func (c *Cart) Total(a, b int) (x, y int, err error) { return 1, 2, nil }
func Price(n int) int {
	return n // as it is
}
func Log() { go func() { Price(1) }() }
"""
JS = b"""export function price(n) { return n /* as it is */ }
export const half = (n) => n / 2;
class Cart { total() { return 2 } }
module.exports = { log: function () { return 4 } };
"""
RUST = b"""pub fn price(n: i32) -> i32 { n /* as it is */ }
impl Cart { fn log(&self) {} fn all(&self) -> impl Rows { Rows } }
#[cfg(test)]
mod tests { #[test] fn works() {} }
"""


def changed(path, before, after):
    return language_of(path).changed(path, before, after).functions


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("shop.go", GO, ["(c *Cart).Total", "Price", "Log"]),
        ("shop.js", JS, ["price", "half", "Cart.total", "log"]),
        ("shop.tsx", JS, ["price", "half", "Cart.total", "log"]),
        ("shop.rs", RUST, ["price", "Cart.log", "Cart.all"]),
    ],
)
def test_functions_are_found_with_their_names_and_stay_valid(path, source, names, tmp_path):
    every = language_of(path).functions(path, source)
    assert [each.name for each in every] == names
    assert changed(path, source, source.replace(b"as it is", b"as given")) == ()
    for each in every:
        for sabotage in filter(None, (*each.sabotages.values(), each.probe, each.harmless)):
            text = each.sabotaged(source, sabotage, tmp_path)
            assert not parsed_language._root(path, text).has_error, text
            assert each.name in [other.name for other in changed(path, source, text)]


def test_a_language_is_known_by_the_file():
    found = [language_of(path) for path in ("a.py", "x/b.tsx", "a.go", "a.rs", "a.sh", "Makefile", "a.vue")]
    assert [each and each.name for each in found] == [
        "Python", "JavaScript and TypeScript", "Go", "Rust", "shell", None, None,
    ]  # fmt: skip
    assert len({each.name for each in LANGUAGES}) == len(LANGUAGES)


def test_without_the_extra_a_file_is_named_as_unread(monkeypatch):
    monkeypatch.setattr(parsed_language, "parser_of", lambda _suffix: None)
    code = language_of("a.go").changed("a.go", None, GO)
    assert (code.functions, len(code.unread)) == ((), 1)
    assert language_of("a.go").unread(["a.go", "a.py"]) == ("a.go",)
    assert not language_of("a.go").same_program(GO, GO + b"// more\n", "a.go")


def test_a_sabotage_returns_as_many_values_as_the_function():
    total, price, log = changed("shop.go", None, GO)
    assert total.sabotages[NOTHING][0].text == " if true { return *new(int), *new(int), *new(error) };"
    assert price.sabotages[NOTHING][0].text == " if true { return *new(int) };"
    assert log.sabotages[NOTHING][0].text == " if true { return };"


def test_where_the_type_is_not_known_only_the_panic_is_tried():
    price, log, every = changed("shop.rs", None, RUST)
    assert [list(each.sabotages) for each in (price, log, every)] == [
        [RAISES, NOTHING, OTHER], [RAISES, NOTHING], [RAISES],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "source", "old", "new", "name"),
    [
        (
            "a.js",
            b"class N { get text() { return this.t } set text(n) { this.t = n } }\n",
            b"this.t = n",
            b"this.t = n.trim()",
            "N.text",
        ),
        (
            "a.rs",
            (
                b"impl Display for N { fn fmt(&self) -> u8 { 1 } }\n"
                b"impl Debug for N { fn fmt(&self) -> u8 { 2 } }\n"
            ),
            b"1",
            b"3",
            "N.fmt",
        ),
    ],
)
def test_of_two_functions_with_one_name_the_changed_one_is_found_alone(path, source, old, new, name):
    (found,) = changed(path, source, source.replace(old, new))
    assert (found.name, new in found.text.encode()) == (name, True)


def prints(tmp_path, path, source, sabotage, each, argv):
    (tmp_path / path).write_bytes(each.sabotaged(source, sabotage, tmp_path / "mark"))
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    return done.stdout.strip() if not done.returncode else "raises"


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
@pytest.mark.parametrize(
    ("value", "other"),
    [
        ("'abc'", '"cba~"'), ("5", "-12"), ("true", "false"), ("[1, 2]", "[-8]"), ("['a']", '["a~"]'),
        ("{ a: 1, b: null }", '{"a":-8,"b":null}'), ("new Date(0)", '"1970-01-01T00:00:00.000Z"'),
        ("[...new Set([1])]", "[-8]"), ("[[], []]", "[[]]"), ("(() => 'a')()", '"a~"'),
    ],
)  # fmt: skip
def test_a_function_of_a_script_returns_another_value_of_its_type(value, other, tmp_path):
    source = f"const f = () => ({value});\nconsole.log(JSON.stringify(f()))".encode()
    (each,) = changed("a.mjs", None, source)
    node = ["node", "a.mjs"]
    assert prints(tmp_path, "a.mjs", source, each.sabotages[OTHER], each, node) == other
    probed = prints(tmp_path, "a.mjs", source, each.probe, each, node)
    assert probed == (other if "Date" in value else "raises")


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_a_function_of_a_script_raises_or_does_nothing(tmp_path):
    source = b"const f = (n) => n / 2, g = f;\nfunction h() { return (n) => n; }\nconsole.log(f(4), h()(3));"
    half, inner = changed("a.mjs", None, source)
    ways = [*((half, half.sabotages[does]) for does in (RAISES, NOTHING)), (half, half.harmless)]
    ways.append((inner, inner.sabotages[OTHER]))
    node = ["node", "a.mjs"]
    said = [prints(tmp_path, "a.mjs", source, way, each, node) for each, way in ways]
    assert said == ["raises", "undefined 3", "2 3", "2 -10"]


GO_MAIN = b"""package main

import "fmt"

type Row struct{ Name string; held int }

func row() (*Row, error) { return &Row{Name: "x", held: 3}, nil }
func counts() map[string][]int { return map[string][]int{"a": {1, 2}} }
func adding(n int) func(...int) int { return func(more ...int) int { return n + len(more) } }

func main() {
	found, err := row()
	fmt.Println(found.Name, found.held, err, counts(), adding(2)(5, 6))
}
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("go"), reason="needs Go")
def test_go_returns_other_values(tmp_path):
    (tmp_path / "go.mod").write_text("module example.com/a\n\ngo 1.19\n", "utf-8")
    row, counts, adding, main = changed("main.go", None, GO_MAIN)
    ways = [(row, row.sabotages[OTHER]), (counts, counts.sabotages[OTHER]), (adding, adding.sabotages[OTHER])]
    ways += [(row, row.probe), (main, main.sabotages[RAISES]), (counts, counts.sabotages[NOTHING])]
    argv = ["go", "run", "."]
    said = [prints(tmp_path, "main.go", GO_MAIN, way, each, argv) for each, way in ways]
    assert said == [
        "x~ 3 <nil> map[a:[1 2]] 4", "x 3 <nil> map[a:[-8]] 4", "x 3 <nil> map[a:[1 2]] -11",
        "raises", "raises", "x 3 <nil> map[] 4",
    ]  # fmt: skip


RUST_MAIN = b"""macro_rules! adding { ($name:ident) => { fn $name(n: u32) -> u32 { n + 1 } }; }
macro_rules! seven { () => { 7u32 }; }
adding!(add);
fn parse(text: &str) -> Result<Vec<u8>, std::num::ParseIntError> { Ok(vec![text.parse()?, 9]) }
fn main() { println!("{} {} {:?}", add(1), seven!(), parse("3")); }
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("rustc"), reason="needs Rust")
def test_rust_returns_other_values(tmp_path):
    parse, _, made, seven = changed("a.rs", None, RUST_MAIN)
    assert (made.name, seven.name) == ("adding!._name", "seven!")
    ways = [(parse, parse.sabotages[OTHER]), (parse, parse.probe), (made, made.sabotages[NOTHING])]
    ways += [(seven, seven.sabotages[NOTHING]), (seven, seven.sabotages[RAISES])]
    argv = ["sh", "-c", "rustc -A warnings a.rs 2>&1 && ./a"]
    said = [prints(tmp_path, "a.rs", RUST_MAIN, way, each, argv) for each, way in ways]
    assert said == ["2 7 Ok([10])", "raises", "0 7 Ok([3, 9])", "2 0 Ok([3, 9])", "raises"]
