-- case: a shadow table gets a unique key, and a row that it refused for a moment is lost
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
-- upstream
UPDATE t SET v = 'a' WHERE id = 2;
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD UNIQUE KEY uk (v);
INSERT IGNORE INTO _t_gho (id, v) SELECT id, v FROM t;
UPDATE t SET v = 'b' WHERE id = 2;
UPDATE _t_gho SET v = 'b' WHERE id = 2;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36183 … uk (v) … the shadow table has 2 rows, the target 3
-- target
DELETE FROM t WHERE id = 2;
-- upstream
INSERT INTO t VALUES (2, 'again');
DROP TABLE _t_del;
-- case: a shadow table gets a unique key, and has all rows
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w INT);
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', NULL);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w INT);
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', NULL);
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD UNIQUE KEY uk (v), ADD UNIQUE KEY more (id, w), MODIFY w BIGINT;
INSERT INTO _t_new (id, v) VALUES (77, 'gone');
TRUNCATE TABLE _t_new;
INSERT IGNORE INTO _t_new (id, v, w) SELECT id, v, w FROM t WHERE id < 3;
INSERT INTO t VALUES (4, 'd', 4);
REPLACE INTO _t_new VALUES (4, 'd', 4);
UPDATE t SET v = 'D' WHERE id = 4;
REPLACE INTO _t_new VALUES (4, 'D', 4);
DELETE FROM t WHERE id = 1;
DELETE IGNORE FROM _t_new WHERE id = 1;
INSERT IGNORE INTO _t_new (id, v, w) SELECT id, v, w FROM t WHERE id >= 3;
RENAME TABLE t TO _t_old, _t_new TO t;
INSERT INTO t VALUES (5, 'e', 5);
DROP TABLE _t_old;
-- case: a shadow table's unique key gets a coarser collation
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, UNIQUE KEY uk (v));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, UNIQUE KEY uk (v));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
INSERT INTO t VALUES (3, 'A');
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho MODIFY v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
INSERT IGNORE INTO _t_gho (id, v) SELECT id, v FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36183 … uk (v) … the shadow table has 2 rows, the target 3
-- case: a shadow table's column gets another name by CHANGE, and no values
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w INT NOT NULL DEFAULT 3);
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w INT NOT NULL DEFAULT 3);
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho CHANGE v name VARCHAR(30), CHANGE w x INT NOT NULL DEFAULT 3;
INSERT IGNORE INTO _t_gho (id, name) SELECT id, v FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36184 … `w` … `x` … written with 3
-- operator: replace ALTER TABLE t CHANGE v name VARCHAR(30), DROP COLUMN w, ADD COLUMN x INT NOT NULL DEFAULT 3
-- upstream
INSERT INTO t VALUES (3, 'c', 4);
DROP TABLE _t_del;
-- case: a shadow table's columns get other names by CHANGE, and their values
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w INT NOT NULL DEFAULT 3, n INT);
INSERT INTO t VALUES (1, 'a', 3, NULL), (2, 'b', 3, NULL);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w INT NOT NULL DEFAULT 3, n INT);
INSERT INTO t VALUES (1, 'a', 3, NULL), (2, 'b', 3, NULL);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho CHANGE v name VARCHAR(30), CHANGE w x INT NOT NULL DEFAULT 3, CHANGE n m BIGINT;
INSERT IGNORE INTO _t_gho (id, name, x, m) SELECT id, v, w, n FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
INSERT INTO t VALUES (3, 'c', 4, 5);
DROP TABLE _t_del;
-- case: a shadow table's new character set lacks characters
-- to: tidb
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4);
INSERT INTO t VALUES (1, 'a'), (2, 'лес');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4);
INSERT INTO t VALUES (1, 'a'), (2, 'лес');
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho MODIFY v VARCHAR(20) CHARACTER SET latin1;
INSERT IGNORE INTO _t_gho (id, v) SELECT id, v FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … TiDB keeps characters that latin1 lacks
-- case: a table of the tools' names was made with another definition
-- before
CREATE TABLE o (id INT PRIMARY KEY, v VARCHAR(10));
INSERT INTO o VALUES (1, 'a');
-- target
CREATE TABLE o (id INT PRIMARY KEY, v VARCHAR(10));
INSERT INTO o VALUES (1, 'a');
-- upstream
CREATE TABLE _o_new (id BIGINT PRIMARY KEY, v VARCHAR(20));
INSERT INTO _o_new SELECT * FROM o;
RENAME TABLE o TO _o_old, _o_new TO o;
-- pauses: 36185 … `id` bigint
-- operator: replace ALTER TABLE o MODIFY id BIGINT, MODIFY v VARCHAR(20)
-- upstream
INSERT INTO o VALUES (5000000000, 'longer than ten');
DROP TABLE _o_old;
-- case: a table of the tools' names was made with a key more
-- before
CREATE TABLE o (id INT PRIMARY KEY, v VARCHAR(10), w INT);
INSERT INTO o VALUES (1, 'a', 1);
-- target
CREATE TABLE o (id INT PRIMARY KEY, v VARCHAR(10), w INT);
INSERT INTO o VALUES (1, 'a', 1);
-- upstream
CREATE TABLE _o_new (id INT PRIMARY KEY, v VARCHAR(10), w INT, UNIQUE KEY (w));
INSERT INTO _o_new SELECT * FROM o;
RENAME TABLE o TO _o_old, _o_new TO o;
-- pauses: 36185 … UNIQUE (w)
-- case: a table of the tools' names was made with the same definition
-- before
CREATE TABLE o (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, v VARCHAR(10) DEFAULT 'x', e ENUM('a','b') NOT NULL, d DECIMAL(10,2), g INT AS (d + 1), b BLOB, j TEXT, k BOOLEAN, KEY v (v(3)), UNIQUE KEY e (e, id)) CHARACTER SET latin1;
INSERT INTO o (id, e) VALUES (1, 'a');
-- target
CREATE TABLE o (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, v VARCHAR(10) DEFAULT 'x', e ENUM('a','b') NOT NULL, d DECIMAL(10,2), g INT AS (d + 1), b BLOB, j TEXT, k BOOLEAN, KEY v (v(3)), UNIQUE KEY e (e, id)) CHARACTER SET latin1;
INSERT INTO o (id, e) VALUES (1, 'a');
-- upstream
CREATE TABLE _o_new (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, v VARCHAR(10) DEFAULT 'x', e ENUM('a','b') NOT NULL, d DECIMAL(10,2) NULL, g INT(11) AS (d + 1) VIRTUAL, b BLOB, j TEXT, k TINYINT(1), PRIMARY KEY (id), UNIQUE KEY e (e, id), KEY v (v(3))) CHARACTER SET latin1;
ALTER TABLE _o_new ADD COLUMN n INT;
INSERT INTO _o_new (id, e) SELECT id, e FROM o;
RENAME TABLE o TO _o_old, _o_new TO o;
INSERT INTO o (id, e) VALUES (2, 'b');
DROP TABLE _o_old;
