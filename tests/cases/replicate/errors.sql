-- case: minimal row images
SET SESSION binlog_row_image = 'MINIMAL';
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10) DEFAULT 'd');
INSERT INTO t (id, a) VALUES (1, 1);
UPDATE t SET a = a + 1;
-- pauses: code=11126 … do not log all columns … binlog_row_image = 'FULL'
-- case: row images without blobs
SET SESSION binlog_row_image = 'NOBLOB';
CREATE TABLE t (id INT PRIMARY KEY, a INT, b BLOB);
INSERT INTO t VALUES (1, 1, 'b');
UPDATE t SET a = a + 1;
-- pauses: code=11126 … binlog_row_image is not FULL
-- case: rows as statements
SET SESSION binlog_format = 'STATEMENT';
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1), (2, 2);
-- pauses: code=36014 … logged as text … INSERT INTO t VALUES (1, 1), (2, 2) … binlog_format = 'ROW'
-- target
INSERT INTO t VALUES (1, 1), (2, 2);
-- operator: skip
-- upstream
UPDATE t SET a = 5;
-- case: the target table is missing
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- upstream
INSERT INTO t VALUES (1, 1);
-- pauses: code=36102 … which is not there … create the table downstream … are not copied by that
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- upstream
UPDATE t SET a = 2;
-- case: the file of a table is taken away
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t DISCARD TABLESPACE;
-- pauses: code=36238 … DISCARD TABLESPACE
-- operator: skip
-- upstream
DROP TABLE t;
-- case: the file of a partition is taken away
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 2;
INSERT INTO t VALUES (1);
ALTER TABLE t DISCARD PARTITION p0 TABLESPACE;
-- pauses: code=36238 … DISCARD PARTITION p0 TABLESPACE
-- operator: skip
-- upstream
DROP TABLE t;
-- case: the target has a view of a new table's name
-- target
CREATE TABLE b (id INT PRIMARY KEY, a INT);
CREATE VIEW t AS SELECT * FROM b;
-- upstream
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- pauses: code=36234 … the target has a view of that name … drop the view there
-- target
DROP TABLE b;
RENAME TABLE t TO v;
DROP VIEW v;
-- upstream
UPDATE t SET a = 2;
-- case: the target lacks a column
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- upstream
INSERT INTO t VALUES (1, 1, 1);
-- pauses: code=36103 … has the column b … upstream: ( … downstream: (
-- target
ALTER TABLE t ADD COLUMN b INT;
-- upstream
UPDATE t SET b = 2;
-- case: the target's column is too narrow
-- before
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(3));
-- upstream
INSERT INTO t VALUES (1, 'longer'), (2, 'ok');
-- pauses: code=10216 … column 'a' … INSERT INTO `$DB`.`t` (`id`,`a`) … at least as wide
-- target
ALTER TABLE t MODIFY a VARCHAR(20);
-- upstream
UPDATE t SET a = 'longer again' WHERE id = 2;
-- case: the target's integer is too small
-- before
CREATE TABLE t (id INT PRIMARY KEY, a BIGINT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a TINYINT);
-- upstream
INSERT INTO t VALUES (1, 1000);
-- pauses: Out of range value … 1000
-- target
ALTER TABLE t MODIFY a BIGINT;
-- upstream
UPDATE t SET a = 9223372036854775807;
-- case: the target has such a row already
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (2, 20);
-- upstream
INSERT INTO t VALUES (1, 1), (2, 2);
-- pauses: code=36120 … `id`=2, `a`=2 … `id`=2, `a`=20 … Duplicate entry '2' for key … on-duplicate
-- target
DELETE FROM t WHERE id = 2;
-- upstream
DELETE FROM t WHERE id = 1;
-- case: the target's unique key is the target's own
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, UNIQUE KEY own (a));
-- upstream
INSERT INTO t VALUES (1, 5);
INSERT INTO t VALUES (2, 5);
-- pauses: Duplicate entry '5' … own
-- target
ALTER TABLE t DROP KEY own;
-- upstream
UPDATE t SET a = 6;
-- case: a column that is there already
-- before
CREATE TABLE t (id INT PRIMARY KEY);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- upstream
ALTER TABLE t ADD COLUMN a INT;
INSERT INTO t VALUES (1, 1);
-- pauses: code=36108 … ADD COLUMN `a` INT … Duplicate column name
-- operator: skip
-- upstream
INSERT INTO t VALUES (2, 2);
-- case: a table that is there already
-- before
CREATE TABLE x (id INT PRIMARY KEY);
-- target
CREATE TABLE x (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY);
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- pauses: code=36108 … CREATE TABLE `$DB`.`t` … already exists
-- target
DROP TABLE t;
-- upstream
INSERT INTO t VALUES (2, 2);
-- case: a table to drop is not there
-- before
CREATE TABLE t (id INT PRIMARY KEY);
-- upstream
DROP TABLE t;
-- pauses: code=36108 … DROP TABLE
-- operator: skip
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, b INT);
INSERT INTO t VALUES (2, 2);
-- case: an operator replaces a statement
-- to: tidb
-- values only: the operator chose so
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20));
INSERT INTO t VALUES (1, '5');
ALTER TABLE t MODIFY a INT, DROP PRIMARY KEY, ADD PRIMARY KEY (id, a);
-- pauses: code=36108 … the target refuses a DDL
-- operator: replace ALTER TABLE t MODIFY a INT NOT NULL
-- upstream
UPDATE t SET a = a + 1;
-- case: a prepared distributed transaction
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY);
XA START 'prepared';
INSERT INTO t VALUES (1);
XA END 'prepared';
XA PREPARE 'prepared';
XA COMMIT 'prepared';
-- pauses: XA PREPARE … ONE PHASE
-- case: a prepared distributed transaction of another database
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY);
CREATE DATABASE left_out;
CREATE TABLE left_out.x (id INT PRIMARY KEY);
XA START 'prepared';
INSERT INTO left_out.x VALUES (1);
XA END 'prepared';
XA PREPARE 'prepared';
XA COMMIT 'prepared';
DROP DATABASE left_out;
-- pauses: code=22012 … leaves out counts, too … in all its databases
-- case: system-versioned tables
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT) WITH SYSTEM VERSIONING;
INSERT INTO t VALUES (1, 1);
-- pauses: code=44011 … system-versioned … DROP SYSTEM VERSIONING
-- case: a shadow table that is older than the task
-- before
CREATE TABLE t (id INT PRIMARY KEY);
CREATE TABLE _t_gho (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY);
-- upstream
INSERT INTO _t_gho VALUES (1, 1);
INSERT INTO t VALUES (1);
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: code=36046 … `_t_gho` takes the place of … `t` … created before
-- operator: replace ALTER TABLE t ADD COLUMN a INT
-- upstream
UPDATE t SET a = NULL;
DROP TABLE _t_del;
-- case: a table that takes a shadow table's name
CREATE TABLE t (id INT PRIMARY KEY);
RENAME TABLE t TO _t_gho;
-- pauses: code=36044 … `t` is renamed to … `_t_gho` … online-ddl: false
-- case: a shadow table that takes the place of another table
CREATE TABLE t (id INT PRIMARY KEY);
CREATE TABLE _t_gho LIKE t;
RENAME TABLE _t_gho TO u;
-- pauses: code=36045 … `_t_gho` … renamed to … `u`
-- operator: skip
-- upstream
DROP TABLE IF EXISTS u;
INSERT INTO t VALUES (1);
-- case: half of an exchange that the rules do not know
CREATE TABLE t (id INT PRIMARY KEY);
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN a INT;
RENAME TABLE t TO t_backup, _t_new TO t;
-- pauses: code=20050 … `t_backup` … trash-table-rules
-- case: pt drops the real table before it renames the new one
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN a INT DEFAULT 5;
INSERT INTO _t_new (id) SELECT id FROM t;
DROP TABLE IF EXISTS `$DB`.`t`;
RENAME TABLE `$DB`.`_t_new` TO `$DB`.`t`;
-- pauses: code=36047 … `t` is dropped … `_t_new` … drop_swap
-- operator: skip
-- upstream
INSERT INTO t VALUES (2, 6);
-- case: the change of a shadow table that the target refuses
-- before
CREATE TABLE t (id INT PRIMARY KEY);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN a INT;
RENAME TABLE t TO _t_old, _t_new TO t;
INSERT INTO t VALUES (1, 2);
DROP TABLE _t_old;
-- pauses: code=36108 … ADD COLUMN `a` INT … Duplicate column
-- operator: skip
-- case: a value of a check that the target has
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL);
-- upstream
INSERT INTO t VALUES (1, NULL);
-- pauses: Column 'a' cannot be null … INSERT INTO `$DB`.`t`
-- target
ALTER TABLE t MODIFY a INT NULL;
-- upstream
INSERT INTO t VALUES (2, 2);
-- case: a new column has another value in each row
-- only: mariadb
-- values only: the target has no such default
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1), (2);
ALTER TABLE t ADD COLUMN u VARCHAR(36) DEFAULT (UUID());
INSERT INTO t VALUES (3, 'x');
-- pauses: code=36140 … $DB.t … new column u … UUID in its default … ADD COLUMN u … copy its values
-- operator: replace ALTER TABLE t ADD COLUMN u VARCHAR(36)
-- upstream
UPDATE t SET u = id;
-- case: a random number in a new column's default
-- only: mariadb
-- values only: the target has no such default
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1), (2);
ALTER TABLE t ADD COLUMN u DOUBLE DEFAULT (RAND() * 2), ADD COLUMN v TEXT DEFAULT 'v';
-- pauses: code=36140 … RAND in its default
-- operator: replace ALTER TABLE t ADD COLUMN u DOUBLE, ADD COLUMN v TEXT DEFAULT 'v'
-- upstream
UPDATE t SET u = id;
-- case: a new column is filled after an error
-- to: tidb
-- values only: TiDB takes no defaults of texts
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 10), (2, 20);
-- target
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1), (2);
-- upstream
ALTER TABLE t ADD COLUMN c TEXT DEFAULT (CONCAT('c', a));
INSERT INTO t VALUES (3, 30, 'x');
-- pauses: code=36108 … BATCH LIMIT 5000 UPDATE
-- target
ALTER TABLE t ADD COLUMN a INT AFTER id;
UPDATE t SET a = id * 10;
-- upstream
UPDATE t SET a = a + 1;
-- case: two names that are one by the target's small letters
-- to: tidb
-- before
CREATE TABLE İx (id INT PRIMARY KEY);
CREATE TABLE ix (id INT PRIMARY KEY);
-- target
CREATE TABLE ix (id INT PRIMARY KEY);
-- upstream
INSERT INTO İx VALUES (1);
INSERT INTO ix VALUES (2);
-- pauses: code=36125
-- case: rows that a table of BLACKHOLE throws away
-- only: mysql
CREATE TABLE b (id INT PRIMARY KEY, v INT) ENGINE=BLACKHOLE;
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
INSERT INTO b VALUES (1, 1);
-- pauses: code=36216 … BLACKHOLE
-- case: a table with rows becomes one of BLACKHOLE
-- only: mysql
CREATE TABLE b (id INT PRIMARY KEY, v INT);
INSERT INTO b VALUES (1, 1);
ALTER TABLE b ENGINE=BLACKHOLE;
-- pauses: code=36217
-- target
DELETE FROM b;
-- upstream
ALTER TABLE b ENGINE=InnoDB;
INSERT INTO b VALUES (2, 2);
-- case: an empty table is one of BLACKHOLE for a while
-- only: mysql
CREATE TABLE b (id INT PRIMARY KEY, v INT) ENGINE=BLACKHOLE;
ALTER TABLE b ENGINE=InnoDB;
INSERT INTO b VALUES (2, 2);
-- case: a warning of a generated column that quotes bytes
-- only: mysql
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, a VARBINARY(20), b INT AS (a) VIRTUAL);
SET sql_mode = '';
INSERT IGNORE INTO t (id, a) VALUES (1, X'20C381DFEC'), (2, X'DF');
-- case: a row that comes and goes at once meets one of somebody else
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (2, 20);
-- upstream
BEGIN;
INSERT INTO t VALUES (1, 1), (2, 2);
DELETE FROM t;
COMMIT;
-- pauses: code=36120 … `id`=2, `a`=2 … `id`=2, `a`=20 … Duplicate entry '2' for key
