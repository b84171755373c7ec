"""An expression's tree over one table's columns → a function of a row image.

Types are settled while compiling, so that a row costs one call for each operator.  What depends on no
column is worked out at once; what is not known here raises BadExpression with its place, never later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from sqlglot import exp

from pkg.rules.expression import arithmetic, casts, convert, logic, patterns
from pkg.rules.expression.columns import column_node
from pkg.rules.expression.compare import collated, compared
from pkg.rules.expression.functions import called, is_changing, unknown
from pkg.rules.expression.grammar import place
from pkg.rules.expression.json_functions import JSON_FUNCTIONS, extracted, unquoted
from pkg.rules.expression.node import (
    BYTES,
    INT,
    NULL,
    UNSIGNED,
    Kind,
    Level,
    Node,
    Run,
    Type,
    at_place,
    literal,
)
from pkg.rules.expression.number_functions import NUMBER_FUNCTIONS
from pkg.rules.expression.problem import BadExpression, UnknownColumn
from pkg.rules.expression.signatures import check_arguments
from pkg.rules.expression.text_functions import TEXT_FUNCTIONS, trimmed
from pkg.rules.expression.time_functions import TIME_FUNCTIONS, shifted
from pkg.schema.table import Table

MAX_NUMBER_DIGITS = 100
FUNCTIONS = {**TEXT_FUNCTIONS, **NUMBER_FUNCTIONS, **TIME_FUNCTIONS, **JSON_FUNCTIONS}


def condition_of(tree: exp.Expr, table: Table, flavor: str) -> Run:
    """True, False or None (NULL) of a row image, as a server of the flavour says.  Raises BadExpression."""
    return convert.truth(compiled(tree, table, flavor))


def compiled(tree: exp.Expr, table: Table, flavor: str) -> Node:
    return _Compiler(table, flavor).node(tree)


def functions_known() -> list[str]:
    """The names that may be called, for the documentation."""
    return sorted({*FUNCTIONS, "CAST", "CONVERT", "EXTRACT", "DATE_ADD", "DATE_SUB", "POSITION"})


class _Compiler:
    def __init__(self, table: Table, flavor: str) -> None:
        self._table = table
        self.flavor = flavor

    def node(self, tree: Any) -> Node:
        handler = _HANDLERS.get(type(tree))
        at = place(tree)
        if handler is None:
            raise BadExpression(f"{_what(tree)} is not known here", at)
        try:
            found = at_place(handler(self, tree, at), at)
            if self.flavor == "mariadb" and found.kind is Kind.JSON:
                found = replace(found, type=replace(found.type, is_textual=True))
            return found if isinstance(tree, (exp.Column, exp.Paren)) else replace(found, column=False)
        except BadExpression as exc:
            exc.at = exc.at or at
            raise

    def nodes(self, trees: Sequence[Any]) -> list[Node]:
        return [self.node(tree) for tree in trees]

    def pair(self, tree: exp.Expr) -> tuple[Node, Node]:
        return self.node(tree.this), self.node(tree.args["expression"])

    def column(self, tree: exp.Column, at: int) -> Node:
        name = tree.name
        if tree.args.get("catalog") or not isinstance(tree.this, exp.Identifier):
            raise BadExpression(f"{tree.sql()} is no column", at)
        for given, own in ((tree.table, self._table.name), (tree.db, self._table.schema)):
            if given and given.lower() != own.lower():
                raise BadExpression(f"{tree.sql()} is of another table: an expression sees one row", at)
        found = self._table.column(name)
        if found is None:
            if not tree.table and not tree.this.quoted and is_changing(name):
                raise BadExpression(unknown(name.upper()), at)
            raise UnknownColumn(name, at)
        return column_node(found, self._table.ordinal(name), at)

    def literal(self, tree: exp.Literal, at: int) -> Node:
        if tree.is_string:
            return text_literal(str(tree.this), at)
        return number_literal(str(tree.this), at)

    def like(self, tree: exp.Expr, at: int, escape: str = "\\") -> Node:
        left, right = self.pair(tree)
        found = patterns.like(left, right, escape, at)
        return logic.negation(found, at) if tree.args.get("negate") else found

    def escaped(self, tree: exp.Escape, at: int) -> Node:
        letter = tree.expression
        if not isinstance(tree.this, exp.Like) or not isinstance(letter, exp.Literal) or len(str(letter.this)) != 1:
            raise BadExpression("ESCAPE takes one character", at)
        return self.like(tree.this, at, str(letter.this))

    def is_(self, tree: exp.Is, at: int) -> Node:
        node, what = self.node(tree.this), tree.expression
        if isinstance(what, exp.Null):
            found = logic.is_null(node, at)
        elif isinstance(what, exp.Boolean):
            found = logic.is_truth(node, bool(what.this), at)
        else:
            raise BadExpression("IS takes NULL, TRUE, FALSE or UNKNOWN", at)
        return logic.negation(found, at) if tree.args.get("negate") else found

    def in_(self, tree: exp.In, at: int) -> Node:
        if not tree.expressions:
            raise BadExpression("IN takes a list of values", at)
        node = self.node(tree.this)
        _refuse_hex([tree.this, *tree.expressions], node, at)
        return logic.one_of(node, self.nodes(tree.expressions), at)

    def between(self, tree: exp.Between, at: int) -> Node:
        if tree.args.get("symmetric"):
            raise BadExpression("BETWEEN SYMMETRIC is not MySQL's", at)
        node, low, high = (self.node(tree.args[part]) for part in ("this", "low", "high"))
        _refuse_hex([tree.args["low"], tree.args["high"]], node, at)
        return logic.between(node, low, high, at)

    def negation(self, tree: exp.Not, at: int) -> Node:
        return logic.negation(self.node(tree.this), at)

    def case(self, tree: exp.Case, at: int) -> Node:
        subject = self.node(tree.this) if tree.this else None
        branches = tree.args["ifs"]
        conditions = self.nodes([branch.this for branch in branches])
        if subject is not None:
            conditions = [compared("=", subject, condition, at) for condition in conditions]
        results = self.nodes([branch.args["true"] for branch in branches])
        default = tree.args.get("default")
        return logic.chosen(conditions, results, self.node(default) if default else logic.NOTHING, at)

    def if_(self, tree: exp.If, at: int) -> Node:
        if tree.args.get("false") is None:
            raise BadExpression("IF takes 3 arguments", at)
        parts = [tree.this, tree.args["true"], tree.args["false"]]
        return called(FUNCTIONS, "IF", self.nodes(parts), at)

    def call(self, tree: exp.Anonymous, at: int) -> Node:
        name = str(tree.name).upper()
        arguments = list(tree.expressions)
        if name in ("DATE_ADD", "DATE_SUB", "ADDDATE", "SUBDATE"):
            if len(arguments) != 2 or not isinstance(arguments[1], exp.Interval):
                raise BadExpression(f"{name} takes a date and an INTERVAL", at)
            return self._shifted(arguments[0], arguments[1], -1 if "SUB" in name else 1, at)
        if name not in FUNCTIONS:
            raise BadExpression(unknown(name), at)  # before its arguments, which may be as unusual
        nodes = self.nodes(arguments)
        if name == "MOD" and len(nodes) == 2:
            check_quotient(arithmetic.remainder, nodes, self.flavor, at)
        if name == "REGEXP_LIKE" and self.flavor == "mariadb":
            raise BadExpression("MariaDB has no REGEXP_LIKE: use REGEXP", at)
        if name.startswith("JSON_"):
            for node in nodes[1:]:
                self._check_path(node)
        if name in ("LOCATE", "INSTR"):
            self._check_search(nodes, at)
        return called(FUNCTIONS, name, nodes, at)

    def _check_path(self, path: Node) -> None:
        if self.flavor == "mariadb" and path.constant and "last" in str(path.value()):
            raise BadExpression("MariaDB has no `last` in paths", path.at)

    def _check_search(self, nodes: Sequence[Node], at: int) -> None:
        texts = [node for node in nodes[:2] if node.kind is Kind.TEXT]
        if self.flavor == "mariadb" and not any(node.type.collation.endswith("_bin") for node in texts):
            raise BadExpression("MariaDB searches bytes without case: add COLLATE utf8mb4_bin to a text", at)

    def added(self, tree: exp.Expr, at: int) -> Node:
        sign = "+" if isinstance(tree, exp.Add) else "-"
        left, right = tree.this, tree.args["expression"]
        if isinstance(left, exp.Interval) and sign == "+":
            left, right = right, left
        if isinstance(right, exp.Interval):
            return self._shifted(left, right, 1 if sign == "+" else -1, at)
        return arithmetic.calculated(sign, self.node(left), self.node(right), at)

    def _shifted(self, date: Any, interval: exp.Interval, sign: int, at: int) -> Node:
        unit = str(interval.args.get("unit") or "").upper()
        amount = self.node(interval.this) if interval.this else logic.NOTHING
        return shifted(self.node(date), amount, unit, sign, at)

    def multiplied(self, tree: exp.Mul, at: int) -> Node:
        return arithmetic.calculated("*", *self.pair(tree), at)

    def cast(self, tree: exp.Cast, at: int) -> Node:
        return casts.cast(self.node(tree.this), tree.to, at)

    def collate(self, tree: exp.Collate, at: int) -> Node:
        return collated(self.node(tree.this), tree.expression.name)

    def introduced(self, tree: exp.Introducer, at: int) -> Node:
        charset, what = str(tree.this).lower(), tree.expression
        if charset == "_binary" and isinstance(what, exp.Literal) and what.is_string:
            return literal(BYTES, str(what.this).encode(), at)
        if charset in ("_utf8mb4", "_utf8", "_utf8mb3") and isinstance(what, exp.Literal) and what.is_string:
            return self.node(what)
        raise BadExpression(f"{charset} is not read here before a literal", at)

    def extract(self, tree: exp.Extract, at: int) -> Node:
        unit, node = tree.name.upper(), self.node(tree.expression)
        if unit not in TIME_FUNCTIONS or unit in ("DATE", "TIME"):
            raise BadExpression(f"EXTRACT of {unit} is not known here", at)
        if node.kind is Kind.TIME:
            raise BadExpression("servers extract from times differently: use HOUR(), MINUTE(), SECOND()", at)
        return called(TIME_FUNCTIONS, unit, [node], at)

    def trim(self, tree: exp.Trim, at: int) -> Node:
        remove = tree.args.get("expression")
        side = str(tree.args.get("position") or "BOTH").upper()
        check_arguments("TRIM", [self.node(tree.this)], at)
        return trimmed(self.node(tree.this), self.node(remove) if remove else None, side, at)

    def substring(self, tree: exp.Substring, at: int) -> Node:
        parts = [tree.this, tree.args.get("start"), tree.args.get("length")]
        return called(FUNCTIONS, "SUBSTRING", self.nodes([part for part in parts if part is not None]), at)

    def position(self, tree: exp.StrPosition, at: int) -> Node:
        nodes = [self.node(tree.args["substr"]), self.node(tree.this)]
        self._check_search(nodes, at)
        return called(FUNCTIONS, "LOCATE", nodes, at)

    def json(self, tree: exp.Expr, at: int) -> Node:
        node, path = self.pair(tree)
        self._check_path(path)
        found = extracted(node, [path], at)
        return unquoted(found, at) if isinstance(tree, exp.JSONExtractScalar) else found

    def joined_literals(self, tree: exp.Concat, at: int) -> Node:
        """'a' 'b': adjacent literals are one."""
        return called(FUNCTIONS, "CONCAT", self.nodes(tree.expressions), at)


def text_literal(value: str, at: int) -> Node:
    type_ = Type(Kind.TEXT, collation=convert.CONNECTION_COLLATION, level=Level.COERCIBLE)
    return literal(type_, value, at)


def number_literal(text: str, at: int) -> Node:
    """As the server types it: an integer, beyond 64 bits a decimal, with an exponent a float."""
    if "e" in text.lower():
        return literal(Type(Kind.REAL), float(text), at)
    if "." in text:
        try:
            value = Decimal(text)
        except InvalidOperation as exc:
            raise BadExpression(f"{text!r} is no number", at) from exc
        return literal(Type(Kind.DECIMAL, scale=len(text.partition(".")[2])), value, at)
    if len(text) > MAX_NUMBER_DIGITS:
        raise BadExpression("a number has too many digits", at)
    whole = int(text)
    if whole >= 1 << 64:
        return literal(Type(Kind.DECIMAL), Decimal(whole), at)
    return literal(UNSIGNED if whole >= 1 << 63 else INT, whole, at)


def _bits(tree: exp.Expr, at: int) -> Node:
    """x'…' and b'…' are bytes that are a number where one is wanted."""
    base = 16 if isinstance(tree, exp.HexString) else 2
    digits = str(tree.this)
    try:
        value = int(digits, base) if digits else 0
    except ValueError as exc:
        raise BadExpression(f"{digits!r} is no such number", at) from exc
    size = (len(digits) + 1) // 2 if base == 16 else (len(digits) + 7) // 8
    if size > 8:
        return literal(BYTES, value.to_bytes(size, "big"), at)
    return literal(BYTES, value.to_bytes(size, "big"), at, number=literal(UNSIGNED, value, at))


def _what(tree: exp.Expr) -> str:
    if isinstance(tree, exp.Func):
        return f"the function {type(tree).__name__.upper()}"
    names: dict[type, str] = {exp.Tuple: "a row of values", exp.Star: "*", exp.Interval: "an INTERVAL by itself"}
    return names.get(type(tree), f"{tree.sql()!r}")


def _refuse_hex(trees: Sequence[Any], node: Node, at: int) -> None:
    """Raise BadExpression where a number is compared with X'…', a number for MySQL and a text for MariaDB."""
    if node.type.is_number and not node.constant and any(isinstance(tree, exp.HexString) for tree in trees):
        raise BadExpression("a number and X'…' compare differently on servers: write the number", at)


def _compared(compiler: _Compiler, tree: Any, at: int) -> Node:
    left, right = compiler.pair(tree)
    _refuse_hex([tree.expression], left, at)
    _refuse_hex([tree.this], right, at)
    return compared(_COMPARISONS[type(tree)], left, right, at)


_COMPARISONS: dict[type, str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.NullSafeEQ: "<=>",
}  # fmt: skip
_BITS: dict[type, str] = {
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^", exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
}  # fmt: skip
_PAIRS: dict[type, Callable[[Node, Node, int], Node]] = {
    exp.And: logic.conjunction,
    exp.Or: logic.disjunction,
    exp.Xor: logic.exclusive,
    exp.RegexpLike: patterns.regexp,
}


def _of_pair(build: Callable[[Node, Node, int], Node]) -> Callable[[_Compiler, Any, int], Node]:
    return lambda compiler, tree, at: build(*compiler.pair(tree), at)


def _quotient(build: Callable[[Node, Node, int], Node]) -> Callable[[_Compiler, Any, int], Node]:
    """``/``, DIV and ``%``."""

    def handler(compiler: _Compiler, tree: Any, at: int) -> Node:
        pair = compiler.pair(tree)
        check_quotient(build, pair, compiler.flavor, at)
        return build(*pair, at)

    return handler


def check_quotient(build: Callable[[Node, Node, int], Node], pair: Sequence[Node], flavor: str, at: int) -> None:
    """Raise BadExpression where servers calculate otherwise than they show."""
    kinds = {node.kind for node in pair} - {Kind.NULL}
    if any(node.type.is_string or node.type.is_temporal or node.kind is Kind.JSON for node in pair):
        raise BadExpression("numbers are divided here: use CAST", at)
    if build is arithmetic.whole_quotient and Kind.REAL in kinds:
        raise BadExpression("DIV takes integers and decimals here: CAST to DECIMAL", at)
    if flavor != "mariadb" or Kind.REAL in kinds:
        return
    if build is arithmetic.divided:
        raise BadExpression("MariaDB keeps more digits of a quotient than it shows: multiply instead of dividing", at)
    if build is arithmetic.remainder and Kind.DECIMAL in kinds:
        raise BadExpression("MariaDB's remainders of decimals may be less than 0: CAST to SIGNED", at)


def _signed(build: Callable[[str, Node, Node, int], Node], sign: str) -> Callable[[_Compiler, Any, int], Node]:
    return lambda compiler, tree, at: build(sign, *compiler.pair(tree), at)


_HANDLERS: Mapping[type, Callable[[_Compiler, Any, int], Node]] = {
    exp.Column: _Compiler.column,
    exp.Literal: _Compiler.literal,
    exp.Null: lambda compiler, tree, at: literal(NULL, None, at),
    exp.Boolean: lambda compiler, tree, at: literal(INT, bool(tree.this), at),
    exp.HexString: lambda compiler, tree, at: _bits(tree, at),
    exp.BitString: lambda compiler, tree, at: _bits(tree, at),
    exp.Introducer: _Compiler.introduced,
    exp.Paren: lambda compiler, tree, at: compiler.node(tree.this),
    exp.Not: _Compiler.negation,
    exp.Neg: lambda compiler, tree, at: arithmetic.negated(compiler.node(tree.this), at),
    exp.BitwiseNot: lambda compiler, tree, at: arithmetic.inverted(compiler.node(tree.this), at),
    exp.Add: _Compiler.added,
    exp.Sub: _Compiler.added,
    exp.Mul: _Compiler.multiplied,
    exp.Like: _Compiler.like,
    exp.Escape: _Compiler.escaped,
    exp.Is: _Compiler.is_,
    exp.In: _Compiler.in_,
    exp.Between: _Compiler.between,
    exp.Case: _Compiler.case,
    exp.If: _Compiler.if_,
    exp.Anonymous: _Compiler.call,
    exp.Cast: _Compiler.cast,
    exp.Collate: _Compiler.collate,
    exp.Extract: _Compiler.extract,
    exp.Trim: _Compiler.trim,
    exp.Substring: _Compiler.substring,
    exp.StrPosition: _Compiler.position,
    exp.JSONExtract: _Compiler.json,
    exp.JSONExtractScalar: _Compiler.json,
    exp.Concat: _Compiler.joined_literals,
    **dict.fromkeys(_COMPARISONS, _compared),
    **{node: _signed(arithmetic.bits, sign) for node, sign in _BITS.items()},
    **{node: _of_pair(build) for node, build in _PAIRS.items()},
    exp.Div: _quotient(arithmetic.divided),
    exp.IntDiv: _quotient(arithmetic.whole_quotient),
    exp.Mod: _quotient(arithmetic.remainder),
}
