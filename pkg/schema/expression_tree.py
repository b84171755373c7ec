"""The expression of a generated column or a default, read into a tree with the precedence of the servers' grammar.

An operator is a call by its sign (``+``, ``AND``, ``->>``); what is written with words inside (``CAST(x AS …)``,
``EXTRACT(unit FROM x)``, ``TRIM(LEADING x FROM y)``) is a call with these words beside its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pkg.schema.lexer import Kind, Token, closing_of

_LEVELS = {
    "OR": 1, "||": 1, "XOR": 2, "AND": 3, "&&": 3, "BETWEEN": 5, "=": 6, "<=>": 6, ">=": 6, ">": 6, "<=": 6, "<": 6,
    "<>": 6, "!=": 6, "IS": 6, "LIKE": 6, "REGEXP": 6, "RLIKE": 6, "IN": 6, "|": 7, "&": 8, "<<": 9, ">>": 9, "-": 10,
    "+": 10, "*": 11, "/": 11, "DIV": 11, "%": 11, "MOD": 11, "^": 12, "COLLATE": 15, "->": 16, "->>": 16,
}  # fmt: skip
_NOT, _COMPARISON, _SIGN, _BANG = 4, 6, 13, 14
_TYPED_LITERALS = ("DATE", "TIME", "TIMESTAMP")
_WITHOUT_PARENTHESES = (
    "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP", "UTC_DATE", "UTC_TIME",
    "UTC_TIMESTAMP",
)  # fmt: skip
_OF_SIDES = ("LEADING", "TRAILING", "BOTH")


class UnreadExpression(ValueError):
    """What stands there is no expression that is known here."""


@dataclass(frozen=True, slots=True)
class Literal:
    kind: str  # "number", "string", "bytes", "null", "truth", or the word of a typed one: DATE, TIME, TIMESTAMP
    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """Of a column."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """``name`` in capitals."""

    name: str
    arguments: tuple[Node, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """``tested`` is None where each ``when`` is a condition of its own; ``values``: of THEN, and of ELSE."""

    tested: Node | None
    whens: tuple[Node, ...]
    values: tuple[Node, ...]


Node = Literal | Name | Call | Case


def tree_of(tokens: Sequence[Token]) -> Node:
    """``tokens`` of the whole text, the end among them.  Raises UnreadExpression."""
    reader = _Reader(tokens)
    node = reader.operand(0)
    if reader.key:
        raise UnreadExpression(reader.key)
    return node


def bare_expression(tokens: Sequence[Token]) -> list[Token]:
    """The expression of a clause (``GENERATED ALWAYS AS (…) STORED``), with the end."""
    start = next((place for place, token in enumerate(tokens) if token.key == "AS"), None)
    if start is None or any(token.key == "(" for token in tokens[:start]):
        return list(tokens)
    end = closing_of(tokens, start + 1)
    return list(tokens) if end is None else [*tokens[start + 1 : end + 1], tokens[-1]]


class _Reader:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._place = 0

    @property
    def _token(self) -> Token:
        return self._tokens[min(self._place, len(self._tokens) - 1)]

    @property
    def key(self) -> str:
        """Of the next token, "" at the end and for names in quotes and literals."""
        token = self._token
        return token.key if token.kind in (Kind.WORD, Kind.SIGN) else "" if token.kind is Kind.END else " "

    def _takes(self, *keys: str) -> bool:
        if self.key not in keys:
            return False
        self._place += 1
        return True

    def _expect(self, key: str) -> None:
        if not self._takes(key):
            raise UnreadExpression(f"{self.key} for {key}")

    def _word(self) -> str:
        token = self._token
        self._place += 1
        return token.key

    def operand(self, level: int) -> Node:
        """What binds at least as ``level`` does."""
        node = self._first()
        while (found := self._joined(node, level)) is not None:
            node = found
        return node

    def _joined(self, left: Node, level: int) -> Node | None:
        """``left`` with the operator behind it; None where none binds so."""
        key, start = self.key, self._place
        is_negated = key == "NOT"
        if is_negated:
            self._place += 1
            key = self.key
        own = _LEVELS.get(key, -1)
        if own < level or own < 0 or (is_negated and key not in ("BETWEEN", "IN", "LIKE", "REGEXP", "RLIKE")):
            self._place = start
            return None
        self._place += 1
        node = self._operation(key, own, left)
        return Call("NOT", (node,)) if is_negated else node

    def _operation(self, key: str, level: int, left: Node) -> Node:
        if key == "IS":
            is_not = self._takes("NOT")
            what = Call(f"IS {self._word()}", (left,))
            return Call("NOT", (what,)) if is_not else what
        if key == "IN":
            self._expect("(")
            return Call("IN", (left, *self._listed()))
        if key == "BETWEEN":
            least = self.operand(_COMPARISON + 1)
            self._expect("AND")
            return Call("BETWEEN", (left, least, self.operand(_COMPARISON + 1)))
        if key == "COLLATE":
            return Call("COLLATE", (left,), (self._word(),))
        right = self.operand(level + 1)
        if key in ("LIKE",) and self._takes("ESCAPE"):
            return Call(key, (left, right, self.operand(level + 1)))
        return Call({"&&": "AND", "!=": "<>", "MOD": "%", "RLIKE": "REGEXP"}.get(key, key), (left, right))

    def _listed(self) -> list[Node]:
        """Up to the parenthesis that ends them."""
        if self._takes(")"):
            return []
        found = [self.operand(0)]
        while self._takes(","):
            found.append(self.operand(0))
        self._expect(")")
        return found

    def _first(self) -> Node:
        token = self._token
        if token.kind is Kind.STRING:
            self._place += 1
            text = token.value
            while self._token.kind is Kind.STRING:  # strings in a row are one
                text += self._token.value
                self._place += 1
            return Literal("string", text)
        if token.kind is Kind.NUMBER:
            self._place += 1
            return Literal("bytes" if token.text[:2].lower() in ("0x", "0b") else "number", token.text)
        if token.kind is Kind.QUOTED:
            return self._name()
        if token.kind is Kind.SIGN:
            return self._signed()
        if token.kind is Kind.END:
            raise UnreadExpression("the end")
        return self._worded()

    def _signed(self) -> Node:
        if self._takes("("):
            node = self.operand(0)
            self._expect(")")
            return node
        for sign, level in (("-", _SIGN), ("+", _SIGN), ("~", _SIGN), ("!", _BANG)):
            if self._takes(sign):
                inner = self.operand(level)
                return inner if sign == "+" else Call({"!": "NOT", "-": "NEGATIVE"}.get(sign, sign), (inner,))
        raise UnreadExpression(self.key)

    def _worded(self) -> Node:
        key = self.key
        ahead = self._tokens[min(self._place + 1, len(self._tokens) - 1)]
        if ahead.kind is Kind.STRING and (key.startswith("_") or key == "N"):
            self._place += 1
            return self._first()
        if ahead.kind is Kind.STRING and key in ("X", "B"):
            self._place += 2
            return Literal("bytes", ahead.value)
        if ahead.kind is Kind.STRING and key in _TYPED_LITERALS:
            self._place += 2
            return Literal(key, ahead.value)
        if key.startswith("_") and (ahead.kind is Kind.NUMBER or ahead.key in ("X", "B")):
            self._place += 1
            literal = self._first()
            return Literal("string", literal.text) if isinstance(literal, Literal) and key != "_BINARY" else literal
        if key in ("NULL", "TRUE", "FALSE"):
            self._place += 1
            return Literal("null" if key == "NULL" else "truth", key)
        if key == "NOT":
            self._place += 1
            return Call("NOT", (self.operand(_NOT),))
        if key == "CASE":
            self._place += 1
            return self._case()
        if key == "BINARY" and ahead.key != "(":
            self._place += 1
            return Call("BINARY", (self.operand(_BANG),))
        if key == "INTERVAL":
            self._place += 1
            return self._interval()
        if ahead.key == "(" and ahead.kind is Kind.SIGN:
            self._place += 2
            return self._call(key)
        if key in _WITHOUT_PARENTHESES:
            self._place += 1
            return Call(key, ())
        return self._name()

    def _name(self) -> Node:
        name = self._token.value
        self._place += 1
        while self._takes("."):
            name = self._token.value
            self._place += 1
        return Name(name)

    def _case(self) -> Node:
        tested = None if self.key == "WHEN" else self.operand(0)
        whens, values = [], []
        while self._takes("WHEN"):
            whens.append(self.operand(0))
            self._expect("THEN")
            values.append(self.operand(0))
        if self._takes("ELSE"):
            values.append(self.operand(0))
        self._expect("END")
        return Case(tested, tuple(whens), tuple(values))

    def _interval(self) -> Node:
        """INTERVAL x unit, or the function."""
        inner = self.operand(_COMPARISON + 1)
        if self.key.strip() and self.key.replace("_", "").isalpha() and self.key not in _LEVELS:
            return Call("INTERVAL", (inner,), (self._word(),))
        raise UnreadExpression("INTERVAL without a unit")

    def _call(self, name: str) -> Node:
        special: dict[str, Callable[[], Node]] = {
            "CAST": self._cast, "CONVERT": self._convert, "EXTRACT": self._extract, "TRIM": self._trim,
            "JSON_VALUE": self._json_value, "POSITION": self._position, "TIMESTAMPDIFF": self._of_unit,
            "TIMESTAMPADD": self._of_unit,
        }  # fmt: skip
        if name in special:
            node = special[name]()
            return Call(name, node.arguments, node.words) if isinstance(node, Call) and not node.name else node
        return Call(name, tuple(self._listed()))

    def _cast(self) -> Node:
        value = self.operand(0)
        self._expect("AS")
        return Call("CAST", (value,), self._type())

    def _type(self) -> tuple[str, ...]:
        """The words and numbers of a type, up to the parenthesis that ends the call."""
        found: list[str] = []
        depth = 0
        while depth or self.key != ")":
            if not self.key:
                raise UnreadExpression("the end")
            depth += {"(": 1, ")": -1}.get(self.key, 0)
            found.append(self._token.text.upper())
            self._place += 1
        self._place += 1
        return tuple(found)

    def _convert(self) -> Node:
        value = self.operand(0)
        if self._takes("USING"):
            charset = self._word()
            self._expect(")")
            return Call("CONVERT USING", (value,), (charset,))
        self._expect(",")
        return Call("CAST", (value,), self._type())

    def _extract(self) -> Node:
        unit = self._word()
        self._expect("FROM")
        value = self.operand(0)
        self._expect(")")
        return Call("EXTRACT", (value,), (unit,))

    def _trim(self) -> Node:
        side = self._word() if self.key in _OF_SIDES else ""
        if side and self._takes("FROM"):
            return Call("TRIM", tuple(self._listed()), (side,))
        first = self.operand(0)
        if self._takes("FROM"):
            return Call("TRIM", (*self._listed(), first), (side,))
        self._expect(")")
        return Call("TRIM", (first,), (side,))

    def _json_value(self) -> Node:
        """What follows RETURNING are the call's words; it has none where it does not say what happens otherwise."""
        found = [self.operand(0)]
        while self._takes(","):
            found.append(self.operand(0))
        words = self._type() if self._takes("RETURNING") else ()
        if not words:
            self._expect(")")
        return Call("JSON_VALUE", tuple(found), words)

    def _position(self) -> Node:
        part = self.operand(_COMPARISON + 1)
        self._expect("IN")
        return Call("POSITION", (part, *self._listed()))

    def _of_unit(self) -> Node:
        unit = self._word()
        self._expect(",")
        return Call("", tuple(self._listed()), (unit,))
