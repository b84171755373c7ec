"""Functions of JSON documents, which may stand in a JSON column or, as on MariaDB, in a text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pkg.rules.expression.functions import Function, Functions
from pkg.rules.expression.json_order import JSON_NULL, Leg, at_path, has_wildcard, read_document, read_path
from pkg.rules.expression.node import INT, Kind, Level, Node, Type, made_of, strict
from pkg.rules.expression.problem import BadExpression, BadValue

_JSON = Type(Kind.JSON)
_TEXT = Type(Kind.TEXT, collation="utf8mb4_bin", level=Level.COERCIBLE)


def document(node: Node) -> Node:
    """A text's document.  A row's text that is none raises BadValue."""
    if node.kind in (Kind.JSON, Kind.NULL):
        return node
    if node.kind is not Kind.TEXT:
        raise BadExpression("this is no JSON document", node.at)
    if not node.type.collation.startswith(("utf8", "ascii")):
        raise BadExpression("a JSON document is in utf8mb4 here", node.at)
    return made_of(_JSON, strict(read_document, node), [node], node.at)


def extracted(node: Node, paths: Sequence[Node], at: int) -> Node:
    """JSON_EXTRACT: one value, or an array of them where a path has wildcards or there are several."""
    legs = [_path_of(path, at) for path in paths]
    single = len(legs) == 1 and not has_wildcard(legs[0])

    def call(value: Any) -> Any:
        found = [one for leg in legs for one in at_path(value, leg)]
        if not found:
            return None
        if not single:
            return found
        return JSON_NULL if found[0] is None else found[0]

    return made_of(_JSON, strict(call, document(node)), [node], at)


def _path_of(path: Node, at: int) -> tuple[Leg, ...]:
    if not path.constant or not isinstance(path.value(), str):
        raise BadExpression("a JSON path has to be a constant here", path.at or at)
    try:
        return read_path(path.value())
    except BadExpression as exc:
        raise BadExpression(exc.reason, path.at or at) from exc


def unquoted(node: Node, at: int) -> Node:
    """JSON_UNQUOTE: a JSON string's characters, and the text of other values."""
    if node.kind is Kind.JSON:
        call = _unquoted_plain if node.type.is_textual else _unquoted
        return made_of(_TEXT, strict(call, node), [node], at)
    if node.kind is not Kind.TEXT:
        raise BadExpression("JSON_UNQUOTE takes JSON or a text", node.at or at)
    return made_of(_TEXT, strict(_unquoted_text, node), [node], at)


def _unquoted(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _unquoted_plain(value: Any) -> str:
    """On MariaDB, which keeps numbers, arrays and objects as they were written."""
    if isinstance(value, (str, bool)) or value is JSON_NULL or (isinstance(value, int) and abs(value) < 10**15):
        return _unquoted(value)
    raise BadValue("a JSON value that is no string or small integer is a text as it was written, on MariaDB")


def _unquoted_text(text: str) -> str:
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return text
    try:
        found = json.loads(text)
    except ValueError as exc:
        raise BadValue(f"a text is no JSON string: {text[:60]!r}") from exc
    return str(found)


def json_text(value: Any) -> str:
    """As MySQL prints it."""
    if value is None or value is JSON_NULL:
        return "null"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json_text(key)}: {json_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    if isinstance(value, (float, Decimal)):
        return str(value).replace("e+", "e")
    return json.dumps(value, ensure_ascii=False)


def _length(arguments: Sequence[Node], at: int) -> Node:
    node = extracted(arguments[0], arguments[1:], at) if len(arguments) > 1 else document(arguments[0])
    return made_of(INT, strict(lambda value: len(value) if isinstance(value, (list, dict)) else 1, node), arguments, at)


def _valid(arguments: Sequence[Node], at: int) -> Node:
    node = arguments[0]

    def call(value: Any) -> bool:
        try:
            read_document(value)
        except BadValue:
            return False
        return True

    if node.kind is Kind.JSON:
        return made_of(INT, strict(lambda value: True, node), arguments, at)
    if node.kind is not Kind.TEXT:
        raise BadExpression("JSON_VALID takes JSON or a text here", node.at or at)
    return made_of(INT, strict(call, node), arguments, at)


def _contains_path(arguments: Sequence[Node], at: int) -> Node:
    how = arguments[1].value() if arguments[1].constant else None
    if not isinstance(how, str) or how.lower() not in ("one", "all"):
        raise BadExpression("JSON_CONTAINS_PATH takes 'one' or 'all'", arguments[1].at or at)
    legs = [_path_of(path, at) for path in arguments[2:]]
    wanted = any if how.lower() == "one" else all

    def call(value: Any) -> bool:
        return wanted(next(at_path(value, leg), legs) is not legs for leg in legs)

    return made_of(INT, strict(call, document(arguments[0])), arguments, at)


JSON_FUNCTIONS: Functions = {
    "JSON_EXTRACT": Function(2, None, lambda arguments, at: extracted(arguments[0], arguments[1:], at)),
    "JSON_UNQUOTE": Function(1, 1, lambda arguments, at: unquoted(arguments[0], at)),
    "JSON_LENGTH": Function(1, 2, _length),
    "JSON_VALID": Function(1, 1, _valid),
    "JSON_CONTAINS_PATH": Function(3, None, _contains_path),
}
