"""Whatever a view's query looks like: all of its tables are found, only their names change, and that way back, too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.schema.lexer import quote_name
from pkg.schema.view_text import Name, read_view, rewritten

HEAD = "CREATE ALGORITHM=UNDEFINED DEFINER=`u`@`%` SQL SECURITY DEFINER VIEW "
TABLES: tuple[Name, ...] = (("s", "a"), ("s", "from"), ("o", "a"), ("o", "ü`x"))
TARGETS: dict[Name, Name] = {
    ("s", "a"): ("r", "a_new"), ("s", "from"): ("r", "select"), ("o", "a"): ("r", "a"), ("o", "ü`x"): ("r", "join"),
}  # fmt: skip
BACK = {to: name for name, to in TARGETS.items()}
WORDS = st.sampled_from((
    "1", "'from `s`.`a` x'", "'it\\'s \\\\'", "extract(year from now())", "trim(leading 'x' from 'y')", "`f`(2)",
    "`o`.`fun`(1)", "NULL", "1.5", "interval 1 day", "case when 1 then 'a' end", "_utf8mb4'`s`.`a`'",
))  # fmt: skip


def full(name: Name) -> str:
    return f"{quote_name(name[0])}.{quote_name(name[1])}"


@st.composite
def queries(draw: st.DrawFn, used: set[Name], depth: int = 2) -> str:
    """In the whole form; what it names is put into ``used``."""
    factors, columns = [], [draw(WORDS)]
    for number in range(draw(st.integers(1, 3))):
        alias = f"x{depth}_{number}"
        kind = draw(st.sampled_from(("table", "aliased", "query") if depth else ("table", "aliased")))
        if kind == "query":
            factors.append(f"({draw(queries(used, depth - 1))}) `{alias}`")
            columns.append(f"`{alias}`.`c`")
            continue
        name = draw(st.sampled_from(TABLES))
        used.add(name)
        factors.append(f"{full(name)} `{alias}`" if kind == "aliased" else full(name))
        columns.append(f"`{alias}`.`c`" if kind == "aliased" else f"{full(name)}.`c`")
    join = draw(st.sampled_from((" join ", ",", " straight_join ")))
    listed = ",".join(f"{one} AS `n{number}`" for number, one in enumerate(columns))
    text = f"select {listed} from ({join.join(factors)})"
    if depth and draw(st.booleans()):
        text += f" where ({columns[-1]} in ({draw(queries(used, depth - 1))})) order by {columns[-1]}"
    if depth and draw(st.booleans()):
        union = draw(queries(used, 0))
        text = f"({text} limit 3) union all ({union})"
    return text


@pytest.mark.slow
@given(st.data())
def test_there_and_back(data: st.DataObject) -> None:
    used: set[Name] = set()
    query = data.draw(queries(used))
    if data.draw(st.booleans()):
        query = f"with `cte` as ({query})select `cte`.`n0` AS `n` from `cte` join {full(TABLES[1])}"
        used.add(TABLES[1])
    view = read_view(f"{HEAD}`s`.`v` AS {query}")
    assert view.used("s") == used
    there = rewritten(view, "s", ("r", "v"), TARGETS, view.definer)
    routed = read_view(there)
    assert routed.used("r") == {TARGETS[name] for name in used}
    assert rewritten(routed, "r", ("s", "v"), BACK, view.definer) == view.sql
