"""The passes of the campaign: pairwise over what replication depends on; from MySQL, one for each kind of target."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pass:
    """One way to run the corpus."""

    name: str
    target: str
    format: str  # of the binlog
    engine: str  # by default
    charset: str  # by default
    gtid: bool
    upstream: str = "mariadb"  # and its native replica

    @property
    def words(self) -> str:
        by = "GTID" if self.gtid else "position"
        return f"{_NAMES[self.upstream]} -> {self.target}, {self.format}, {self.engine}, {self.charset}, by {by}"

    @property
    def options(self) -> tuple[str, ...]:
        """Of the upstream and the native replica."""
        return (
            f"--binlog-format={self.format.upper()}",
            f"--default-storage-engine={self.engine}",
            f"--character-set-server={self.charset}",
            f"--collation-server={self.collation}",
        )

    @property
    def collation(self) -> str:
        """By default."""
        return {"latin1": "latin1_swedish_ci", "utf8mb4": "utf8mb4_general_ci"}[self.charset]


_NAMES = {"mariadb": "MariaDB", "mysql": "MySQL"}
# Those of MySQL's own suite.
_OF_MYSQL = (
    Pass("from-mysql-tidb", "tidb", "row", "InnoDB", "utf8mb4", gtid=True, upstream="mysql"),
    Pass("from-mysql-mariadb", "mariadb", "row", "InnoDB", "utf8mb4", gtid=False, upstream="mysql"),
    Pass("from-mysql-mysql", "mysql", "mixed", "MyISAM", "latin1", gtid=True, upstream="mysql"),
)
# Each pair of values of (target, format, engine, charset, start) is in one of them.
PASSES = {
    one.name: one
    for one in (
        Pass("mariadb-row", "mariadb", "row", "InnoDB", "latin1", gtid=False),
        Pass("mariadb-mixed", "mariadb", "mixed", "MyISAM", "utf8mb4", gtid=True),
        Pass("tidb-row", "tidb", "row", "MyISAM", "utf8mb4", gtid=False),
        Pass("tidb-mixed", "tidb", "mixed", "InnoDB", "latin1", gtid=True),
        Pass("mysql-row", "mysql", "row", "InnoDB", "utf8mb4", gtid=True),
        Pass("mysql-mixed", "mysql", "mixed", "MyISAM", "latin1", gtid=False),
        *_OF_MYSQL,
    )
}
