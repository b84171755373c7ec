"""Records the golden binlogs: `python -m tests.golden.record NAME`, NAME being one of RECORDINGS.

Each recording is one binlog file, the structure of its table, and the literals that its rows hold.
Before it is kept, the literals are applied to a second table on the same server, which must then
equal the first one column by column.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pymysql

from pkg.binlog.decoder import Decoder
from pkg.binlog.events import RowsEvent
from pkg.binlog.rows import RowPlan
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from tests.servers import start

FOLDER = Path(__file__).parent
DATA = FOLDER / "data"
RECORDINGS = {
    "mariadb": ("mariadb", "types.sql"),
    "mysql": ("mysql", "types.sql"),
    # log_bin_compress, UUID, INET4 and INET6, COMPRESSED columns
    "mariadb-rare": ("mariadb", "rare_mariadb.sql"),
    # PARTIAL_JSON, VECTOR, tagged GTIDs, compressed transactions
    "mysql-rare": ("mysql", "rare_mysql.sql"),
}
"""What is recorded on which server."""


def statements(file: str) -> list[str]:
    return [text.strip() for text in (FOLDER / file).read_text().split(";\n") if text.strip()]


def decode(binlog: bytes, table: Table, flavor: str) -> list[tuple[str, list[tuple[bytes, ...]]]]:
    """(kind, images) of each rows event of the golden table."""
    decoder = Decoder(
        flavor=flavor,
        framing="file",
        resolve=lambda table_map: RowPlan.build(table.columns, table_map) if table_map.schema == "golden" else None,
        file_name="golden",
    )
    decoder.feed(binlog)
    events = []
    while (event := decoder.next()) is not None:
        if isinstance(event, RowsEvent):
            events.append((event.kind, event.rows))
    return events


def record(recording: str) -> None:
    kind, file = RECORDINGS[recording]
    server = start(kind)
    try:
        connection = pymysql.connect(
            host=server.host, port=server.port, user="root", autocommit=True, charset="utf8mb4"
        )
        with connection.cursor() as cursor:
            cursor.execute("SET time_zone = '+00:00', sql_mode = ''")
            cursor.execute("FLUSH BINARY LOGS")
            cursor.execute("SHOW BINARY LOGS")
            name = cursor.fetchall()[-1][0]
            for statement in statements(file):
                cursor.execute(statement)
            cursor.execute("FLUSH BINARY LOGS")
            cursor.execute("SHOW CREATE TABLE golden.types")
            row = cursor.fetchone()
            assert row is not None
            create: str = row[1]
            binlog = (Path(server.datadir) / name).read_bytes()
            events = decode(binlog, parse_create_table(create, "golden"), kind)
            check(cursor, create, events)
    finally:
        server.stop()
    DATA.mkdir(exist_ok=True)
    (DATA / f"{recording}.binlog").write_bytes(binlog)
    rows = [[kind_, [[value.decode() for value in image] for image in images]] for kind_, images in events]
    document = json.dumps({"create": create, "rows": rows}, ensure_ascii=False, indent=1)
    (DATA / f"{recording}.json").write_text(document + "\n")


def check(cursor: Any, create: str, events: list[tuple[str, list[tuple[bytes, ...]]]]) -> None:
    """Apply the literals to a second table and compare it with the first, byte for byte."""
    cursor.execute("SET sql_mode = 'STRICT_TRANS_TABLES,ALLOW_INVALID_DATES'")
    cursor.execute(create.replace("CREATE TABLE `types`", "CREATE TABLE golden.again"))
    for kind, images in events:
        pairs = (
            zip(images[::2], images[1::2], strict=True) if kind == "update" else ((image, image) for image in images)
        )
        for before, after in pairs:
            if kind != "insert":
                cursor.execute(b"DELETE FROM golden.again WHERE id = " + before[0])
            if kind != "delete":
                cursor.execute(b"INSERT INTO golden.again VALUES (" + b",".join(after) + b")")
    cursor.execute("SHOW COLUMNS FROM golden.types")
    for column in [row[0] for row in cursor.fetchall()]:
        sql = "SELECT a.id FROM golden.types a LEFT JOIN golden.again b USING (id) WHERE NOT HEX(a.{0}) <=> HEX(b.{0})"
        cursor.execute(sql.format(f"`{column}`"))
        different = cursor.fetchall()
        assert not different, f"column {column} differs in the rows {different}"


if __name__ == "__main__":
    record(sys.argv[1])
