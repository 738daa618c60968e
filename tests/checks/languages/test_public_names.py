"""Public names that a refactoring takes away, by reading."""

import pytest

from setpoint.checks.languages.all import language_of

PRICE = b"def price(n, factor=100):\n    return n * factor\n"


def lost_python(before, after):
    return language_of("a.py").lost_names(before, after)


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (b"def cost(n, factor=100):\n    return n * factor\n", "it is gone"),
        (b"def price(n):\n    return n * 100\n", "its parameters differ"),
        (b"def price(n, factor=99):\n    return n * factor\n", "its parameters differ"),
        (b"def price(n, rate=100):\n    return n * rate\n", "its parameters differ"),
        (b"async def price(n, factor=100):\n    return n * factor\n", "its parameters differ"),
        (b"def price(n, factor=100, tax=0):\n    return n * factor + tax\n", ""),
        (b"def price(n, factor=100, *, tax):\n    return n * factor + tax\n", "its parameters differ"),
        (b"def cost(n, factor=100):\n    return n * factor\n\nprice = cost\n", ""),
        (b"from pricing import price\n", ""),
        (b"from pricing import *\n", ""),
        (b"def price(*args, **options):\n    return args[0]\n", ""),
    ],
)
def test_a_function_that_cannot_be_called_as_before_is_named(new, why):
    assert lost_python({"shop.py": PRICE}, {"shop.py": new}) == ({"shop: price": why} if why else {})


def test_private_names_and_imports_may_go():
    old = b"import os\n\n_RATE = 2\n\n\ndef _price(n):\n    return n\n"
    assert lost_python({"shop.py": old, "_own.py": PRICE}, {"shop.py": b""}) == {}


def test_all_says_what_is_public():
    old = b"from .pricing import price\n__all__ = ['price']\n\n\ndef cost(n):\n    return n\n"
    assert lost_python({"shop.py": old}, {"shop.py": b""}) == {"shop: price": "it is gone"}


def test_a_method_may_move_to_a_class_that_it_is_inherited_from():
    old = b"class Cart:\n    def total(self, rows): ...\n    def _sum(self): ...\n"
    assert lost_python({"a.py": old}, {"a.py": b"class Cart: ...\n"}) == {"a: Cart.total": "it is gone"}
    assert lost_python({"a.py": old}, {"a.py": b"class Cart(Own): ...\n"}) == {}
    new = b"class Cart:\n    def total(self, rows, each=None): ...\n"
    assert lost_python({"a.py": old}, {"a.py": new}) == {}


def test_a_module_may_become_a_package_that_gives_its_names_on():
    new = {"shop/__init__.py": b"from .pricing import price\n", "shop/pricing.py": PRICE}
    assert lost_python({"shop.py": PRICE}, new) == {}
    assert lost_python(new, {"shop/pricing.py": PRICE, "shop/__init__.py": b""}) == {
        "shop: price": "it is gone"
    }
    assert lost_python({"shop.py": PRICE}, {}) == {"shop: price": "its module is gone"}


@pytest.mark.parametrize(
    ("path", "old", "new", "lost"),
    [
        ("a/a.go", "package a\nfunc Price() {}\nfunc own() {}\n", "package a\n", ["a: Price"]),
        ("a/a.go", "package a\nvar (\n\tLow = 1\n\tHigh = 2\n)\n", "package a\nvar Low = 1\n", ["a: High"]),
        ("a/a.go", "package a\ntype Cart struct{}\nfunc (c *Cart) Total() {}\n", "package a\ntype Cart int\n",
         ["a: Cart.Total"]),
        ("a.js", "export const half = 1;\nexport { x as y };\n", "export * from './b.js';\n", []),
        ("a.ts", "export function half() {}\nexport default 3;\n", "export class half {}\n", ["a: default"]),
        ("a.js", "module.exports = { half, twice: 2 };\n", "exports.half = 1;\n", ["a: twice"]),
        ("a.rs", "pub fn half() {}\npub struct A;\nimpl A { pub fn b(&self) {} }\n", "pub use c::{A};\n",
         ["crate: A::b", "crate: half"]),
        ("a.rs", "pub fn half() {}\n", "pub use c::*;\n", []),
        ("a.sh", "half() { :; }\n", "", []),
    ],
)  # fmt: skip
def test_names_that_other_languages_export_are_compared(path, old, new, lost):
    assert list(language_of(path).lost_names({path: old.encode()}, {path: new.encode()})) == lost


def test_only_files_of_the_language_are_read():
    assert language_of("a.go").lost_names({"a.js": b"export const a = 1;\n"}, {}) == {}
    assert language_of("a.py").lost_names({"a.js": b"a = 1\n"}, {}) == {}
