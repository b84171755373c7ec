-- case: stranger: decimals in a JSON document lose digits in TiDB
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t VALUES (1, JSON_OBJECT('p', CAST('1234567890123.123456789' AS DECIMAL(30,9)))), (2, CAST(CAST('12345678901234567890123' AS DECIMAL(30)) AS JSON));
-- case: stranger: the largest value of a FLOAT(M,D) in a key
-- to: tidb
CREATE TABLE t (k FLOAT(10,3) NOT NULL PRIMARY KEY, v INT);
INSERT IGNORE INTO t VALUES (1e30, 1), (-1e30, 2);
UPDATE t SET v = v + 10;
