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
-- case: a generated column has another expression in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 1) STORED);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 2) STORED);
-- upstream
INSERT INTO t (id, a) VALUES (1, 7);
-- pauses: code=36215 … of the same values
-- case: a virtual column has another expression of texts in the target
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), c VARCHAR(40) AS (CONCAT(v, '@b')) STORED);
-- upstream
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v VARCHAR(20), c VARCHAR(40) AS (CONCAT(v, '@B')) VIRTUAL);
INSERT INTO t (id, v) VALUES (1, 'a');
-- pauses: code=36215
-- case: the target has the upstream's expressions in other words
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b TINYINT, v VARCHAR(9), d DATE, j LONGTEXT, c0 INT AS (a <> 3 AND NOT b) VIRTUAL, c1 VARCHAR(20) AS (SUBSTR(v, 1, 2)) STORED, c2 VARCHAR(40) AS (CONCAT(v, '|', UPPER(v))) VIRTUAL, c3 VARCHAR(20) AS (CAST(a AS CHAR)) STORED, c4 DATE AS (d + INTERVAL 1 DAY) VIRTUAL, c5 INT AS (a MOD 7) STORED, c6 INT AS (IF(a IS NULL, 0, a * (b + 1))) VIRTUAL, c7 VARCHAR(20) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.x.y'))) STORED, c8 TINYINT AS (v = 'abc' || b) VIRTUAL, c9 INT AS (YEAR(d) * 100 + MONTH(d)) STORED, c10 VARCHAR(9) AS (IFNULL(v, 'none')) VIRTUAL);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b TINYINT, v VARCHAR(9), d DATE, j LONGTEXT, c0 INT AS ((`a` != 3) and (not(`b`))) VIRTUAL, c1 VARCHAR(20) AS (substring(v from 1 for 2)) STORED, c2 VARCHAR(40) AS (concat(v,'|',ucase(v))) STORED, c3 VARCHAR(20) AS (cast(a as char charset utf8mb4)) VIRTUAL, c4 DATE AS (date_add(d, interval 1 day)) STORED, c5 INT AS ((a % 7)) STORED, c6 INT AS (case when a is null then 0 else (b + 1) * a end) VIRTUAL, c7 VARCHAR(20) AS (json_unquote(json_extract(`j`,"$.x.y"))) STORED, c8 TINYINT AS (((v = 'abc') or b)) STORED, c9 INT AS (((year(d) * 100) + month(d))) VIRTUAL, c10 VARCHAR(9) AS (coalesce(v, 'none')) STORED);
-- upstream
INSERT INTO t (id, a, b, v, d, j) VALUES (1, 7, 0, 'abc', '2020-02-28', '{"x": {"y": "z"}}'), (2, NULL, 1, NULL, NULL, NULL);
-- case: the target has an expression of its own where the upstream's has other values
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, n INT AS (LENGTH(v)) STORED);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4, n INT AS (CHAR_LENGTH(v)) STORED);
-- upstream
INSERT INTO t (id, v) VALUES (1, 'ä');
-- case: columns that an expression reads get other names
-- only: mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 1) STORED, d INT AS (a * 2) VIRTUAL);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT AS (a + 1) STORED, d INT AS (a * 2) VIRTUAL);
-- upstream
INSERT INTO t (id, a) VALUES (1, 7);
ALTER TABLE t CHANGE d e INT AS (a * 3) VIRTUAL, ADD b INT DEFAULT 2;
INSERT INTO t (id, a) VALUES (2, 8);
-- case: bytes where the target has a number
-- before
CREATE TABLE t (id INT PRIMARY KEY, c VARBINARY(20));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- upstream
INSERT INTO t VALUES (1, '12');
-- pauses: code=36190
-- case: labels where the target has a year
-- before
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('7','3'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c YEAR);
-- upstream
INSERT INTO t VALUES (1, '3');
-- pauses: code=36190
-- case: a year where the target has a time
-- before
CREATE TABLE t (id INT PRIMARY KEY, c YEAR);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c TIME);
-- upstream
INSERT INTO t VALUES (1, 2000);
-- pauses: code=36190
-- case: negative numbers where the target has 64 bits
-- before
CREATE TABLE t (id INT PRIMARY KEY, c BIGINT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c BIT(64));
-- upstream
INSERT INTO t VALUES (1, -1);
-- pauses: code=36190
-- case: a negative number does not fit into bits
-- before
CREATE TABLE t (id INT PRIMARY KEY, c TINYINT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c BIT(8));
-- upstream
INSERT INTO t VALUES (1, -1);
-- pauses: code=10216
-- case: texts where the target has bytes of a fixed length
-- before
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(9));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c BINARY(9));
-- upstream
INSERT INTO t VALUES (1, 'ab');
-- pauses: code=36190
-- case: the target's types hold what the upstream's do
-- before
CREATE TABLE t (id INT PRIMARY KEY, a VARBINARY(9), b BIT(9), c YEAR, d ENUM('x','ü'), e DATETIME(3), f BIGINT UNSIGNED, g TEXT, h TIME(2), i BIT(53), j SET('a','b'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), b BIGINT, c INT, d VARCHAR(9), e VARCHAR(30), f DECIMAL(20,0), g BLOB, h CHAR(20), i DOUBLE, j BLOB);
-- upstream
INSERT INTO t VALUES (1, X'C3BC20', 511, 2155, 'ü', '2020-01-02 03:04:05.060', 18446744073709551615, 'ü ', '-01:02:03.40', 9007199254740991, 'a,b'), (2, '', 0, 0, 'x', '1000-01-01', 0, '', '838:59:59', 1, '');
UPDATE t SET a = 'b', b = 1, c = 1901 WHERE id = 2;
-- case: large numbers are texts or bytes in the target
-- before
CREATE TABLE t (k BIGINT PRIMARY KEY, v INT);
CREATE TABLE b (k BIGINT PRIMARY KEY, v INT);
CREATE TABLE d (k DECIMAL(30,10) PRIMARY KEY, v INT);
CREATE TABLE n (k BIGINT, v INT);
-- target
CREATE TABLE t (k VARCHAR(30) PRIMARY KEY, v INT);
CREATE TABLE b (k VARBINARY(30) PRIMARY KEY, v INT);
CREATE TABLE d (k VARCHAR(40) PRIMARY KEY, v INT);
CREATE TABLE n (k VARBINARY(30), v INT);
-- upstream
INSERT INTO t VALUES (9007199254740992, 1), (9007199254740993, 2), (-9007199254740993, 3), (-9007199254740992, 4), (5, 5);
INSERT INTO b SELECT k, v FROM t;
INSERT INTO d SELECT k + 0.0000000001, v FROM t;
INSERT INTO n SELECT k, 1 FROM t;
UPDATE t SET v = v + k % 10;
UPDATE b SET v = v + k % 10;
UPDATE d SET v = v + k % 10;
UPDATE n SET v = 2 WHERE k = 9007199254740993;
DELETE FROM t WHERE k IN (9007199254740993, -9007199254740992);
DELETE FROM b WHERE k IN (9007199254740993, -9007199254740992);
DELETE FROM d WHERE v < 3;
DELETE FROM n WHERE k IN (9007199254740993, -9007199254740992);
-- case: the empty value of an ENUM is bytes in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, a ENUM('x','0'), b ENUM('x','0'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a VARBINARY(9), b VARCHAR(9));
-- upstream
SET sql_mode = '';
INSERT INTO t VALUES (1, 'none', 'none'), (2, 'x', 'x'), (3, '0', '0');
UPDATE t SET a = 'none' WHERE id = 2;
-- case: a double for a float has the number that it is
-- values only: the target has a double
-- before
CREATE TABLE t (k FLOAT NOT NULL PRIMARY KEY, v INT, f FLOAT(9,2), g FLOAT);
INSERT INTO t VALUES (0.1, 1, 1.1, -0.3), (3.4028234e38, 1, 0, 1e-38);
CREATE TABLE s (k FLOAT NOT NULL, v INT, UNIQUE (k));
INSERT INTO s VALUES (0.7, 1);
-- target
CREATE TABLE t (k DOUBLE NOT NULL PRIMARY KEY, v INT, f DOUBLE, g DOUBLE);
INSERT INTO t VALUES (0.10000000149011612, 1, 1.100000023841858, -0.30000001192092896), (3.4028234663852886e38, 1, 0, 1e-38);
UPDATE t SET g = 9.99999935045640392e-39 WHERE v = 1 AND f = 0;
CREATE TABLE s (k DOUBLE NOT NULL, v INT, UNIQUE (k));
INSERT INTO s VALUES (0.699999988079071, 1);
-- upstream
UPDATE t SET v = 2;
UPDATE t SET g = 0.2, f = 2.2 WHERE k < 1;
UPDATE s SET v = 2;
INSERT INTO s VALUES (0.1, 5), (0.2, 6);
DELETE FROM s WHERE k < 0.15;
UPDATE s SET k = 0.3 WHERE v = 6;
UPDATE s SET v = 7 WHERE v = 6;
INSERT INTO t VALUES (0.3, 3, 123456.79, -0.0);
-- case: numbers as defaults of texts and bytes
-- only: mariadb
-- values only: TiDB has no defaults of TEXT and BLOB
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD a TINYBLOB NOT NULL DEFAULT 1e2, ADD b TINYTEXT DEFAULT 1e-5, ADD c BLOB DEFAULT -1e2, ADD d TEXT DEFAULT 1e20, ADD e BLOB DEFAULT 1.50, ADD f BLOB DEFAULT 1E2, ADD g BLOB DEFAULT 01, ADD h BLOB DEFAULT +5, ADD i BLOB DEFAULT 1., ADD j BLOB DEFAULT .5, ADD k BLOB DEFAULT TRUE, ADD l BLOB DEFAULT b'1000001', ADD m BLOB DEFAULT 0x41, ADD n JSON DEFAULT 1e2, ADD o TEXT DEFAULT 1e15, ADD p TEXT DEFAULT 1.5e300, ADD q TEXT DEFAULT 123456789012345678901234567890.5;
INSERT INTO t (id) VALUES (2);
-- case: numbers with fractions as defaults of labels
-- only: mysql
-- to: mariadb tidb
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD e ENUM('100','1e2','1.5','1.50') NOT NULL DEFAULT 1.50, ADD f ENUM('7','100') NOT NULL DEFAULT 1e2, ADD g SET('1.5','1.50') DEFAULT 1.50, ADD h VARCHAR(20) DEFAULT 1e20;
INSERT INTO t (id) VALUES (2);
