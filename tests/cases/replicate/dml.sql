-- case: insert, update, delete
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20) NOT NULL DEFAULT 'x');
INSERT INTO t VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three'), (4, NULL, 'four');
UPDATE t SET a = a + 10, b = CONCAT(b, '!') WHERE id < 3;
DELETE FROM t WHERE id = 3;
INSERT INTO t (id) VALUES (9);
-- case: replace
CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9));
INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c');
REPLACE INTO t VALUES (1, 2, 'eats two');
REPLACE INTO t VALUES (3, 3, 'c');
REPLACE INTO t VALUES (4, 4, 'new');
-- case: insert on duplicate key update
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, u INT UNIQUE, n INT DEFAULT 0);
INSERT INTO t (u) VALUES (1), (2), (3);
INSERT INTO t (u, n) VALUES (2, 5), (4, 6) ON DUPLICATE KEY UPDATE n = n + 100;
INSERT INTO t (id, u) VALUES (1, 77) ON DUPLICATE KEY UPDATE u = u + 10, id = id + 10;
INSERT IGNORE INTO t (u, n) VALUES (2, 9), (8, 9);
-- case: insert from a select
CREATE TABLE s (a INT, b INT);
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT, total INT);
INSERT INTO s VALUES (1, 10), (1, 20), (2, 5);
INSERT INTO t (a, total) SELECT a, SUM(b) FROM s GROUP BY a ORDER BY a;
-- case: update and delete over several tables
CREATE TABLE a (id INT PRIMARY KEY, v INT);
CREATE TABLE b (id INT PRIMARY KEY, v INT);
INSERT INTO a VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO b VALUES (1, 10), (2, 20), (4, 40);
UPDATE a JOIN b USING (id) SET a.v = a.v + b.v, b.v = 0;
DELETE a, b FROM a JOIN b USING (id) WHERE a.id = 2;
-- case: truncate and fill again
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT);
INSERT INTO t (v) VALUES (1), (2), (3);
TRUNCATE TABLE t;
INSERT INTO t (v) VALUES (7);
TRUNCATE t;
INSERT INTO t (v) VALUES (8), (9);
-- case: delete all and insert the same
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
START TRANSACTION;
DELETE FROM t;
INSERT INTO t VALUES (2, 'B'), (1, 'A');
COMMIT;
-- case: one row many times in a transaction
CREATE TABLE t (id INT PRIMARY KEY, n INT);
BEGIN;
INSERT INTO t VALUES (1, 0);
UPDATE t SET n = n + 1;
UPDATE t SET n = n + 1;
DELETE FROM t;
INSERT INTO t VALUES (1, 5);
UPDATE t SET id = 2;
UPDATE t SET id = 1, n = n * 2;
COMMIT;
-- case: rollback and savepoints
CREATE TABLE t (id INT PRIMARY KEY);
BEGIN;
INSERT INTO t VALUES (1);
SAVEPOINT a;
INSERT INTO t VALUES (2);
SAVEPOINT `b c`;
INSERT INTO t VALUES (3);
ROLLBACK TO SAVEPOINT a;
INSERT INTO t VALUES (4);
RELEASE SAVEPOINT a;
COMMIT;
BEGIN;
INSERT INTO t VALUES (5);
ROLLBACK;
INSERT INTO t VALUES (6);
-- case: rollback of a transaction that made a temporary table
CREATE TABLE t (id INT PRIMARY KEY, n INT);
CREATE TABLE k (n INT);
INSERT INTO t VALUES (1, 1);
BEGIN;
INSERT INTO t VALUES (2, 2);
INSERT INTO k VALUES (2);
CREATE TEMPORARY TABLE tt AS SELECT * FROM t;
UPDATE t SET n = 3;
DROP TEMPORARY TABLE tt;
ROLLBACK;
INSERT INTO t VALUES (2, 5);
-- case: rollback to a savepoint behind a row of a table without transactions
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, n INT);
CREATE TABLE m (id INT PRIMARY KEY) ENGINE = MyISAM;
BEGIN;
INSERT INTO t VALUES (1, 1);
SAVEPOINT `a b`;
INSERT INTO t VALUES (2, 2);
INSERT INTO m VALUES (2);
UPDATE t SET n = 7;
ROLLBACK TO `A B`;
INSERT INTO t VALUES (3, 3);
COMMIT;
UPDATE t SET n = n + 1;
-- case: equal rows of a table without a key
CREATE TABLE k (a INT, b VARCHAR(5));
INSERT INTO k VALUES (1, 'x'), (1, 'x'), (1, 'x'), (1, 'X'), (2, NULL), (2, NULL), (2, NULL), (4, 'y');
UPDATE k SET a = 3 WHERE a = 1 LIMIT 2;
DELETE FROM k WHERE a = 2 LIMIT 2;
UPDATE k SET a = a + 1;
DELETE FROM k WHERE a = 4;
INSERT INTO k VALUES (5, 'y'), (5, 'y');
DELETE FROM k WHERE a = 5 LIMIT 2;
-- case: texts of tables without a key are found in every character set
CREATE TABLE k (a VARCHAR(20) CHARACTER SET utf8mb4, b VARCHAR(20) CHARACTER SET latin1, c CHAR(20) CHARACTER SET utf8mb3, d TEXT CHARACTER SET utf8mb4, g VARCHAR(30) AS (CONCAT(a, '!')), KEY (b));
INSERT INTO k (a, b, c, d) VALUES ('ä', 'ä', 'ä', 'ä'), ('Ä', 'ä', 'ä', 'ä'), ('a ', 'a ', 'a ', 'a '), ('a', 'a', 'a', 'a'), ('🦆', 'é€', '漢', '🦆'), (NULL, NULL, NULL, NULL), ('', '', '', '');
UPDATE k SET a = 'A' WHERE BINARY a = 'a';
DELETE FROM k WHERE BINARY d = 'a ';
UPDATE k SET b = 'x', d = REPEAT('y', 2000) WHERE d = '🦆';
DELETE FROM k WHERE a = '' OR a IS NULL;
UPDATE k SET c = 'ö' WHERE BINARY a = 'Ä';
DELETE FROM k WHERE d LIKE 'yy%';
-- case: rows of a table without a key that differ by blanks at the end
-- before
CREATE TABLE t (k VARCHAR(20) COLLATE utf8mb4_bin, v INT);
CREATE TABLE u (k VARCHAR(20) CHARACTER SET latin1, n INT, v INT, UNIQUE KEY (k, n));
INSERT INTO t VALUES ('a', 1), ('a ', 1), ('b', 1), ('b ', 1);
CREATE TABLE w (k TEXT COLLATE utf8mb4_bin, v INT);
INSERT INTO w VALUES ('a', 1), ('a ', 1), ('b', 1), ('b ', 1);
INSERT INTO u VALUES ('a', NULL, 1), ('a ', NULL, 1), ('b', NULL, 1), ('b ', NULL, 1);
-- target
CREATE TABLE t (k VARCHAR(20) COLLATE utf8mb4_bin, v INT);
CREATE TABLE u (k VARCHAR(20) COLLATE utf8mb4_bin, n INT, v INT, UNIQUE KEY (k, n));
INSERT INTO t VALUES ('a', 1), ('a ', 1), ('b', 1), ('b ', 1);
CREATE TABLE w (k TEXT COLLATE utf8mb4_bin, v INT);
INSERT INTO w VALUES ('a', 1), ('a ', 1), ('b', 1), ('b ', 1);
INSERT INTO u VALUES ('a', NULL, 1), ('a ', NULL, 1), ('b', NULL, 1), ('b ', NULL, 1);
-- upstream
DELETE FROM t WHERE HEX(k) = '6120';
UPDATE t SET v = 5 WHERE HEX(k) = '6220';
DELETE FROM u WHERE HEX(k) = '6120';
UPDATE u SET v = 5 WHERE HEX(k) = '6220';
DELETE FROM w WHERE HEX(k) = '6120';
UPDATE w SET v = 5 WHERE HEX(k) = '6220';
-- case: load data
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(30), b INT);
LOAD DATA LOCAL INFILE '$FILE' INTO TABLE t CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' (id, a, b);
LOAD DATA LOCAL INFILE '$FILE' REPLACE INTO TABLE t CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' (id, a, b) SET b = b + 1;
-- case: load data ignores rows that are there
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(30), b INT);
INSERT INTO t VALUES (2, 'was there', 0);
LOAD DATA LOCAL INFILE '$FILE' IGNORE INTO TABLE t CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',';
-- case: statements that change nothing
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 1);
UPDATE t SET v = 1;
UPDATE t SET v = 2 WHERE id = 99;
DELETE FROM t WHERE id = 99;
INSERT INTO t SELECT * FROM t WHERE id > 99;
-- case: a statement that fails half way leaves nothing
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (3);
/*fails*/ INSERT INTO t VALUES (1), (2), (3), (4);
BEGIN;
INSERT INTO t VALUES (10);
/*fails*/ INSERT INTO t VALUES (11), (10), (12);
COMMIT;
-- case: update with a limit and an order
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 0), (2, 0), (3, 0), (4, 0);
UPDATE t SET v = id * 2 ORDER BY id DESC LIMIT 2;
DELETE FROM t ORDER BY v, id LIMIT 1;
-- case: many rows of one statement
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT, w VARCHAR(60));
INSERT INTO t (v, w) SELECT a.n * 10 + b.n, REPEAT('x', b.n) FROM (SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6) a JOIN (SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) b;
INSERT INTO t (v, w) SELECT x.v, y.w FROM t x JOIN t y;
UPDATE t SET v = v + id, w = CONCAT(w, id) WHERE id % 3 <> 0;
DELETE FROM t WHERE id % 5 = 0;
UPDATE t SET id = id + 100000 WHERE id % 7 = 0;
-- case: the order of transactions across tables
CREATE TABLE a (id INT PRIMARY KEY, v INT);
CREATE TABLE b (id INT PRIMARY KEY, v INT);
BEGIN;
INSERT INTO a VALUES (1, 1);
INSERT INTO b VALUES (1, 1);
UPDATE a SET v = 2;
DELETE FROM b;
COMMIT;
BEGIN;
INSERT INTO b SELECT * FROM a;
UPDATE a SET v = 3;
COMMIT;
-- case: temporary tables stay upstream
CREATE TABLE t (id INT PRIMARY KEY, v INT);
CREATE TEMPORARY TABLE tmp (id INT PRIMARY KEY, v INT);
INSERT INTO tmp VALUES (1, 1), (2, 2);
INSERT INTO t SELECT * FROM tmp;
ALTER TABLE tmp ADD COLUMN w INT;
CREATE TEMPORARY TABLE t (x INT);
INSERT INTO t VALUES (5);
DROP TEMPORARY TABLE t;
UPDATE t SET v = v + 1;
DROP TABLE tmp;
-- case: XA in one phase
CREATE TABLE t (id INT PRIMARY KEY, v INT);
XA START 'x';
INSERT INTO t VALUES (1, 1), (2, 2);
UPDATE t SET v = 3 WHERE id = 1;
XA END 'x';
XA COMMIT 'x' ONE PHASE;
XA START 'y';
INSERT INTO t VALUES (3, 3);
XA END 'y';
XA ROLLBACK 'y';
-- case: triggers write on the upstream alone
CREATE TABLE t (id INT PRIMARY KEY, v INT);
CREATE TABLE log (n INT PRIMARY KEY AUTO_INCREMENT, what VARCHAR(10), id INT);
CREATE TRIGGER ti AFTER INSERT ON t FOR EACH ROW INSERT INTO log (what, id) VALUES ('insert', NEW.id);
CREATE TRIGGER tu BEFORE UPDATE ON t FOR EACH ROW BEGIN SET NEW.v = NEW.v * 2; INSERT INTO log (what, id) VALUES ('update', NEW.id); END;
CREATE TRIGGER td AFTER DELETE ON t FOR EACH ROW INSERT INTO log (what, id) VALUES ('delete', OLD.id);
INSERT INTO t VALUES (1, 1), (2, 2);
UPDATE t SET v = v + 1;
DELETE FROM t WHERE id = 1;
DROP TRIGGER td;
DELETE FROM t;
-- case: procedures and functions write rows
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(20));
CREATE PROCEDURE p (n INT) BEGIN DECLARE i INT DEFAULT 0; WHILE i < n DO INSERT INTO t (v) VALUES (CONCAT('p', i)); SET i = i + 1; END WHILE; UPDATE t SET v = 'first' ORDER BY id LIMIT 1; END;
CREATE FUNCTION f () RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO t (v) VALUES ('f'); RETURN 5; END;
CALL p(4);
SELECT f();
DO f();
DROP PROCEDURE p;
DROP FUNCTION f;
-- case: writes through a view
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT DEFAULT 5);
CREATE VIEW v AS SELECT id, a FROM t WHERE a < 10;
INSERT INTO v VALUES (1, 1), (2, 2);
UPDATE v SET a = a + 1;
DELETE FROM v WHERE id = 1;
DROP VIEW v;
-- case: foreign keys cascade
CREATE TABLE p (id INT PRIMARY KEY, v INT);
CREATE TABLE c (id INT PRIMARY KEY, p INT, KEY kp (p), CONSTRAINT fc FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO p VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO c VALUES (1, 1), (2, 1), (3, 2), (4, NULL);
DELETE FROM c WHERE p = 1;
DELETE FROM p WHERE id = 1;
UPDATE p SET v = 7 WHERE id = 3;
-- case: non-deterministic functions give one value
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a DOUBLE, b CHAR(36), c DATETIME(6), d BIGINT);
INSERT INTO t (a, b, c, d) VALUES (RAND(), UUID(), NOW(6), CONNECTION_ID()), (RAND(3), UUID(), SYSDATE(6), FOUND_ROWS());
UPDATE t SET a = RAND(), b = UUID();
-- case: autoincrement zero and explicit values
SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO');
CREATE TABLE t (id INT NOT NULL PRIMARY KEY AUTO_INCREMENT, v INT);
INSERT INTO t VALUES (0, 0), (-5, 1), (7, 2);
INSERT INTO t (v) VALUES (3);
UPDATE t SET id = 100 WHERE id = 0;
INSERT INTO t VALUES (0, 9);
-- case: rows of a megabyte
CREATE TABLE t (id INT PRIMARY KEY, a LONGTEXT, b LONGBLOB);
INSERT INTO t VALUES (1, REPEAT('ä', 400000), REPEAT(x'00FF', 400000)), (2, REPEAT('''\\', 300000), NULL);
UPDATE t SET b = CONCAT(b, 'end') WHERE id = 1;
UPDATE t SET a = NULL WHERE id = 2;
INSERT INTO t VALUES (3, '', REPEAT('z', 2097152));
UPDATE t SET id = 4 WHERE id = 3;
-- case: a row of many columns
CREATE TABLE t (id INT PRIMARY KEY, c01 INT, c02 INT, c03 INT, c04 INT, c05 INT, c06 INT, c07 INT, c08 INT, c09 INT, c10 INT, c11 INT, c12 INT, c13 INT, c14 INT, c15 INT, c16 INT, c17 INT, c18 INT, c19 INT, c20 VARCHAR(9));
INSERT INTO t (id, c01, c08, c09, c16, c17, c20) VALUES (1, 1, 8, 9, 16, 17, 'x'), (2, NULL, 8, NULL, 16, NULL, NULL);
UPDATE t SET c07 = 7, c09 = NULL, c15 = 15;
-- case: JSON grows and shrinks by parts
-- only: mysql
SET SESSION binlog_row_value_options = 'PARTIAL_JSON';
CREATE TABLE t (id INT PRIMARY KEY, d JSON, e JSON);
INSERT INTO t VALUES (1, '{"a": 1, "b": [1, 2, {"c": "long text here, long text here"}]}', '[]'), (2, '[1, 2, 3]', NULL);
UPDATE t SET d = JSON_SET(d, '$.a', 'text', '$.b[2].c', 'less') WHERE id = 1;
UPDATE t SET d = JSON_REMOVE(d, '$[1]') WHERE id = 2;
UPDATE t SET d = JSON_REPLACE(d, '$.a', 5), e = JSON_ARRAY(id, 'x') WHERE id = 1;
-- case: JSON updates
CREATE TABLE t (id INT PRIMARY KEY, d JSON);
INSERT INTO t VALUES (1, '{"a": 1, "ü": "é\\n\\"q\\""}'), (2, '[]'), (3, NULL), (4, '"text"'), (5, '12.50'), (6, 'null'), (7, 'true');
UPDATE t SET d = JSON_SET(d, '$.a', JSON_OBJECT('k', 1.5, 'l', NULL)) WHERE id = 1;
UPDATE t SET d = JSON_ARRAY(1, 18446744073709551615, -9223372036854775808, 'x') WHERE id = 2;
DELETE FROM t WHERE id = 4;
-- case: inserts with returning
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT);
INSERT INTO t (v) VALUES (1), (2) RETURNING id;
DELETE FROM t WHERE v = 1 RETURNING *;
REPLACE INTO t VALUES (2, 9) RETURNING v;
-- case: tables of engines without transactions
CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE = MyISAM;
INSERT INTO t VALUES (1, 1), (2, 2);
UPDATE t SET v = v + 1;
CREATE TABLE m (id INT PRIMARY KEY) ENGINE = MEMORY;
INSERT INTO m VALUES (1), (2), (3);
DELETE FROM m WHERE id = 2;
BEGIN;
INSERT INTO t VALUES (3, 3);
ROLLBACK;
-- case: a flood of small transactions on one row
CREATE TABLE t (id INT PRIMARY KEY, n INT);
INSERT INTO t VALUES (1, 0), (2, 0);
CREATE PROCEDURE many () BEGIN DECLARE i INT DEFAULT 0; WHILE i < 200 DO UPDATE t SET n = n + id WHERE id = 1 + i % 2; SET i = i + 1; END WHILE; END;
CALL many();
-- case: rows of a table whose columns are all generated
-- before
CREATE TABLE t (a INT AS (5) STORED);
INSERT INTO t VALUES (), (), ();
-- target
CREATE TABLE t (a INT AS (5) STORED);
INSERT INTO t VALUES (), (), ();
-- upstream
DELETE FROM t LIMIT 2;
INSERT INTO t VALUES ();
-- case: rollback to a savepoint whose name has double quotes, none, other letters
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, n INT);
CREATE TABLE m (id INT PRIMARY KEY) ENGINE = Aria;
INSERT INTO t VALUES (35, 7), (47, 1), (48, 2);
SET sql_mode = 'ANSI_QUOTES';
BEGIN;
UPDATE t SET id = id + 1 WHERE id >= 47 ORDER BY id DESC;
SAVEPOINT p1;
INSERT INTO t VALUES (60, 1);
INSERT INTO m VALUES (1);
ROLLBACK TO p1;
INSERT INTO t VALUES (61, 1);
COMMIT;
SET sql_mode = '', sql_quote_show_create = 0;
BEGIN;
UPDATE t SET n = n + 1;
SAVEPOINT p2;
INSERT INTO t VALUES (70, 1);
INSERT INTO m VALUES (2);
ROLLBACK TO p2;
COMMIT;
BEGIN;
INSERT INTO t VALUES (80, 1);
SAVEPOINT a;
INSERT INTO t VALUES (81, 1);
SAVEPOINT á;
INSERT INTO t VALUES (82, 1);
INSERT INTO m VALUES (3);
ROLLBACK TO A;
SAVEPOINT ``;
INSERT INTO t VALUES (83, 1);
ROLLBACK TO ``;
INSERT INTO t VALUES (84, 1);
COMMIT;
-- case: rollback to a savepoint in double quotes of a transaction that made a temporary table
CREATE TABLE t (id INT PRIMARY KEY, n INT);
INSERT INTO t VALUES (1, 1);
SET sql_mode = 'ANSI_QUOTES';
BEGIN;
UPDATE t SET n = 2;
CREATE TEMPORARY TABLE tt (id INT);
SAVEPOINT p1;
INSERT INTO t VALUES (2, 1);
DROP TEMPORARY TABLE tt;
ROLLBACK TO p1;
INSERT INTO t VALUES (3, 1);
COMMIT;
