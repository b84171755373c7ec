"""AND, OR, NOT, IS, IN, BETWEEN and choices, in logic of three values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pkg.rules.expression import convert
from pkg.rules.expression.compare import agree, compared, joined
from pkg.rules.expression.node import INT, NULL, REAL, Kind, Node, RowImage, Run, Type, literal, made_of
from pkg.rules.expression.problem import BadExpression


def conjunction(left: Node, right: Node, at: int) -> Node:
    one, other = convert.truth(left), convert.truth(right)

    def run(row: RowImage) -> bool | None:
        first = one(row)
        if first is False:
            return False
        second = other(row)
        return False if second is False else None if first is None or second is None else True

    return made_of(INT, run, [left, right], at)


def disjunction(left: Node, right: Node, at: int) -> Node:
    one, other = convert.truth(left), convert.truth(right)

    def run(row: RowImage) -> bool | None:
        first = one(row)
        if first is True:
            return True
        second = other(row)
        return True if second is True else None if first is None or second is None else False

    return made_of(INT, run, [left, right], at)


def exclusive(left: Node, right: Node, at: int) -> Node:
    one, other = convert.truth(left), convert.truth(right)

    def run(row: RowImage) -> bool | None:
        first, second = one(row), other(row)
        return None if first is None or second is None else first is not second

    return made_of(INT, run, [left, right], at)


def negation(node: Node, at: int) -> Node:
    truth = convert.truth(node)

    def run(row: RowImage) -> bool | None:
        value = truth(row)
        return None if value is None else not value

    return made_of(INT, run, [node], at)


def is_null(node: Node, at: int) -> Node:
    inner = node.run
    return made_of(INT, lambda row: inner(row) is None, [node], at)


def is_truth(node: Node, wanted: bool, at: int) -> Node:
    """IS TRUE, IS FALSE: never NULL."""
    truth = convert.truth(node)
    return made_of(INT, lambda row: truth(row) is wanted, [node], at)


def one_of(node: Node, choices: Sequence[Node], at: int) -> Node:
    """IN: NULL when it is none of those that are known."""
    agree([node, *choices], at)
    if len({choice.type.is_string for choice in choices if choice.kind is not Kind.NULL}) > 1:
        raise BadExpression("what IN names are numbers, or all are texts, here", at)
    tests = [compared("=", node, choice, at).run for choice in choices]

    def run(row: RowImage) -> bool | None:
        unknown = False
        for test in tests:
            found = test(row)
            if found:
                return True
            unknown = unknown or found is None
        return None if unknown else False

    return made_of(INT, run, [node, *choices], at)


def between(node: Node, low: Node, high: Node, at: int) -> Node:
    """Both ends are looked at, as servers do: one without a value is an error even where the other decides."""
    parts = [node, low, high]
    agree(parts, at)
    if low.constant and high.constant and low.type.is_string is not high.type.is_string:
        raise BadExpression("both ends of BETWEEN are numbers, or both are texts, here", at)
    if all(part.type.is_number for part in parts) and any(part.kind is Kind.REAL for part in parts):
        node, low, high = (convert.real(part) for part in parts)  # one float makes all three floats
    above, below = compared(">=", node, low, at).run, compared("<=", node, high, at).run

    def run(row: RowImage) -> bool | None:
        first, second = above(row), below(row)
        if first is False or second is False:
            return False
        return None if first is None or second is None else True

    return made_of(INT, run, [node, low, high], at)


def chosen(conditions: Sequence[Node], results: Sequence[Node], other: Node, at: int) -> Node:
    """CASE, IF: the first result whose condition is true."""
    type_ = common_type([*results, other])
    tests = [convert.truth(condition) for condition in conditions]
    runs = [as_type(result, type_).run for result in results]
    otherwise = as_type(other, type_).run

    def run(row: RowImage) -> object:
        for test, result in zip(tests, runs, strict=True):
            if test(row):
                return result(row)
        return otherwise(row)

    return made_of(replace(type_, is_choice=True), run, [*conditions, *results, other], at)


def first_known(nodes: Sequence[Node], at: int) -> Node:
    """COALESCE, IFNULL."""
    type_ = common_type(nodes)
    runs = [as_type(node, type_).run for node in nodes]

    def run(row: RowImage) -> object:
        for one in runs:
            value = one(row)
            if value is not None:
                return value
        return None

    return made_of(replace(type_, is_choice=True), run, nodes, at)


def null_if(left: Node, right: Node, at: int) -> Node:
    if left.type.is_string is not right.type.is_string and Kind.NULL not in (left.kind, right.kind):
        raise BadExpression("NULLIF takes two numbers or two texts here", at)
    same, value = compared("=", left, right, at).run, left.run
    run: Run = lambda row: None if same(row) else value(row)  # noqa: E731
    return made_of(replace(left.type, is_choice=True), run, [left, right], at)


def common_type(nodes: Sequence[Node]) -> Type:
    """What the alternatives of a choice become.  Raises BadExpression where that differs between servers."""
    known = [node for node in nodes if node.kind is not Kind.NULL]
    if not known:
        return NULL
    labelled = [node for node in known if node.kind is Kind.TEXT and node.number is not None]
    if labelled:
        raise BadExpression("an ENUM or SET among alternatives is a text or a number: use CAST", labelled[0].at)
    kinds = {node.kind for node in known}
    if kinds <= {Kind.INT, Kind.DECIMAL, Kind.REAL}:
        return _common_number(known)
    if len(kinds) == 1 and known[0].type.is_temporal:
        kind = Kind.DATETIME if Kind.DATETIME in kinds else known[0].kind
        return Type(kind, scale=max(node.type.scale for node in known))
    if kinds in ({Kind.BYTES}, {Kind.JSON}):
        return known[0].type
    if Kind.BYTES in kinds or Kind.JSON in kinds or any(node.type.is_temporal for node in known):
        raise BadExpression("the alternatives are of types that servers mix differently: use CAST", known[-1].at)
    if len(kinds) > 1 or len({node.type.collation for node in known if not node.constant}) > 1:
        raise BadExpression("the alternatives are of several types or collations: use CAST or COLLATE", known[-1].at)
    texts = [convert.text(node) for node in known]
    joint = texts[0]
    for text in texts[1:]:
        joint = Node(joined(joint, text), text.run)
    return joint.type


def _common_number(nodes: Sequence[Node]) -> Type:
    types = [node.type for node in nodes]
    if any(type_.kind is Kind.REAL for type_ in types):
        return REAL
    if any(type_.kind is Kind.DECIMAL for type_ in types) or len({type_.unsigned for type_ in types}) > 1:
        return Type(Kind.DECIMAL, scale=max(type_.scale for type_ in types))
    return types[0]


def as_type(node: Node, type_: Type) -> Node:
    if node.kind is Kind.NULL:
        return node
    match type_.kind:
        case Kind.REAL:
            return convert.real(node)
        case Kind.DECIMAL:
            return convert.decimal(node)
        case Kind.DATETIME:
            return convert.moment(node)
        case Kind.TEXT:
            return convert.text(node)
    return node


NOTHING = literal(NULL, None)
