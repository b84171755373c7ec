-- case: partitions are rebuilt, checked and analyzed
CREATE TABLE t (id INT PRIMARY KEY, a INT) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20));
INSERT INTO t VALUES (1, 1), (11, 1);
ALTER TABLE t REBUILD PARTITION p0;
ALTER TABLE t ANALYZE PARTITION p1;
ALTER TABLE t CHECK PARTITION p0;
ALTER TABLE t OPTIMIZE PARTITION p1;
INSERT INTO t VALUES (2, 2);

-- case: a partition by key is emptied, others than upstream
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY KEY (id) PARTITIONS 3;
INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7), (8);
ALTER TABLE t TRUNCATE PARTITION ALL;
INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7), (8);
ALTER TABLE t TRUNCATE PARTITION p1;
-- pauses: 36195 … another way
-- case: partitions by key of the same hash are emptied
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY KEY () PARTITIONS 3;
CREATE TABLE v (v VARCHAR(9) CHARACTER SET latin1, KEY (v)) PARTITION BY LINEAR KEY (v) PARTITIONS 3;
INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7), (8);
INSERT INTO v VALUES ('a'), ('b'), ('c'), (NULL), ('ä'), ('f ');
ALTER TABLE t TRUNCATE PARTITION p1;
ALTER TABLE v TRUNCATE PARTITION p2;
-- case: a partition by key of a date is emptied
-- only: mysql
-- to: mariadb
CREATE TABLE t (d DATE PRIMARY KEY) PARTITION BY KEY () PARTITIONS 3;
INSERT INTO t VALUES ('2020-01-01'), ('2020-01-02'), ('2020-01-03');
ALTER TABLE t TRUNCATE PARTITION p1;
-- pauses: 36195 … is a DATE
-- case: a partition by linear hash is emptied, others than upstream
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 3;
INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7), (-7);
ALTER TABLE t TRUNCATE PARTITION p1;
ALTER TABLE t PARTITION BY LINEAR HASH (id) PARTITIONS 3;
ALTER TABLE t TRUNCATE PARTITION p1;
-- pauses: 36195 … LINEAR HASH
-- case: a partition by linear hash of a table that was there
-- to: tidb
-- before
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY LINEAR HASH (id) PARTITIONS 3;
INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7), (-7);
-- target
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 3;
INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7), (-7);
-- upstream
ALTER TABLE t TRUNCATE PARTITION p1;
-- pauses: 36195 … LINEAR HASH
-- case: a partition by hash of a function of NULL is emptied
-- to: tidb
CREATE TABLE t (id INT, d DATE) PARTITION BY HASH (YEAR(d)) PARTITIONS 3;
INSERT INTO t VALUES (1, '2019-01-01'), (2, '2020-01-01');
ALTER TABLE t TRUNCATE PARTITION p0;
INSERT INTO t VALUES (1, '2019-01-01'), (2, NULL);
ALTER TABLE t TRUNCATE PARTITION p0;
-- pauses: 36195 … NULL
-- case: a partition by hash of a year is emptied that may hold NULL
-- to: tidb
CREATE TABLE t (id INT, y YEAR) PARTITION BY HASH (y) PARTITIONS 3;
INSERT INTO t VALUES (1, 2019), (2, NULL), (3, 2020), (4, 0);
ALTER TABLE t TRUNCATE PARTITION p0;
-- pauses: 36195 … NULL
-- case: a partition by hash of days is emptied that may hold NULL
-- to: tidb
CREATE TABLE t (id INT, d DATETIME) PARTITION BY HASH (TO_DAYS(d)) PARTITIONS 3;
INSERT INTO t VALUES (1, '2019-01-01 10:00:00'), (2, NULL), (3, '2019-01-02'), (4, '2019-01-03');
ALTER TABLE t TRUNCATE PARTITION p0;
-- pauses: 36195 … NULL
-- case: a range of texts is dropped whose column is a key of a mapped collation
-- to: tidb
CREATE TABLE t (v VARCHAR(10) CHARACTER SET latin1 PRIMARY KEY) PARTITION BY RANGE COLUMNS (v) (PARTITION pa VALUES LESS THAN ('M'), PARTITION pz VALUES LESS THAN (MAXVALUE));
INSERT INTO t VALUES ('a'), ('B'), ('x'), ('Z');
ALTER TABLE t DROP PARTITION pa;
-- pauses: 36195 … the column v is compared otherwise
-- case: ranges and lists that are the same everywhere lose rows
SET sql_mode = 'ALLOW_INVALID_DATES';
CREATE TABLE a (d DATETIME) PARTITION BY RANGE (TO_DAYS(d)) (PARTITION p0 VALUES LESS THAN (TO_DAYS('2020-01-01')), PARTITION p1 VALUES LESS THAN MAXVALUE);
CREATE TABLE b (ts TIMESTAMP NULL) PARTITION BY RANGE (UNIX_TIMESTAMP(ts)) (PARTITION p0 VALUES LESS THAN (1577836800), PARTITION p1 VALUES LESS THAN MAXVALUE);
CREATE TABLE c (v VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci) PARTITION BY RANGE COLUMNS (v) (PARTITION p0 VALUES LESS THAN ('m'), PARTITION p1 VALUES LESS THAN (MAXVALUE));
CREATE TABLE e (n INT) PARTITION BY LIST (n DIV 10) (PARTITION p0 VALUES IN (0, NULL), PARTITION p1 VALUES IN (1, -1));
INSERT INTO a VALUES (NULL), ('2019-12-31 23:59:59'), ('2020-01-01'), ('2019-02-31');
INSERT INTO b VALUES (NULL), ('2019-12-31 23:59:59'), ('2020-01-01');
INSERT INTO c VALUES (NULL), ('a'), ('N'), ('L'), ('é');
INSERT INTO e VALUES (NULL), (5), (-11), (12);
ALTER TABLE a DROP PARTITION p0;
ALTER TABLE b TRUNCATE PARTITION p0;
ALTER TABLE c DROP PARTITION p0;
ALTER TABLE e DROP PARTITION p1;
-- case: a list of texts that has another collation in the target
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT, r VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, PRIMARY KEY (id, r)) PARTITION BY LIST COLUMNS (r) (PARTITION pn VALUES IN ('a', 'b'));
INSERT INTO t VALUES (1, 'a');
INSERT INTO t VALUES (3, 'B');
-- pauses: no partition for value
-- target
ALTER TABLE t REORGANIZE PARTITION pn INTO (PARTITION pn VALUES IN ('a', 'b', 'A', 'B'));
-- upstream
INSERT INTO t VALUES (4, 'A');
