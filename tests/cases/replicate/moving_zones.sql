-- case: a default reads moments of another season
-- to: mysql mariadb
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-07-01 00:30:00', 1), (2, '2020-01-01 00:30:00', 2), (3, NULL, 3);
SET time_zone = 'Europe/Berlin', timestamp = 1606780800;
ALTER TABLE t ADD c DATE DEFAULT (DATE(a)), ADD h INT NOT NULL DEFAULT (COALESCE(HOUR(a), 0));
ALTER TABLE t ADD d DATETIME DEFAULT (a), ADD e VARCHAR(30) DEFAULT (CONCAT(a));
-- case: a default reads moments of another season in TiDB
-- to: tidb
-- values only: TiDB has few defaults by expression
-- before
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-07-01 00:30:00', 1), (2, '2020-01-01 00:30:00', 2), (3, NULL, 3);
SET time_zone = 'Europe/Berlin', timestamp = 1606780800;
ALTER TABLE t ADD c DATE DEFAULT (DATE(a)), ADD h INT NOT NULL DEFAULT (COALESCE(HOUR(a), 0));
ALTER TABLE t ADD d DATETIME DEFAULT (a), ADD e VARCHAR(30) DEFAULT (CONCAT(a));
-- case: a column that gets another name is read by a default
-- only: mariadb
-- to: mariadb
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-07-01 00:30:00', 1), (2, '2020-01-01 00:30:00', 2), (3, NULL, 3);
SET time_zone = 'Europe/Berlin', timestamp = 1606780800;
ALTER TABLE t CHANGE a z TIMESTAMP NULL, ADD d DATETIME DEFAULT (z);
CREATE TABLE u LIKE t;
INSERT INTO u (id, z, n) SELECT id, z, n FROM t;
ALTER TABLE u RENAME COLUMN z TO y, ADD e VARCHAR(30) DEFAULT (CONCAT(y));
-- case: a stored column reads moments of another season
-- only: mysql
-- to: mysql
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, s INT AS (HOUR(a)) STORED);
INSERT INTO t (id, a, n) VALUES (1, '2020-07-01 00:30:00', 1), (2, '2020-01-01 00:30:00', 2), (3, NULL, 3);
SET time_zone = 'Europe/Berlin', timestamp = 1606780800;
ALTER TABLE t ADD c INT AS (HOUR(a)) STORED;
ALTER TABLE t MODIFY n BIGINT;
-- case: a stored column reads moments of another season, MariaDB
-- only: mariadb
-- to: mariadb
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, s INT AS (HOUR(a)) STORED);
INSERT INTO t (id, a, n) VALUES (1, '2020-07-01 00:30:00', 1), (2, '2020-01-01 00:30:00', 2), (3, NULL, 3);
SET time_zone = 'Europe/Berlin', timestamp = 1606780800;
ALTER TABLE t ADD c INT AS (HOUR(a)) STORED;
ALTER TABLE t MODIFY n BIGINT;
-- case: a copy moves moments of the doubled hour
-- only: mysql
-- to: mysql mariadb
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-10-25 01:30:00', 1), (2, '2020-10-25 00:30:00', 2), (3, NULL, 3);
CREATE TABLE r (n INT);
SET time_zone = 'Europe/Berlin';
ALTER TABLE t MODIFY n BIGINT;
-- pauses: 36311 … is another moment there
-- case: a copy that comes to nothing in the doubled hour
-- only: mysql
-- to: mysql mariadb
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-10-25 02:00:00', 1), (2, '2020-10-25 00:30:00', 2);
SET time_zone = 'Europe/Berlin';
ALTER TABLE t MODIFY n BIGINT;
ALTER TABLE t ADD KEY (n), ADD m INT DEFAULT 4;
-- case: a copy moves moments of the doubled hour which TiDB keeps
-- only: mysql
-- to: tidb
-- before
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-10-25 01:30:00', 1), (2, '2020-10-25 00:30:00', 2), (3, NULL, 3);
CREATE TABLE r (n INT);
SET time_zone = 'Europe/Berlin';
ALTER TABLE t MODIFY n BIGINT;
-- pauses: 36311 … is another moment there
-- case: a copy that comes to nothing in the doubled hour in TiDB
-- only: mysql
-- to: tidb
-- before
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-10-25 02:00:00', 1), (2, '2020-10-25 00:30:00', 2);
SET time_zone = 'Europe/Berlin';
ALTER TABLE t MODIFY n BIGINT;
ALTER TABLE t ADD KEY (n), ADD m INT DEFAULT 4;
-- case: moments of the doubled hour become local times
-- only: mysql
-- to: mysql
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-10-25 01:30:00', 1), (2, '2020-10-25 00:30:00', 2), (3, NULL, 3);
CREATE TABLE r (n INT);
SET time_zone = 'Europe/Berlin';
ALTER TABLE t MODIFY a DATETIME;
CREATE TABLE u (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
ALTER TABLE u DROP COLUMN a, MODIFY n BIGINT;
-- case: a key that gets another type, and the moment another name
-- only: mysql
-- to: mysql
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (2, '2020-10-25 00:30:00', 2), (3, NULL, 3);
CREATE TABLE r (n INT);
SET time_zone = 'Europe/Berlin';
ALTER TABLE t MODIFY id BIGINT, CHANGE a z TIMESTAMP NULL;
INSERT INTO t VALUES (4, '2020-10-25 02:30:00', 1);
-- case: a table of the doubled hour that has another name by now
-- only: mysql
-- to: mariadb
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-10-25 01:30:00', 1), (2, '2020-10-25 00:30:00', 2), (3, NULL, 3);
CREATE TABLE r (n INT);
SET time_zone = 'Europe/Berlin';
ALTER TABLE t MODIFY n BIGINT;
RENAME TABLE t TO s;
-- pauses: 36311 … cannot be seen there
-- case: OPTIMIZE copies a table through the doubled hour
-- only: mysql
-- to: mysql
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, v TEXT, FULLTEXT KEY (v));
INSERT INTO t (id, a, n) VALUES (1, '2020-10-25 01:30:00', 1), (2, '2020-10-25 00:30:00', 2), (3, NULL, 3);
CREATE TABLE r (n INT);
SET time_zone = 'Europe/Berlin';
OPTIMIZE TABLE r, `t`;
-- pauses: 36311 … is another moment there
-- case: a table without a key is copied through the doubled hour
-- only: mysql
-- to: mariadb
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-10-25 01:30:00', 1), (2, '2020-10-25 00:30:00', 2), (3, NULL, 3);
CREATE TABLE r (n INT);
SET time_zone = 'Europe/Berlin';
ALTER TABLE t MODIFY n BIGINT;
-- pauses: 36311 … cannot be seen there
-- case: a tool copies a table through local times in place of MariaDB
-- only: mariadb
-- to: mysql
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT);
INSERT INTO t VALUES (1, '2020-10-25 01:30:00', 1), (2, '2020-10-25 00:30:00', 2), (3, NULL, 3);
CREATE TABLE r (n INT);
SET time_zone = 'Europe/Berlin';
ALTER TABLE t ADD u TIMESTAMP DEFAULT '2020-07-01 00:00:00', ALGORITHM=COPY;
-- pauses: 36311
-- case: TiDB takes the other one of two moments
-- to: tidb
-- before
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME, v VARCHAR(30));
INSERT INTO t VALUES (1, '2020-10-25 02:30:00', '2020-07-01 00:00:00');
CREATE TABLE u (id INT PRIMARY KEY, d DATETIME);
INSERT INTO u VALUES (1, '2020-10-25 03:00:00'), (2, '2020-10-25 01:59:59');
SET time_zone = 'Europe/Berlin';
ALTER TABLE u MODIFY d TIMESTAMP NULL;
ALTER TABLE t MODIFY d TIMESTAMP NULL;
-- pauses: 36312 … 2020-10-25 02:30:00 of d twice
-- case: TiDB takes the other one of two moments of a text
-- to: tidb
-- before
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(30));
INSERT INTO t VALUES (1, '2020-10-25 2:30');
SET time_zone = 'Europe/Berlin';
ALTER TABLE t MODIFY v TIMESTAMP NULL;
-- pauses: 36312 … of v twice
-- case: TiDB takes the other one of two moments in a default
-- to: tidb
-- before
$BERLIN;
-- upstream
CREATE TABLE r (n INT);
SET time_zone = 'Europe/Berlin';
CREATE TABLE t (id INT PRIMARY KEY, d TIMESTAMP DEFAULT '2020-10-25 02:30:00');
-- pauses: 36312 … 2020-10-25 02:30:00
-- case: TiDB takes the other one of two moments that a default makes
-- to: tidb
-- before
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME);
INSERT INTO t VALUES (1, '2020-10-25 02:30:00');
SET time_zone = 'Europe/Berlin';
ALTER TABLE t ADD c INT DEFAULT (UNIX_TIMESTAMP(d));
-- pauses: 36312
-- case: a stored column is calculated anew by a copy upstream alone
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, s INT AS (HOUR(a)) STORED);
INSERT INTO t (id, a, n) VALUES (1, '2024-07-01 00:30:00', 1);
ALTER TABLE t MODIFY n BIGINT;
SET time_zone = '+05:30';
ALTER TABLE t MODIFY n VARCHAR(20);
-- pauses: 36313 … s anew
-- case: a stored column is calculated anew by a copy of MariaDB
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, s INT AS (HOUR(a)) STORED);
INSERT INTO t (id, a, n) VALUES (1, '2024-07-01 00:30:00', 1);
SET time_zone = '+05:30';
ALTER TABLE t MODIFY n INT NOT NULL;
-- pauses: 36313 … s anew
-- case: an expression names a moment by its offset
-- only: mysql
-- to: tidb
CREATE TABLE r (n INT);
SET time_zone = '+03:00';
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME, g BOOL AS (d > TIMESTAMP'2020-01-01 00:00:00+05:00') STORED);
-- pauses: 36314 … 2020-01-01 00:00:00+05:00
-- case: an end of a partition names a moment by its offset in a function
-- only: mysql
-- to: tidb mariadb
SET time_zone = '+03:00';
CREATE TABLE q (id INT NOT NULL, d DATETIME NOT NULL DEFAULT '2020-01-01 00:00:00+05:00' COMMENT '2020-01-01 00:00:00+05:00');
INSERT INTO q (id) VALUES (1);
ALTER TABLE q PARTITION BY RANGE (TO_SECONDS(d)) (PARTITION a VALUES LESS THAN (TO_SECONDS('2020-01-01 03:00:00+05:00')), PARTITION b VALUES LESS THAN MAXVALUE);
-- pauses: 36314
-- case: an offset that the target lacks, for a default that reads a moment
-- only: mysql
-- to: mariadb
SET time_zone = '+14:00';
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL);
INSERT INTO t VALUES (1, '2024-07-01 00:30:00');
ALTER TABLE t ADD c DATETIME DEFAULT (a);
-- pauses: 36227
-- case: generated columns turn local times of another season into moments
-- only: mariadb
-- to: mariadb
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME NULL, n INT);
INSERT INTO t VALUES (1, '2020-07-01 00:30:00', 1), (2, '2020-01-01 00:30:00', 2), (3, NULL, 3);
SET time_zone = 'Europe/Berlin', timestamp = 1606780800;
ALTER TABLE t ADD s BIGINT AS (UNIX_TIMESTAMP(d)) STORED, ADD v BIGINT AS (UNIX_TIMESTAMP(d)) VIRTUAL;
ALTER TABLE t ADD f TIMESTAMP AS (d) STORED;
ALTER TABLE t MODIFY n BIGINT;
-- case: generated columns turn moments of another season into local times
-- only: mysql
-- to: mysql
-- before
$BERLIN;
-- target
$BERLIN;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME NULL, n INT);
INSERT INTO t VALUES (1, '2020-07-01 00:30:00', 1593563400), (2, '2020-01-01 00:30:00', 1577838600), (3, NULL, 3);
SET time_zone = 'Europe/Berlin', timestamp = 1606780800;
ALTER TABLE t ADD s DATETIME AS (FROM_UNIXTIME(n)) STORED, ADD f TIMESTAMP AS (d) STORED;
ALTER TABLE t MODIFY n BIGINT;
-- case: a session writes a stored column in its own time zone
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, s DATE AS (DATE(a)) STORED, KEY (s));
INSERT INTO t (id, a, n) VALUES (1, '2020-07-01 23:30:00', 1), (2, '2020-01-01 12:30:00', 2), (3, NULL, 3);
SET time_zone = '+02:00';
INSERT INTO t (id, a, n) VALUES (4, '2020-07-01 13:30:00', 1);
UPDATE t SET n = n + 10;
DELETE FROM t WHERE id = 1;
UPDATE t SET a = '2020-07-01 00:30:00' WHERE id = 2;
-- pauses: 36315 … `s` … has the value '2020-06-30' in the target, '2020-07-01' upstream … WHERE `id`=2
-- case: a session writes a stored moment in its own time zone
-- to: mysql mariadb
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME NULL, f TIMESTAMP AS (d) STORED);
INSERT INTO t (id, d) VALUES (1, '2020-07-01 00:30:00'), (2, NULL);
SET time_zone = '+02:00';
INSERT INTO t (id, d) VALUES (3, NULL);
INSERT INTO t (id, d) VALUES (4, '2020-07-01 00:30:00');
-- pauses: 36315 … `f` … has the value '2020-07-01 00:30:00' in the target, '2020-06-30 22:30:00' upstream
-- case: a row without a key has a stored column of another time zone
CREATE TABLE t (id INT, a TIMESTAMP NULL, n VARCHAR(40), s INT AS (HOUR(a)) STORED);
INSERT INTO t (id, a, n) VALUES (1, '2020-07-01 23:30:00', 'x'), (1, '2020-07-01 23:30:00', 'x'), (3, NULL, 'y');
UPDATE t SET id = id + 10;
DELETE FROM t WHERE id = 11 LIMIT 1;
SET time_zone = '+02:00';
UPDATE t SET id = 12, a = '2020-07-01 01:30:00' WHERE id = 11;
-- pauses: 36315 … `s` … has the value '23' in the target, 1 upstream
-- case: a stored column of another time zone is part of the key
-- only: mysql
CREATE TABLE t (id INT, a TIMESTAMP NOT NULL, d DATE AS (DATE(a)) STORED NOT NULL, PRIMARY KEY (id, d));
INSERT INTO t (id, a) VALUES (1, '2020-07-01 23:30:00');
SET time_zone = '+02:00';
INSERT INTO t (id, a) VALUES (2, '2020-07-01 00:30:00');
-- pauses: 36315 … '2020-06-30' in the target, '2020-07-01' upstream
-- case: a column that the target has ceased to calculate
-- values only: the target's column is a plain one
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, s INT AS (HOUR(a)) STORED);
INSERT INTO t (id, a, n) VALUES (1, '2024-07-01 00:30:00', 1);
SET time_zone = '+05:30';
INSERT INTO t (id, a, n) VALUES (2, '2024-07-01 00:30:00', 1);
-- pauses: 36315
-- target
ALTER TABLE t MODIFY s INT;
-- upstream
INSERT INTO t (id, a, n) VALUES (3, '2024-07-01 00:30:00', 1);
UPDATE t SET a = '2024-07-01 01:30:00' WHERE id = 2;
-- case: a column that the target has ceased to calculate is calculated anew
-- values only: the target's column is a plain one
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, s INT AS (HOUR(a)) STORED);
INSERT INTO t (id, a, n) VALUES (1, '2024-07-01 00:30:00', 1);
SET time_zone = '+05:30';
INSERT INTO t (id, a, n) VALUES (2, '2024-07-01 00:30:00', 1);
-- pauses: 36315
-- target
ALTER TABLE t MODIFY s INT;
-- upstream
ALTER TABLE t MODIFY n VARCHAR(20);
-- pauses: 36313 … s anew
