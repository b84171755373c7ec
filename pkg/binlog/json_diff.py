"""Differences of JSON documents, as MySQL logs them with binlog_row_value_options = PARTIAL_JSON.

Layout and meaning: MySQL source `json_diff.cc`: for each an operation, a path and, but for a removal,
a value in binary JSON.  They are applied in order; one that does not fit its document is damage.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pkg.binlog.event_bodies import packed
from pkg.binlog.json_binary import MAX_DEPTH, BadJson, Node, array_text, json_tree, object_text

Leg = str | int
"""A member's name or an element's number; a negative number counts from the end."""
_REPLACE, _INSERT, _REMOVE = 0, 1, 2
_LEG = re.compile(
    r'\s*(?:\.\s*(?:("(?:[^"\\]|\\.)*")|([^\s.\[*"]+))|\[\s*(?:(\d{1,10})|last\s*(?:-\s*(\d{1,10}))?)\s*\])'
)


@dataclass(frozen=True, slots=True)
class Diff:
    """One change of a document; `value` is its binary JSON."""

    operation: int
    path: tuple[Leg, ...]
    value: bytes


def changed_text(document: bytes, diffs: bytes) -> str:
    """The binary document after the changes, as the server prints it.  Raises ValueError and IndexError."""
    return tree_text(changed_tree(document, diffs))


def changed_tree(document: bytes, diffs: bytes) -> Node:
    """The binary document after the changes.  Raises ValueError and IndexError."""
    root = json_tree(document)
    grown: dict[int, dict[str, Node]] = {}
    for diff in parse_diffs(diffs):
        _apply(root, diff, grown)
    for members in grown.values():
        _sort(members)
    return root


def tree_text(root: Node) -> str:
    """The document as the server prints it.  Raises BadJson."""
    return _text(root, 0)


def parse_diffs(raw: bytes) -> list[Diff]:
    found = []
    at = 0
    while at < len(raw):
        operation = raw[at]
        if operation > _REMOVE:
            raise BadJson(f"a JSON difference has the unknown operation {operation}")
        path, at = _counted(raw, at + 1)
        value = b""
        if operation != _REMOVE:
            value, at = _counted(raw, at)
        found.append(Diff(operation, parse_path(path.decode()), value))
    return found


def _counted(raw: bytes, at: int) -> tuple[bytes, int]:
    size, at = packed(raw, at)
    if at + size > len(raw):
        raise BadJson("a JSON difference is cut off")
    return raw[at : at + size], at + size


def parse_path(text: str) -> tuple[Leg, ...]:
    """`$.name."other name"[3][last-1]`: no wildcards, which differences never have."""
    legs: list[Leg] = []
    at = 1
    while at < len(text):
        leg = _LEG.match(text, at)
        if leg is None or len(legs) >= MAX_DEPTH:
            break
        name, plain, number, from_end = leg.groups()
        if number is not None:
            legs.append(int(number))
        elif plain is not None or name is not None:
            legs.append(plain if name is None else str(json.loads(name, strict=False)))
        else:
            legs.append(-1 - int(from_end or 0))
        at = leg.end()
    if at < len(text) or not legs or text[0] != "$":
        raise BadJson("a JSON difference has a damaged path")
    return tuple(legs)


def _apply(root: Node, diff: Diff, grown: dict[int, dict[str, Node]]) -> None:
    parent: Any = root
    for leg in diff.path[:-1]:
        parent = _child(parent, leg)
    last = diff.path[-1]
    if diff.operation == _INSERT:
        _insert(parent, last, json_tree(diff.value))
        if isinstance(parent, dict):
            grown[id(parent)] = parent
        return
    _child(parent, last)  # must be there
    if diff.operation == _REMOVE:
        del parent[last]
    else:
        parent[last] = json_tree(diff.value)


def _child(node: Node, leg: Leg) -> Node:
    if isinstance(node, dict) and isinstance(leg, str) and leg in node:
        child: Node = node[leg]
        return child
    if isinstance(node, list) and isinstance(leg, int) and -len(node) <= leg < len(node):
        child = node[leg]
        return child
    raise BadJson("a JSON difference names a part that its document does not have")


def _insert(parent: Node, leg: Leg, value: Node) -> None:
    if isinstance(parent, dict) and isinstance(leg, str) and leg not in parent:
        parent[leg] = value
    elif isinstance(parent, list) and isinstance(leg, int):
        parent.insert(leg if leg >= 0 else max(0, len(parent) + leg), value)
    else:
        raise BadJson("a JSON difference inserts where its document has no room")


def _sort(members: dict[str, Node]) -> None:
    """Members in the server's order: by length in bytes, then by bytes."""
    ordered = sorted(members.items(), key=lambda member: (len(raw := member[0].encode()), raw))
    members.clear()
    members.update(ordered)


def _text(node: Node, depth: int) -> str:
    if isinstance(node, str):
        return node
    if depth >= MAX_DEPTH:
        raise BadJson("a JSON document is nested too deeply")
    if isinstance(node, list):
        return array_text([_text(item, depth + 1) for item in node])
    return object_text(list(node), [_text(item, depth + 1) for item in node.values()])
