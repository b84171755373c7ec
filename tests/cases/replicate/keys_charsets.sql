-- case: a text with a key gets another character set
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, w VARCHAR(20) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin, KEY kv (v), KEY kw (w(5), id));
INSERT INTO t VALUES (1, 'ä', 'ü'), (2, 'B', NULL);
ALTER TABLE t MODIFY v VARCHAR(30) CHARACTER SET utf8mb4;
ALTER TABLE t MODIFY w VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO t VALUES (3, '€', '😀');
-- case: a text with a key gets another collation
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, UNIQUE KEY kv (v), KEY more (id, v));
INSERT INTO t VALUES (1, 'ä'), (2, 'B');
ALTER TABLE t MODIFY v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;
INSERT INTO t VALUES (3, 'b');
-- case: a table whose texts have keys is converted
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w TEXT, x CHAR(3) NOT NULL, UNIQUE KEY uv (v), KEY kw (w(9)), KEY kx (x, id)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'ä', 'ü', 'a'), (2, 'B', NULL, 'b');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4;
INSERT INTO t VALUES (3, '€', '😀', 'c');
-- case: a table whose texts have keys is converted to another collation
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), KEY kv (v)) CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci;
INSERT INTO t VALUES (1, 'ä');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
INSERT INTO t VALUES (3, '😀');
-- case: a primary key of text is converted
-- to: tidb
CREATE TABLE t (v VARCHAR(20) PRIMARY KEY, n INT) CHARACTER SET latin1;
INSERT INTO t VALUES ('ä', 1);
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4;
-- pauses: 36189 … its primary key
-- case: a text with a key gets another collation and another name
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, w INT, KEY kv (v(4), w), UNIQUE KEY u (w, v));
INSERT INTO t VALUES (1, 'ä', 1), (2, 'B', 2);
ALTER TABLE t ADD KEY more (w), CHANGE v name VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, DROP KEY kv, RENAME KEY u TO unique_name;
INSERT INTO t VALUES (3, 'b', 3);
-- case: a unique text that a coarser collation joins pauses and has its key
-- to: tidb
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, UNIQUE KEY kv (v));
INSERT INTO t VALUES (1, 'a');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, UNIQUE KEY kv (v));
INSERT INTO t VALUES (1, 'a'), (2, 'A');
-- upstream
ALTER TABLE t MODIFY v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
-- pauses: 36108 … Duplicate entry
-- target
DELETE FROM t WHERE id = 2;
-- upstream
INSERT INTO t VALUES (2, 'b');
-- case: a unique text that is longer than a key may be
-- only: mariadb
-- to: tidb mysql
-- values only: the key is a plain one
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(1000) CHARACTER SET utf8mb4, UNIQUE KEY kv (v), w VARCHAR(2000) CHARACTER SET utf8mb4 UNIQUE);
INSERT INTO t VALUES (1, 'a', 'b'), (2, REPEAT('x', 999), NULL);
ALTER TABLE t ADD UNIQUE KEY two (v, w);
UPDATE t SET v = 'c' WHERE id = 1;
REPLACE INTO t VALUES (3, 'c', 'y');
-- case: a FULLTEXT key over columns that MariaDB has in two collations is left out
-- only: mysql
-- to: mariadb
-- values only: MariaDB lacks the keys
CREATE TABLE t (id INT PRIMARY KEY, title VARCHAR(200) NOT NULL UNIQUE, body TEXT, FULLTEXT ft (title, body), FULLTEXT fb (body));
INSERT INTO t VALUES (1, 'a', 'b');
ALTER TABLE t ADD FULLTEXT ft2 (body, title), ADD x INT;
ALTER TABLE t DROP KEY ft, RENAME KEY ft2 TO ft3;
ALTER TABLE t DROP KEY fb;
CREATE FULLTEXT INDEX ft4 ON t (title, body);
DROP INDEX ft3 ON t;
INSERT INTO t VALUES (2, 'A ', 'b', 1);
