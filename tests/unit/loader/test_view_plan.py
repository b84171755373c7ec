"""Which views are made, in which order, and what is said of the others."""

from __future__ import annotations

import itertools

import pytest

from dm_worker.dumper.source_views import SourceView
from dm_worker.loader.view_plan import Surroundings, named_left_out, plan_views
from pkg.rules.router import Router, RouteRule, Target
from pkg.schema.view_text import Name

ROUTER = Router(
    (
        RouteRule("shards", "s", "t_*", "r", "t"),
        RouteRule("rest", "s", "", "r", ""),
        RouteRule("views", "s", "same_*", "r", "same"),
    ),
    case_sensitive=False,
)
TABLES: tuple[Name, ...] = (("s", "a"), ("s", "b"), ("s", "t_1"), ("s", "t_2"), ("s", "Fold"), ("o", "c"))
AROUND = Surroundings(
    {name: ROUTER.route(*name) for name in TABLES},
    ROUTER.route,
    lambda schema, _: schema in ("s", "o"),
    {Target("o", "c")},
)


def view(name: str, *tables: str, schema: str = "s") -> SourceView:
    named = " join ".join(".".join(f"`{part}`" for part in one.split(".")) for one in tables)
    sql = f"CREATE DEFINER=`u`@`%` VIEW `{schema}`.`{name}` AS select 1 AS `x` from {named or 'DUAL'}"
    return SourceView(schema, name, sql)


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (view("v"), ""),
        (view("v", "s.a", "s.b"), ""),
        (view("v", "s.fold"), ""),
        (view("v", "information_schema.TABLES"), ""),
        (view("v", "s.a", "s.t_1"), "it names s.t_1, which is merged with others into r.t"),
        (view("v", "o.c"), "it names o.c, which is merged with others into o.c"),
        (view("v", "s.gone"), "it names s.gone, which is not migrated"),
        (view("v", "mysql.user"), "it names mysql.user, which the block-allow-list leaves out"),
        (view("t_3", "s.a"), "its route leads to r.t, which is a table"),
        (view("v", "s.v"), "it names itself, by other views"),
        (SourceView("s", "v", ""), "its file has no CREATE VIEW in UTF-8"),
        (SourceView("s", "v", "CREATE VIEW v AS select (1"), "its text cannot be read: expected ) at character 27, "
                                                             "found the end"),
    ],
)  # fmt: skip
def test_one_view(one: SourceView, reason: str) -> None:
    plan = plan_views([one], AROUND)
    assert plan.left_out == ({one.full_name: reason} if reason else {})
    assert [planned.source for planned in plan.views] == ([] if reason else [one])


def test_names_go_where_their_routes_lead() -> None:
    [planned] = plan_views([view("v", "s.fold", "o.w"), view("w", schema="o")], AROUND).views[1:]
    assert planned.statement(planned.text.definer) == (
        "CREATE ALGORITHM=UNDEFINED DEFINER=`u`@`%` SQL SECURITY DEFINER VIEW `r`.`v` AS select 1 AS `x` from "
        "`r`.`Fold` join `o`.`w`"
    )


def test_views_come_behind_those_that_they_name() -> None:
    views = [view("a1"), view("b1", "s.a1"), view("c1", "s.a1", "s.b1"), view("d1", "s.c1", "s.a")]
    for order in itertools.permutations(views):
        plan = plan_views(order, AROUND)
        assert [one.source.name for one in plan.views] == ["a1", "b1", "c1", "d1"]
        assert plan.left_out == {}


def test_what_names_a_view_that_is_left_out_is_left_out() -> None:
    views = [view("d1", "s.c1"), view("c1", "s.b1", "s.a"), view("b1", "s.gone"), view("e1", "s.a")]
    plan = plan_views(views, AROUND)
    assert [one.source.name for one in plan.views] == ["e1"]
    assert plan.left_out == {
        ("s", "b1"): "it names s.gone, which is not migrated",
        ("s", "c1"): "it names s.b1, which is left out",
        ("s", "d1"): "it names s.c1, which is left out",
    }


def test_views_of_one_target_are_left_out() -> None:
    plan = plan_views([view("same_1"), view("same_2")], AROUND)
    assert set(plan.left_out.values()) == {"its route leads to r.same, and so does another view's"}


def test_a_circle_ends() -> None:
    plan = plan_views([view("x", "s.y"), view("y", "s.x"), view("z", "s.a")], AROUND)
    assert [one.source.name for one in plan.views] == ["z"]
    assert set(plan.left_out) == {("s", "x"), ("s", "y")}


def test_a_view_that_the_target_refused_takes_others_with_it() -> None:
    [_, above] = plan_views([view("x"), view("y", "s.x")], AROUND).views
    assert named_left_out(above, {("s", "x")}) == "it names s.x, which is left out"
    assert named_left_out(above, set()) == ""


def test_ambiguous_routes_are_no_error() -> None:
    router = Router(
        (RouteRule("one", "s", "v*", "r", "v"), RouteRule("two", "s", "*v", "r", "v")), case_sensitive=False
    )
    plan = plan_views([view("v")], Surroundings({}, router.route, lambda *_: True))
    assert "matches two routes" in plan.left_out["s", "v"]
