-- case: a table that is not there among those that are dropped
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b (id INT PRIMARY KEY) ENGINE = MyISAM;
CREATE TABLE c (id INT PRIMARY KEY);
INSERT INTO a VALUES (1);
/*fails*/ DROP TABLE a, nope;
/*fails*/ DROP TABLE nope1, b, $DB.nope2;
CREATE TABLE IF NOT EXISTS a (id INT PRIMARY KEY, v INT);
INSERT INTO c VALUES (1);
-- case: a view, and a parent of a foreign key, among tables that are dropped
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b (id INT PRIMARY KEY);
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE k (id INT PRIMARY KEY, f INT, KEY f (f), FOREIGN KEY (f) REFERENCES p (id));
CREATE VIEW v AS SELECT 1;
/*fails*/ DROP TABLE v, a;
/*fails*/ DROP TABLE b, p;
/*fails*/ DROP VIEW v, nope;
INSERT INTO p VALUES (1);
INSERT INTO k VALUES (1, 1);
-- case: a failed create or replace drops the old table
-- only: mariadb
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b LIKE a;
CREATE TABLE c LIKE a;
CREATE TABLE d LIKE a;
CREATE TABLE left_alone LIKE a;
/*fails*/ CREATE OR REPLACE TABLE a (id INT, id INT);
/*fails*/ CREATE OR REPLACE TABLE b (id INT PRIMARY KEY, f INT, FOREIGN KEY (f) REFERENCES nope (id)) ENGINE = InnoDB;
/*fails*/ CREATE OR REPLACE TABLE c (a INT CHECK (nope > 1));
/*fails*/ CREATE OR REPLACE TABLE d (id INT) PARTITION BY HASH (nope);
/*fails*/ CREATE OR REPLACE TABLE left_alone (id INT) ENGINE = nonesuch;
/*fails*/ CREATE OR REPLACE TABLE left_alone LIKE nope;
/*fails*/ CREATE OR REPLACE TABLE nope (id INT, id INT);
INSERT INTO left_alone VALUES (1);
CREATE TABLE a (v VARCHAR(5));
INSERT INTO a VALUES ('a');
-- case: a failed create or replace from a select drops the old table
-- only: mariadb
CREATE TABLE s (id INT);
INSERT INTO s VALUES (1), (1);
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b LIKE a;
CREATE TABLE c LIKE a;
/*fails*/ CREATE OR REPLACE TABLE a (id INT PRIMARY KEY) AS SELECT id FROM s;
/*fails*/ CREATE OR REPLACE TABLE b (id INT PRIMARY KEY) ENGINE = MyISAM AS SELECT id FROM s;
SET SESSION binlog_format = STATEMENT;
/*fails*/ CREATE OR REPLACE TABLE c (id INT PRIMARY KEY) AS SELECT id FROM s;
SET SESSION binlog_format = ROW;
UPDATE s SET id = 5;
-- case: a database that could not be dropped whole
-- only: mariadb
CREATE DATABASE $DB_x;
CREATE TABLE $DB_x.t (id INT PRIMARY KEY);
INSERT INTO $DB_x.t VALUES (1);
SELECT 'x' INTO OUTFILE '$DB_x/extra.txt';
/*fails*/ DROP DATABASE $DB_x;
CREATE TABLE $DB_x.u (id INT PRIMARY KEY);
INSERT INTO $DB_x.u VALUES (1);
-- case: rows that a failed statement has changed before
CREATE TABLE m (id INT PRIMARY KEY, v INT) ENGINE = MyISAM;
/*fails*/ INSERT INTO m VALUES (1, 1), (2, 2), (1, 3);
/*fails*/ UPDATE m SET id = 7;
INSERT INTO m VALUES (9, 9);
-- case: a failed statement that is logged as text
CREATE TABLE m (id INT PRIMARY KEY) ENGINE = MyISAM;
SET SESSION binlog_format = 'STATEMENT';
/*fails*/ INSERT INTO m VALUES (5), (6), (5);
-- pauses: code=36014 … it failed upstream with error 1062, half-way … INSERT INTO m VALUES
-- case: a table is replaced by one without columns
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
/*fails*/ CREATE OR REPLACE TABLE t;
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (2, 2);
