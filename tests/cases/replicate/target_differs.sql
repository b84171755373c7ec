-- case: the target has more columns
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, extra VARCHAR(10) NOT NULL DEFAULT 'own', a INT, loaded TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
-- upstream
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
UPDATE t SET a = a + 1 WHERE id < 3;
DELETE FROM t WHERE id = 2;
-- case: the target has the columns in another order
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), c DATE);
-- target
CREATE TABLE t (c DATE, b VARCHAR(10), id INT PRIMARY KEY, a INT);
-- upstream
INSERT INTO t VALUES (1, 1, 'x', '2020-01-01'), (2, 2, 'y', NULL);
UPDATE t SET b = 'z' WHERE id = 2;
UPDATE t SET id = 3 WHERE id = 1;
ALTER TABLE t ADD COLUMN d INT AFTER a;
INSERT INTO t VALUES (4, 4, 4, 'd', NULL);
-- case: the target has no primary key
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE t (id INT NOT NULL, a INT, KEY (a));
-- upstream
INSERT INTO t VALUES (1, 1), (2, 2), (3, NULL);
UPDATE t SET a = 9 WHERE id = 1;
UPDATE t SET id = 30 WHERE id = 3;
DELETE FROM t WHERE id = 2;
-- case: the target has a primary key of its own
-- before
CREATE TABLE t (a INT NOT NULL, b VARCHAR(10) NOT NULL, UNIQUE KEY (a, b));
-- target
CREATE TABLE t (own BIGINT AUTO_INCREMENT PRIMARY KEY, a INT NOT NULL, b VARCHAR(10) NOT NULL, UNIQUE KEY (a, b));
-- upstream
INSERT INTO t VALUES (1, 'x'), (1, 'y'), (2, 'x');
UPDATE t SET b = 'z' WHERE a = 1 AND b = 'y';
DELETE FROM t WHERE a = 2;
-- case: the target's primary key is another column
-- before
CREATE TABLE t (id INT PRIMARY KEY, u INT NOT NULL UNIQUE, v INT);
-- target
CREATE TABLE t (id INT NOT NULL, u INT NOT NULL PRIMARY KEY, v INT, UNIQUE KEY (id));
-- upstream
INSERT INTO t VALUES (1, 10, 1), (2, 20, 2);
UPDATE t SET u = u + 1;
UPDATE t SET id = 5 WHERE u = 11;
DELETE FROM t WHERE id = 2;
INSERT INTO t VALUES (6, 21, 6);
-- case: the target's types are wider
-- before
CREATE TABLE t (id INT PRIMARY KEY, a TINYINT, b VARCHAR(5), c DATE, d FLOAT, e ENUM('x', 'y'));
-- target
CREATE TABLE t (id BIGINT PRIMARY KEY, a BIGINT, b LONGTEXT, c DATE, d FLOAT, e ENUM('x', 'y', 'z'));
-- upstream
INSERT INTO t VALUES (1, -128, 'abc', '2020-01-01', 0.5, 'y'), (2, NULL, NULL, NULL, NULL, NULL);
UPDATE t SET a = 127, e = 'x' WHERE id = 1;
-- case: the target's text has another character set
-- before
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET latin1, b VARCHAR(20));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET utf8mb4, b VARCHAR(20) CHARACTER SET utf8mb4);
-- upstream
INSERT INTO t VALUES (1, 'äöü€', '漢字'), (2, 'ß', '🦆');
UPDATE t SET a = CONCAT(a, 'ÿ');
-- case: the target counts case where the upstream does not
-- before
CREATE TABLE t (k VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY, v INT);
-- target
CREATE TABLE t (k VARCHAR(20) COLLATE utf8mb4_bin PRIMARY KEY, v INT);
-- upstream
INSERT INTO t VALUES ('a', 1), ('B', 2);
UPDATE t SET v = 10 WHERE k = 'A';
UPDATE t SET k = 'b' WHERE k = 'B';
DELETE FROM t WHERE k = 'A';
INSERT INTO t VALUES ('Ä', 3);
-- case: the upstream generates a column that the target stores
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, twice INT AS (a * 2) STORED, v INT AS (a + 1) VIRTUAL);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, twice INT, v INT);
-- upstream
INSERT INTO t (id, a) VALUES (1, 1), (2, NULL);
UPDATE t SET a = 7 WHERE id = 1;
-- case: the target has more indexes
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), KEY (a), UNIQUE KEY (b, id), KEY (b(3)));
-- upstream
INSERT INTO t VALUES (1, 1, 'x'), (2, 1, 'x');
UPDATE t SET b = 'y' WHERE id = 1;
ALTER TABLE t ADD KEY own (a, b);
DELETE FROM t WHERE id = 2;
-- case: the target is partitioned
-- before
CREATE TABLE t (id INT PRIMARY KEY, v INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY HASH (id) PARTITIONS 3;
-- upstream
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
UPDATE t SET id = id + 10, v = 0;
DELETE FROM t WHERE id = 12;
-- case: the target spells names in another case
-- before
CREATE TABLE t (Id INT PRIMARY KEY, SomeValue INT);
-- target
CREATE TABLE t (ID INT PRIMARY KEY, somevalue INT);
-- upstream
INSERT INTO t VALUES (1, 1);
UPDATE t SET SomeValue = 5;
-- case: rows that were there before stay as they are
-- before
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 1), (2, 2);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 1), (2, 2);
-- upstream
UPDATE t SET v = v + 10 WHERE id = 1;
DELETE FROM t WHERE id = 2;
INSERT INTO t VALUES (3, 3);
-- case: the empty value of an ENUM goes into a text
-- before
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', 'b'));
SET sql_mode = '';
INSERT INTO t VALUES (3, 'a');
-- target
CREATE TABLE t (id INT PRIMARY KEY, e VARCHAR(10));
INSERT INTO t VALUES (3, 'a');
-- upstream
SET sql_mode = '';
INSERT INTO t VALUES (1, 'no such'), (2, 'b');
UPDATE t SET e = 'none' WHERE id = 3;
-- case: keys that the target calls otherwise are dropped and renamed
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY x (a), UNIQUE KEY y (b));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY y (a), UNIQUE KEY other (b));
-- upstream
ALTER TABLE t DROP KEY y;
INSERT INTO t VALUES (1, 1, 1), (2, 2, 1);
ALTER TABLE t RENAME KEY x TO z;
DROP INDEX z ON t;
INSERT INTO t VALUES (3, 1, 1);
-- case: a key of the name is over another column in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY x (a), UNIQUE KEY y (b));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY y (a));
-- upstream
ALTER TABLE t DROP KEY y;
-- pauses: 36200 … y is unique over b upstream, unique over a there
-- case: a dropped key may stay in the target under another name
-- to: tidb
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY x (a));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY other (a, b));
-- upstream
ALTER TABLE t DROP KEY x;
-- pauses: 36200 … a unique key that the upstream lacks
-- case: the target's table has no transactions
-- to: mariadb mysql
-- before
CREATE TABLE t (a INT, b INT);
-- target
CREATE TABLE t (a INT, b INT) ENGINE=MyISAM;
-- upstream
INSERT INTO t VALUES (1, 1), (1, 1);
-- pauses: code=36253 … its engine MYISAM has no transactions
-- target
ALTER TABLE t ENGINE=InnoDB;
-- upstream
INSERT INTO t VALUES (2, 2);
-- case: a trigger of the target's table sets a column that is written
-- to: mariadb mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), own VARCHAR(9));
CREATE TRIGGER b BEFORE INSERT ON t FOR EACH ROW SET NEW.own = 'x', new.`V` = LOWER(NEW.v);
-- upstream
INSERT INTO t VALUES (1, 'ABC');
-- pauses: code=36253 … its trigger b (BEFORE INSERT) sets columns that are written
-- target
DROP TRIGGER b;
ALTER TABLE t DROP own;
CREATE TRIGGER c BEFORE INSERT ON t FOR EACH ROW SET @last = UPPER(NEW.v);
-- upstream
INSERT INTO t VALUES (2, 'DEF');
-- case: a table is made like one that has columns and unique keys of its own in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, v INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v INT, own INT, UNIQUE uv (v));
-- upstream
CREATE TABLE u LIKE t;
-- pauses: 36250 … own is there and not upstream … uv
-- case: a table is made like one that lacks a key in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY kv (v));
-- target
CREATE TABLE t (id INT PRIMARY KEY, v INT);
-- values only: the key is missing in the target
-- upstream
CREATE TABLE u LIKE t;
INSERT INTO u VALUES (1, 1);
-- case: a key is made where the target has one of its own with that name
-- only: mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY kk (a));
-- upstream
CREATE INDEX IF NOT EXISTS kk ON t (b);
-- pauses: 36250 … kk (a) is kk (b) upstream
-- case: a table is made like one whose default the target lacks
-- only: mariadb
-- to: tidb
-- values only: the default is left out in the target, as the log says
-- upstream
CREATE TABLE t4 (id INT PRIMARY KEY, a INT DEFAULT (1+2));
CREATE TABLE t5 LIKE t4;
INSERT INTO t5 (id) VALUES (1);
CREATE OR REPLACE TABLE t5 LIKE t4;
INSERT INTO t5 (id) VALUES (2);
CREATE TABLE t6 (id INT PRIMARY KEY);
CREATE OR REPLACE TABLE t6 LIKE t5;
INSERT INTO t6 (id) VALUES (3);
-- case: a view of the target has the table's name
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE own (id INT PRIMARY KEY, a INT);
CREATE VIEW t AS SELECT * FROM own;
-- upstream
INSERT INTO t VALUES (1, 1);
-- pauses: 44014 … is a view
-- case: a view of the target has the name of a table that a DDL changes
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE own (id INT PRIMARY KEY, a INT);
CREATE VIEW t AS SELECT * FROM own;
-- upstream
ALTER TABLE t ADD b INT;
-- pauses: 44014 … is a view
-- case: the target has a column of its own that the upstream adds if it is not there
-- only: mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY);
-- target
CREATE TABLE t (id INT PRIMARY KEY, b INT DEFAULT 5);
-- upstream
ALTER TABLE t ADD COLUMN IF NOT EXISTS b INT DEFAULT 5;
-- pauses: 36108 … Duplicate column name
-- case: columns are added if they are not there
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t ADD IF NOT EXISTS b INT DEFAULT 5, ADD COLUMN IF NOT EXISTS a INT DEFAULT 7, ADD COLUMN IF NOT EXISTS (c INT, d INT DEFAULT 3);
ALTER TABLE t ADD COLUMN IF NOT EXISTS b INT DEFAULT 6, ADD COLUMN IF NOT EXISTS e INT UNIQUE;
ALTER TABLE t DROP COLUMN IF EXISTS c, DROP COLUMN IF EXISTS z;
INSERT INTO t (id) VALUES (2);
-- case: the target has a table of its own, without rows, that the upstream makes if it is not there
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- upstream
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- case: the target has a table of its own, with rows, that the upstream makes if it is not there
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (7, 7);
-- upstream
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, a INT);
-- pauses: 36305 … has
-- case: a plain key is dropped whose name the other unique key has in the target
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, UNIQUE KEY x (a), KEY y (a));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, UNIQUE KEY y (a), KEY z (a));
-- upstream
ALTER TABLE t DROP KEY y;
INSERT INTO t VALUES (1, 1), (2, 2);
ALTER TABLE t DROP KEY x;
INSERT INTO t VALUES (3, 2);
