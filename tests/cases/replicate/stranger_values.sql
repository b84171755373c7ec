-- case: stranger: generated columns over the bytes of a text that has another character set in TiDB
-- to: tidb
-- values only: TiDB has few character sets
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), len INT AS (LENGTH(name)) STORED, code INT AS (ASCII(name)) VIRTUAL, h VARCHAR(80) AS (HEX(name)) STORED, c BIGINT AS (CRC32(name)) STORED) CHARACTER SET latin1;
INSERT INTO t (id, name) VALUES (1, 'ä'), (2, 'b');
-- case: stranger: generated columns that compare a key's text under the collation that TiDB has in its place
-- to: tidb
-- values only: TiDB has few collations
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) UNIQUE, g INT AS (a = 'abc') STORED, c VARCHAR(9) AS (CASE WHEN a < 'b' THEN 'low' ELSE 'high' END) STORED) CHARACTER SET latin1;
INSERT INTO t (id, a) VALUES (1, 'ABC'), (2, 'ä'), (3, 'Z'), (4, 'a');
-- case: stranger: a unique key over the bytes of a text
-- to: tidb
-- values only: TiDB has few character sets
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), len INT AS (LENGTH(name)) STORED, UNIQUE KEY (len)) CHARACTER SET latin1;
INSERT INTO t (id, name) VALUES (1, 'aa'), (2, 'ä');
-- case: stranger: divisions in generated columns
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, n INT, g DECIMAL(20,10) AS (n / 3) STORED);
INSERT INTO t (id, n) VALUES (1, 1), (2, 2);
