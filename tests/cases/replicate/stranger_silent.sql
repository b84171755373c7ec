-- case: a generated column has another expression in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 1) STORED);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 2) STORED);
-- upstream
INSERT INTO t (id, a) VALUES (1, 7);
-- case: a table of BLACKHOLE
-- only: mysql
CREATE TABLE b (id INT PRIMARY KEY, v INT) ENGINE=BLACKHOLE;
INSERT INTO b VALUES (1, 1);
-- case: a table becomes one of BLACKHOLE
-- only: mysql
CREATE TABLE b (id INT PRIMARY KEY, v INT);
INSERT INTO b VALUES (1, 1);
ALTER TABLE b ENGINE=BLACKHOLE;
-- case: a stored column is calculated where backslashes escape nothing
-- only: mysql
SET sql_mode = 'NO_BACKSLASH_ESCAPES';
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) DEFAULT 'a', g VARCHAR(60) GENERATED ALWAYS AS (CONCAT(v, '\n')) STORED);
INSERT INTO t (id) VALUES (1);
-- case: a stored column is calculated by a session that pads
-- only: mysql
-- to: tidb
SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH';
CREATE TABLE t (id INT PRIMARY KEY, a CHAR(5), c INT AS (CHAR_LENGTH(CONCAT(a, '|'))) STORED);
INSERT INTO t (id, a) VALUES (1, 'a');
