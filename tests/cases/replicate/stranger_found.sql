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
