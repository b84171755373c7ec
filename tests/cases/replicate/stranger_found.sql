-- case: the check of a column stays when the column is modified
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT CHECK (a < 10));
ALTER TABLE t MODIFY a BIGINT;
-- both
INSERT INTO t VALUES (2, 20);
-- case: columns become visible and invisible
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT INVISIBLE DEFAULT 1, b INT DEFAULT 2);
ALTER TABLE t ALTER COLUMN a SET VISIBLE, ALTER COLUMN b SET INVISIBLE;
-- both
INSERT INTO t VALUES (1, 7);
-- case: an unnamed unique key over an expression is dropped
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT);
ALTER TABLE t ADD UNIQUE KEY ((a * 2));
ALTER TABLE t DROP KEY functional_index;
INSERT INTO t VALUES (1, 1), (2, 1);
-- case: a unique key with a name of its constraint and one of its own is dropped
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT, CONSTRAINT c UNIQUE KEY k (a));
ALTER TABLE t DROP KEY k;
INSERT INTO t VALUES (1, 1), (2, 1);
-- case: an unnamed unique key of a column beside an unnamed key is dropped
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT UNIQUE, b INT, KEY (a, b));
ALTER TABLE t DROP KEY a;
INSERT INTO t VALUES (1, 1, 1), (2, 1, 2);
-- case: the period of a primary key
-- only: mariadb
-- to: tidb mysql
-- values only: TiDB has no periods
CREATE TABLE t (id INT, s DATE, e DATE, PERIOD FOR p (s, e), PRIMARY KEY (id, s));
INSERT INTO t VALUES (1, '2020-01-01', '2020-12-31');
-- both
INSERT INTO t VALUES (2, '2020-01-01', NULL);
INSERT INTO t VALUES (3, '2020-01-01', '2019-01-01');
-- case: the names of foreign keys follow their table
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE t TO u;
ALTER TABLE u DROP FOREIGN KEY u_ibfk_1;
-- case: the names of checks follow their table
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, CHECK (a > 0));
RENAME TABLE t TO u;
ALTER TABLE u DROP CHECK u_chk_1;
-- case: latin1 texts that need more bytes
-- to: tidb
-- values only: latin1 is utf8mb4 there
CREATE TABLE t (id INT PRIMARY KEY, a TINYTEXT CHARACTER SET latin1, b TEXT CHARACTER SET latin1);
INSERT INTO t VALUES (1, REPEAT('ä', 255), 'x'), (2, NULL, REPEAT('ä', 65535));
-- case: a table that is renamed if it exists
-- only: mariadb
-- to: tidb mysql
CREATE TABLE a (id INT PRIMARY KEY);
RENAME TABLE IF EXISTS a TO b;
-- case: constraints are dropped if they exist
-- only: mariadb
-- to: tidb mysql
CREATE TABLE a (id INT PRIMARY KEY);
ALTER TABLE a DROP CONSTRAINT IF EXISTS nothing;
ALTER TABLE a DROP FOREIGN KEY IF EXISTS nothing;
-- case: clauses that apply if something exists
-- only: mariadb
-- to: tidb mysql
CREATE TABLE a (id INT PRIMARY KEY, x INT);
ALTER TABLE a RENAME COLUMN IF EXISTS nothing TO n;
ALTER TABLE a RENAME INDEX IF EXISTS nothing TO n;
ALTER TABLE a ALTER COLUMN IF EXISTS x SET DEFAULT 4;
ALTER TABLE a CHANGE COLUMN IF EXISTS x z INT;
ALTER TABLE IF EXISTS a ADD KEY IF NOT EXISTS kz (z);
CREATE OR REPLACE INDEX kz ON a (z, id);
