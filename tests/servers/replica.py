"""Native replicas: a server that follows another one, and may take its place."""

from __future__ import annotations

from contextlib import closing

from tests.servers.running import RunningServer

FOLLOW = {
    "mariadb": (
        "CHANGE MASTER TO MASTER_HOST='{host}', MASTER_PORT={port}, MASTER_USER='root', MASTER_USE_GTID=slave_pos",
        "START SLAVE",
    ),
    "mysql": (
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST='{host}', SOURCE_PORT={port}, SOURCE_USER='root', "
        "SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1",
        "START REPLICA",
    ),
}


def execute(server: RunningServer, *statements: str) -> list[tuple[object, ...]]:
    """Run statements on a connection of their own; the rows of the last one."""
    with closing(server.connect()) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall())


def follow(replica: RunningServer, source: RunningServer) -> None:
    """Make `replica` a replica, whose own binlog begins with other events, so that positions differ."""
    execute(replica, "FLUSH BINARY LOGS", "FLUSH BINARY LOGS")
    execute(replica, *(text.format(host=source.host, port=source.port) for text in FOLLOW[source.kind]))


def logged(server: RunningServer) -> str:
    """The GTIDs in the server's binlog."""
    variable = "gtid_binlog_pos" if server.kind == "mariadb" else "gtid_executed"
    return str(execute(server, f"SELECT @@GLOBAL.{variable}")[0][0]).replace("\n", "")


def has_all(replica: RunningServer, source: RunningServer) -> bool:
    """Whether each transaction of the source is in the replica's binlog."""
    mine, its = logged(replica), logged(source)
    if source.kind == "mariadb":
        return mine == its
    return execute(replica, f"SELECT GTID_SUBSET('{its}', '{mine}')") == [(1,)]


def stop_logging(replica: RunningServer) -> None:
    """What `replica` replicates from now on is in no binlog of its own, as MariaDB has it by default."""
    word = "slave" if replica.kind == "mariadb" else "replica"
    kept = [one for one in replica.command if not one.startswith(f"--log-{word}-updates")]
    replica.command[:] = [*kept, f"--log-{word}-updates=0"]
    replica.restart()


def has_applied(replica: RunningServer, source: RunningServer) -> bool:
    """Whether each transaction of the source is applied there, logged or not."""
    if source.kind == "mysql":
        return has_all(replica, source)
    [[mine]], [[its]] = (
        execute(replica, "SELECT @@GLOBAL.gtid_slave_pos"),
        execute(source, "SELECT @@GLOBAL.gtid_binlog_pos"),
    )
    return mine == its
