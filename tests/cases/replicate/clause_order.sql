-- case: keys are dropped before their columns grow, and made behind
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(30), b VARCHAR(9), v VARCHAR(9), KEY k (a), KEY kb (b), UNIQUE KEY ub (b));
INSERT INTO t VALUES (1, 'x', 'y', 'z');
ALTER TABLE t MODIFY a VARCHAR(3000), DROP KEY k, ADD KEY k (a (100));
ALTER TABLE t MODIFY b TEXT, DROP KEY kb, DROP KEY ub;
ALTER TABLE t ADD KEY kv (v), ADD d DECIMAL(10,2) DEFAULT 1.26, ADD UNIQUE KEY ud (d);
INSERT INTO t VALUES (2, 'p', 'q', 'r', 1.27);
ALTER TABLE t MODIFY d DECIMAL(10,1), DROP KEY ud, ADD KEY ud (d);
INSERT INTO t VALUES (3, REPEAT('x', 2000), 'q', 'r', 1.3);
-- case: a key over an expression is dropped before its column changes
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), KEY lv ((LOWER(v))));
INSERT INTO t VALUES (1, 'x');
ALTER TABLE t MODIFY v VARCHAR(50), DROP KEY lv;
INSERT INTO t VALUES (2, REPEAT('x', 40));
-- case: columns are placed by names that others get
CREATE TABLE t (id INT PRIMARY KEY, b INT, c INT);
INSERT INTO t VALUES (1, 2, 3);
ALTER TABLE t CHANGE b a VARCHAR(12) AFTER d, RENAME COLUMN c TO d;
ALTER TABLE t ADD x INT DEFAULT 7 AFTER bb, CHANGE a bb INT;
ALTER TABLE t ADD y INT DEFAULT 8 AFTER cc, CHANGE bb cc VARCHAR(9) FIRST;
ALTER TABLE t ADD z INT AFTER d, MODIFY x BIGINT AFTER z, MODIFY cc VARCHAR(20) AFTER d, DROP y;
INSERT INTO t (id, d) VALUES (2, 3);
-- case: columns exchange their names
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(9), c INT, d INT, `A_2` INT, KEY k (a, c));
INSERT INTO t VALUES (1, 2, '3', 4, 5, 6);
ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a;
INSERT INTO t VALUES (2, '3', 4, 5, 6, 7);
ALTER TABLE t CHANGE a b VARCHAR(20) AFTER d, CHANGE b a BIGINT;
INSERT INTO t (id, a, b, c, d) VALUES (3, 4, 'x', 6, 7);
ALTER TABLE t RENAME COLUMN a TO c, RENAME COLUMN c TO d, RENAME COLUMN d TO a, RENAME COLUMN b TO `A_2`, RENAME COLUMN `A_2` TO b;
INSERT INTO t (id, a, c, d) VALUES (4, 4, 5, 6);
UPDATE t SET d = 9, c = 8 WHERE id = 1;
-- case: keys exchange their names
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY ka (a), UNIQUE KEY kb (b));
ALTER TABLE t RENAME KEY ka TO kb, RENAME KEY kb TO ka;
ALTER TABLE t DROP KEY kb;
INSERT INTO t VALUES (1, 2, 3), (2, 2, 4);
-- case: rows get defaults of what the columns are behind the statement
-- values only: TiDB has no such defaults
CREATE TABLE t (id INT PRIMARY KEY, d DECIMAL(10,2), f DOUBLE, e ENUM('a','b','c'), v INT, g DOUBLE, i DOUBLE, k INT, l INT);
INSERT INTO t VALUES (1, 1.26, 2.5, 'b', 4, 1.5, 2.5, 4, 5), (2, 3.14, 3.49, 'c', 5, 6.5, 7.5, 8, 9);
ALTER TABLE t ADD x DECIMAL(10,2) DEFAULT (d * 2), MODIFY d DECIMAL(10,1);
ALTER TABLE t ADD n DECIMAL(10,2) DEFAULT (f * 2) FIRST, CHANGE f f INT;
ALTER TABLE t ADD y INT DEFAULT (e + 0), MODIFY e ENUM('c','b','a') AFTER y;
ALTER TABLE t ADD p DECIMAL(10,2) DEFAULT (h * 2), CHANGE g h INT, CHANGE i g INT AFTER p;
ALTER TABLE t ADD s INT DEFAULT (l * 2), RENAME COLUMN k TO l, RENAME COLUMN l TO k;
ALTER TABLE t ADD q INT DEFAULT (w * 2), ADD w INT DEFAULT 5;
INSERT INTO t (id) VALUES (3);
-- case: a generated column is added behind what it reads, and dropped before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
INSERT INTO t VALUES (1, 2, 3);
ALTER TABLE t ADD g INT AS (z + 1), RENAME COLUMN a TO z;
ALTER TABLE t MODIFY z BIGINT, DROP COLUMN g;
ALTER TABLE t ADD g INT AS (z + 1), MODIFY z INT;
ALTER TABLE t DROP COLUMN z, DROP COLUMN g;
INSERT INTO t VALUES (2, 3);
-- case: a key and a column that are dropped leave their names
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY ka (a), KEY kb (b));
INSERT INTO t VALUES (1, 2, 3, 4);
ALTER TABLE t RENAME KEY ka TO kb, DROP COLUMN b;
ALTER TABLE t ADD a INT DEFAULT 5, CHANGE a m INT AFTER c;
ALTER TABLE t DROP KEY kb, DROP COLUMN m, ADD KEY kb (c);
INSERT INTO t VALUES (2, 3, 4);
-- case: the same keys come before others go
-- values only: names of keys under foreign keys
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, z INT, KEY kp (pid), CONSTRAINT f FOREIGN KEY (pid) REFERENCES p (id));
ALTER TABLE c DROP KEY kp, ADD KEY kpz (pid, z);
ALTER TABLE c DROP KEY kpz, ADD UNIQUE KEY kpz (pid);
ALTER TABLE c ADD KEY k2 (pid, z), DROP KEY kpz;
INSERT INTO c VALUES (1, 1, 1);
-- case: a key stays whose column is dropped and added in one statement
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY ka (a), UNIQUE KEY kbc (b, c), KEY kc (c));
INSERT INTO t VALUES (1, 2, 3, 4);
ALTER TABLE t DROP COLUMN a, ADD a INT DEFAULT 5;
ALTER TABLE t DROP COLUMN c, ADD c INT DEFAULT 5, DROP KEY kc;
INSERT INTO t (id, b) VALUES (2, 4);
-- case: a new column has the default that another clause gives it, and so have rows
-- only: mariadb
-- to: mysql tidb mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT DEFAULT 3);
INSERT INTO t VALUES (1, 1, 2);
ALTER TABLE t ADD c INT DEFAULT 1, ALTER c SET DEFAULT 2;
ALTER TABLE t ALTER d SET DEFAULT 2, ADD d INT DEFAULT 1 AFTER id;
ALTER TABLE t ADD e INT NOT NULL DEFAULT 4, ALTER e DROP DEFAULT;
ALTER TABLE t ADD f TIMESTAMP NULL DEFAULT '2020-01-01 00:00:00', ALTER f SET DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE t DROP b, ADD b INT DEFAULT 5, ALTER b SET DEFAULT 4;
ALTER TABLE t ADD g INT NOT NULL DEFAULT 1, ADD KEY (g), ALTER COLUMN g SET DEFAULT 2, ALTER a SET DEFAULT 3;
ALTER TABLE t ADD h INT DEFAULT 1, ALTER COLUMN IF EXISTS h SET DEFAULT 2;
ALTER TABLE t ADD i INT DEFAULT 1, MODIFY i INT DEFAULT 2, ALTER i SET DEFAULT 3;
ALTER TABLE t ADD j INT DEFAULT 1, ALTER j SET DEFAULT 3, MODIFY j INT;
INSERT INTO t (id, e) VALUES (2, 5);
-- case: a new column under a condition has the default that another clause gives it, or none
-- only: mariadb
-- to: mysql tidb mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT DEFAULT 3);
INSERT INTO t VALUES (1, 1, 2);
ALTER TABLE t ADD COLUMN IF NOT EXISTS b INT DEFAULT 9, ALTER b SET DEFAULT 11;
ALTER TABLE t ADD COLUMN IF NOT EXISTS n INT DEFAULT 9, ALTER n SET DEFAULT 11;
ALTER TABLE t ADD COLUMN IF NOT EXISTS o INT DEFAULT 9, ALTER COLUMN IF EXISTS o SET DEFAULT 11;
ALTER TABLE t ADD p INT DEFAULT 4, ALTER p DROP DEFAULT;
ALTER TABLE t ADD q VARCHAR(5) DEFAULT 'q' FIRST, ALTER q DROP DEFAULT, ADD KEY (q), RENAME TO u;
INSERT INTO u (q, id, p) VALUES ('r', 2, 5);
-- case: a new column has a default that is calculated
-- only: mariadb
-- to: mysql tidb mariadb
-- values only: defaults of TiDB
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD c VARCHAR(5) DEFAULT 'x', ALTER c SET DEFAULT (UPPER('y'));

-- case: a new generated column reads a new column that takes the name of a renamed one
CREATE TABLE taken (id INT PRIMARY KEY, x VARCHAR(5));
INSERT INTO taken VALUES (1, 'a');
ALTER TABLE taken ADD COLUMN x VARCHAR(5) DEFAULT 'bb', ADD e VARCHAR(50) AS (UPPER(x)), RENAME COLUMN x TO c;
INSERT INTO taken (id, c, x) VALUES (2, 'b', 'c');
CREATE TABLE swapped (id INT PRIMARY KEY, x VARCHAR(5), y VARCHAR(5));
INSERT INTO swapped VALUES (1, 'a', 'b');
ALTER TABLE swapped RENAME COLUMN x TO y, RENAME COLUMN y TO x, ADD e VARCHAR(50) AS (UPPER(x));
INSERT INTO swapped (id, x, y) VALUES (2, 'c', 'd');
