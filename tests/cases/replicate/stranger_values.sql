-- case: stranger: a DOUBLE(M,D) of 16 and more digits in TiDB
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a DOUBLE(30,10), b DOUBLE(16,2), c DOUBLE(20,5));
INSERT INTO t VALUES (1, 8269280812.0930805, 38945767667468.77, 7070145661290.49);
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
