"""Changed functions in Go are called at the base and on the result too."""

import shutil

import pytest

from setpoint.checks.proof.differential.go.choice import chosen
from setpoint.checks.proof.differential.go.source import source_of
from setpoint.checks.proof.differential.go.values import near, read, shown, written
from setpoint.model.proof import ObligationState
from setpoint_probe.wire.calls import CallsRequest

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
NEEDS_GO = pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")
_SHOP = """// Package shop does small things.
package shop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// ErrNone means that there is nothing.
var ErrNone = errors.New("nothing there")

const most = 20

// Item is sold.
type Item struct {
	Name  string
	cents int
	tags  map[string][]int
}

// Basket holds items.
type Basket struct {
	items []*Item
	at    time.Time
}

// Add adds an item.
func (basket *Basket) Add(_ int, item *Item) error {
	if item == nil {
		return ErrNone
	}
	basket.items = append(basket.items, item)
	return nil
}

// Stack is a stack.
type Stack[T any] struct{ held []T }

// Push pushes.
func (stack *Stack[T]) Push(each T) int { stack.held = append(stack.held, each); return len(stack.held) }

// Largest finds the largest.
func Largest[T int | float64](one T, more ...T) T {
	for _, each := range more {
		if each > one {
			one = each
		}
	}
	return one
}

// Words counts words.
func Words(from io.Reader, text string, when time.Time, cause error) (int, error) {
	if cause != nil {
		return 0, fmt.Errorf("words: %w", cause)
	}
	fmt.Println(text)
	return min(len(strings.Fields(text)), most) + when.Day(), nil
}

func min(one, other int) int {
	if one < other {
		return one
	}
	return other
}

// Each calls back.
func Each(items []Item, act func(Item)) {
	for _, each := range items {
		act(each)
	}
}

// Save saves.
func Save(path string) error { return os.WriteFile(path, nil, 0o600) }
"""
_TEST = """package shop

import (
	"strings"
	"testing"
	"time"
)

func TestShop(t *testing.T) {
	basket := Basket{at: time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC)}
	tea := &Item{Name: "tea", tags: map[string][]int{"a": {1}}}
	if basket.Add(1, tea) != nil || basket.Add(0, nil) != ErrNone {
		t.Error("Add")
	}
	var stack Stack[string]
	if stack.Push("a") != 1 || Largest(1, 2, 3) != 3 || Largest(2.5) != 2.5 {
		t.Error("Push, Largest")
	}
	if got, err := Words(nil, "a b", basket.at, nil); got != 33 || err != nil {
		t.Error("Words")
	}
	if _, err := Words(strings.NewReader(""), "a b", time.Time{}, ErrNone); err == nil {
		t.Error("Words")
	}
	if _, err := Words(nil, "a b", basket.at, ErrNone); err == nil {
		t.Error("Words")
	}
	Each([]Item{{}}, func(Item) {})
	if Save(t.TempDir()+"/a") != nil {
		t.Error("Save")
	}
}
"""
_GO = {"go.mod": "module example.com/shop\n\ngo 1.18\n", "shop.go": _SHOP, "shop_test.go": _TEST}


@NEEDS_GO
@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("one < other", "one <= other && one < 4", "Words(nil, "),
        ("append(basket.items, item)", "append([]*Item{item}, basket.items...)", "Basket{items: "),
        ("append(stack.held, each)", "append([]T{each}, stack.held...)", "Stack{held: "),
        ("words: %w", "words: %v", ": 0, error"),
    ],
)
async def test_a_refactoring_in_go_answers_as_the_base_does(obligations, old, new, shown):
    said = (await obligations(_GO, {"shop.go": _SHOP.replace(old, new)}, "refactor shop.go"))["same answers"]

    assert said.state is NOT_MET, said.reason
    assert shown in said.reason, said.reason


@NEEDS_GO
async def test_a_refactoring_in_go_that_answers_as_before_is_proved(obligations):
    changed = _SHOP.replace(
        "\tfor _, each := range items {\n\t\tact(each)", "\tfor at := range items {\n\t\tact(items[at])"
    )
    changed = changed.replace("one < other", "other > one").replace(
        "basket.items = app", "basket.items = /* */ app"
    )
    changed = changed.replace("len(strings.Fields(text))", "len(strings.Fields(strings.TrimSpace(text)))")
    said = (await obligations(_GO, {"shop.go": changed}, "refactor shop.go"))["same answers"]

    assert said.state is MET, said.reason
    assert {f"shop.go::{name}" for name in ("Basket.Add", "Words", "Stack.Push", "Largest")} <= {
        *said.evidence
    }
    assert "shop.go::Each (it takes a function)" in said.reason


def test_functions_of_go_are_read_with_their_receivers_and_parameters():
    found = source_of(_SHOP.encode())

    assert found.package == "shop"
    assert found.functions["Basket.Add"].given == ("basket", "", "item")
    assert found.functions["Stack.Push"].called("string") == "(*Stack[string]).Push"
    assert found.functions["Largest"].kinds == ("T",)
    assert found.errors == {"ErrNone"}
    assert found.reaching() == {"Save"}
    assert found.types["Basket"] == "struct { items [ ] * Item at time . Time }"


def test_recorded_values_of_go_are_varied_and_written_as_they_were():
    raw = {
        "p": {"s": {"Name": {"t": "tea"}, "cents": {"n": "3"}, "tags": {"m": [[{"t": "a"}, {"l": [None]}]]}}}
    }
    value = read(raw)

    assert written(value) == raw
    assert shown(value) == '&{Name: "tea", cents: 3, tags: map["a": [nil]]}'
    assert {"p": {**raw["p"], "s": {**raw["p"]["s"], "cents": {"n": "4"}}}} in [*map(written, near(value))]
    assert "äea" in near("tea")


def test_calls_of_go_are_chosen_from_what_was_recorded_and_lines_of_tests_are_left_out(tmp_path):
    (tmp_path / "1.jsonl").write_text(
        '{"name": "a.go::Half", "types": "", "why": "", "outer": true, "given": [{"n": "8"}]}\n'
        '{"name": "a.go::Half", "types": "", "why": "", "outer": true, "given": [{"q": 1, "r": 2}]}\n'
        '{"name": "a.go::Each", "types": "", "why": "it takes a function", "outer": true, "given": []}\n'
        "nonsense\n"
    )
    functions = {"a.go::Half": ("", "Half"), "a.go::Each": ("", "Each")}
    request = CallsRequest(
        "", "", functions, recorded=str(tmp_path), texts={"a.go::Half": ("func Half(n int) { n > 40 }",)}
    )

    calls, left = chosen(request, {})

    assert left == {"a.go::Each": "it takes a function"}
    assert calls[0].call.shown == "Half(8)"
    assert {"Half(9)", "Half(41)", "Half(-8)", "Half(0)"} <= {
        each.call.shown for each in calls if each.call.of == 0
    }
