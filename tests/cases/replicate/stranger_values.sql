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
-- case: stranger: literals with an introducer in expressions
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), g VARCHAR(40) AS (CONCAT(a, _utf8mb4'é')) STORED, d VARCHAR(20) DEFAULT (CONCAT(_utf8mb4'é', 'x')), CHECK (a <> _utf8mb4'ä'));
INSERT INTO t (id, a) VALUES (1, 'b'), (2, 'xC3xA4');
-- case: stranger: divisions in generated columns
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, n INT, g DECIMAL(20,10) AS (n / 3) STORED);
INSERT INTO t (id, n) VALUES (1, 1), (2, 2);
-- case: stranger: numbers of a JSON in a table without keys that the full migration copied
-- only: mysql
-- to: mariadb
-- before
CREATE TABLE k (j JSON, v INT);
INSERT INTO k VALUES ('{"a": 1e20}', 1);
-- target
CREATE TABLE k (j JSON, v INT);
INSERT INTO k VALUES ('{"a": 1e20}', 1);
-- upstream
UPDATE k SET v = 2;
-- case: stranger: doubles of a set number of digits
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE(40,20), e DOUBLE(22,15));
INSERT INTO t VALUES (1, 0.1, 2.3), (2, 0.3, 0.33);
CREATE TABLE barrier (n INT);
INSERT INTO t SELECT id + 10, -d, -e / 7 FROM t;
-- case: stranger: letters that MySQL's Croatian collation joins
-- only: mariadb
-- to: mysql
-- values only: rows
CREATE TABLE t (k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_croatian_ci PRIMARY KEY, v INT);
INSERT INTO t VALUES ('lJ', 1), ('Ǉ', 2), ('nJ', 3), ('Ǌ', 4);
-- case: stranger: numbers of JSON that are equal and not the same in a table without keys
-- only: mysql
-- to: tidb
-- before
CREATE TABLE k (j JSON, v INT);
-- target
CREATE TABLE k (j JSON, v INT);
-- upstream
INSERT INTO k VALUES ('1', 0), ('1.0', 0), ('{"a": 1}', 0), ('{"a": 1.0}', 0);
CREATE TABLE barrier (n INT);
DELETE FROM k WHERE CAST(j AS CHAR) = '1.0';
UPDATE k SET v = 1 WHERE CAST(j AS CHAR) = '{"a": 1.0}';
