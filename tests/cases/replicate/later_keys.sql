-- case: a unique index behind create table, latin1
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL) CHARACTER SET latin1;
CREATE UNIQUE INDEX u ON t (name);
INSERT INTO t VALUES (1,'a'),(2,'ä'),(3,'b');
-- case: a unique index behind create table, WordPress's collation
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;
CREATE UNIQUE INDEX u ON t (name);
INSERT INTO t VALUES (1,'a'),(2,'b');
-- case: a unique index behind create table, MySQL's default collation
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci;
CREATE UNIQUE INDEX u ON t (name);
INSERT INTO t VALUES (1,'a'),(2,'b');
-- case: a unique key comes over columns with rows, whose definitions stay as they are
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) NOT NULL DEFAULT 'x\\y''z' COMMENT 'a ''word'' \\', c CHAR(9) DEFAULT 'ü', w TEXT, x TINYTEXT, n INT NOT NULL, z VARCHAR(9) AS (CONCAT(n, 'z'))) CHARACTER SET latin1;
INSERT INTO t (id, v, c, w, x, n) VALUES (1, 'a', 'A', 'w', 'x', 1), (2, 'ä', 'a', 'W', 'Y', 2), (3, 'ö', NULL, NULL, NULL, 1);
DELETE FROM t WHERE id = 3;
ALTER TABLE t ADD UNIQUE KEY u (v);
INSERT INTO t (id, v, c, w, x, n) VALUES (4, 'o', 'B', 'é', 'ab', 4);
CREATE UNIQUE INDEX u2 ON t (n, c, w(5));
ALTER TABLE t ADD UNIQUE KEY u3 (x(2), v(3)), ADD KEY k (w(9));
INSERT INTO t (id, v, c, w, x, n) VALUES (5, 'ö', 'b', 'e', 'abc', 5), (6, 'u', 'c', 'e', 'ÄB', 6);
UPDATE t SET v = 'ü' WHERE v = 'ö';
DELETE FROM t WHERE v = 'a';
-- case: a primary key comes over texts
CREATE TABLE t (a VARCHAR(20) NOT NULL, b VARCHAR(20) NOT NULL, v INT) CHARACTER SET latin1;
INSERT INTO t VALUES ('a', 'ä', 1), ('b', 'o', 2);
ALTER TABLE t ADD PRIMARY KEY (a, b(3));
INSERT INTO t VALUES ('ä', 'o', 3), ('á', 'ö', 4);
UPDATE t SET v = 9 WHERE a = 'ä' AND b = 'o';
-- case: a unique key comes over a column that has an index
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b TEXT, c INT, KEY ka (a) COMMENT 'first', KEY kac (a(5), c), KEY kb (b(7)), KEY kc (c)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'a', 'x', 1), (2, 'ä', 'X', 2);
CREATE UNIQUE INDEX ua ON t (a);
INSERT INTO t VALUES (3, 'o', 'y', 3);
ALTER TABLE t ADD UNIQUE KEY ub (b(4), a);
INSERT INTO t VALUES (4, 'ö', 'Y', 4);
-- case: a plain index becomes a unique one
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20), d VARCHAR(20)) CHARACTER SET latin1;
CREATE INDEX ia ON t (a);
CREATE INDEX ib ON t (b);
INSERT INTO t VALUES (1, 'a', 'b', 'd');
ALTER TABLE t DROP KEY ia, ADD UNIQUE KEY ia (a);
ALTER TABLE t ADD KEY id1 (d), ADD UNIQUE KEY ud (d, b);
ALTER TABLE t MODIFY b VARCHAR(30) NOT NULL UNIQUE;
INSERT INTO t VALUES (2, 'ä', 'o', 'd'), (3, 'o', 'ö', 'D');
-- case: a unique key comes over a column that is changed or renamed beside it
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20), c VARCHAR(20), KEY ka (a)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'a', 'b', 'c');
ALTER TABLE t CHANGE a aa VARCHAR(30) UNIQUE;
ALTER TABLE t RENAME COLUMN b TO bb, ADD UNIQUE KEY ub (bb);
ALTER TABLE t ADD UNIQUE KEY uc (c), ADD e VARCHAR(9) UNIQUE;
INSERT INTO t VALUES (2, 'ä', 'o', 'e', 'x'), (3, 'u', 'ö', 'ä', 'ö');
-- case: keys over columns of MySQL's default collation, which MariaDB has only nearly
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) NOT NULL DEFAULT 'x\\y' COMMENT 'a', b TEXT INVISIBLE, c CHAR(9) CHECK (c <> 'x'), d VARCHAR(9), e VARCHAR(9), KEY kd (d), KEY kde (d(4), e)) COLLATE utf8mb4_0900_ai_ci;
INSERT INTO t (id, a, b, c, d, e) VALUES (1, 'a', 'b', 'c', 'd', 'e'), (2, 'o', 'B', 'd ', 'e', 'e');
CREATE UNIQUE INDEX ua ON t (a);
ALTER TABLE t ADD UNIQUE KEY ub (b(5), c), RENAME COLUMN e TO ee;
ALTER TABLE t RENAME COLUMN d TO dd, ADD UNIQUE KEY ud (dd);
ALTER TABLE t CHANGE ee e VARCHAR(12), ADD UNIQUE KEY ue (e, id);
INSERT INTO t (id, a, b, c, dd, e) VALUES (3, 'x', 'ä', 'ö', 'Ä', 'ü');
CREATE TABLE u (a VARCHAR(20) NOT NULL, b VARCHAR(20)) COLLATE utf8mb4_0900_as_cs;
ALTER TABLE u ADD PRIMARY KEY (a);
INSERT INTO u VALUES ('a', NULL), ('A', 'a'), ('ä', 'A'), ('a ', 'a');
ALTER TABLE u ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES u (a) ON DELETE SET NULL ON UPDATE CASCADE;
INSERT INTO u VALUES ('b', NULL);
-- case: a unique key comes over an expression of a text whose collation tells apart more upstream
-- only: mysql
-- values only: TiDB's collation is another one
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET sjis);
INSERT INTO t VALUES (1, 'ё'), (2, 'е');
ALTER TABLE t ADD UNIQUE KEY u ((REVERSE(v)));
INSERT INTO t VALUES (3, 'ё ');
-- case: a foreign key over text added later, latin1 (Kea)
CREATE TABLE p (name VARCHAR(40) NOT NULL PRIMARY KEY) CHARACTER SET latin1;
CREATE TABLE c (id INT PRIMARY KEY, pname VARCHAR(40)) CHARACTER SET latin1;
ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (pname) REFERENCES p (name) ON DELETE CASCADE;
INSERT INTO p VALUES ('a'), ('ö');
INSERT INTO c VALUES (1, 'a'), (2, 'ö'), (3, NULL);
-- case: a foreign key over text added later, MySQL's default collation (Kea)
-- only: mysql
CREATE TABLE p (name VARCHAR(40) NOT NULL PRIMARY KEY) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci;
CREATE TABLE c (id INT PRIMARY KEY, pname VARCHAR(40)) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci;
ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (pname) REFERENCES p (name) ON DELETE CASCADE;
-- case: a foreign key over texts with rows and indexes
CREATE TABLE p (a VARCHAR(20) NOT NULL, b VARCHAR(20) NOT NULL, v INT, PRIMARY KEY (a, b)) CHARACTER SET latin1;
CREATE TABLE c (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20), n VARCHAR(20), KEY kn (n), KEY kab (a, b)) CHARACTER SET latin1;
CREATE TABLE o (n VARCHAR(20)) CHARACTER SET latin1;
INSERT INTO p VALUES ('a', 'ä', 1);
INSERT INTO c VALUES (1, 'a', 'ä', 'n');
INSERT INTO o VALUES ('n');
ALTER TABLE c ADD CONSTRAINT f1 FOREIGN KEY (a, b) REFERENCES p (a, b) ON UPDATE CASCADE;
ALTER TABLE o ADD UNIQUE KEY un (n);
ALTER TABLE c ADD CONSTRAINT f2 FOREIGN KEY (n) REFERENCES o (n);
INSERT INTO p VALUES ('ä', 'o', 2);
INSERT INTO c VALUES (2, 'ä', 'o', 'n');
-- case: the parent of a foreign key comes with its key, and the child gets a unique one
SET foreign_key_checks = 0;
CREATE TABLE c (id INT PRIMARY KEY, a VARCHAR(20), FOREIGN KEY f (a) REFERENCES p (a)) CHARACTER SET latin1;
CREATE TABLE p (a VARCHAR(20) NOT NULL PRIMARY KEY) CHARACTER SET latin1;
ALTER TABLE c ADD UNIQUE KEY ua (id, a);
INSERT INTO p VALUES ('a'), ('ö');
INSERT INTO c VALUES (1, 'a'), (2, 'ö');
-- case: a foreign key over a plain index of its parent, which becomes a unique one
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY, a VARCHAR(20), KEY ka (a)) CHARACTER SET latin1;
CREATE TABLE c (id INT PRIMARY KEY, a VARCHAR(20), KEY ka (a)) CHARACTER SET latin1;
CREATE TABLE q (id INT PRIMARY KEY, a VARCHAR(20), KEY ka (a)) CHARACTER SET latin1;
ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (a);
CREATE TABLE d (id INT PRIMARY KEY, a VARCHAR(20), CONSTRAINT g FOREIGN KEY (a) REFERENCES q (a)) CHARACTER SET latin1;
CREATE UNIQUE INDEX up ON p (a);
INSERT INTO p VALUES (1, 'a'), (2, 'ö');
INSERT INTO c VALUES (1, 'a'), (2, 'ö');
INSERT INTO q VALUES (1, 'a'), (2, 'ö');
INSERT INTO d VALUES (1, 'a'), (2, 'ö');
-- case: a foreign key to the table itself over text
CREATE TABLE t (a VARCHAR(20) NOT NULL PRIMARY KEY, up VARCHAR(20)) CHARACTER SET latin1;
INSERT INTO t VALUES ('a', NULL), ('ö', 'a');
ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (up) REFERENCES t (a);
INSERT INTO t VALUES ('o', 'ö');
-- case: a key comes over a column that a generated one is calculated from
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), g INT AS (CHAR_LENGTH(a))) CHARACTER SET latin1;
INSERT INTO t (id, a) VALUES (1, 'a');
CREATE UNIQUE INDEX u ON t (a);
INSERT INTO t (id, a) VALUES (2, 'ä');
-- pauses: a unique key comes over the column a of … latin1_swedish_ci upstream holds different … the generated column g is calculated from it … 36123
-- target
ALTER TABLE $DB.t DROP COLUMN g;
ALTER TABLE $DB.t MODIFY a VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
ALTER TABLE $DB.t ADD g INT AS (CHAR_LENGTH(a));
-- upstream
INSERT INTO t (id, a) VALUES (3, 'o'), (4, 'ö');
-- case: a foreign key comes over a column that a generated one is calculated from
-- to: tidb
CREATE TABLE p (a VARCHAR(20) NOT NULL PRIMARY KEY) CHARACTER SET latin1;
CREATE TABLE c (id INT PRIMARY KEY, a VARCHAR(20), g INT AS (CHAR_LENGTH(a))) CHARACTER SET latin1;
ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (a);
-- pauses: a foreign key comes over the column a of … the generated column g is calculated from it … 36191
-- case: a key comes over a column whose character set TiDB does not change
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20)) CHARACTER SET gbk;
CREATE UNIQUE INDEX u ON t (a);
-- pauses: no collation of its character set … 36123
-- case: a key that the server made for a foreign key gives way, and its name is used again
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, name VARCHAR(20) NOT NULL, CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id));
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 1, 'a'), (2, 1, 'b');
CREATE INDEX other ON c (pid, name);
CREATE UNIQUE INDEX fk ON c (name);
INSERT INTO c VALUES (3, 2, 'c');
-- case: a key that the server made for a foreign key gives way to one that is renamed to it
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, n INT);
ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id);
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1, 1);
ALTER TABLE c ADD KEY pn (pid, n);
ALTER TABLE c RENAME KEY pn TO fk;
-- case: a key that the server made for a foreign key without a name gives way
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, n INT, FOREIGN KEY (pid) REFERENCES p (id));
ALTER TABLE c ADD UNIQUE KEY u (pid, n);
ALTER TABLE c ADD KEY pid (n);
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1, 1);
-- case: a key that was copied and made by the server gives way
-- before
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, n INT, CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, pid INT, n INT, KEY fk2 (pid), CONSTRAINT fk2 FOREIGN KEY (pid) REFERENCES p (id));
-- target
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, n INT, KEY fk (pid), CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, pid INT, n INT, KEY fk2 (pid), CONSTRAINT fk2 FOREIGN KEY (pid) REFERENCES p (id));
-- upstream
ALTER TABLE c ADD KEY pn (pid, n);
ALTER TABLE d ADD KEY pn (pid, n);
ALTER TABLE c ADD KEY fk (n);
-- case: foreign keys over one column come one after the other
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT);
ALTER TABLE c ADD CONSTRAINT fk1 FOREIGN KEY (pid) REFERENCES p (id);
ALTER TABLE c DROP FOREIGN KEY fk1;
ALTER TABLE c ADD CONSTRAINT fk2 FOREIGN KEY (pid) REFERENCES p (id);
-- case: foreign keys over one column come and go with their keys
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT);
ALTER TABLE c ADD CONSTRAINT fk1 FOREIGN KEY (pid) REFERENCES p (id);
ALTER TABLE c DROP FOREIGN KEY fk1;
ALTER TABLE c ADD CONSTRAINT fk2 FOREIGN KEY (pid) REFERENCES p (id);
ALTER TABLE c DROP FOREIGN KEY fk2, DROP KEY fk2;
-- case: a key that is said stays beside a longer one
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, n INT, KEY k (pid), CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id));
ALTER TABLE c ADD KEY pn (pid, n);
ALTER TABLE c ADD CONSTRAINT fk2 FOREIGN KEY (pid) REFERENCES p (id);
-- case: a key of the server's own goes with its foreign key's columns
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, name VARCHAR(20) NOT NULL, CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id));
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 1, 'a');
ALTER TABLE c ADD INDEX other (pid);
ALTER TABLE c DROP FOREIGN KEY fk, DROP INDEX other;
ALTER TABLE c ADD INDEX fk (name);
-- case: a key is added to a column with a coarser collation, and the table is renamed in the same statement
-- to: mariadb mysql tidb
CREATE TABLE k (id INT PRIMARY KEY, v VARCHAR(20)) DEFAULT CHARSET latin1;
INSERT INTO k VALUES (1, 'x');
ALTER TABLE k ADD UNIQUE u (v), RENAME TO l;
INSERT INTO l VALUES (2, 'a'), (3, 'ä');
ALTER TABLE l ADD w VARCHAR(9) NOT NULL DEFAULT 'q' FIRST, RENAME m, ADD KEY (w);
INSERT INTO m VALUES ('r', 4, 'z');
-- case: a key loses a column, and another one of it becomes a text
-- only: mariadb
-- to: mysql tidb
-- values only: MariaDB's key is cut at its own limit
CREATE TABLE v (id INT PRIMARY KEY, c DECIMAL(8,2), y INT, INDEX k1 (c, y), INDEX k2 (y, c), INDEX k3 (y));
INSERT INTO v VALUES (1, 2.5, 3);
ALTER TABLE v DROP COLUMN y, MODIFY c TEXT NOT NULL;
INSERT INTO v VALUES (2, 'x');
-- case: a key goes with its columns, and a new one without a name takes its name
CREATE TABLE t (a INT, b INT, c INT, d INT, KEY a (a), KEY a_2 (c));
INSERT INTO t VALUES (1, 2, 3, 4);
ALTER TABLE t DROP c, ADD INDEX (a, b);
ALTER TABLE t ADD INDEX a_3 (d);
ALTER TABLE t RENAME KEY a_2 TO x;
CREATE TABLE u (a INT, b INT, e INT, f INT, KEY (a), UNIQUE a_2 (e, f));
INSERT INTO u VALUES (1, 2, 3, 4);
ALTER TABLE u DROP e, ADD KEY (a, b), DROP f;
ALTER TABLE u RENAME KEY a_2 TO y;
CREATE TABLE v (a INT, b INT, c INT, KEY (a), UNIQUE a_2 (b));
ALTER TABLE v DROP CONSTRAINT a_2, ADD UNIQUE (a, c);
ALTER TABLE v RENAME KEY a_2 TO z;
INSERT INTO v VALUES (1, 2, 3);
-- case: keys that are made again keep their comments
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, v VARCHAR(20), KEY k2 (b, c) COMMENT 'c''2', KEY k3 (a, b, c, id) COMMENT 'c3\\', KEY k4 (v) COMMENT 'four');
INSERT INTO t VALUES (1, 2, 3, 4, 'x');
ALTER TABLE t DROP b;
ALTER TABLE t MODIFY v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
ALTER TABLE t DROP c, ADD c INT;
CREATE INDEX k5 ON t (a DESC, c) COMMENT 'five';
INSERT INTO t VALUES (2, 2, 'y', 3);
-- case: unique keys that lose a column keep their comments
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, UNIQUE k2 (b, c DESC, id) COMMENT 'c2', UNIQUE k3 (a, b, c, id) COMMENT 'c3\\');
INSERT INTO t VALUES (1, 2, 3, 4);
ALTER TABLE t DROP b;
INSERT INTO t VALUES (2, 2, 4);
-- case: keys over whole texts keep their comments
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a TEXT, b LONGTEXT, c VARCHAR(1000), KEY k1 (a) COMMENT 'one', KEY k3 (c) COMMENT 'three' IGNORED);
INSERT INTO t VALUES (1, 'x', 'y', 'z');
ALTER TABLE t ADD KEY k4 (b) COMMENT 'four';
INSERT INTO t VALUES (2, 'x', 'yy', 'z');
