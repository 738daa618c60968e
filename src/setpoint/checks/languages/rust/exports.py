"""Find the public names of a file of Rust."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setpoint.checks.parsing import field_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_WORD = re.compile(r"[\w*]+")


def exported(node: Node, owner: str = "") -> Iterator[str]:
    """Yield what is public, with the type that owns it; of re-exports each word."""
    for child in node.named_children:
        public = any(each.type == "visibility_modifier" and text_of(each) == "pub" for each in child.children)
        body = child.child_by_field_name("body")
        if child.type == "impl_item":
            if body is not None:
                yield from exported(body, f"{field_of(child, 'type')}::")
        elif public and child.type == "use_declaration":
            yield from _WORD.findall(text_of(child))
        elif public and (name := field_of(child, "name")):
            yield f"{owner}{name}"
            if child.type == "mod_item" and body is not None:
                yield from exported(body)
