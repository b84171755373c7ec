"""GTID sets of both flavours as immutable values.

A MySQL set maps a source (UUID, or UUID:tag) to closed intervals of transaction numbers; a MariaDB
set holds, per replication domain, the last server and sequence.  Sets are only partially ordered:
``compare`` may answer None.  Formats: MySQL manual "GTID Sets", MariaDB manual "Global Transaction ID".

Which transactions some are, whatever their order, a MySQL set says by itself.  MariaDB's says where a binlog stands:
two servers that write the same sequences have equal ones.  There a ``MariaDBBinlogState`` says it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pkg.binlog.intervals import Interval, Intervals
from pkg.errors import ErrorKind, Level, Scope

BAD_GTID_SET = ErrorKind(
    11121,
    "functional",
    Scope.NOT_SET,
    Level.MEDIUM,
    "{text!r} is no {flavor} GTID set: {reason}",
    workaround="mysql: 3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7-9; mariadb: 0-1-100,1-2-50",
)

GtidFlavor = Literal["mysql", "mariadb"]


class GtidSet(Protocol):
    """What both kinds of sets can do; operations on sets of two flavours raise TypeError."""

    @property
    def flavor(self) -> GtidFlavor: ...

    @property
    def is_empty(self) -> bool: ...

    def add(self, gtid: str) -> GtidSet: ...

    def union(self, other: GtidSet) -> GtidSet: ...

    def contains(self, other: GtidSet) -> bool: ...

    def subtract(self, other: GtidSet) -> GtidSet: ...

    def compare(self, other: GtidSet) -> int | None: ...

    def precedes(self, gtid: str, before: Transactions) -> bool: ...

    def is_before(self, gtid: str, met: Transactions) -> bool: ...

    def is_reached(self, met: Transactions) -> bool: ...

    def may_begin(self, before: Transactions) -> bool: ...

    def held_by(self, server: Transactions) -> GtidSet: ...

    def beyond(self, others: Transactions) -> GtidSet: ...

    def missed_from(self, place: GtidSet) -> GtidSet: ...

    def transactions(self) -> Transactions: ...


class Transactions(Protocol):
    """Which transactions some are, whatever order a binlog has them in."""

    def add(self, gtid: str) -> Transactions: ...

    def has(self, gtid: str) -> bool: ...

    def union(self, other: Any) -> Transactions: ...

    def contains(self, other: Any) -> bool: ...

    def missing(self, other: Any) -> str: ...

    def news(self, known: GtidSet) -> Transactions: ...

    def awaited(self, known: GtidSet) -> Transactions: ...


def parse_gtid_set(text: str, flavor: str) -> GtidSet:
    """The set that a server prints as ``text``; "" is the empty set.  Raises BAD_GTID_SET."""
    is_mariadb = flavor == "mariadb" or (not flavor and ":" not in text)  # not known: only MySQL's have colons
    return MariaDBGtidSet.parse(text) if is_mariadb else MySQLGtidSet.parse(text)


def parse_transactions(text: str, flavor: str) -> Transactions:
    """MySQL's set; MariaDB's binlog state, as a file's list and ``gtid_binlog_state`` have it.  Raises BAD_GTID_SET."""
    return MariaDBBinlogState.parse(text) if flavor == "mariadb" else MySQLGtidSet.parse(text)


def _compare(one: GtidSet, other: GtidSet) -> int | None:
    covers, covered = one.contains(other), other.contains(one)
    if covers and covered:
        return 0
    if covers:
        return 1
    return -1 if covered else None


_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
_NUMBER = re.compile(r"[0-9]{1,20}")
_TAG = re.compile(r"[a-z_][a-z0-9_]{0,31}")


@dataclass(frozen=True, slots=True)
class MySQLGtidSet:
    """Transactions by source: ``uuid:1-5:7``, tagged ``uuid:tag:1-5``."""

    sources: Mapping[str, Intervals]

    @property
    def flavor(self) -> GtidFlavor:
        return "mysql"

    @property
    def is_empty(self) -> bool:
        return not self.sources

    @classmethod
    def parse(cls, text: str) -> MySQLGtidSet:
        text = "".join(text.split())
        found: dict[str, list[Interval]] = {}
        for part in filter(None, text.lower().split(",")):
            source = ""
            for piece in part.split(":"):
                if not source:
                    source = uuid = _uuid(piece, text)
                elif _TAG.fullmatch(piece):
                    source = f"{uuid}:{piece}"
                else:
                    found.setdefault(source, []).append(_interval(piece, text))
            if source not in found:
                raise BAD_GTID_SET.error(text=text, flavor="mysql", reason=f"{source} has no transactions")
        return cls({source: Intervals.of(intervals) for source, intervals in sorted(found.items())})

    def add(self, gtid: str) -> MySQLGtidSet:
        source, _, number = gtid.rpartition(":")
        known = self.sources.get(source)
        if known is None or not _NUMBER.fullmatch(number):
            return self.union(MySQLGtidSet.parse(gtid))
        added = known.add(int(number))
        return self if added is known else MySQLGtidSet({**self.sources, source: added})

    def union(self, other: GtidSet) -> MySQLGtidSet:
        joined = dict(self.sources)
        for source, intervals in _mysql(other).sources.items():
            mine = joined.get(source)
            joined[source] = intervals if mine is None else Intervals.of([*mine, *intervals])
        return MySQLGtidSet(dict(sorted(joined.items())))

    def contains(self, other: GtidSet) -> bool:
        for source, intervals in _mysql(other).sources.items():
            mine = self.sources.get(source)
            if mine is None or not all(mine.has(interval) for interval in intervals):
                return False
        return True

    def subtract(self, other: GtidSet) -> MySQLGtidSet:
        holes = _mysql(other).sources
        rest: dict[str, Intervals] = {}
        for source, intervals in self.sources.items():
            if source not in holes:
                rest[source] = intervals
            elif left := intervals.minus(holes[source]):
                rest[source] = Intervals.of(left)
        return MySQLGtidSet(rest)

    def compare(self, other: GtidSet) -> int | None:
        return _compare(self, other)

    def precedes(self, gtid: str, before: Transactions) -> bool:
        """Whether ``gtid``, which a binlog has somewhere behind ``before``, is beyond the set."""
        return not self.has(gtid)

    def is_before(self, gtid: str, met: Transactions) -> bool:
        """Whether ``gtid``, which a binlog has next behind ``met``, is of what this set stands for."""
        return self.contains(MySQLGtidSet.parse(gtid))

    def is_reached(self, met: Transactions) -> bool:
        """Whether a binlog has all of the set in ``met``."""
        return _mysql(met).contains(self)

    def may_begin(self, before: Transactions) -> bool:
        """Whether a file behind ``before`` begins with nothing beyond the set."""
        return self.contains(_mysql(before))

    def held_by(self, server: Transactions) -> MySQLGtidSet:
        """As much of it as a server has."""
        return self.subtract(self.subtract(_mysql(server)))

    def beyond(self, others: Transactions) -> MySQLGtidSet:
        """Without what ``others`` have."""
        return self.subtract(_mysql(others))

    def missed_from(self, place: GtidSet) -> MySQLGtidSet:
        """What of these, which a binlog lacks, somebody who reads on from ``place`` misses."""
        return self.subtract(place)

    def transactions(self) -> MySQLGtidSet:
        return self

    def news(self, known: GtidSet) -> MySQLGtidSet:
        """Those that came behind ``known``."""
        return self.subtract(known)

    def awaited(self, known: GtidSet) -> MySQLGtidSet:
        """Those that must come for all of them to have come, where another server goes on behind ``known``."""
        return self.subtract(known)

    def missing(self, other: MySQLGtidSet) -> str:
        """Those of ``other`` that are not in, as text."""
        return str(other.subtract(self))

    def has(self, gtid: str) -> bool:
        source, _, number = gtid.rpartition(":")
        mine = self.sources.get(source)
        return mine is not None and mine.has((int(number), int(number)))

    def __hash__(self) -> int:
        return hash(frozenset(self.sources))

    def __str__(self) -> str:
        """As servers print it, but in one line: they break it behind each comma."""
        parts: list[str] = []
        uuid_before = ""
        for source, intervals in sorted(self.sources.items()):
            uuid, _, tag = source.partition(":")
            ranges = ":".join(str(first) if first == last else f"{first}-{last}" for first, last in intervals)
            text = f"{tag}:{ranges}" if tag else ranges
            if uuid == uuid_before:
                parts[-1] += f":{text}"
            else:
                parts.append(f"{uuid}:{text}")
            uuid_before = uuid
        return ",".join(parts)


def _uuid(text: str, whole: str) -> str:
    if not _UUID.fullmatch(text):
        raise BAD_GTID_SET.error(text=whole, flavor="mysql", reason=f"{text!r} is no UUID")
    digits = text.replace("-", "")
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _interval(text: str, whole: str) -> Interval:
    first, dash, last = text.partition("-")
    if not _NUMBER.fullmatch(first) or (dash and not _NUMBER.fullmatch(last)):
        raise BAD_GTID_SET.error(text=whole, flavor="mysql", reason=f"{text!r} is no range of numbers")
    interval = int(first), int(last if dash else first)
    if not 0 < interval[0] <= interval[1] < 1 << 63:
        raise BAD_GTID_SET.error(text=whole, flavor="mysql", reason=f"the range {text} is empty or out of bounds")
    return interval


def _mysql(other: GtidSet | Transactions) -> MySQLGtidSet:
    if not isinstance(other, MySQLGtidSet):
        raise TypeError("a MySQL GTID set and a MariaDB one have nothing in common")
    return other


@dataclass(frozen=True, slots=True)
class MariaDBGtidSet:
    """The last transaction of each domain: ``domain-server-sequence``; it stands for all before it."""

    domains: Mapping[int, tuple[int, int]]

    @property
    def flavor(self) -> GtidFlavor:
        return "mariadb"

    @property
    def is_empty(self) -> bool:
        return not self.domains

    @classmethod
    def parse(cls, text: str) -> MariaDBGtidSet:
        text = "".join(text.split())
        found: dict[int, tuple[int, int]] = {}
        for part in filter(None, text.split(",")):
            domain, server, sequence = _mariadb_gtid(part, text)
            if sequence >= found.get(domain, (0, -1))[1]:
                found[domain] = (server, sequence)
        return cls(dict(sorted(found.items())))

    def add(self, gtid: str) -> MariaDBGtidSet:
        domain, server, sequence = _mariadb_gtid(gtid, gtid)
        return MariaDBGtidSet({**self.domains, domain: (server, sequence)})

    def union(self, other: GtidSet) -> MariaDBGtidSet:
        joined = dict(self.domains)
        for domain, last in _mariadb(other).domains.items():
            if domain not in joined or last[1] > joined[domain][1]:
                joined[domain] = last
        return MariaDBGtidSet(dict(sorted(joined.items())))

    def contains(self, other: GtidSet) -> bool:
        return all(
            domain in self.domains and self.domains[domain][1] >= sequence
            for domain, (_, sequence) in _mariadb(other).domains.items()
        )

    def subtract(self, other: GtidSet) -> MariaDBGtidSet:
        known = _mariadb(other).domains
        return MariaDBGtidSet(
            {domain: last for domain, last in self.domains.items() if domain not in known or known[domain][1] < last[1]}
        )

    def compare(self, other: GtidSet) -> int | None:
        return _compare(self, other)

    def precedes(self, gtid: str, before: Transactions) -> bool:
        """Whether ``gtid``, which a binlog has somewhere behind ``before``, is beyond the set."""
        domain, server, sequence = _mariadb_gtid(gtid, gtid)
        last = self.domains.get(domain)
        if last is None or sequence > last[1]:
            return True
        return server != last[0] and before.has(f"{domain}-{last[0]}-{last[1]}")

    def is_before(self, gtid: str, met: Transactions) -> bool:
        """Whether ``gtid``, which a binlog has next behind ``met``, is of what this set stands for."""
        domain = int(gtid.partition("-")[0])
        return domain in self.domains and _state(met).last(domain) != self.domains[domain]

    def is_reached(self, met: Transactions) -> bool:
        """Whether a binlog has come in ``met`` to the very place that the set names, in each domain."""
        return all(_state(met).last(domain) == last for domain, last in self.domains.items())

    def may_begin(self, before: Transactions) -> bool:
        """Whether a file behind ``before`` begins with nothing beyond the set, as far as that can be told."""
        state = _state(before)
        for domain in state.domains:
            mine, last = self.domains.get(domain), state.last(domain)
            if mine is None or last is None:
                return False
            if last != mine and (last[1] > mine[1] or state.sequence(domain, mine[0]) >= mine[1]):
                return False
        return True

    def held_by(self, server: Transactions) -> MariaDBGtidSet:
        """As much of it as a server has."""
        state, held = _state(server), {}
        for domain, (origin, sequence) in self.domains.items():
            if (there := state.sequence(domain, origin)) >= 0:
                held[domain] = origin, min(sequence, there)
        return MariaDBGtidSet(held)

    def beyond(self, others: Transactions) -> MariaDBGtidSet:
        """The domains whose last one ``others`` do not have."""
        return MariaDBGtidSet(
            {one: last for one, last in self.domains.items() if not others.has(f"{one}-{last[0]}-{last[1]}")}
        )

    def missed_from(self, place: GtidSet) -> MariaDBGtidSet:
        """The same.  A domain in which the reader has no place came before it: it has nothing to go on from there."""
        known = _mariadb(place).domains
        return MariaDBGtidSet({one: last for one, last in self.subtract(place).domains.items() if one in known})

    def transactions(self) -> MariaDBBinlogState:
        return MariaDBBinlogState.parse(str(self))

    def __hash__(self) -> int:
        return hash(frozenset(self.domains.items()))

    def __str__(self) -> str:
        return ",".join(f"{domain}-{server}-{sequence}" for domain, (server, sequence) in sorted(self.domains.items()))


def _mariadb_gtid(text: str, whole: str) -> tuple[int, int, int]:
    numbers = text.split("-")
    if len(numbers) != 3 or not all(map(_NUMBER.fullmatch, numbers)):
        raise BAD_GTID_SET.error(text=whole, flavor="mariadb", reason=f"{text!r} is not domain-server-sequence")
    domain, server, sequence = (int(number) for number in numbers)
    if max(domain, server) >> 32 or sequence >> 64:
        raise BAD_GTID_SET.error(text=whole, flavor="mariadb", reason=f"{text!r} is out of bounds")
    return domain, server, sequence


def _mariadb(other: GtidSet) -> MariaDBGtidSet:
    if not isinstance(other, MariaDBGtidSet):
        raise TypeError("a MySQL GTID set and a MariaDB one have nothing in common")
    return other


@dataclass(frozen=True, slots=True)
class MariaDBBinlogState:
    """The last sequence of each domain and server, as MariaDB's ``gtid_binlog_state``: it stands for all before it.

    Servers count on, so it says which transactions these are in whatever order a binlog has them.
    """

    sequences: Mapping[str, int]  # by "domain-server"; invariant: the last of a domain is the one that came last

    @classmethod
    def parse(cls, text: str) -> MariaDBBinlogState:
        text = "".join(text.split())
        found: dict[str, int] = {}
        for part in filter(None, text.split(",")):
            domain, server, sequence = _mariadb_gtid(part, text)
            found[f"{domain}-{server}"] = sequence
        return cls(found)

    @property
    def domains(self) -> set[int]:
        return {int(key.partition("-")[0]) for key in self.sequences}

    def last(self, domain: int) -> tuple[int, int] | None:
        """(server, sequence) of the newest one; None: the domain has none."""
        prefix = f"{domain}-"
        for key in reversed([*self.sequences]):
            if key.startswith(prefix):
                return int(key.removeprefix(prefix)), self.sequences[key]
        return None

    def sequence(self, domain: int, server: int) -> int:
        """-1: there is none."""
        return self.sequences.get(f"{domain}-{server}", -1)

    def add(self, gtid: str) -> MariaDBBinlogState:
        """With the one that comes next."""
        key, _, sequence = gtid.rpartition("-")
        sequences = dict(self.sequences)
        sequences.pop(key, None)
        sequences[key] = int(sequence)
        return MariaDBBinlogState(sequences)

    def has(self, gtid: str) -> bool:
        key, _, sequence = gtid.rpartition("-")
        return self.sequences.get(key, -1) >= int(sequence)

    def union(self, other: MariaDBBinlogState) -> MariaDBBinlogState:
        """With those of ``other``; what has come later there counts as the last."""
        sequences = dict(self.sequences)
        for key, sequence in other.sequences.items():
            if sequence > sequences.get(key, -1):
                sequences.pop(key, None)
                sequences[key] = sequence
        return MariaDBBinlogState(sequences)

    def contains(self, other: MariaDBBinlogState) -> bool:
        return all(self.sequences.get(key, -1) >= sequence for key, sequence in other.sequences.items())

    def missing(self, other: MariaDBBinlogState) -> str:
        """The last ones of ``other`` that are not in, and what is in of their servers, as text."""
        lacks = [(key, last) for key, last in other.sequences.items() if self.sequences.get(key, -1) < last]
        return ", ".join(
            f"{key}-{last} (it has {key}-{self.sequences[key]})" if key in self.sequences else f"{key}-{last}"
            for key, last in lacks
        )

    def news(self, known: GtidSet) -> MariaDBBinlogState:
        """Those that came behind ``known``, where a domain's sequences grow."""
        behind = _mariadb(known).domains
        late = {
            key: sequence
            for key, sequence in self.sequences.items()
            if sequence > behind.get(int(key.partition("-")[0]), (0, -1))[1]
        }
        return MariaDBBinlogState(late).union(self.awaited(known))

    def awaited(self, known: GtidSet) -> MariaDBBinlogState:
        """Those that must come for all of them to have come, where another server goes on behind ``known``.

        Each domain has one order on all servers.
        """
        behind, found = _mariadb(known).domains, {}
        for domain in self.domains:
            last = self.last(domain)
            if last is not None and last != behind.get(domain):
                found[f"{domain}-{last[0]}"] = last[1]
        return MariaDBBinlogState(found)

    def __hash__(self) -> int:
        return hash(frozenset(self.sequences.items()))

    def __str__(self) -> str:
        return ",".join(f"{key}-{sequence}" for key, sequence in self.sequences.items())


def _state(other: Transactions) -> MariaDBBinlogState:
    if not isinstance(other, MariaDBBinlogState):
        raise TypeError("a MySQL GTID set says nothing of a MariaDB binlog")
    return other
