"""Which views are made in the target, in which order and in which words, and why others are not.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dm_worker.dumper.source_views import SourceView
from pkg.errors import DMError
from pkg.rules.router import Target
from pkg.schema.cursor import Unreadable
from pkg.schema.view_text import Account, Name, NotExact, ViewText, read_view, rewritten

_EVERYWHERE = "information_schema"  # every server has it, under this name


@dataclass(frozen=True, slots=True)
class PlannedView:
    """A view with its target; ``uses`` are other views that come before it."""

    source: SourceView
    text: ViewText
    target: Target
    names: Mapping[Name, Name]
    uses: frozenset[Name]

    def statement(self, definer: Account | None) -> str:
        to = self.target.schema, self.target.table
        return rewritten(self.text, self.source.schema, to, self.names, definer)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What views may name: the tables of the source with their targets, and who else feeds these."""

    tables: Mapping[Name, Target]
    route: Callable[[str, str], Target]
    allows: Callable[[str, str], bool]
    fed_by_others: Collection[Target] = ()


@dataclass(slots=True)
class ViewPlan:
    """Views in an order in which each finds what it names; and why others are left out."""

    views: list[PlannedView] = field(default_factory=list)
    left_out: dict[Name, str] = field(default_factory=dict)


class _LeftOut(ValueError):
    """Why a view is."""


def plan_views(views: Sequence[SourceView], around: Surroundings) -> ViewPlan:
    """All of a source's."""
    plan = ViewPlan()
    planner = _Planner(around, views)
    waiting: list[PlannedView] = []
    for view in views:
        try:
            waiting.append(planner.planned(view))
        except (_LeftOut, Unreadable, NotExact) as exc:
            prefix = "its text cannot be read: " if isinstance(exc, Unreadable) else ""
            plan.left_out[view.full_name] = f"{prefix}{exc}"
    _order(waiting, plan)
    return plan


def named_left_out(view: PlannedView, left_out: Collection[Name]) -> str:
    """The reason where a view names another one that is not made; else ''."""
    missing = sorted(name for name in view.uses if name in left_out)
    return f"it names {_shown(missing[0])}, which is left out" if missing else ""


def _order(waiting: list[PlannedView], plan: ViewPlan) -> None:
    """Views behind those that they name; what then is left names each other in a circle."""
    done: set[Name] = set()
    while waiting:
        later = []
        for view in waiting:
            if reason := named_left_out(view, plan.left_out):
                plan.left_out[view.source.full_name] = reason
            elif view.uses <= done:
                plan.views.append(view)
                done.add(view.source.full_name)
            else:
                later.append(view)
        if len(later) == len(waiting):
            plan.left_out |= {view.source.full_name: "it names itself, by other views" for view in later}
            return
        waiting = later


class _Planner:
    """Finds the targets of what one view after the other names."""

    def __init__(self, around: Surroundings, views: Sequence[SourceView]) -> None:
        self._around = around
        self._targets: dict[Name, Target] = {}
        self._unrouted: dict[Name, str] = {}
        for view in views:
            try:
                self._targets[view.full_name] = around.route(*view.full_name)
            except DMError as exc:  # two rules, none of them more specific
                self._unrouted[view.full_name] = exc.message
        self._tables = _Names(around.tables)
        self._views = _Names(self._targets)
        self._fed = Counter(around.tables.values())
        self._shared = Counter(self._targets.values())

    def planned(self, view: SourceView) -> PlannedView:
        """Raises _LeftOut, Unreadable and NotExact."""
        if reason := self._unrouted.get(view.full_name):
            raise _LeftOut(reason)
        target = self._targets[view.full_name]
        to = str(target)
        if target in self._fed:
            raise _LeftOut(f"its route leads to {to}, which is a table")
        if self._shared[target] > 1:
            raise _LeftOut(f"its route leads to {to}, and so does another view's")
        if not view.sql:
            raise _LeftOut("its file has no CREATE VIEW in UTF-8")
        text = read_view(view.sql)
        names: dict[Name, Name] = {}
        uses: set[Name] = set()
        for name in sorted(text.used(view.schema)):
            if name[0].lower() == _EVERYWHERE:
                continue
            if (table := self._tables.find(name)) is not None:
                found = self._around.tables[table]
                self._refuse_merged(name, found)
            elif (used := self._views.find(name)) is not None:
                found = self._targets[used]
                uses.add(used)
            else:
                raise _LeftOut(f"it names {_shown(name)}, {self._why_missing(name)}")
            names[name] = found.schema, found.table
        planned = PlannedView(view, text, target, names, frozenset(uses))
        planned.statement(None)
        return planned

    def _refuse_merged(self, name: Name, target: Target) -> None:
        if self._fed[target] > 1 or target in self._around.fed_by_others:
            to = str(target)
            raise _LeftOut(f"it names {_shown(name)}, which is merged with others into {to}")

    def _why_missing(self, name: Name) -> str:
        is_taken = self._around.allows(*name)
        return "which is not migrated" if is_taken else "which the block-allow-list leaves out"


class _Names:
    """Names as they stand, else without regard to case where only one fits."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._exact = frozenset(names)
        self._folded: dict[Name, list[Name]] = {}
        for name in self._exact:
            self._folded.setdefault(_folded(name), []).append(name)

    def find(self, name: Name) -> Name | None:
        if name in self._exact:
            return name
        alike = self._folded.get(_folded(name), [])
        return alike[0] if len(alike) == 1 else None


def _folded(name: Name) -> Name:
    return name[0].lower(), name[1].lower()


def _shown(name: Name) -> str:
    return f"{name[0]}.{name[1]}"
