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
-- case: tables are rotated under the tools' names
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_new LIKE t;
RENAME TABLE t TO _t_old, _t_new TO t;
INSERT INTO t VALUES (2, 'new');
-- pauses: 36243 … the shadow table has 0 rows, and there are 2 in `$DB`.`_t_old` upstream
-- target
DELETE FROM t;
-- operator: skip
-- upstream
INSERT INTO t VALUES (3, 'c');
DROP TABLE _t_old;
-- case: tables are rotated, and the target's rows are brought by hand
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 5;
INSERT INTO _t_new (id, v) VALUES (7, 'kept');
RENAME TABLE t TO _t_old, _t_new TO t;
DROP TABLE _t_old;
-- pauses: 36243 … the shadow table has 1 rows, and there are 2
-- target
DELETE FROM t;
INSERT INTO t VALUES (7, 'kept');
-- upstream
INSERT INTO t VALUES (3, 'c', 6);
-- case: a shadow table gets some of the rows
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 5;
INSERT IGNORE INTO _t_new (id, v) SELECT id, v FROM t WHERE id > 1;
RENAME TABLE t TO _t_old, _t_new TO t;
-- pauses: 36243 … the shadow table has 2 rows, and there are 3
-- target
DELETE FROM t WHERE id = 1;
-- upstream
INSERT INTO t VALUES (4, 'd', 6);
DROP TABLE _t_old;
-- case: a shadow table gets as many rows, and other ones
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_gho LIKE t;
INSERT INTO _t_gho VALUES (2, 'b'), (3, 'c');
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36243 … `id` add up to 5 in the shadow table, and to 3
-- case: a shadow table's numbers are changed
-- before
CREATE TABLE t (id INT PRIMARY KEY, n BIGINT UNSIGNED);
INSERT INTO t VALUES (1, 18446744073709551615), (2, NULL);
-- target
CREATE TABLE t (id INT PRIMARY KEY, n BIGINT UNSIGNED);
INSERT INTO t VALUES (1, 18446744073709551615), (2, NULL);
-- upstream
CREATE TABLE _t_gho LIKE t;
INSERT INTO _t_gho SELECT * FROM t;
UPDATE _t_gho SET n = 5 WHERE id = 2;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36243 … `n` add up to 18446744073709551620
-- case: a shadow table's new column is filled
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 7;
INSERT IGNORE INTO _t_new (id, v) SELECT id, v FROM t;
UPDATE _t_new SET w = id * 100;
RENAME TABLE t TO _t_old, _t_new TO t;
-- pauses: 36245 … new column `w`
-- target
ALTER TABLE t ADD COLUMN w INT DEFAULT 7;
UPDATE t SET w = id * 100;
-- operator: skip
-- upstream
INSERT INTO t VALUES (3, 'c', 8);
DROP TABLE _t_old;
-- case: a finished change is taken back
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 7;
INSERT IGNORE INTO _t_new (id, v) SELECT id, v FROM t;
RENAME TABLE t TO _t_old, _t_new TO t;
UPDATE t SET v = 'new' WHERE id = 1;
RENAME TABLE t TO __t_old, _t_old TO t;
INSERT INTO t VALUES (3, 'c');
-- pauses: 36244 … `_t_old`, which gh-ost or pt-online-schema-change left behind
-- target
ALTER TABLE t DROP COLUMN w;
UPDATE t SET v = 'a' WHERE id = 1;
-- operator: skip
-- upstream
INSERT INTO t VALUES (4, 'd');
DROP TABLE __t_old;
-- case: the real table is emptied while its shadow is filled
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_new LIKE t;
INSERT IGNORE INTO _t_new (id, v) SELECT id, v FROM t;
TRUNCATE TABLE t;
RENAME TABLE t TO _t_old, _t_new TO t;
-- pauses: 36243 … the shadow table has 2 rows, and there are 0
-- case: a target has fewer rows than the tables that are exchanged
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO u VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO u VALUES (1, 'a');
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 7;
INSERT IGNORE INTO _t_new (id, v) SELECT id, v FROM t;
RENAME TABLE t TO _t_old, _t_new TO t;
CREATE TABLE _u_new LIKE u;
INSERT IGNORE INTO _u_new SELECT * FROM u;
RENAME TABLE u TO _u_old, _u_new TO u;
DROP TABLE _u_old;
-- pauses: 36243 … _u_new takes … the shadow table has 2 rows, and there are 1
-- target
INSERT INTO t (id, v) VALUES (2, 'b');
INSERT INTO u VALUES (2, 'b');
-- upstream
INSERT INTO t VALUES (3, 'c', 8);
DROP TABLE _t_old;
-- case: a shadow table whose foreign key deletes rows is not counted
-- only: mysql
-- before
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE t (id INT PRIMARY KEY, p INT, CONSTRAINT fk FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE);
INSERT INTO t VALUES (1, 1), (2, 2);
-- target
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE t (id INT PRIMARY KEY, p INT, CONSTRAINT fk FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE);
INSERT INTO t VALUES (1, 1), (2, 2);
-- upstream
CREATE TABLE _t_new (id INT PRIMARY KEY, p INT, CONSTRAINT _fk FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE);
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 7;
INSERT IGNORE INTO _t_new (id, p) SELECT id, p FROM t;
DELETE FROM p WHERE id = 1;
RENAME TABLE t TO _t_old, _t_new TO t;
INSERT INTO t VALUES (3, 2, 8);
DROP TABLE _t_old;
-- case: gh-ost and pt write as they do, and their counts are the table's
-- before
CREATE TABLE t (id BIGINT UNSIGNED NOT NULL, part SMALLINT NOT NULL, v VARCHAR(20), n MEDIUMINT, PRIMARY KEY (id, part));
INSERT INTO t VALUES (1, -1, 'a', 5), (2, 3, 'b', NULL), (18446744073709551615, 1, 'c', -7);
-- target
CREATE TABLE t (id BIGINT UNSIGNED NOT NULL, part SMALLINT NOT NULL, v VARCHAR(20), n MEDIUMINT, PRIMARY KEY (id, part));
INSERT INTO t VALUES (1, -1, 'a', 5), (2, 3, 'b', NULL), (18446744073709551615, 1, 'c', -7);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD COLUMN w TEXT, ADD COLUMN x DATETIME(3) NOT NULL DEFAULT '2024-01-01', MODIFY n BIGINT;
INSERT IGNORE INTO _t_gho (id, part, v, n) SELECT id, part, v, n FROM t WHERE id < 2;
BEGIN;
DELETE FROM t WHERE id = 1;
DELETE FROM _t_gho WHERE id = 1;
UPDATE t SET id = 9, n = 4 WHERE id = 2;
REPLACE INTO _t_gho (id, part, v, n) VALUES (9, 3, 'b', 4);
COMMIT;
INSERT IGNORE INTO _t_gho (id, part, v, n) SELECT id, part, v, n FROM t;
BEGIN;
INSERT INTO t VALUES (10, 1, 'd', 1);
REPLACE INTO _t_gho (id, part, v, n) VALUES (10, 1, 'd', 1);
ROLLBACK;
REPLACE INTO _t_gho (id, part, v, n) SELECT id, part, v, n FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
INSERT INTO t (id, part) VALUES (11, 1);
DROP TABLE _t_del;
-- case: a shadow table has another foreign key than the real one, or none
-- before
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, up INT, CONSTRAINT fk_t FOREIGN KEY (up) REFERENCES p (id) ON DELETE CASCADE);
-- target
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, up INT, CONSTRAINT fk_t FOREIGN KEY (up) REFERENCES p (id) ON DELETE CASCADE);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD COLUMN v INT;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36185 … foreign keys none instead of
-- case: a shadow table has the real one's foreign key under another name
-- before
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, up INT, CONSTRAINT fk_t FOREIGN KEY (up) REFERENCES p (id));
-- target
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, up INT, CONSTRAINT fk_t FOREIGN KEY (up) REFERENCES p (id));
-- upstream
CREATE TABLE _t_new (id INT PRIMARY KEY, up INT, CONSTRAINT _fk_t FOREIGN KEY (up) REFERENCES p (id));
ALTER TABLE _t_new ADD COLUMN v INT;
RENAME TABLE t TO _t_old, _t_new TO t;
INSERT INTO p VALUES (1);
INSERT INTO t VALUES (1, 1, 1);
DROP TABLE _t_old;
ALTER TABLE t DROP FOREIGN KEY _fk_t;
INSERT INTO t VALUES (2, 9, 1);
-- case: pt drops the real table before it renames a new one with other types
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT);
CREATE TABLE c (id INT PRIMARY KEY, up INT, CONSTRAINT up_fk FOREIGN KEY (up) REFERENCES t (id));
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
INSERT INTO c VALUES (1, 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT);
CREATE TABLE c (id INT PRIMARY KEY, up INT, CONSTRAINT up_fk FOREIGN KEY (up) REFERENCES t (id));
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
INSERT INTO c VALUES (1, 1);
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new MODIFY v VARCHAR(40), CHANGE n m BIGINT;
INSERT IGNORE INTO _t_new (id, v, m) SELECT id, v, n FROM t;
SET foreign_key_checks = 0;
DROP TABLE IF EXISTS `$DB`.`t`;
RENAME TABLE `$DB`.`_t_new` TO `$DB`.`t`;
SET foreign_key_checks = 1;
-- pauses: code=36047 … `t` is dropped … `_t_new` … drop_swap
-- operator: skip
-- upstream
INSERT INTO t VALUES (3, 'longer than twenty characters', 5000000000);
INSERT INTO c VALUES (2, 3);
-- case: pt drops the real table before it renames a new one with other types, MariaDB to MySQL
-- only: mariadb
-- to: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT);
CREATE TABLE c (id INT PRIMARY KEY, up INT, CONSTRAINT up_fk FOREIGN KEY (up) REFERENCES t (id));
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
INSERT INTO c VALUES (1, 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT);
CREATE TABLE c (id INT PRIMARY KEY, up INT, CONSTRAINT up_fk FOREIGN KEY (up) REFERENCES t (id));
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
INSERT INTO c VALUES (1, 1);
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new MODIFY v VARCHAR(40), CHANGE n m BIGINT;
INSERT IGNORE INTO _t_new (id, v, m) SELECT id, v, n FROM t;
SET foreign_key_checks = 0;
DROP TABLE IF EXISTS `$DB`.`t`;
RENAME TABLE `$DB`.`_t_new` TO `$DB`.`t`;
SET foreign_key_checks = 1;
-- pauses: code=36047 … `t` is dropped … `_t_new` … drop_swap
-- operator: skip
-- upstream
INSERT INTO t VALUES (3, 'longer than twenty characters', 5000000000);
INSERT INTO c VALUES (2, 3);
-- case: pt drops the real table before it renames a new one with other types, MySQL to MariaDB
-- only: mysql
-- to: mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT);
CREATE TABLE c (id INT PRIMARY KEY, up INT, CONSTRAINT up_fk FOREIGN KEY (up) REFERENCES t (id));
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
INSERT INTO c VALUES (1, 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT);
CREATE TABLE c (id INT PRIMARY KEY, up INT, CONSTRAINT up_fk FOREIGN KEY (up) REFERENCES t (id));
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
INSERT INTO c VALUES (1, 1);
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new MODIFY v VARCHAR(40), CHANGE n m BIGINT;
INSERT IGNORE INTO _t_new (id, v, m) SELECT id, v, n FROM t;
SET foreign_key_checks = 0;
DROP TABLE IF EXISTS `$DB`.`t`;
RENAME TABLE `$DB`.`_t_new` TO `$DB`.`t`;
SET foreign_key_checks = 1;
-- pauses: code=36047 … `t` is dropped … `_t_new` … drop_swap
-- operator: skip
-- upstream
INSERT INTO t VALUES (3, 'longer than twenty characters', 5000000000);
INSERT INTO c VALUES (2, 3);
-- case: pt drops the real table before it renames a new one with some of the rows
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 5;
INSERT IGNORE INTO _t_new (id, v) SELECT id, v FROM t WHERE id > 1;
DROP TABLE t;
RENAME TABLE _t_new TO t;
-- pauses: code=36047 … `t` is dropped
-- operator: skip
-- pauses: 36243 … the shadow table has 1 rows, and there are 2
-- target
DELETE FROM t WHERE id = 1;
-- upstream
INSERT INTO t VALUES (3, 'c', 6);
-- case: a table goes to the trash, which is dropped, before its shadow takes its place
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new MODIFY v VARCHAR(40);
INSERT IGNORE INTO _t_new SELECT * FROM t;
RENAME TABLE t TO _t_old;
DROP TABLE _t_old;
RENAME TABLE _t_new TO t;
INSERT INTO t VALUES (2, 'longer than twenty characters');
-- case: pt drops the only foreign key of a table, which has another name in its shadow
-- before
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE t (id INT PRIMARY KEY, up INT, KEY fk1 (up), CONSTRAINT fk1 FOREIGN KEY (up) REFERENCES p (id));
INSERT INTO t VALUES (1, 1), (2, 2);
-- target
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE t (id INT PRIMARY KEY, up INT, KEY fk1 (up), CONSTRAINT fk1 FOREIGN KEY (up) REFERENCES p (id));
INSERT INTO t VALUES (1, 1), (2, 2);
-- upstream
CREATE TABLE _t_new (id INT NOT NULL, up INT DEFAULT NULL, PRIMARY KEY (id), KEY fk1 (up), CONSTRAINT _fk1 FOREIGN KEY (up) REFERENCES p (id));
ALTER TABLE _t_new DROP FOREIGN KEY _fk1;
INSERT IGNORE INTO _t_new (id, up) SELECT id, up FROM t;
RENAME TABLE t TO _t_old, _t_new TO t;
DROP TABLE IF EXISTS _t_old;
INSERT INTO t VALUES (3, 77);
-- case: pt drops one of two foreign keys of a table, which have other names in its shadow
-- before
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE t (id INT PRIMARY KEY, up INT, sub INT, KEY fa (up), KEY fb (sub), CONSTRAINT fa FOREIGN KEY (up) REFERENCES p (id), CONSTRAINT _fb FOREIGN KEY (sub) REFERENCES p (id));
INSERT INTO t VALUES (1, 1, 1), (2, 2, 2);
-- target
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE t (id INT PRIMARY KEY, up INT, sub INT, KEY fa (up), KEY fb (sub), CONSTRAINT fa FOREIGN KEY (up) REFERENCES p (id), CONSTRAINT _fb FOREIGN KEY (sub) REFERENCES p (id));
INSERT INTO t VALUES (1, 1, 1), (2, 2, 2);
-- upstream
CREATE TABLE _t_new (id INT NOT NULL, up INT DEFAULT NULL, sub INT DEFAULT NULL, PRIMARY KEY (id), KEY fa (up), KEY fb (sub), CONSTRAINT _fa FOREIGN KEY (up) REFERENCES p (id), CONSTRAINT __fb FOREIGN KEY (sub) REFERENCES p (id));
ALTER TABLE _t_new DROP FOREIGN KEY __fb, ADD COLUMN n INT DEFAULT 1;
INSERT IGNORE INTO _t_new (id, up, sub) SELECT id, up, sub FROM t;
RENAME TABLE t TO _t_old, _t_new TO t;
DROP TABLE _t_old;
INSERT INTO t VALUES (3, 1, 77, 3);
-- case: pt drops the foreign key whose shadow has the name of another one
-- before
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE t (id INT PRIMARY KEY, up INT, sub INT, KEY ka (up), KEY kb (sub), CONSTRAINT fk FOREIGN KEY (up) REFERENCES p (id), CONSTRAINT _fk FOREIGN KEY (sub) REFERENCES p (id) ON DELETE CASCADE);
INSERT INTO t VALUES (1, 1, 1), (2, 2, 2);
-- target
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE t (id INT PRIMARY KEY, up INT, sub INT, KEY ka (up), KEY kb (sub), CONSTRAINT fk FOREIGN KEY (up) REFERENCES p (id), CONSTRAINT _fk FOREIGN KEY (sub) REFERENCES p (id) ON DELETE CASCADE);
INSERT INTO t VALUES (1, 1, 1), (2, 2, 2);
-- upstream
CREATE TABLE _t_new (id INT NOT NULL, up INT DEFAULT NULL, sub INT DEFAULT NULL, PRIMARY KEY (id), KEY ka (up), KEY kb (sub), CONSTRAINT __fk FOREIGN KEY (sub) REFERENCES p (id) ON DELETE CASCADE, CONSTRAINT fk1 FOREIGN KEY (up) REFERENCES p (id));
ALTER TABLE _t_new DROP CONSTRAINT fk1;
ALTER TABLE _t_new ADD COLUMN n INT DEFAULT 1, ADD CONSTRAINT fk1 FOREIGN KEY (up) REFERENCES p (id) ON DELETE SET NULL;
ALTER TABLE _t_new DROP FOREIGN KEY fk1;
INSERT IGNORE INTO _t_new (id, up, sub) SELECT id, up, sub FROM t;
RENAME TABLE t TO _t_old, _t_new TO t;
DROP TABLE _t_old;
INSERT INTO t VALUES (3, 77, 1, 3);
ALTER TABLE t DROP FOREIGN KEY __fk;
INSERT INTO t VALUES (4, 1, 78, 3);
-- case: what DROP CONSTRAINT of MariaDB drops of a shadow table beside other clauses is not known
-- only: mariadb
-- before
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, up INT, KEY fk1 (up), CONSTRAINT fk1 FOREIGN KEY (up) REFERENCES p (id));
-- target
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, up INT, KEY fk1 (up), CONSTRAINT fk1 FOREIGN KEY (up) REFERENCES p (id));
-- upstream
CREATE TABLE _t_new (id INT NOT NULL, up INT DEFAULT NULL, PRIMARY KEY (id), KEY fk1 (up), CONSTRAINT _fk1 FOREIGN KEY (up) REFERENCES p (id));
ALTER TABLE _t_new ADD COLUMN n INT, DROP CONSTRAINT _fk1;
RENAME TABLE t TO _t_old, _t_new TO t;
-- pauses: 36185 … foreign keys none instead of
-- case: a shadow table loses partitions that have rows in the real one
-- before
CREATE TABLE t (id INT, d INT NOT NULL, PRIMARY KEY (id, d)) PARTITION BY RANGE (d) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION pm VALUES LESS THAN MAXVALUE);
INSERT INTO t VALUES (1, 1), (2, 11), (3, 30);
-- target
CREATE TABLE t (id INT, d INT NOT NULL, PRIMARY KEY (id, d)) PARTITION BY RANGE (d) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION pm VALUES LESS THAN MAXVALUE);
INSERT INTO t VALUES (1, 1), (2, 11), (3, 30);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho DROP PARTITION p0, p1;
INSERT IGNORE INTO _t_gho (id, d) SELECT id, d FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36274 … DROP PARTITION p0, p1
-- target
ALTER TABLE t REORGANIZE PARTITION p0, p1, pm INTO (PARTITION pm VALUES LESS THAN MAXVALUE);
-- operator: skip
-- upstream
INSERT INTO t VALUES (4, 2);
DROP TABLE _t_del;
-- case: a shadow table's partition is emptied before rows are copied
-- before
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION pm VALUES LESS THAN MAXVALUE);
INSERT INTO t VALUES (1), (20);
-- target
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION pm VALUES LESS THAN MAXVALUE);
INSERT INTO t VALUES (1), (20);
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD v INT DEFAULT 3;
ALTER TABLE _t_new TRUNCATE PARTITION p0;
INSERT IGNORE INTO _t_new (id) SELECT id FROM t;
RENAME TABLE t TO _t_old, _t_new TO t;
-- pauses: 36274 … it deletes rows from p0 … TRUNCATE PARTITION p0
-- operator: replace ALTER TABLE $DB.t ADD v INT DEFAULT 3
-- upstream
DROP TABLE _t_old;
INSERT INTO t VALUES (2, 2);
-- case: a shadow table's partition changes places with a table
-- to: mariadb mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION pm VALUES LESS THAN MAXVALUE);
INSERT INTO t VALUES (1), (20);
CREATE TABLE x (id INT PRIMARY KEY);
INSERT INTO x VALUES (5);
-- target
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION pm VALUES LESS THAN MAXVALUE);
INSERT INTO t VALUES (1), (20);
CREATE TABLE x (id INT PRIMARY KEY);
INSERT INTO x VALUES (5);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho EXCHANGE PARTITION p0 WITH TABLE x;
INSERT IGNORE INTO _t_gho (id) SELECT id FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36274 … moves rows between tables … EXCHANGE PARTITION
-- case: a shadow table loses partitions that are empty, and ranges that become one
-- before
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN (30), PARTITION pm VALUES LESS THAN MAXVALUE);
INSERT INTO t VALUES (11), (20);
-- target
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN (30), PARTITION pm VALUES LESS THAN MAXVALUE);
INSERT INTO t VALUES (11), (20);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho DROP PARTITION p0;
ALTER TABLE _t_gho REORGANIZE PARTITION p1, p2 INTO (PARTITION q VALUES LESS THAN (30));
INSERT IGNORE INTO _t_gho (id) SELECT id FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
DROP TABLE _t_del;
INSERT INTO t VALUES (1);
-- case: a table without its foreign key gets an equal one, and takes the real one's place
-- before
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1);
CREATE TABLE t (id INT PRIMARY KEY, pid INT, KEY kp (pid), CONSTRAINT fk1 FOREIGN KEY (pid) REFERENCES p (id));
INSERT INTO t VALUES (1, 1);
-- target
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1);
CREATE TABLE t (id INT PRIMARY KEY, pid INT, KEY kp (pid), CONSTRAINT fk1 FOREIGN KEY (pid) REFERENCES p (id));
INSERT INTO t VALUES (1, 1);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD CONSTRAINT fk2 FOREIGN KEY (pid) REFERENCES p (id);
INSERT IGNORE INTO _t_gho SELECT * FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36185 … foreign keys none instead of ['(pid) of
-- operator: replace ALTER TABLE $DB.t DROP FOREIGN KEY fk1, ADD CONSTRAINT fk2 FOREIGN KEY (pid) REFERENCES p (id)
-- upstream
DROP TABLE _t_del;
INSERT INTO t VALUES (2, 1);
ALTER TABLE t DROP FOREIGN KEY fk2;
-- case: LIKE names the CHECKs of a shadow table anew
-- only: mysql
-- to: mariadb mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, CHECK (a > 0), CONSTRAINT ckb CHECK (b < 100));
INSERT INTO t VALUES (1, 1, 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, CONSTRAINT t_chk_1 CHECK (a > 0), CONSTRAINT ckb CHECK (b < 100));
INSERT INTO t VALUES (1, 1, 1);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD c INT DEFAULT 5, ADD CONSTRAINT own CHECK (c > 0);
INSERT IGNORE INTO _t_gho (id, a, b) SELECT id, a, b FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
DROP TABLE _t_del;
ALTER TABLE t DROP CHECK t_chk_1;
INSERT INTO t VALUES (3, 3, 300, 3);
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD d INT DEFAULT 6;
INSERT IGNORE INTO _t_gho (id, a, b, c) SELECT id, a, b, c FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
DROP TABLE _t_del;
ALTER TABLE t DROP CHECK t_chk_1;
INSERT INTO t VALUES (4, 4, 400, -1, 4);
ALTER TABLE t DROP CONSTRAINT t_chk_2;
INSERT INTO t VALUES (5, -5, 400, -1, 4);
-- case: LIKE names the CHECKs of a shadow table anew, one is not enforced
-- only: mysql
-- to: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, v VARCHAR(9), CONSTRAINT z CHECK (a > 0) NOT ENFORCED, CONSTRAINT y CHECK (v <> 'é`'));
INSERT INTO t VALUES (1, -1, 'a');
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, v VARCHAR(9), CONSTRAINT z CHECK (a > 0) NOT ENFORCED, CONSTRAINT y CHECK (v <> 'é`'));
INSERT INTO t VALUES (1, -1, 'a');
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD c INT DEFAULT 5;
INSERT IGNORE INTO _t_gho (id, a, v) SELECT id, a, v FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
DROP TABLE _t_del;
ALTER TABLE t ALTER CHECK t_chk_2 NOT ENFORCED;
INSERT INTO t VALUES (3, -3, 'b', 3);
ALTER TABLE t DROP CHECK t_chk_1;
INSERT INTO t VALUES (4, -4, 'é`', 4);
-- case: LIKE gives the CHECKs of a shadow table the names that they had
-- only: mysql
-- to: mariadb mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, CHECK (a > 0), CHECK (b < 100));
INSERT INTO t VALUES (1, 1, 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, CONSTRAINT t_chk_1 CHECK (a > 0), CONSTRAINT t_chk_2 CHECK (b < 100));
INSERT INTO t VALUES (1, 1, 1);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD c INT DEFAULT 5;
INSERT IGNORE INTO _t_gho (id, a, b) SELECT id, a, b FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
DROP TABLE _t_del;
ALTER TABLE t DROP CHECK t_chk_2;
INSERT INTO t VALUES (3, 3, 300, 3);
-- case: CHECKs of a shadow table are dropped, altered and added by the names that LIKE gave them
-- only: mysql
-- to: mariadb mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, CHECK (a > 0), CHECK (b < 100), CONSTRAINT ckc CHECK (a <> 7));
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(9), CHECK (v <> 'no'));
INSERT INTO t VALUES (1, 1, 1);
INSERT INTO u VALUES (1, 'a');
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, CONSTRAINT t_chk_1 CHECK (a > 0), CONSTRAINT t_chk_2 CHECK (b < 100), CONSTRAINT ckc CHECK (a <> 7));
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(9), CONSTRAINT u_chk_1 CHECK (v <> 'no'));
INSERT INTO t VALUES (1, 1, 1);
INSERT INTO u VALUES (1, 'a');
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD c INT DEFAULT 5 CONSTRAINT _t_gho_chk_9 CHECK (c > 0), DROP CHECK _t_gho_chk_1;
ALTER TABLE _t_gho ADD CHECK (a > -9), ADD CONSTRAINT `_t_gho_chk_5` CHECK (b > -9);
ALTER TABLE _t_gho DROP CONSTRAINT `_T_gho_chk_5`;
INSERT IGNORE INTO _t_gho (id, a, b) SELECT id, a, b FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
DROP TABLE _t_del;
INSERT INTO t VALUES (3, 7, 3, 3);
ALTER TABLE t DROP CHECK t_chk_9, DROP CHECK t_chk_10;
INSERT INTO t VALUES (4, 40, 3, -3);
CREATE TABLE _u_gho LIKE u;
ALTER TABLE _u_gho ADD CHECK (v <> 'q'), ALTER CHECK _u_gho_chk_1 NOT ENFORCED;
INSERT IGNORE INTO _u_gho (id, v) SELECT id, v FROM u;
RENAME TABLE u TO _u_del, _u_gho TO u;
DROP TABLE _u_del;
INSERT INTO u VALUES (9, 'no');
-- case: a shadow table's column gets a shorter type and its own again
-- before
CREATE TABLE t (id INT PRIMARY KEY, m DATETIME(6), n INT);
INSERT INTO t VALUES (1, '2020-01-01 10:00:00.123456', 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, m DATETIME(6), n INT);
INSERT INTO t VALUES (1, '2020-01-01 10:00:00.123456', 1);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho MODIFY m DATETIME, MODIFY n BIGINT;
ALTER TABLE _t_gho MODIFY m DATETIME(6);
INSERT IGNORE INTO _t_gho (id, m, n) SELECT id, m, n FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … on the way to datetime(6)
-- case: a table goes to the trash without a shadow, and another one is made in its place
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO t VALUES (1, 'x'), (2, 'y');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO t VALUES (1, 'x'), (2, 'y');
-- upstream
RENAME TABLE t TO _t_old;
-- pauses: 36286 … no shadow
-- operator: replace DROP TABLE $DB.t
-- upstream
DROP TABLE _t_old;
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, w BIGINT, KEY (w));
INSERT INTO t VALUES (100, 1);
ALTER TABLE t RENAME TO _t_del;
-- pauses: 36286 … no shadow
-- operator: replace ALTER TABLE $DB.t RENAME TO $DB._t_del
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (7, 7);
-- case: the last rows of a table are kept by a swap in two steps, whose shadow comes late
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z');
-- upstream
RENAME TABLE t TO _t_old;
-- pauses: 36286 … no shadow
-- operator: skip
-- upstream
CREATE TABLE _t_new LIKE _t_old;
INSERT INTO _t_new SELECT * FROM _t_old WHERE id >= 3;
RENAME TABLE _t_new TO t;
-- pauses: 36288 … there was no
-- operator: skip
-- target
DELETE FROM t WHERE id < 3;
-- upstream
DROP TABLE _t_old;
INSERT INTO t VALUES (5, 'm');
-- case: a table is built under a shadow's name and gets a free one
CREATE TABLE _t_new (id INT PRIMARY KEY, v INT);
INSERT INTO _t_new VALUES (1, 1), (2, 2);
RENAME TABLE _t_new TO t;
-- pauses: 36287 … is not there
-- target
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 1), (2, 2);
-- operator: skip
-- upstream
INSERT INTO t VALUES (3, 3);
DROP TABLE t;
CREATE TABLE _t_new (id INT PRIMARY KEY, v INT);
INSERT INTO _t_new VALUES (1, 10);
ALTER TABLE _t_new RENAME TO t;
-- pauses: 36287 … is not there
-- target
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 10);
-- operator: skip
-- upstream
INSERT INTO t VALUES (4, 4);
