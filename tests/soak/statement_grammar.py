"""Random statements of one session, made up beside a server that says which tables and columns there are by then.

Nothing is modelled: a server refuses what makes no sense, and that is a statement without an effect.  What is drawn is
what changes structures and the rows that are there: ALTER in every form, in sessions with other settings, on partitioned
tables, with keys, foreign keys (without actions: no binlog has what these do), generated columns and defaults of every kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

_NUMBERS = (
    "TINYINT", "SMALLINT UNSIGNED", "MEDIUMINT", "INT", "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED", "INT(5) ZEROFILL",
    "DECIMAL(10,3)", "DECIMAL(5)", "DECIMAL(20,0) UNSIGNED", "FLOAT", "DOUBLE", "BIT(5)", "BOOL", "YEAR",
)  # fmt: skip
_TEXTS = (
    "CHAR(5)", "VARCHAR(20)", "VARCHAR(9)", "VARCHAR(300)", "TINYTEXT", "TEXT", "MEDIUMTEXT", "ENUM('a','B','c d','é')",
    "SET('x','y','z')", "NVARCHAR(7)", "CHAR(1)", "ENUM('1','2','')",
)  # fmt: skip
_BYTES = ("BINARY(4)", "VARBINARY(20)", "TINYBLOB", "BLOB", "VARBINARY(3)")
_MOMENTS = ("DATE", "TIME", "TIME(3)", "DATETIME", "DATETIME(6)", "TIMESTAMP", "TIMESTAMP(2)", "DATETIME(1)")
_SETS = ("latin1", "utf8mb4", "utf8mb3", "ascii", "ucs2", "gbk", "cp1251", "binary", "sjis", "utf16", "koi8r")
_COLLATIONS = (
    "latin1_bin", "latin1_general_cs", "utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb3_bin", "ascii_bin",
    "cp1251_bin", "utf8mb4_unicode_520_ci",
)  # fmt: skip
_VALUES = (
    "NULL", "0", "1", "-1", "2", "5", "127", "128", "255", "300", "70000", "1.5", "-0.4", "1e3", "''", "'a'", "'A'", "'b '",
    "' x'", "'é'", "'Ab'", "'12'", "'12abc'", "'c d'", "'x,y'", "'2026-01-31'", "'2026-02-31'", "'0000-00-00'", "'12:34:56.789'",
    "'2026-01-31 12:34:56.654321'", "'1999-12-31 23:59:59.999999'", "20260131", "X'41'", "X'E9'", "X''", "'漢'", "'ﬀ'", "'[1]'",
    "'{\"a\": 1}'", "'long long long text of more than nine'", "99999999999", "-99999999999", "DEFAULT", "TRUE", "1970", "2155",
)  # fmt: skip
_DEFAULTS = (
    "NULL", "0", "1", "-1", "'a'", "''", "'é'", "1.5", "'2026-01-31'", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP(2)",
    "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP", "X'41'", "b'101'", "TRUE", "'0000-00-00 00:00:00'", "'12'", "(1 + 1)",
    "('ab')", "(CONCAT('a', 'b'))", "(CURRENT_DATE)", "'x'", "10", "0x41", "DATE'2026-01-01'", "(NOW() + INTERVAL 1 DAY)",
    "({column})", "(UPPER('é'))", "N'é'", "_latin1'a'", "1e2", "'1.49'", "(LEFT('abc', 2))",
)  # fmt: skip
_EXPRESSIONS = (
    "{column}", "{column} + 1", "CONCAT({column}, 'x')", "COALESCE({column}, 0)", "{column} IS NULL", "LEFT({column}, 2)",
    "{column} * 2", "CONCAT({column}, {other})", "IFNULL({column}, 'é')", "LENGTH({column})", "UPPER({column})", "NULLIF({column}, 1)",
    "ABS({column})", "CHAR_LENGTH({column})", "LPAD({column}, 5, '0')", "TRIM({column})", "CASE WHEN {column} > 1 THEN 1 ELSE 2 END",
    "DATE({column})", "YEAR({column})", "GREATEST({column}, {other})", "{column} > {other}", "REPLACE({column}, 'a', 'b')",
)  # fmt: skip
_ENGINES = ("InnoDB", "MyISAM", "MEMORY", "Aria", "ARCHIVE", "FEDERATED", "BLACKHOLE")  # some of which a server lacks
_MODES = (
    "", "", "", "STRICT_TRANS_TABLES", "NO_ZERO_DATE,STRICT_ALL_TABLES", "ANSI", "NO_BACKSLASH_ESCAPES", "ALLOW_INVALID_DATES",
    "NO_AUTO_VALUE_ON_ZERO", "PAD_CHAR_TO_FULL_LENGTH", "REAL_AS_FLOAT", "NO_UNSIGNED_SUBTRACTION", "PIPES_AS_CONCAT",
    "IGNORE_SPACE", "TIME_TRUNCATE_FRACTIONAL", "TIME_ROUND_FRACTIONAL", "NO_ENGINE_SUBSTITUTION", "HIGH_NOT_PRECEDENCE",
)  # fmt: skip
_SETTINGS = (
    "explicit_defaults_for_timestamp = 0", "explicit_defaults_for_timestamp = 1", "time_zone = '+05:00'", "time_zone = '-03:30'",
    "timestamp = 1500000000.5", "foreign_key_checks = 0", "unique_checks = 0", "auto_increment_increment = 3",
    "auto_increment_offset = 2", "innodb_strict_mode = 0", "character_set_connection = latin1", "collation_connection = utf8mb4_bin",
    "lc_time_names = 'de_DE'", "default_storage_engine = MyISAM", "sql_if_exists = 1", "alter_algorithm = COPY",
    "check_constraint_checks = 0", "sql_generate_invisible_primary_key = 1", "default_week_format = 3",
    "div_precision_increment = 7", "sql_auto_is_null = 1", "old_mode = ''", "collation_server = utf8mb4_bin",
    "default_collation_for_utf8mb4 = utf8mb4_general_ci", "binlog_row_metadata = FULL", "insert_id = 50",
    "enforce_storage_engine = InnoDB", "enforce_storage_engine = MyISAM", "enforce_storage_engine = NULL",
)  # fmt: skip
_KEYS_NAMED_AS_BY_SERVERS = ("KEY a (a), KEY a_2 (id) COMMENT 'k'", "KEY id_2 (id, a), UNIQUE KEY id (id)")


@dataclass(frozen=True)
class Known:
    """A table as the server shows it: columns, those that can be written, keys, partitions, other constraints."""

    name: str
    columns: tuple[str, ...]
    written: tuple[str, ...]
    keys: tuple[str, ...]
    partitions: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()  # foreign keys and CHECKs


class Grammar:
    """Statements of one case; ``flavor`` is the upstream's."""

    def __init__(self, rng: Random, flavor: str) -> None:
        self._rng = rng
        self._flavor = flavor
        self._made = 0
        self._tables: Sequence[Known] = ()

    def next(self, tables: Sequence[Known]) -> str:
        """A statement, where these tables are there."""
        self._tables = tables
        if len(tables) < 3 and (not tables or self._chance(0.3)):
            return self._create()
        table = self._rng.choice(tables)
        if linked := [one for one in tables if "p" in one.columns] if self._chance(0.4) else []:
            table = self._rng.choice(linked)
        if not table.columns:
            return f"DROP TABLE {_quoted(table.name)}"
        return self._rng.choices(
            (self._insert, self._update, self._alter, self._setting, self._partition, self._other),
            (18, 8, 45, 12, 9, 8),
        )[0](table)

    def _one(self, of: Sequence[str]) -> str:
        return self._rng.choice(of)

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _name(self, prefix: str) -> str:
        self._made += 1
        return f"{prefix}{self._made}"

    def _type(self) -> str:
        families = (_NUMBERS, _NUMBERS, _TEXTS, _TEXTS, _TEXTS, _BYTES, _MOMENTS, _MOMENTS, ("JSON",))
        family = self._rng.choice(families)
        chosen = self._one(family)
        if family is _TEXTS and self._chance(0.4) and not chosen.startswith("N"):
            chosen += self._charset()
        if self._flavor == "mariadb" and self._chance(0.04):
            return self._one(("UUID", "INET6", "INET4", "VARCHAR(20) COMPRESSED"))
        return chosen

    def _charset(self) -> str:
        return f" CHARACTER SET {self._one(_SETS)}" if self._chance(0.6) else f" COLLATE {self._one(_COLLATIONS)}"

    def _columns(self, table: Known | None) -> tuple[str, str]:
        """Two of the table's columns."""
        names = [*map(_quoted, table.columns)] if table is not None else ["id", "a"]
        return self._one(names), self._one(names)

    def _definition(self, name: str, table: Known | None) -> str:
        column, other = self._columns(table)
        said = f"{name} {self._type()}"
        if self._chance(0.1):
            word = self._one(
                ("VIRTUAL", "STORED", "", "VIRTUAL", "STORED NOT NULL" if self._flavor == "mysql" else "STORED")
            )
            expression = self._one(_EXPRESSIONS[:2] * 6 + _EXPRESSIONS).format(column=column, other=other)
            return f"{said} AS ({expression}) {word}"
        said += self._one(("", "", " NOT NULL", " NULL"))
        if self._chance(0.5):
            said += f" DEFAULT {self._one(_DEFAULTS).format(column=column)}"
        elif self._chance(0.05):
            said += " AUTO_INCREMENT UNIQUE"
        if self._chance(0.06):
            said += self._one(
                (" INVISIBLE", " COMMENT 'é'", " UNIQUE", f" CHECK ({name} <> 'q')", f" CHECK ({column} IS NOT NULL)")
            )
        return said

    def _create(self) -> str:
        name = self._name("t")
        columns = [f"id INT{self._one((' NOT NULL', '', ' AUTO_INCREMENT'))}", f"a {self._type()}"]
        columns += [self._definition(self._name("c"), None) for _ in range(self._rng.randint(0, 4))]
        key = self._one(
            ("PRIMARY KEY (id)", "PRIMARY KEY (id)", "PRIMARY KEY (id, a)", "UNIQUE KEY u (id)", "KEY k (id)", "")
        )
        more = self._one(
            (
                "",
                "",
                "KEY ka (a)",
                "UNIQUE KEY ua (a)",
                "KEY kp (a(3))",
                "CHECK (id < 1000)",
                "KEY kd (a DESC, id)",
                *_KEYS_NAMED_AS_BY_SERVERS,
            )
        )
        if self._chance(0.5):
            columns += ["p INT", f"q {self._one(('INT', 'INT UNSIGNED'))}"]
            more = ", ".join(filter(None, (more, self._foreign_key("p"))))
        parts = ", ".join(filter(None, (*columns, key, more)))
        return f"CREATE TABLE {name} ({parts}){self._options()}{self._method(None) if self._chance(0.3) else ''}"

    def _foreign_key(self, column: str) -> str:
        parent = self._one([*(table.name for table in self._tables), f"t{self._made}"])
        named = self._one(("", "", f"CONSTRAINT {self._name('f')} "))
        acts = self._one(("", "", " ON DELETE RESTRICT", " ON UPDATE NO ACTION"))
        return f"{named}FOREIGN KEY {self._one(('', '', self._name('i')))} ({column}) REFERENCES {_quoted(parent)} (id){acts}"

    def _options(self) -> str:
        said = ""
        if self._chance(0.5):
            said += (
                f" DEFAULT CHARSET {self._one(_SETS)}" if self._chance(0.6) else f" COLLATE {self._one(_COLLATIONS)}"
            )
        if self._chance(0.15):
            said += f" ENGINE={self._one(_ENGINES)}"
        if self._chance(0.1):
            said += self._one(
                (" ROW_FORMAT=COMPACT", " COMMENT 'x'", " AUTO_INCREMENT=7", " ROW_FORMAT=COMPRESSED", " MAX_ROWS=10")
            )
        return said

    def _method(self, table: Known | None) -> str:
        column, _ = self._columns(table)
        count = self._rng.randint(1, 4)
        return self._one(
            (
                f" PARTITION BY HASH (id) PARTITIONS {count}",
                f" PARTITION BY KEY () PARTITIONS {count}",
                f" PARTITION BY KEY ({column}) PARTITIONS {count}",
                f" PARTITION BY LINEAR HASH (id) PARTITIONS {count}",
                " PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (2), PARTITION p1 VALUES LESS THAN (5), PARTITION pm VALUES LESS THAN MAXVALUE)",
                " PARTITION BY LIST (id) (PARTITION l0 VALUES IN (0, 1, NULL), PARTITION l1 VALUES IN (2, 3, 4, 5), PARTITION l2 VALUES IN (6, 7, 8))",
                f" PARTITION BY RANGE COLUMNS ({column}) (PARTITION r0 VALUES LESS THAN ('b'), PARTITION r1 VALUES LESS THAN (MAXVALUE))",
            )
        )

    def _insert(self, table: Known) -> str:
        names = [name for name in table.written if self._chance(0.8)] or list(table.written[:1])
        rows = ", ".join(f"({', '.join(self._value(name) for name in names)})" for _ in range(self._rng.randint(1, 5)))
        verb = self._one(("INSERT INTO", "INSERT INTO", "INSERT IGNORE INTO", "INSERT IGNORE INTO", "REPLACE INTO"))
        return f"{verb} {_quoted(table.name)} ({', '.join(map(_quoted, names))}) VALUES {rows}"

    def _value(self, name: str) -> str:
        if name in ("p", "q") and self._chance(0.4):
            return "NULL"
        return str(self._rng.randint(0, 9)) if name in ("id", "p", "q") else self._one(_VALUES)

    def _update(self, table: Known) -> str:
        name = _quoted(table.name)
        if not table.written or self._chance(0.2):
            return f"DELETE FROM {name} ORDER BY 1 LIMIT 1"
        changed = self._one(table.written)
        return f"UPDATE IGNORE {name} SET {_quoted(changed)} = {self._value(changed)} LIMIT {self._rng.randint(1, 3)}"

    def _alter(self, table: Known) -> str:
        forms = self._forms(table)
        clauses = [self._rng.choice(forms)() for _ in range(self._rng.choice((1, 1, 1, 2, 2, 3)))]
        word = "ALTER IGNORE" if self._flavor == "mariadb" and self._chance(0.05) else "ALTER"
        return f"{word} TABLE {_quoted(table.name)} {', '.join(clauses)}"

    def _forms(self, table: Known) -> list[Callable[[], str]]:
        column, _ = self._columns(table)
        key = _quoted(self._one(table.keys)) if table.keys else "k"
        constraint = _quoted(self._one(table.constraints)) if table.constraints else "f"
        part = self._one(("", "", "(2)"))

        def place() -> str:
            return self._one(("", "", "", " FIRST", f" AFTER {self._columns(table)[0]}"))

        def add() -> str:
            if self._flavor == "mariadb" and self._chance(0.1):
                name = self._one((self._name("c"), column))
                return f"ADD COLUMN IF NOT EXISTS {self._definition(name, table)}{place()}"
            return f"ADD COLUMN {self._definition(self._name('c'), table)}{place()}"

        def modify() -> str:
            return f"MODIFY {self._definition(self._columns(table)[0], table)}{place()}"

        def change() -> str:
            return f"CHANGE {self._columns(table)[0]} {self._definition(self._name('c'), table)}{place()}"

        plain = (
            lambda: f"DROP COLUMN {column}",
            lambda: f"RENAME COLUMN {column} TO {self._name('c')}",
            lambda: f"ALTER {column} SET DEFAULT {self._one(_DEFAULTS).format(column=column)}",
            lambda: f"ALTER {column} DROP DEFAULT",
            lambda: f"ADD KEY {self._name('k')} ({self._columns(table)[0]}{part}, {self._columns(table)[0]})",
            lambda: f"ADD UNIQUE KEY {self._name('u')} ({self._columns(table)[0]}{part})",
            lambda: f"ADD KEY ({column}{part})",
            lambda: f"DROP COLUMN {column}, ADD{self._one((' UNIQUE', ''))} KEY ({self._columns(table)[0]}{part})",
            lambda: (
                f"ADD UNIQUE KEY {self._name('u')}{self._one((' USING HASH', ''))} ({self._columns(table)[0]}{part}, "
                f"{self._columns(table)[0]}) COMMENT 'key''s'"
            ),
            lambda: f"DROP KEY {key}",
            lambda: "DROP PRIMARY KEY",
            lambda: f"ADD PRIMARY KEY ({column}{part})",
            lambda: f"RENAME KEY {key} TO {self._name('k')}",
            lambda: f"ADD CONSTRAINT {self._name('x')} CHECK ({column} <> '7')",
            lambda: (
                f"CONVERT TO{self._one((' CHARACTER SET latin1', ' CHARACTER SET utf8mb4', ' CHARACTER SET ucs2 ', ' CHARACTER SET binary'))}"
            ),
            lambda: f"DEFAULT CHARACTER SET {self._one(_SETS)}",
            lambda: f"ENGINE={self._one(('InnoDB', 'MyISAM', 'InnoDB', 'FEDERATED'))}",
            lambda: f"AUTO_INCREMENT={self._rng.randint(1, 60)}",
            lambda: f"ORDER BY {column}",
            lambda: (
                f"ADD {self._name('c')} INT NOT NULL AUTO_INCREMENT {self._one(('UNIQUE', 'PRIMARY KEY'))}{place()}"
            ),
            lambda: "FORCE",
            lambda: f"ALTER INDEX {key} {'INVISIBLE' if self._flavor == 'mysql' else 'IGNORED'}",
            lambda: f"ALTER {column} SET INVISIBLE" if self._flavor == "mysql" else "ROW_FORMAT=DYNAMIC",
            lambda: f"RENAME TO {self._name('t')}",
        )
        linked = (
            lambda: f"ADD {self._foreign_key(self._one(('p', 'q', column)))}",
            lambda: f"DROP FOREIGN KEY {constraint}",
            lambda: f"DROP CONSTRAINT {constraint}",
            lambda: (
                f"CHANGE p {self._one(('p', 'q', self._name('c')))} {self._one(('INT', 'INT', 'BIGINT', 'INT NOT NULL'))}"
            ),
            lambda: f"RENAME COLUMN {self._one(('p', 'id', 'q'))} TO {self._one(('p', 'id', self._name('c')))}",
            lambda: f"RENAME TO {self._name('t')}",
        )
        if "p" in table.columns and self._chance(0.6):
            return [*linked, *linked, *plain, add, modify, change]
        return [*[add] * 9, *[modify] * 7, *[change] * 4, *plain]

    def _setting(self, table: Known) -> str:
        if self._chance(0.5):
            return f"SET sql_mode = '{self._one(_MODES)}'"
        if self._chance(0.15):
            return f"SET NAMES {self._one(('utf8mb4', 'latin1', 'utf8mb4'))}"
        return f"SET {self._one(_SETTINGS)}"

    def _partition(self, table: Known) -> str:
        name = f"ALTER TABLE {_quoted(table.name)}"
        if not table.partitions:
            return f"{name}{self._method(table)}" if self._chance(0.5) else self._alter(table)
        part = _quoted(self._one(table.partitions))
        return self._one(
            (
                f"{name} TRUNCATE PARTITION {part}",
                f"{name} DROP PARTITION {part}",
                f"{name} ADD PARTITION PARTITIONS 2",
                f"{name} COALESCE PARTITION 1",
                f"{name} REMOVE PARTITIONING",
                f"{name} REBUILD PARTITION {part}",
                f"{name} REORGANIZE PARTITION",
                f"{name}{self._method(table)}",
                f"{name} ADD PARTITION (PARTITION {self._name('q')} VALUES IN (20))",
                f"{name} REORGANIZE PARTITION {part} INTO (PARTITION {self._name('q')} VALUES LESS THAN (5), PARTITION {self._name('q')} VALUES LESS THAN (9))",
            )
        )

    def _other(self, table: Known) -> str:
        name, new = _quoted(table.name), self._name("t")
        other = _quoted(self._one([one.name for one in self._tables]))
        part = _quoted(self._one(table.partitions)) if table.partitions else "p0"
        return self._one(
            (
                f"CREATE TABLE {new} LIKE {name}",
                f"CREATE TABLE {new} AS SELECT * FROM {name}",
                f"CREATE TABLE {new} (x INT DEFAULT 3, PRIMARY KEY (id)) SELECT * FROM {name}",
                f"RENAME TABLE {name} TO {new}",
                f"TRUNCATE TABLE {name}",
                f"DROP TABLE {name}",
                f"DROP TABLE IF EXISTS {name}, {other}",
                f"RENAME TABLE {name} TO {new}, {other} TO {name}, {new} TO {other}",
                f"CREATE TABLE IF NOT EXISTS {other} LIKE {name}",
                f"ALTER TABLE {name} EXCHANGE PARTITION {part} WITH TABLE {other}{self._one(('', ' WITHOUT VALIDATION'))}",
                f"CREATE INDEX {self._name('i')} ON {name} ({self._columns(table)[0]})",
                f"CREATE UNIQUE INDEX {self._name('i')} ON {name} ({self._columns(table)[0]}, {self._columns(table)[0]})",
                f"INSERT IGNORE INTO {name} SELECT * FROM {name}",
                f"OPTIMIZE TABLE {name}",
                f"CREATE OR REPLACE TABLE {name} LIKE {name}",
                f"ALTER TABLE {name} ENABLE KEYS",
            )
        )


def _quoted(name: str) -> str:
    return f"`{name}`"
