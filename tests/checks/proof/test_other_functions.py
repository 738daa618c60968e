import shutil
import subprocess

import pytest

from setpoint.checks.proof.sensitivity.other_functions import (
    changed_elsewhere,
    changed_outside_elsewhere,
    suffix_of,
)

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
impl Cart { fn log(&self) {} fn all(&self) -> impl Rows { Rows } }
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
            assert changed_elsewhere(path, source, text)[0].name == each.name


def test_a_sabotage_returns_as_many_values_as_the_function():
    total, price, log = changed_elsewhere("shop.go", None, GO)
    assert total.sabotages["does nothing"][0].text == " if true { return *new(int), *new(int), *new(error) };"
    assert price.sabotages["does nothing"][0].text == " if true { return *new(int) };"
    assert log.sabotages["does nothing"][0].text == " if true { return };"


def test_an_arrow_function_gets_a_body(tmp_path):
    half = changed_elsewhere("shop.js", None, JS)[1]
    text = half.sabotaged(JS, half.sabotages["does nothing"], tmp_path)
    assert b"half = (n) => { return; return (n / 2); };" in text


def test_where_the_type_is_not_known_only_the_panic_is_tried():
    price, log, every = changed_elsewhere("shop.rs", None, RUST)
    assert list(price.sabotages) == ["raises", "does nothing", "returns something else"]
    assert list(log.sabotages) == ["raises", "does nothing"]
    assert list(every.sabotages) == ["raises"]


def test_files_of_other_languages_are_left_alone():
    assert [suffix_of(path) for path in ("a.py", "Makefile", "a.go", "x/b.tsx")] == ["", "", ".go", ".tsx"]


SCRIPT = b"""import { x } from "./x.mjs";
export const parse = Number.parseInt.bind(Number);
export const made = new Function("text", "return Number(text)");
export const limits = { low: [1, 2], name: "n" };
const registry = {};
registry.set = x;
export { x as y };
export default { parse, made };
run();
"""


def test_code_outside_functions_is_sabotaged_and_exports_are_left_out():
    outside = changed_outside_elsewhere("a.mjs", None, SCRIPT)
    assert [each.name for each in outside.declared] == [
        "parse in line 2", "made in line 3", "limits in line 4", "registry in line 5", "run(); in line 9",
    ]  # fmt: skip
    assert outside.rest == ()
    assert changed_outside_elsewhere("a.mjs", SCRIPT, SCRIPT).declared == ()
    other = SCRIPT.replace(b"[1, 2]", b"[1, 3]")
    (limits,) = changed_outside_elsewhere("a.mjs", SCRIPT, other).declared
    assert limits.stood
    assert not limits.sabotages
    types = b'import y from "y";\nexport type A = 3;\ninterface B { c: number }\nexport * from "./d";\n'
    assert changed_outside_elsewhere("a.ts", None, types) == ((), ())


def _prints(tmp_path, path, source, sabotage, each, argv):
    (tmp_path / path).write_bytes(each.sabotaged(source, sabotage, tmp_path / "mark"))
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    return done.stdout.strip() if not done.returncode else "raises"


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_functions_in_values_of_scripts_do_something_else(tmp_path):
    source = b"""export const parse = Number.parseInt.bind(Number);
console.log(parse("45"), typeof parse)"""
    parse = changed_outside_elsewhere("a.mjs", None, source).declared[0]
    said = {
        does: _prints(tmp_path, "a.mjs", source, way, parse, ["node", "a.mjs"])
        for does, way in {**parse.sabotages, "probe": parse.probe, "value": parse.values[0]}.items()
    }
    assert said == {
        "raises": "raises", "does nothing": "undefined function", "returns something else": "-52 function",
        "probe": "raises", "value": "45 function",
    }  # fmt: skip


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
@pytest.mark.parametrize(
    ("value", "other"),
    [
        ("'abc'", '"cba~"'), ("5", "-12"), ("true", "false"), ("[1, 2]", "[-8]"), ("['a']", '["a~"]'),
        ("{ a: 1, b: null }", '{"a":-8,"b":null}'), ("new Date(0)", '"1970-01-01T00:00:00.000Z"'),
    ],
)  # fmt: skip
def test_a_function_of_a_script_returns_another_value_of_its_type(value, other, tmp_path):
    source = f"const f = () => ({value});\nconsole.log(JSON.stringify(f()))".encode()
    (each,) = changed_elsewhere("a.mjs", None, source)
    way = each.sabotages["returns something else"]
    assert _prints(tmp_path, "a.mjs", source, way, each, ["node", "a.mjs"]) == other
    probed = _prints(tmp_path, "a.mjs", source, each.probe, each, ["node", "a.mjs"])
    assert probed == (other if "Date" in value else "raises")


GO_MAIN = b"""package main

import (
	"fmt"
	"strings"
)

type Row struct{ Name string; held int }

var table = map[string]int{"a": 1}
var upper = strings.ToUpper

const most = 5

func row() (*Row, error) { return &Row{Name: "x", held: 3}, nil }

func main() {
	found, err := row()
	fmt.Println(table["a"], upper("x"), most, found.Name, found.held, err)
}
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("go"), reason="needs Go")
def test_go_gives_other_values(tmp_path):
    (tmp_path / "go.mod").write_text("module example.com/a\n\ngo 1.19\n", "utf-8")
    outside = changed_outside_elsewhere("main.go", None, GO_MAIN).declared
    table, upper, most = outside
    row = changed_elsewhere("main.go", None, GO_MAIN)[0]
    said = [
        _prints(tmp_path, "main.go", GO_MAIN, way, each, ["go", "run", "."])
        for each, way in (
            (table, table.values[0]), (upper, upper.sabotages["does nothing"]),
            (upper, upper.sabotages["returns something else"]), (most, most.values[0]),
            (row, row.sabotages["returns something else"]),
        )
    ]  # fmt: skip
    assert said == [
        "-8 X 5 x 3 <nil>", "1  5 x 3 <nil>", "1 X~ 5 x 3 <nil>", "1 X 12 x 3 <nil>", "1 X 5 x~ 3 <nil>",
    ]  # fmt: skip


RUST_MAIN = b"""macro_rules! adding { ($name:ident) => { fn $name(n: u32) -> u32 { n + 1 } }; }
adding!(add);
const DOUBLE: fn(i32) -> i32 = twice;
const NAMES: [&str; 2] = ["a", "b"];
fn twice(n: i32) -> i32 { n * 2 }
fn parse(text: &str) -> Result<Vec<u8>, std::num::ParseIntError> { Ok(vec![text.parse()?, 9]) }
fn main() { println!("{} {} {} {:?}", add(1), DOUBLE(2), NAMES[0], parse("3")); }
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("rustc"), reason="needs Rust")
def test_rust_gives_other_values(tmp_path):
    functions = {each.name: each for each in changed_elsewhere("a.rs", None, RUST_MAIN)}
    outside = changed_outside_elsewhere("a.rs", None, RUST_MAIN)
    double, names = outside.declared
    assert outside.rest == ("a.rs:2 (adding!(add);)",)
    argv = ["sh", "-c", "rustc -A warnings a.rs 2>&1 && ./a"]
    parse, macro = functions["parse"], functions["adding!._name"]
    said = [
        _prints(tmp_path, "a.rs", RUST_MAIN, way, each, argv)
        for each, way in (
            (parse, parse.sabotages["returns something else"]), (macro, macro.sabotages["does nothing"]),
            (double, double.sabotages["returns something else"]),
            *((names, way) for way in names.values),
        )
    ]  # fmt: skip
    assert said == [
        "2 4 a Ok([10])", "0 4 a Ok([3, 9])", "2 11 a Ok([3, 9])", "2 4 ~a Ok([3, 9])",
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
    (found,) = changed_elsewhere(path, source, source.replace(old, new))
    assert (found.name, new in found.text.encode()) == (name, True)
