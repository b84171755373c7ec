"""Text of an expression → sqlglot's tree, read with MySQL's precedence and nothing rewritten.

sqlglot's own MySQL dialect translates functions into those of an ideal SQL, and puts `=` below `<` and
`|` beside `<<`; as a filter must mean what the server means by it, the dialect here keeps every function
call under its own name and has the server's levels (sql_yacc.yy: bool_pri, predicate, bit_expr).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar, cast

from sqlglot import exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.parsers.mysql import MySQLParser
from sqlglot.tokenizer_core import TokenType

from pkg.rules.expression.problem import BadExpression
from pkg.schema.lexer import LexicalError, tokenize

MAX_LENGTH = 10_000  # characters; the parser is recursive
MAX_DEPTH = 60
_SPECIAL_CALLS = frozenset({"CAST", "CONVERT", "EXTRACT", "POSITION", "SUBSTRING", "SUBSTR", "TRIM"})
_RANGES = frozenset({TokenType.BETWEEN, TokenType.IN, TokenType.IS, TokenType.LIKE, TokenType.RLIKE})
_OPERATORS = frozenset({TokenType.ARROW, TokenType.DARROW, TokenType.DOT})


def _arrow(node: type[exp.Expr]) -> Callable[[Any, Any, Any], exp.Expr]:
    return lambda parser, this, path: parser.expression(node(this=this, expression=path))


class _Parser(MySQLParser):
    FUNCTIONS: ClassVar[dict[str, Any]] = {}
    FUNC_TOKENS: ClassVar[Any] = {*MySQLParser.FUNC_TOKENS, TokenType.REPLACE}
    NO_PAREN_FUNCTIONS: ClassVar[dict[Any, Any]] = {}
    FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
        name: parser for name, parser in MySQLParser.FUNCTION_PARSERS.items() if name in _SPECIAL_CALLS
    }
    NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
        name: parser for name, parser in MySQLParser.NO_PAREN_FUNCTION_PARSERS.items() if name in ("CASE", "IF")
    }
    EQUALITY: ClassVar[dict[Any, Any]] = {}
    COMPARISON: ClassVar[dict[Any, Any]] = {**MySQLParser.EQUALITY, **MySQLParser.COMPARISON}
    RANGE_PARSERS: ClassVar[dict[Any, Any]] = {
        token: parser for token, parser in MySQLParser.RANGE_PARSERS.items() if token in _RANGES
    }
    COLUMN_OPERATORS: ClassVar[dict[Any, Any]] = {
        **{token: parser for token, parser in MySQLParser.COLUMN_OPERATORS.items() if token in _OPERATORS},
        TokenType.ARROW: _arrow(exp.JSONExtract),
        TokenType.DARROW: _arrow(exp.JSONExtractScalar),
    }
    FACTOR: ClassVar[dict[Any, Any]] = {
        token: node
        for token, node in MySQLParser.FACTOR.items()
        if token in (TokenType.DIV, TokenType.MOD, TokenType.SLASH, TokenType.STAR)
    }
    TERM: ClassVar[dict[Any, Any]] = {TokenType.DASH: exp.Sub, TokenType.PLUS: exp.Add}
    UNARY_PARSERS: ClassVar[dict[Any, Any]] = {
        token: parser
        for token, parser in MySQLParser.UNARY_PARSERS.items()
        if token in (TokenType.PLUS, TokenType.NOT, TokenType.TILDE, TokenType.DASH)
    }

    def _parse_bitwise(self) -> exp.Expr | None:
        this = self._parse_bitwise_and()
        while self._match(TokenType.PIPE):
            this = self.expression(exp.BitwiseOr(this=this, expression=self._parse_bitwise_and()))
        return this

    def _parse_bitwise_and(self) -> exp.Expr | None:
        this = self._parse_shift()
        while self._match(TokenType.AMP):
            this = self.expression(exp.BitwiseAnd(this=this, expression=self._parse_shift()))
        return this

    def _parse_shift(self) -> exp.Expr | None:
        this = self._parse_term()
        while True:
            if self._match_pair(TokenType.LT, TokenType.LT):
                this = self.expression(exp.BitwiseLeftShift(this=this, expression=self._parse_term()))
            elif self._match_pair(TokenType.GT, TokenType.GT):
                this = self.expression(exp.BitwiseRightShift(this=this, expression=self._parse_term()))
            else:
                return this

    def _parse_unary(self) -> exp.Expr | None:
        """COLLATE binds closer than anything but a call."""
        this = super()._parse_unary()
        while isinstance(this, exp.Expr) and self._match(TokenType.COLLATE):
            this = self.expression(exp.Collate(this=this, expression=self._parse_id_var()))
        return this


class _Dialect(MySQL):
    Parser = _Parser


def parse(text: str) -> exp.Expr:
    """The tree of one expression.  Raises BadExpression."""
    if len(text) > MAX_LENGTH:
        raise BadExpression(f"it has {len(text)} characters, the most is {MAX_LENGTH}")
    _check_tokens(text)
    dialect = _Dialect()
    try:
        trees = dialect.parser(error_level=ErrorLevel.IMMEDIATE).parse_into(exp.Condition, dialect.tokenize(text), text)
    except SqlglotError as exc:
        raise _unreadable(exc) from exc
    except RecursionError as exc:
        raise BadExpression("it is nested too deeply") from exc
    tree = trees[0] if len(trees) == 1 else None
    if tree is None:
        raise BadExpression("it is empty" if not text.strip() else "it is more than one expression")
    if _depth(tree) > MAX_DEPTH:
        raise BadExpression(f"it is nested more than {MAX_DEPTH} deep")
    return tree


def place(node: exp.Expr) -> int:
    """The character (from 1) of the node, or of the first thing in it whose place is known; 0: of none."""
    places = [int(one.meta["start"]) + 1 for one in node.walk() if "start" in one.meta]
    own = node.meta.get("start")
    return int(own) + 1 if own is not None else min(places, default=0)


def _check_tokens(text: str) -> None:
    """What the two lexers would read differently is refused."""
    try:
        tokens = tokenize(text)
    except LexicalError as exc:
        raise BadExpression(str(exc)) from exc
    for token, following in pairwise(tokens):
        if token.key == "," and following.key == ")":
            raise BadExpression("something is missing before `)`", following.start + 1)
        if token.executable:
            raise BadExpression("executable comments are not read in expressions", token.start + 1)
        if token.key in ("?", "@", ":=", ";", "{", "}", ":"):
            raise BadExpression(f"{token.text!r} has no place in an expression over a row", token.start + 1)
        if token.key in ("SELECT", "EXISTS", "OVER", "ALL", "ANY", "SOME", "DISTINCT"):
            raise BadExpression("subqueries and aggregates are not read: an expression sees one row", token.start + 1)


def _unreadable(exc: SqlglotError) -> BadExpression:
    errors = getattr(exc, "errors", None) or [{}]
    found: dict[str, Any] = cast("dict[str, Any]", errors[0])
    near = found.get("highlight") or ""
    what = str(found.get("description") or str(exc).splitlines()[0])
    if "<class" in what:  # of sqlglot's tree: "Required keyword: 'expression' missing for …"
        what = "something is missing"
    return BadExpression(f"no expression of MySQL: {what}" + (f", at {near!r}" if near else ""), found.get("col") or 0)


def _depth(tree: exp.Expr) -> int:
    deepest, stack = 0, [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in node.iter_expressions())
    return deepest
