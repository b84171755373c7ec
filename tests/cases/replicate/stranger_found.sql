-- case: a generated column counts the bytes of a latin1 text
-- to: tidb
-- values only: latin1 is utf8mb4 there
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, n INT AS (LENGTH(v)) STORED, h VARCHAR(40) AS (HEX(v)) VIRTUAL);
INSERT INTO t (id, v) VALUES (1, 'ä');
-- case: a new column counts the bytes of a latin1 text
-- to: tidb
-- values only: latin1 is utf8mb4 there
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1);
INSERT INTO t VALUES (1, 'ä');
ALTER TABLE t ADD n INT DEFAULT (LENGTH(v)), ADD h VARCHAR(40) DEFAULT (HEX(v));
-- case: a generated column compares a key of a mapped collation
-- to: tidb
-- values only: the key's collation is mapped
CREATE TABLE t (v VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY, g INT AS (v = 'A') STORED);
INSERT INTO t (v) VALUES ('a');
-- case: a new column compares a key of a mapped collation
-- to: tidb
-- values only: the key's collation is mapped
CREATE TABLE t (v VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY);
INSERT INTO t (v) VALUES ('a');
ALTER TABLE t ADD g INT DEFAULT (v = 'A');
-- case: a counter numbers rows that stand in another order
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY) ENGINE=MyISAM;
INSERT INTO t VALUES (3), (1), (2);
ALTER TABLE t ADD n INT NOT NULL AUTO_INCREMENT UNIQUE;
-- case: a counter numbers rows in the order of a text key
-- only: mysql
-- to: mariadb
-- values only: the key's collation is mapped
CREATE TABLE t (v VARCHAR(9) PRIMARY KEY);
INSERT INTO t VALUES ('c'), ('a'), ('B'), ('D');
ALTER TABLE t ADD n INT NOT NULL AUTO_INCREMENT UNIQUE;
-- case: a char becomes binary and is padded otherwise
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, c CHAR(5)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t CONVERT TO CHARACTER SET binary;
-- case: a char is modified to binary
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, c CHAR(5)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t MODIFY c BINARY(5);
-- case: the check of a column stays when the column is modified
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT CHECK (a < 10));
ALTER TABLE t MODIFY a BIGINT;
-- both
INSERT INTO t VALUES (2, 20);
-- case: columns become visible and invisible
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT INVISIBLE DEFAULT 1, b INT DEFAULT 2);
ALTER TABLE t ALTER COLUMN a SET VISIBLE, ALTER COLUMN b SET INVISIBLE;
-- both
INSERT INTO t VALUES (1, 7);
-- case: the period of a primary key
-- only: mariadb
-- to: tidb mysql
-- values only: TiDB has no periods
CREATE TABLE t (id INT, s DATE, e DATE, PERIOD FOR p (s, e), PRIMARY KEY (id, s));
INSERT INTO t VALUES (1, '2020-01-01', '2020-12-31');
-- both
INSERT INTO t VALUES (2, '2020-01-01', NULL);
INSERT INTO t VALUES (3, '2020-01-01', '2019-01-01');
-- case: the names of checks follow their table
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, CHECK (a > 0));
RENAME TABLE t TO u;
ALTER TABLE u DROP CHECK u_chk_1;
-- case: latin1 texts that need more bytes
-- to: tidb
-- values only: latin1 is utf8mb4 there
CREATE TABLE t (id INT PRIMARY KEY, a TINYTEXT CHARACTER SET latin1, b TEXT CHARACTER SET latin1);
INSERT INTO t VALUES (1, REPEAT('ä', 255), 'x'), (2, NULL, REPEAT('ä', 65535));
-- case: a table that is renamed if it exists
-- only: mariadb
-- to: tidb mysql
CREATE TABLE a (id INT PRIMARY KEY);
RENAME TABLE IF EXISTS a TO b;
-- case: constraints are dropped if they exist
-- only: mariadb
-- to: tidb mysql
CREATE TABLE a (id INT PRIMARY KEY);
ALTER TABLE a DROP CONSTRAINT IF EXISTS nothing;
ALTER TABLE a DROP FOREIGN KEY IF EXISTS nothing;
-- case: clauses that apply if something exists
-- only: mariadb
-- to: tidb mysql
CREATE TABLE a (id INT PRIMARY KEY, x INT);
ALTER TABLE a RENAME COLUMN IF EXISTS nothing TO n;
ALTER TABLE a RENAME INDEX IF EXISTS nothing TO n;
ALTER TABLE a ALTER COLUMN IF EXISTS x SET DEFAULT 4;
ALTER TABLE a CHANGE COLUMN IF EXISTS x z INT;
ALTER TABLE IF EXISTS a ADD KEY IF NOT EXISTS kz (z);
CREATE OR REPLACE INDEX kz ON a (z, id);
-- case: a time becomes a datetime on the statement's day
CREATE TABLE t (id INT PRIMARY KEY, ti TIME);
INSERT INTO t VALUES (1, '01:02:03');
SET timestamp = 1000000000;
ALTER TABLE t MODIFY ti DATETIME;
-- case: a double becomes a text
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE);
INSERT INTO t VALUES (1, 1e20), (2, 1e15), (3, 1e-7), (4, 1e18);
ALTER TABLE t MODIFY d VARCHAR(40);
-- case: a float becomes a text
CREATE TABLE t (id INT PRIMARY KEY, f FLOAT);
INSERT INTO t VALUES (1, 16777217), (2, 1e10), (3, 0.1);
ALTER TABLE t MODIFY f VARCHAR(40);
-- case: a number becomes an enum
CREATE TABLE t (id INT PRIMARY KEY, n INT);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t MODIFY n ENUM('p', 'q', '1');
-- case: a generated column makes a text of a float
-- values only: of the expression
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE, f FLOAT, g VARCHAR(40) AS (CONCAT(d)) STORED, h VARCHAR(40) AS (CONCAT(f)) STORED);
INSERT INTO t (id, d, f) VALUES (1, 1e20, 1), (2, 1, 16777217);
-- case: a new column makes a text of a float
-- values only: of the expression
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE);
INSERT INTO t (id, d) VALUES (1, 1e20);
ALTER TABLE t ADD g VARCHAR(40) DEFAULT (CONCAT(d));
-- case: a new column rounds and divides
-- values only: of the expression
CREATE TABLE t (id INT PRIMARY KEY, dc DECIMAL(12, 4), n INT);
INSERT INTO t VALUES (1, 10.5555, 7), (2, -7.5, 2), (3, 2.5, 3);
ALTER TABLE t ADD a VARCHAR(40) DEFAULT (n / 8);
ALTER TABLE t ADD b VARCHAR(40) DEFAULT (dc / n);
ALTER TABLE t ADD c DECIMAL(20, 10) DEFAULT (dc / 7);
ALTER TABLE t ADD d INT DEFAULT (dc);
-- case: a generated quotient
-- values only: of the expression
CREATE TABLE t (id INT PRIMARY KEY, dc DECIMAL(12, 4), n INT, g VARCHAR(40) AS (n / 8) STORED, h VARCHAR(40) AS (dc / n) STORED, i DECIMAL(20, 8) AS (dc / 7) STORED);
INSERT INTO t (id, dc, n) VALUES (1, 10.5555, 7), (3, 2.5, 3);
