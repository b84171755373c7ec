-- case: a plain column of the upstream's is a stored generated one in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c INT AS (id * 2) STORED);
-- upstream
INSERT INTO t VALUES (1, 7);
-- case: a plain column of the upstream's is a virtual generated one in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c INT AS (id * 2) VIRTUAL);
-- upstream
INSERT INTO t VALUES (1, 7);
-- case: a generated column has another expression in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 1) STORED);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 2) STORED);
-- upstream
INSERT INTO t (id, a) VALUES (1, 7);
-- case: a table is created if it does not exist over one whose column is generated
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 2) VIRTUAL);
-- upstream
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, a INT, c INT);
INSERT INTO t VALUES (1, 7, 100);
-- case: numbers for a column of labels
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('5','1'));
-- upstream
INSERT INTO t VALUES (1, 1);
-- case: numbers for a column of sets
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c SET('5','1'));
-- upstream
INSERT INTO t VALUES (1, 3);
-- case: labels that differ by case
-- before
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('A','b'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','b'));
-- upstream
INSERT INTO t VALUES (1, 'A');
-- case: texts for a column of sets
-- before
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(9));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c SET('a','b'));
-- upstream
INSERT INTO t VALUES (1, 'B,A,b');
-- case: texts for a column of documents
-- to: tidb
-- before
CREATE TABLE t (id INT PRIMARY KEY, c TEXT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c JSON);
-- upstream
INSERT INTO t VALUES (1, '{"a": 1, "a": 2}');
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
