-- case: the target stores a calculated column where the upstream has values
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c INT AS (id * 2) STORED);
-- upstream
INSERT INTO t VALUES (1, 7);
-- pauses: code=36190 … , and generated there
-- case: the target calculates a column for each read where the upstream has values
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c INT AS (id * 2) VIRTUAL);
-- upstream
INSERT INTO t VALUES (1, 7);
-- pauses: code=36190
-- case: a table is created over one whose column is generated
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 2) VIRTUAL);
-- upstream
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, a INT, c INT);
INSERT INTO t VALUES (1, 7, 100);
-- pauses: code=36190
-- case: numbers for labels
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('5','1'));
-- upstream
INSERT INTO t VALUES (1, 1);
-- pauses: code=36190
-- case: numbers for sets of labels
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c SET('5','1'));
-- upstream
INSERT INTO t VALUES (1, 3);
-- pauses: code=36190
-- case: labels that differ by case in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('A','b'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','b'));
-- upstream
INSERT INTO t VALUES (1, 'A');
-- pauses: code=36190
-- case: texts for labels
-- before
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(9));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','b'));
-- upstream
INSERT INTO t VALUES (1, '2');
-- pauses: code=36190
-- case: texts for sets of labels
-- before
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(9));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c SET('a','b'));
-- upstream
INSERT INTO t VALUES (1, 'B,A,b');
-- pauses: code=36190
-- case: sets whose labels stand in another order in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, c SET('a','b'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c SET('b','a'));
-- upstream
INSERT INTO t VALUES (1, 'a,b');
-- pauses: code=36190
-- case: the target has more labels
-- before
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','b'), s SET('x','y'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('0','b','c','a'), s SET('x','z','y'));
-- upstream
INSERT INTO t VALUES (1, 'a', 'x,y'), (2, 'b', '');
-- case: texts for documents
-- to: tidb mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c TEXT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c JSON);
-- upstream
INSERT INTO t VALUES (1, '{"a": 1, "a": 2}');
-- pauses: code=36190
