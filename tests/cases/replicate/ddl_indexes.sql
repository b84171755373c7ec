-- case: indexes of every kind
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(50), c INT NOT NULL, KEY ka (a), INDEX (b(10)), UNIQUE (c), UNIQUE KEY uab (a, b(5)));
INSERT INTO t VALUES (1, 1, 'x', 1);
CREATE INDEX i1 ON t (b, a);
CREATE UNIQUE INDEX i2 ON t (c, a) COMMENT 'with words';
ALTER TABLE t ADD INDEX (c), ADD KEY i3 USING BTREE (a, c), ADD CONSTRAINT cu UNIQUE (b);
DROP INDEX ka ON t;
ALTER TABLE t DROP KEY i1, RENAME INDEX i3 TO i4;
INSERT INTO t VALUES (2, 2, 'y', 2);
-- case: descending and expression indexes
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20));
CREATE INDEX i1 ON t (a DESC);
CREATE INDEX i2 ON t ((LOWER(b)));
INSERT INTO t VALUES (1, 1, 'X');
UPDATE t SET b = 'Y';
-- case: full text indexes
-- values only: TiDB has no such index
CREATE TABLE t (id INT PRIMARY KEY, a TEXT, b INT, FULLTEXT KEY f (a));
INSERT INTO t VALUES (1, 'some words', 1);
ALTER TABLE t ADD FULLTEXT INDEX f2 (a), ADD COLUMN c INT;
CREATE FULLTEXT INDEX f3 ON t (a);
UPDATE t SET a = 'other words', c = 3;
ALTER TABLE t DROP INDEX f2;
INSERT INTO t VALUES (2, 'x', 2, 2);
-- case: the primary key is added
-- to: mariadb
CREATE TABLE t (a INT NOT NULL, b INT NOT NULL);
INSERT INTO t VALUES (1, 1), (2, 2);
ALTER TABLE t ADD PRIMARY KEY (a);
UPDATE t SET b = 5 WHERE a = 1;
ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (b);
UPDATE t SET a = 7 WHERE b = 2;
ALTER TABLE t DROP PRIMARY KEY;
INSERT INTO t VALUES (7, 2);
DELETE FROM t WHERE a = 7 LIMIT 1;
-- case: a primary key is added where there was none
CREATE TABLE t (a INT NOT NULL, b INT);
INSERT INTO t VALUES (1, 1), (2, 2);
ALTER TABLE t ADD PRIMARY KEY (a);
UPDATE t SET b = 5 WHERE a = 1;
DELETE FROM t WHERE a = 2;
-- case: invisible and ignored indexes
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY ka (a) INVISIBLE);
ALTER TABLE t ADD INDEX kb (b) INVISIBLE, ALTER INDEX ka VISIBLE;
INSERT INTO t VALUES (1, 1, 1);
ALTER TABLE t ALTER INDEX ka INVISIBLE;
UPDATE t SET b = 2;
-- case: ignored indexes of MariaDB
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY ka (a) IGNORED);
ALTER TABLE t ALTER INDEX ka NOT IGNORED;
ALTER TABLE t ADD COLUMN c INT;
INSERT INTO t VALUES (1, 1, 1, 1);
-- case: check constraints
CREATE TABLE t (id INT PRIMARY KEY, a INT CHECK (a > 0), b INT, CONSTRAINT ab CHECK (a < b));
INSERT INTO t VALUES (1, 1, 2);
ALTER TABLE t ADD CONSTRAINT small CHECK (b < 100);
ALTER TABLE t DROP CONSTRAINT ab;
INSERT INTO t VALUES (2, 5, 3);
-- case: foreign keys come and go
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, p INT, KEY kp (p), CONSTRAINT f FOREIGN KEY (p) REFERENCES p (id));
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 1), (2, 2);
ALTER TABLE c DROP FOREIGN KEY f;
DELETE FROM p WHERE id = 2;
ALTER TABLE c ADD COLUMN q INT, ADD KEY kq (q), ADD CONSTRAINT f2 FOREIGN KEY (q) REFERENCES p (id) ON DELETE SET NULL;
UPDATE c SET q = 1;
-- case: index algorithms and locks
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
ALTER TABLE t ADD INDEX ka (a), ALGORITHM = INPLACE, LOCK = NONE;
CREATE INDEX kb ON t (b) ALGORITHM = INPLACE LOCK = SHARED;
INSERT INTO t VALUES (1, 1, 1);
-- case: add an index while rows are written
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT);
INSERT INTO t (a) VALUES (1), (2), (3);
INSERT INTO t (a) SELECT a FROM t;
CREATE INDEX ka ON t (a);
UPDATE t SET a = a + 1;
ALTER TABLE t DROP INDEX ka;
DELETE FROM t WHERE a = 2;
-- case: hints of drop index
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, KEY ka (a), KEY k2 (a, id));
DROP INDEX ka ON t ALGORITHM = INPLACE LOCK = NONE;
DROP INDEX k2 ON t LOCK DEFAULT;
INSERT INTO t VALUES (1, 1);
-- case: drop index does not wait
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, KEY ka (a), KEY k2 (a, id));
DROP INDEX ka ON t NOWAIT;
ALTER TABLE t WAIT 5 DROP INDEX k2;
INSERT INTO t VALUES (1, 1);
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

-- case: an unnamed key comes behind the key that a foreign key makes
CREATE TABLE p (x INT, y INT, PRIMARY KEY (x, y));
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, FOREIGN KEY (a, b) REFERENCES p (x, y), UNIQUE (a), UNIQUE KEY (b, a));
ALTER TABLE t DROP KEY a_2;
INSERT INTO p VALUES (1, 1), (1, 2);
INSERT INTO t VALUES (1, 1, 1), (2, 1, 2);

-- case: keys over whole texts, and keys that only more bytes for a character make too long
-- only: mariadb
-- to: tidb
-- values only: the keys have lengths there
CREATE TABLE t (id INT PRIMARY KEY, a BLOB UNIQUE, b TEXT, c VARCHAR(1000) CHARACTER SET latin1, d INT, UNIQUE (b), KEY (c), KEY (d, c));
INSERT INTO t VALUES (1, 'a', 'b', 'c', 1), (2, 'b', 'c', 'c', 1);
ALTER TABLE t ADD e TEXT UNIQUE, ADD f VARCHAR(1000) CHARACTER SET latin1, ADD KEY (f), MODIFY a MEDIUMBLOB;
UPDATE t SET e = 'é', f = REPEAT('ä', 1000) WHERE id = 1;
ALTER TABLE t DROP KEY a, DROP KEY e, DROP KEY c;
INSERT INTO t VALUES (3, 'a', 'd', 'c', 1, 'é', 'f');

-- case: columns of keys over several columns are dropped
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, d VARCHAR(9), UNIQUE k (a, c), KEY l (b, c), KEY m (b), KEY n (d(3), b, a));
INSERT INTO t VALUES (1, 1, 1, 1, 'a'), (2, 2, 2, 2, 'b');
ALTER TABLE t DROP COLUMN b;
INSERT INTO t VALUES (3, 3, 3, 'c');
ALTER TABLE t DROP KEY k, DROP COLUMN a, ADD KEY o (c, d);
ALTER TABLE t DROP COLUMN c, DROP COLUMN d, ADD e INT;
INSERT INTO t VALUES (4, 4);

-- case: a foreign key behind a column has a name
-- only: mariadb
-- to: mariadb mysql tidb
CREATE TABLE p (x INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL CONSTRAINT fk_a REFERENCES p (x), b INT CONSTRAINT `fk b` REFERENCES p (x), c INT REFERENCES p (x) ON DELETE SET NULL) ENGINE=InnoDB;
CREATE TABLE m (id INT PRIMARY KEY, a INT CONSTRAINT fk_m REFERENCES p (x), m.index INT, KEY (`index`)) ENGINE=MyISAM;
INSERT INTO p VALUES (1);
INSERT INTO t VALUES (1, 1, 1, 1);
INSERT INTO m VALUES (1, 7, 1);
ALTER TABLE t DROP FOREIGN KEY fk_a, DROP FOREIGN KEY `fk b`;

-- case: an unnamed key takes its column's letters
CREATE TABLE t1 (id INT PRIMARY KEY, a INT, Bee INT, UNIQUE (A), KEY (BEE, a));
ALTER TABLE t1 ADD c INT, ADD Dee INT, ADD KEY (C), ADD KEY (dee, ID);
INSERT INTO t1 VALUES (1, 1, 1, 1, 1), (2, 2, 2, 2, 2);

-- case: unique keys behind columns that are changed
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY c (b));
ALTER TABLE t ADD d INT UNIQUE, CHANGE a e INT UNIQUE, MODIFY c INT UNIQUE;
INSERT INTO t VALUES (1, 1, 1, 1, 1);
ALTER TABLE t DROP KEY c_2, RENAME KEY c TO k;
INSERT INTO t VALUES (2, 2, 2, 1, 2);
UPDATE t SET e = 3 WHERE id = 1;
UPDATE t SET e = 1 WHERE id = 2;
ALTER TABLE t ADD b_2 INT, ADD UNIQUE (b, e), ADD KEY (b), ADD UNIQUE (b_2, id);
ALTER TABLE t DROP KEY b;
-- case: a unique key and the column's other collation in one statement
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(255) COLLATE utf8mb4_general_ci);
INSERT INTO t VALUES (1, 'a'), (2, 'A');
ALTER TABLE t ADD UNIQUE INDEX n (name), MODIFY name VARCHAR(255) COLLATE utf8mb4_bin NOT NULL;
INSERT INTO t VALUES (3, 'b');
-- case: a unique key and the conversion of its texts in one statement
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(255)) CHARSET utf8mb3;
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci, ADD UNIQUE (v);
INSERT INTO t VALUES (3, '😀');
-- case: a unique key and the conversion of its texts in one statement, of MariaDB
-- only: mariadb
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(255)) CHARSET latin1;
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, ADD UNIQUE (v);
INSERT INTO t VALUES (3, 'A');
-- case: a full-text index that was left out gets another name
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a TEXT, FULLTEXT KEY ft (a));
INSERT INTO t VALUES (1, 'hello');
ALTER TABLE t RENAME INDEX ft TO ft3;
INSERT INTO t VALUES (2, 'hello');
-- case: keys that the target was not given are renamed and dropped beside other changes
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a TEXT, b INT, FULLTEXT KEY ft (a), KEY f ((b + 1)));
INSERT INTO t VALUES (1, 'hello', 2);
ALTER TABLE t RENAME INDEX f TO g, ADD c INT;
ALTER TABLE t DROP INDEX ft, DROP INDEX g, MODIFY b BIGINT;
INSERT INTO t VALUES (2, 'hello', 3, 4);
-- case: a second foreign key behind a column
-- only: mysql
-- to: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT REFERENCES p (id));
ALTER TABLE c ADD qid INT REFERENCES p (id) ON DELETE CASCADE;
-- case: a second foreign key behind a column, of MariaDB
-- only: mariadb
-- to: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT REFERENCES p (id));
ALTER TABLE c ADD qid INT REFERENCES p (id) ON DELETE CASCADE;
-- case: a foreign key and the index that it uses come in one statement
-- to: tidb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT);
ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id), ADD INDEX pidx (pid);
-- case: a foreign key that names its index
-- only: mysql
-- to: tidb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, qid INT);
ALTER TABLE c ADD FOREIGN KEY pfk (qid) REFERENCES p (id);
-- case: a foreign key behind a new column
-- to: tidb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY);
ALTER TABLE c ADD qid INT REFERENCES p (id) ON DELETE CASCADE;
-- case: foreign keys behind columns and without names
CREATE TABLE p (id INT PRIMARY KEY, a INT, b INT, UNIQUE (a, b));
CREATE TABLE c (id INT PRIMARY KEY, pid INT REFERENCES p (id), a INT, b INT, KEY k (a));
ALTER TABLE c ADD qid INT REFERENCES p (id) AFTER id, ADD rid INT, ADD FOREIGN KEY (rid) REFERENCES p (id);
ALTER TABLE c ADD FOREIGN KEY (a, b) REFERENCES p (a, b), ADD CONSTRAINT FOREIGN KEY (b) REFERENCES p (id);
ALTER TABLE c DROP FOREIGN KEY c_ibfk_2;
-- case: a column grows that a foreign key names
-- only: mysql
-- to: mariadb
CREATE TABLE p (id INT PRIMARY KEY, code VARCHAR(5) UNIQUE);
CREATE TABLE c (id INT PRIMARY KEY, code VARCHAR(5), FOREIGN KEY (code) REFERENCES p (code));
ALTER TABLE p MODIFY code VARCHAR(10);
-- pauses: 36220 … 1833
-- target
ALTER TABLE c DROP FOREIGN KEY c_ibfk_1;
ALTER TABLE p MODIFY code VARCHAR(10);
ALTER TABLE c ADD FOREIGN KEY (code) REFERENCES p (code);
-- operator: skip
INSERT INTO p VALUES (2, 'abcdefgh');

-- case: rows that a new unique key holds equal go upstream by ALTER IGNORE
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1), (2, 1);
ALTER IGNORE TABLE t ADD b INT, ADD UNIQUE (a);
-- pauses: 36108 … 1062

-- case: rows that a new unique key over a whole text holds equal go upstream by ALTER IGNORE
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a BLOB);
INSERT INTO t VALUES (1, 'x'), (2, 'x');
ALTER IGNORE TABLE t ADD UNIQUE (a);
-- pauses: 36201 … the new unique key a

-- case: rows that are no documents go upstream by ALTER IGNORE
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO t VALUES (1, 'a'), (2, '[1]');
ALTER IGNORE TABLE t MODIFY v JSON;
-- pauses: 36300 … v is a document

-- case: rows that a new CHECK refuses go upstream by ALTER IGNORE
-- only: mariadb
-- to: mariadb tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
ALTER IGNORE TABLE t ADD CHECK (id < 2);
-- pauses: 36300 … CHECK

-- case: ALTER IGNORE leaves the same row of those that are equal where the order is the same
-- only: mariadb
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (2, 1), (1, 1), (3, 1);
ALTER IGNORE TABLE t ADD UNIQUE (a);
INSERT INTO t VALUES (4, 4);

-- case: ALTER IGNORE may leave another one of equal rows where the order is another one
-- only: mariadb
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT) ENGINE=MyISAM;
INSERT INTO t VALUES (2, 1), (1, 1), (3, 1);
ALTER IGNORE TABLE t ADD UNIQUE (a);
-- pauses: 36108 … 1062

-- case: characters that ALTER IGNORE takes to question marks beside another change
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER SET utf8mb4);
INSERT INTO t VALUES (1, '日本');
ALTER IGNORE TABLE t MODIFY a VARCHAR(9) CHARACTER SET latin1, ADD b INT;
-- pauses: 36196 … characters that latin1 lacks
-- case: foreign keys without names of a table with a long name
-- only: mariadb
-- to: mysql tidb
-- values only: the names of the foreign keys are cut
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE a_table_whose_name_is_so_long_that_names_made_of_it_are_longer (id INT PRIMARY KEY, pid INT);
ALTER TABLE a_table_whose_name_is_so_long_that_names_made_of_it_are_longer ADD FOREIGN KEY (pid) REFERENCES p (id);
ALTER TABLE a_table_whose_name_is_so_long_that_names_made_of_it_are_longer ADD COLUMN q INT, ADD FOREIGN KEY (q) REFERENCES p (id);
INSERT INTO p VALUES (1);
INSERT INTO a_table_whose_name_is_so_long_that_names_made_of_it_are_longer VALUES (1, 1, 1);
-- case: a table with foreign keys gets a long name
-- only: mariadb
-- to: mysql
-- values only: the foreign key of the target has a name of its own
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id));
RENAME TABLE c TO a_table_whose_name_is_so_long_that_names_made_of_it_are_longer;
-- pauses: 36108 … a_table_whose_name_is_so_long_that_names_made_of_it_are_longer_ibfk_1' is too long
-- target
ALTER TABLE c DROP FOREIGN KEY c_ibfk_1;
ALTER TABLE c ADD CONSTRAINT own FOREIGN KEY (pid) REFERENCES p (id);
-- upstream
INSERT INTO p VALUES (1);
INSERT INTO a_table_whose_name_is_so_long_that_names_made_of_it_are_longer VALUES (1, 1);
-- case: constraints of every kind are dropped by the word for all
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, KEY (b), CONSTRAINT u UNIQUE (a), CONSTRAINT f FOREIGN KEY (b) REFERENCES p (id) ON DELETE CASCADE);
CREATE TABLE d (id INT PRIMARY KEY, a INT, CONSTRAINT u UNIQUE (a), CONSTRAINT k CHECK (a > 0));
CREATE TABLE e (id VARCHAR(9) COLLATE utf8mb4_bin NOT NULL, a INT, b INT, KEY (b));
ALTER TABLE e ADD CONSTRAINT cn PRIMARY KEY (id), ADD CONSTRAINT fe FOREIGN KEY (b) REFERENCES p (id), ADD CONSTRAINT `x``y` UNIQUE (a);
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 1, 1);
ALTER TABLE c DROP CONSTRAINT u, DROP CONSTRAINT f;
ALTER TABLE d DROP CONSTRAINT u, DROP CONSTRAINT k, ADD UNIQUE (a, id);
ALTER TABLE e DROP CONSTRAINT FE;
ALTER TABLE e DROP CONSTRAINT `PRIMARY`, DROP CONSTRAINT `X``y`;
ALTER TABLE e ADD n INT;
INSERT INTO e VALUES ('a', 1, 9, 1), ('a', 1, 9, 1);
INSERT INTO c VALUES (2, 1, 9);
DELETE FROM p WHERE id = 1;
-- case: constraints of every kind are dropped by the word for all, of a table that was there
-- before
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, KEY (b), CONSTRAINT u UNIQUE (a), CONSTRAINT f FOREIGN KEY (b) REFERENCES p (id));
INSERT INTO p VALUES (1);
-- target
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, KEY (b), CONSTRAINT u UNIQUE (a), CONSTRAINT f FOREIGN KEY (b) REFERENCES p (id));
INSERT INTO p VALUES (1);
-- upstream
ALTER TABLE c DROP CONSTRAINT u;
ALTER TABLE c DROP CONSTRAINT f;
INSERT INTO c VALUES (1, 1, 1), (2, 1, 9);
-- case: a constraint of MariaDB is dropped if it is there
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, UNIQUE KEY y (a), CONSTRAINT y FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE c DROP CONSTRAINT IF EXISTS y, DROP CONSTRAINT IF EXISTS nope;
ALTER TABLE c DROP CONSTRAINT IF EXISTS y;
INSERT INTO c VALUES (1, 1), (2, 1);
-- case: a foreign key that MariaDB keeps since it copies the table
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 1), (2, 2);
ALTER TABLE c DROP CONSTRAINT f, MODIFY id BIGINT;
-- both
INSERT INTO c VALUES (3, 3);
-- case: a constraint of MariaDB has the name of a key
-- only: mariadb
-- to: mysql
CREATE TABLE d (id INT PRIMARY KEY, a INT, b INT, KEY y (a), CONSTRAINT y CHECK (a > 0));
ALTER TABLE d DROP CONSTRAINT y, ADD KEY (a, b);
INSERT INTO d VALUES (1, 0, 0);
ALTER TABLE d DROP KEY y;
-- case: an operator drops a constraint that the target alone has by the word for all
-- before
CREATE TABLE t (id INT PRIMARY KEY);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, CONSTRAINT u UNIQUE (a));
-- upstream
ALTER TABLE t ADD COLUMN a INT;
INSERT INTO t VALUES (1, 1), (2, 1);
-- pauses: code=36108 … Duplicate column name
-- operator: replace ALTER TABLE $DB.t DROP CONSTRAINT u
-- case: a copy with CHECKs that MySQL would have named so takes the place of its table
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, u INT, CONSTRAINT t_chk_2 CHECK (u <> 1), CONSTRAINT t_chk_3 CHECK (u <> 7));
CREATE TABLE l LIKE t;
RENAME TABLE t TO o, l TO t;
ALTER TABLE t DROP CONSTRAINT t_chk_2;
-- pauses: 36108 … Constraint 't_chk_2' does not exist
-- case: a copy with CHECKs has them in any database
-- only: mariadb
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, u INT CHECK (u <> 3), CONSTRAINT n CHECK (u <> 1), CHECK (u <> 7));
CREATE TABLE l LIKE t;
CREATE TABLE m LIKE l;
INSERT INTO l VALUES (1, 2);
INSERT INTO m VALUES (1, 2);
-- both
INSERT INTO l VALUES (2, 1);
INSERT INTO l VALUES (3, 7);
INSERT INTO m VALUES (2, 1);
INSERT INTO m VALUES (3, 7);
INSERT INTO m VALUES (4, 3);
-- case: CHECKs of a table like another one have names of their own
-- only: mysql
-- to: mariadb
CREATE TABLE u (id INT PRIMARY KEY, a INT CHECK (a > 0), CONSTRAINT nm CHECK (a < 9), CHECK (id > 0), CONSTRAINT Z CHECK (id < 50));
CREATE TABLE t LIKE u;
ALTER TABLE t DROP CHECK t_chk_2;
ALTER TABLE t DROP CHECK t_chk_4;
-- both
INSERT INTO t VALUES (1, -1);
INSERT INTO t VALUES (2, 10);
INSERT INTO t VALUES (-3, 1);
INSERT INTO t VALUES (60, 1);
INSERT INTO t VALUES (3, 1);
INSERT INTO u VALUES (4, -1);
-- case: key conditions look at the table before the statement
-- only: mariadb
-- to: tidb mysql mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY k (a), UNIQUE KEY u (a), KEY k2 (b));
INSERT INTO t VALUES (1, 1, 2, 3);
ALTER TABLE t DROP INDEX k, ADD INDEX IF NOT EXISTS k (c);
ALTER TABLE t DROP INDEX u, ADD UNIQUE INDEX IF NOT EXISTS u (c);
ALTER TABLE t RENAME INDEX k2 TO k3, ADD INDEX IF NOT EXISTS k2 (c), DROP INDEX IF EXISTS k3, RENAME INDEX IF EXISTS k3 TO k4;
ALTER TABLE t ADD INDEX IF NOT EXISTS n1 (c), ADD INDEX IF NOT EXISTS n1 (b);
ALTER TABLE t ADD INDEX n2 (c), ADD INDEX IF NOT EXISTS n2 (b), DROP INDEX IF EXISTS n2;
ALTER TABLE t DROP INDEX n2, DROP INDEX IF EXISTS n2;
ALTER TABLE t ADD INDEX IF NOT EXISTS (a), ADD INDEX IF NOT EXISTS (a), ADD INDEX IF NOT EXISTS a (id);
ALTER TABLE t ADD INDEX IF NOT EXISTS (a), ADD COLUMN d INT;
ALTER TABLE t ADD INDEX IF NOT EXISTS (a);
ALTER TABLE t ADD CONSTRAINT x UNIQUE KEY IF NOT EXISTS n1 (b), ADD CONSTRAINT n1 UNIQUE KEY IF NOT EXISTS x (b);
ALTER TABLE t DROP CONSTRAINT IF EXISTS x, ADD INDEX IF NOT EXISTS x (c), DROP INDEX IF EXISTS x;
ALTER TABLE t DROP COLUMN a, ADD INDEX IF NOT EXISTS a (c), DROP INDEX IF EXISTS a;
ALTER TABLE t ADD CONSTRAINT cc CHECK (id > 0);
ALTER TABLE t DROP CONSTRAINT IF EXISTS cc, DROP CONSTRAINT IF EXISTS cc, ADD CONSTRAINT IF NOT EXISTS cc CHECK (id > 2);
INSERT INTO t (id, c) VALUES (2, 3), (3, 3);
-- case: a column that a key shares goes and another takes its name
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, d INT, KEY kac (a, c), KEY ka (a), KEY kca (c, a, d), KEY kb (b));
INSERT INTO t VALUES (1, 10, 20, 30, 40);
ALTER TABLE t DROP a, CHANGE c a INT;
INSERT INTO t VALUES (2, 5, 6, 7);
ALTER TABLE t DROP a, RENAME COLUMN d TO a;
ALTER TABLE t DROP b, CHANGE a b INT FIRST;
INSERT INTO t VALUES (8, 9);
-- case: a key keeps a column that comes again while another changes its name
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY kabc (a, b, c));
INSERT INTO t VALUES (1, 10, 20, 30);
ALTER TABLE t DROP a, ADD a INT DEFAULT 4, CHANGE c cc INT, DROP b;
INSERT INTO t (id, cc) VALUES (2, 5);
-- case: a unique key loses a column whose name another takes
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, c INT, UNIQUE KEY kac (a, c));
INSERT INTO t VALUES (1, 10, 30), (2, 10, 31);
ALTER TABLE t DROP a, CHANGE c a INT;
INSERT INTO t VALUES (3, 5);
-- case: a key keeps its length over a column that comes again with a longer type
CREATE TABLE t (id INT PRIMARY KEY, a INT, b BIGINT, c DECIMAL(10,2), d DATETIME(3), e VARCHAR(20) CHARACTER SET latin1, f VARCHAR(20), g VARBINARY(7), h DATE,
  UNIQUE KEY ua (a), KEY kb (b, id), KEY kc (c), KEY kd (d), KEY ke (e), KEY kf (f(8), a), KEY kg (g), KEY kh (h)) CHARSET utf8mb4;
ALTER TABLE t DROP a, ADD a VARCHAR(40);
INSERT INTO t (id, a) VALUES (1, 'abcd'), (2, 'abc');
ALTER TABLE t DROP b, ADD b VARCHAR(40) CHARACTER SET utf8mb4, DROP c, ADD c VARCHAR(5), DROP d, ADD d CHAR(9);
ALTER TABLE t DROP e, ADD e VARCHAR(40), DROP f, ADD f TEXT;
ALTER TABLE t DROP g, ADD g VARBINARY(40), DROP h, ADD h BLOB;
INSERT INTO t (id, a, b) VALUES (3, 'bbcde', 'x');
-- case: a key keeps its length over a column of another type, where that may have one
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20), c VARCHAR(20), KEY ka (a(8)), KEY kb (b(8)), KEY kc (c(8)));
ALTER TABLE t MODIFY a INT;
ALTER TABLE t MODIFY b VARCHAR(5);
ALTER TABLE t MODIFY c VARCHAR(8);
ALTER TABLE t MODIFY a VARCHAR(30), MODIFY b VARCHAR(30), MODIFY c VARCHAR(30);
INSERT INTO t VALUES (1, 'a', 'b', 'c');
-- case: keys that TiDB lacks beside others of their columns and names
CREATE TABLE f1 (id INT PRIMARY KEY, v VARCHAR(10), KEY v (v), FULLTEXT KEY ft (v));
INSERT INTO f1 VALUES (1, 'a');
ALTER TABLE f1 DROP INDEX ft, ADD FULLTEXT (v), RENAME INDEX v TO vv;
ALTER TABLE f1 RENAME INDEX v TO vv, RENAME INDEX vv TO v;
ALTER TABLE f1 RENAME INDEX v TO w, RENAME INDEX vv TO v, ADD COLUMN n INT;
ALTER TABLE f1 DROP INDEX v, RENAME INDEX w TO v, ADD COLUMN m INT;
CREATE TABLE f2 (id INT PRIMARY KEY, v VARCHAR(10), KEY a (v), FULLTEXT KEY b (v));
ALTER TABLE f2 RENAME INDEX a TO b, RENAME INDEX b TO a;
ALTER TABLE f2 RENAME INDEX b TO c, RENAME INDEX a TO b, RENAME COLUMN v TO w;
ALTER TABLE f2 DROP INDEX b, RENAME INDEX c TO b;
CREATE TABLE f3 (id INT PRIMARY KEY, v VARCHAR(10), w VARCHAR(10), KEY a (v), FULLTEXT KEY b (v));
ALTER TABLE f3 DROP INDEX a, RENAME INDEX b TO a, ADD INDEX b (v);
ALTER TABLE f3 DROP INDEX a, RENAME INDEX b TO a, ADD FULLTEXT INDEX b (v);
ALTER TABLE f3 DROP INDEX b, DROP INDEX a, ADD FULLTEXT INDEX a (v), ADD INDEX b (v);
ALTER TABLE f3 DROP INDEX b, ADD INDEX c (v), DROP INDEX a, ADD INDEX a (w);
-- case: columns under keys grow beyond what a key has room for
-- only: mariadb
-- to: tidb mysql
-- values only: keys are over the beginning of their columns, of which each server has its own length
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(10), d VARCHAR(10), KEY kc (c), KEY kd (d), FULLTEXT KEY fc (c)) CHARSET latin1;
INSERT INTO t VALUES (1, 'a', 'b');
ALTER TABLE t MODIFY c TEXT;
ALTER TABLE t CHANGE d e VARCHAR(4000), RENAME KEY fc TO fc2;
ALTER TABLE t MODIFY e MEDIUMTEXT, DROP KEY kc;
CREATE INDEX kc ON t (c);
CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(10), b VARCHAR(10), c VARCHAR(10), UNIQUE KEY ua (a), KEY kb (b DESC), KEY kc (c));
INSERT INTO u VALUES (1, 'a', 'b', 'c');
ALTER TABLE u MODIFY a TEXT, CHANGE b bb TINYTEXT AFTER c, MODIFY c LONGTEXT;
CREATE UNIQUE INDEX uc ON u (c);
INSERT INTO u VALUES (2, 'A b', 'b', 'C d');
CREATE TABLE v (id INT PRIMARY KEY, c VARCHAR(1000), d VARCHAR(1000), KEY kc (c), UNIQUE KEY ud (d), KEY pc (c(5))) CHARSET latin1;
INSERT INTO v VALUES (1, 'a', 'b');
ALTER TABLE v CONVERT TO CHARACTER SET utf8mb4;
CREATE TABLE w (id INT PRIMARY KEY, c TEXT, d TINYTEXT, KEY kc (c(3072)), KEY kd (d), UNIQUE KEY u (c(1000))) CHARSET latin1;
ALTER TABLE w ADD KEY k2 (c), ADD UNIQUE KEY k3 (c(2000));
CREATE INDEX k4 ON w (c(3000));
CREATE TABLE x (id INT PRIMARY KEY, c TINYTEXT, d VARCHAR(200), KEY kc (c(255)), KEY kd (d(150))) CHARSET utf8mb4;
ALTER TABLE x MODIFY d TINYTEXT;
INSERT INTO w VALUES (1, 'a', 'b');
-- case: keys that the target was not given are named beside other clauses
-- only: mysql
-- to: mariadb
-- values only: the target lacks the keys over expressions
CREATE TABLE c (id INT PRIMARY KEY, v VARCHAR(30), j JSON, n INT, KEY mv ((CAST(j->'$.t' AS UNSIGNED ARRAY))), UNIQUE fu ((n + 1), v(3)), k INT);
INSERT INTO c VALUES (1, 'A', '{"t": [1]}', 1, 1);
ALTER TABLE c ALTER INDEX fu VISIBLE, DROP INDEX mv, DROP COLUMN k;
INSERT INTO c VALUES (2, 'B', '{"t": [1]}', 2);
CREATE TABLE d (id INT PRIMARY KEY, v VARCHAR(30), n INT, KEY f1 ((LOWER(v))), KEY f2 ((n + 1)), KEY f3 (n));
INSERT INTO d VALUES (1, 'A', 1);
ALTER TABLE d RENAME INDEX f1 TO g1, ALTER INDEX f2 INVISIBLE, ADD COLUMN x INT DEFAULT 3;
ALTER TABLE d DROP INDEX g1, ALTER INDEX f2 VISIBLE;
INSERT INTO d (id) VALUES (2);
ALTER TABLE d ADD y INT, DROP INDEX f2, ALTER INDEX f3 INVISIBLE;
INSERT INTO d (id) VALUES (3);
-- case: a column is UNIQUE, and another key begins with it
CREATE TABLE t1 (a BIGINT NOT NULL UNIQUE AUTO_INCREMENT, b VARCHAR(10), PRIMARY KEY (a), KEY (b(2)));
CREATE TABLE t2 (a BIGINT NOT NULL UNIQUE KEY COMMENT 'x', b INT UNIQUE, KEY (a), UNIQUE (b, a), PRIMARY KEY (a, b));
CREATE TABLE t3 (a BIGINT NOT NULL UNIQUE, b INT UNIQUE, UNIQUE (a), PRIMARY KEY (b));
CREATE TABLE t4 (a VARCHAR(20) UNIQUE, b INT, KEY k (a(5), b), KEY (b));
INSERT INTO t2 VALUES (1, 2);
ALTER TABLE t2 DROP KEY a_2, RENAME INDEX b TO c;
-- case: keys are ignored
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY ka (a) IGNORED, KEY kb (b) NOT IGNORED);
ALTER TABLE t ADD KEY kc (c) IGNORED, ALTER INDEX kb IGNORED;
CREATE INDEX kd ON t (c, a) IGNORED;
ALTER TABLE t ALTER KEY ka NOT IGNORED;
INSERT INTO t VALUES (1, 1, 1, 1);
-- case: a column takes the name of one that gets another name, and stands before it
-- to: mariadb mysql
CREATE TABLE k (id INT PRIMARY KEY, dd INT, v VARCHAR(9), KEY kz (dd), UNIQUE kv (v, dd));
INSERT INTO k VALUES (1, 1, 'a'), (2, 2, 'b');
ALTER TABLE k RENAME COLUMN dd TO d, ADD COLUMN dd INT DEFAULT 6 AFTER id;
CREATE TABLE l (id INT PRIMARY KEY, dd INT, v VARCHAR(20), KEY kz (dd), KEY kv (v(5)), KEY kw (v));
ALTER TABLE l CHANGE dd d INT, ADD COLUMN dd INT DEFAULT 6 AFTER d, ADD v VARCHAR(30) FIRST, RENAME COLUMN v TO w;
INSERT INTO k VALUES (3, 3, 3, 'c');
-- case: how a statement works is for the target to choose
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c VARCHAR(9), d INT, KEY kd (d));
INSERT INTO t VALUES (1, 1, 1, 'a', 1);
ALTER TABLE t ADD INDEX ka (a), ALGORITHM = NOCOPY, LOCK = NONE;
CREATE INDEX kb ON t (b) ALGORITHM = NOCOPY LOCK = NONE;
DROP INDEX kd ON t;
ALTER TABLE t MODIFY c VARCHAR(300) FIRST, ALGORITHM = NOCOPY;
ALTER TABLE t DROP COLUMN d, ADD COLUMN e INT AFTER a, ALGORITHM = INSTANT, LOCK = NONE;
ALTER TABLE t MODIFY b BIGINT, ALGORITHM = COPY, LOCK = SHARED;
ALTER TABLE t FORCE, ALGORITHM = INPLACE, LOCK = NONE;
ALTER TABLE t ADD COLUMN f INT, ALGORITHM = INPLACE, LOCK = NONE;
ALTER TABLE t ADD COLUMN g INT, ALGORITHM = INSTANT, LOCK = DEFAULT;
ALTER TABLE t ADD FULLTEXT KEY kf (c), ALGORITHM = INPLACE, LOCK = SHARED;
INSERT INTO t VALUES ('b', 2, 2, 2, 2, 2, 2);
-- case: how a statement of MySQL works is for the target to choose
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c VARCHAR(9), d INT, KEY kd (d));
INSERT INTO t VALUES (1, 1, 1, 'a', 1);
ALTER TABLE t ADD INDEX ka (a), ALGORITHM = INPLACE, LOCK = NONE;
CREATE INDEX kb ON t (b) ALGORITHM = INPLACE LOCK = NONE;
DROP INDEX kd ON t ALGORITHM = INPLACE LOCK = NONE;
ALTER TABLE t RENAME COLUMN b TO bb, ALGORITHM = INSTANT;
ALTER TABLE t DROP COLUMN d, ADD COLUMN e INT AFTER a, ALGORITHM = INSTANT;
ALTER TABLE t MODIFY bb BIGINT, ALGORITHM = COPY, LOCK = SHARED;
ALTER TABLE t ADD COLUMN f INT AFTER id, ALGORITHM = INPLACE, LOCK = NONE;
ALTER TABLE t ADD COLUMN v INT AS (a + 1) STORED, ADD COLUMN w INT AS (a + 2) VIRTUAL, LOCK = DEFAULT;
INSERT INTO t (id, a, c) VALUES (2, 2, 'b');
-- case: keys to which the server gives a length
-- only: mariadb
-- to: mariadb
CREATE TABLE t (c POINT UNIQUE) ENGINE = InnoDB;
CREATE TABLE u (i INT PRIMARY KEY, b BLOB, INDEX i_b (b)) ENGINE = InnoDB;
CREATE TABLE v (i INT PRIMARY KEY, b TEXT CHARACTER SET utf8mb4, c MEDIUMTEXT, INDEX i_b (b)) ENGINE = InnoDB;
CREATE TABLE w (i INT PRIMARY KEY, c POINT NOT NULL, KEY (c), UNIQUE (i, c)) ENGINE = InnoDB;
CREATE TABLE x (i INT PRIMARY KEY, c POINT, d BLOB, e TEXT) ENGINE = InnoDB;
ALTER TABLE x ADD KEY (c), ADD KEY (d), ADD KEY (e);
INSERT INTO t VALUES (POINT(1, 2)), (POINT(1, 3));
INSERT INTO u VALUES (1, 'x');
-- case: a key is ignored and not
-- only: mariadb
-- to: mariadb
CREATE TABLE t (a INT, b INT, KEY a (a), KEY b (b) IGNORED);
ALTER TABLE t ALTER INDEX a IGNORED;
ALTER TABLE t ALTER KEY b NOT IGNORED, ADD c INT;
CREATE TABLE u (a INT, KEY a (a));
ALTER TABLE u ALTER INDEX a IGNORED;
ALTER TABLE u ALTER INDEX a NOT IGNORED;
-- case: a key that is not there is hidden, if it exists
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, n INT, KEY k (n));
ALTER TABLE t ALTER INDEX IF EXISTS zz NOT IGNORED, ADD COLUMN c INT DEFAULT 5;
ALTER TABLE t ALTER KEY IF EXISTS `zz` IGNORED;
ALTER TABLE t ALTER INDEX IF EXISTS K IGNORED;
INSERT INTO t VALUES (1, 2, 3);
-- case: a key over a part of a date that is all of it
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, b DATE, n INT, d DECIMAL(8,2), KEY k1 (b(3)), KEY k2 (n(4)));
INSERT INTO t VALUES (1, '2020-01-01', 2, 3.5);
ALTER TABLE t ADD KEY k3 (n(4), id);
INSERT INTO t VALUES (2, '2020-01-02', 3, 4.5);
-- case: a key that goes with its columns is renamed
-- only: mariadb
-- to: mysql tidb mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, d INT, e INT, f INT, g INT, UNIQUE k3 (d), KEY ka (a), KEY kfg (f, g), KEY keg (e, g));
INSERT INTO t VALUES (1, 2, 3, 4, 5, 6);
ALTER TABLE t RENAME KEY k3 TO k2, DROP COLUMN d;
INSERT INTO t VALUES (2, 3, 4, 5, 6);
ALTER TABLE t DROP COLUMN f, RENAME KEY kfg TO ka, DROP COLUMN g, RENAME KEY ka TO kfg, RENAME KEY keg TO ke;
ALTER TABLE t DROP COLUMN e, RENAME INDEX IF EXISTS ke TO kf, ADD KEY ke (a, id);
INSERT INTO t VALUES (3, 4);
-- case: names of keys alone beside foreign keys without names
-- only: mysql
-- to: mysql tidb mariadb
CREATE TABLE p (id INT PRIMARY KEY, k INT, UNIQUE (k));
INSERT INTO p VALUES (1, 2);
CREATE TABLE c (b INT, c INT, FOREIGN KEY fkx (b) REFERENCES p (id), FOREIGN KEY (c) REFERENCES p (k));
CREATE TABLE d (id INT PRIMARY KEY, a INT REFERENCES p (id), b INT, c INT, FOREIGN KEY (c) REFERENCES p (k) ON DELETE CASCADE, FOREIGN KEY fkx (b) REFERENCES p (id), CONSTRAINT own FOREIGN KEY (c, a) REFERENCES d (b, c), e INT NOT NULL REFERENCES p (k), UNIQUE KEY (b, c));
CREATE TABLE f (id INT PRIMARY KEY, a INT, b INT, CONSTRAINT b FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (b) REFERENCES p (id), FOREIGN KEY a (b) REFERENCES p (k), KEY (b, a));
INSERT INTO c VALUES (1, NULL);
INSERT INTO d VALUES (1, NULL, 1, 2, 2);
ALTER TABLE c DROP FOREIGN KEY c_ibfk_2, ADD FOREIGN KEY fky (c) REFERENCES p (id), ADD FOREIGN KEY (c, b) REFERENCES d (b, c), ADD d INT REFERENCES p (k);
ALTER TABLE d DROP FOREIGN KEY d_ibfk_3, DROP KEY own, DROP FOREIGN KEY own, ADD KEY (c);
ALTER TABLE f DROP FOREIGN KEY f_ibfk_2, DROP FOREIGN KEY b;
ALTER TABLE f ADD FOREIGN KEY (id) REFERENCES p (id), ADD z INT, ADD FOREIGN KEY fkz (z) REFERENCES p (id);
-- case: InnoDB of MySQL passes USING HASH over
-- only: mysql
-- to: mariadb
CREATE TABLE p (id INT PRIMARY KEY, b INT NOT NULL, UNIQUE KEY vv (b) USING HASH, UNIQUE KEY w USING HASH (b, id), KEY x (b, id) USING HASH COMMENT 'x');
CREATE TABLE c (id INT PRIMARY KEY, pid INT, n INT, UNIQUE (pid) USING HASH, CONSTRAINT $DB_fk FOREIGN KEY (pid) REFERENCES p (b));
ALTER TABLE c ADD UNIQUE KEY k USING HASH (n), ADD UNIQUE KEY l (n, id) COMMENT 'l' USING HASH;
CREATE UNIQUE INDEX m USING HASH ON c (id, n);
INSERT INTO p VALUES (1, 1), (2, 2);
INSERT INTO c VALUES (1, 1, 1), (2, NULL, 2);
