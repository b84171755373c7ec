-- case: tables of the task and others in one statement
CREATE DATABASE $OUT;
CREATE TABLE $OUT.n (id INT PRIMARY KEY);
CREATE TABLE $OUT.m (id INT PRIMARY KEY);
CREATE TABLE $OUT.o (id INT PRIMARY KEY);
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY);
INSERT INTO b VALUES (1);
INSERT INTO c VALUES (2);
DROP TABLE a, $OUT.n;
RENAME TABLE b TO b2, $OUT.m TO $OUT.m2;
INSERT INTO b2 VALUES (3);
RENAME TABLE $OUT.o TO b, b TO $OUT.o2;
RENAME TABLE b2 TO d, c TO b2, d TO c;
INSERT INTO c VALUES (4);
DROP TABLE IF EXISTS $OUT.m2, $OUT.o2;
-- case: tables that are left out name those of the task
CREATE DATABASE $OUT;
CREATE TABLE a (id INT PRIMARY KEY);
INSERT INTO a VALUES (1);
CREATE TABLE $OUT.keep (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES $DB.a (id));
ALTER TABLE $OUT.keep RENAME TO $OUT.kept;
CREATE TABLE $OUT.like_a LIKE $DB.a;
DROP DATABASE $OUT;
-- case: a table leaves the task
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
RENAME TABLE t TO $OUT.t;
-- pauses: code=36170 … `$DB`.`t` is renamed to `out_$DB`.`t`, which the task does not take
-- target
DROP TABLE t;
-- operator: skip
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (2, 2);
DROP DATABASE $OUT;
-- case: a table comes into the task
CREATE DATABASE $OUT;
CREATE TABLE $OUT.n (id INT PRIMARY KEY);
INSERT INTO $OUT.n VALUES (1);
ALTER TABLE $OUT.n ADD v INT, RENAME TO $DB.n;
-- pauses: code=36170 … which the task does not take, is renamed to `$DB`.`n`: the target lacks its rows
-- target
CREATE TABLE n (id INT PRIMARY KEY, v INT);
INSERT INTO n (id) VALUES (1);
-- operator: skip
-- upstream
UPDATE n SET v = 7;
DROP DATABASE $OUT;
-- case: a partition is exchanged with a table that is left out
CREATE DATABASE $OUT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10));
CREATE TABLE $OUT.n (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
INSERT INTO $OUT.n VALUES (2);
ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE $OUT.n;
-- pauses: code=36170 … rows move from or to `out_$DB`.`n`
-- target
UPDATE t SET id = 2;
-- operator: skip
-- upstream
INSERT INTO t VALUES (3);
DROP DATABASE $OUT;
-- case: a partition of a table that is left out becomes one of the task
-- only: mariadb
CREATE DATABASE $OUT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
CREATE TABLE $OUT.n (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20));
INSERT INTO $OUT.n VALUES (1), (11);
ALTER TABLE $OUT.n CONVERT PARTITION p0 TO TABLE t;
-- pauses: code=36170 … rows move from or to `out_$DB`.`n`
-- target
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
-- operator: skip
-- upstream
UPDATE t SET id = 2;
DROP DATABASE $OUT;
-- case: a table like one that is left out
CREATE DATABASE $OUT;
CREATE TABLE $OUT.n (id INT PRIMARY KEY, v INT);
CREATE TABLE t LIKE $OUT.n;
-- pauses: code=36170 … `$DB`.`t` is created like `out_$DB`.`n`
-- operator: replace CREATE TABLE $DB.t (id INT PRIMARY KEY, v INT)
-- upstream
INSERT INTO t VALUES (1, 1);
DROP DATABASE $OUT;
