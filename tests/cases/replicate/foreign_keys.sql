-- case: foreign keys without names are counted as the upstream counts
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, KEY (a), KEY (b), FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 1, 1);
ALTER TABLE c DROP FOREIGN KEY c_ibfk_1, ADD FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE;
ALTER TABLE c ADD FOREIGN KEY (b) REFERENCES p (id);
ALTER TABLE c DROP FOREIGN KEY c_ibfk_2;
-- both
INSERT INTO c VALUES (2, 9, 1);
INSERT INTO c VALUES (3, 1, 9);
-- case: foreign keys without names beside named ones
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, KEY (a), KEY (b), CONSTRAINT c_ibfk_5 FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (b) REFERENCES p (id));
ALTER TABLE c ADD CONSTRAINT c_ibfk_9 FOREIGN KEY (a) REFERENCES p (id), ADD FOREIGN KEY (b) REFERENCES p (id) ON DELETE CASCADE;
ALTER TABLE c DROP FOREIGN KEY c_ibfk_5, DROP FOREIGN KEY c_ibfk_9, DROP FOREIGN KEY c_ibfk_6;
-- both
INSERT INTO c VALUES (2, 9, NULL);
INSERT INTO c VALUES (3, NULL, 9);
-- case: a foreign key is added where its table gets another name
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY (a), KEY (b));
ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES p (id), RENAME TO u;
ALTER TABLE u ADD FOREIGN KEY (b) REFERENCES p (id);
RENAME TABLE u TO v;
ALTER TABLE v DROP FOREIGN KEY v_ibfk_2;
ALTER TABLE v DROP FOREIGN KEY v_ibfk_1;
-- case: foreign keys and their keys follow tables that exchange their names
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b (id INT PRIMARY KEY, aid INT, FOREIGN KEY (aid) REFERENCES a (id));
CREATE TABLE c (id INT PRIMARY KEY, x VARCHAR(5));
RENAME TABLE a TO tmp, c TO a, b TO c, tmp TO b;
ALTER TABLE c DROP FOREIGN KEY c_ibfk_1, ADD FOREIGN KEY (aid) REFERENCES b (id) ON DELETE CASCADE;
ALTER TABLE c ADD FOREIGN KEY (id) REFERENCES b (id);
ALTER TABLE c DROP FOREIGN KEY c_ibfk_2;
-- both
INSERT INTO c VALUES (7, 9);
-- case: a later foreign key takes the key of one before it
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b (id INT PRIMARY KEY, aid INT, FOREIGN KEY (aid) REFERENCES a (id));
CREATE TABLE c (id INT PRIMARY KEY, aid INT, CONSTRAINT f FOREIGN KEY (aid) REFERENCES a (id));
ALTER TABLE b DROP FOREIGN KEY b_ibfk_1, ADD FOREIGN KEY (aid) REFERENCES a (id) ON DELETE CASCADE;
ALTER TABLE b DROP FOREIGN KEY b_ibfk_2;
ALTER TABLE b ADD FOREIGN KEY (aid) REFERENCES a (id);
ALTER TABLE b ADD FOREIGN KEY (aid) REFERENCES a (id) ON UPDATE CASCADE;
ALTER TABLE b ADD KEY aid_2 (aid, id);
ALTER TABLE c DROP FOREIGN KEY f, ADD CONSTRAINT f2 FOREIGN KEY (aid) REFERENCES a (id) ON DELETE CASCADE;
ALTER TABLE c DROP FOREIGN KEY f2, ADD CONSTRAINT f FOREIGN KEY (aid) REFERENCES a (id), ADD COLUMN z INT;
ALTER TABLE c DROP FOREIGN KEY f, DROP KEY f;
-- case: the names of a foreign key and of its key are said
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, d INT, FOREIGN KEY ix (a) REFERENCES p (id), CONSTRAINT cn FOREIGN KEY iy (b) REFERENCES p (id));
ALTER TABLE c ADD FOREIGN KEY iz (d) REFERENCES p (id), ADD CONSTRAINT cm FOREIGN KEY iu (b) REFERENCES p (id) ON DELETE CASCADE;
ALTER TABLE c DROP FOREIGN KEY cn;
-- case: foreign keys that MySQL names itself beside their keys' names are dropped
-- only: mysql
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, FOREIGN KEY ix (a) REFERENCES p (id));
ALTER TABLE c ADD FOREIGN KEY iy (b) REFERENCES p (id);
ALTER TABLE c DROP FOREIGN KEY c_ibfk_1;
-- both
INSERT INTO c VALUES (1, 9, NULL);
INSERT INTO c VALUES (2, NULL, 9);
-- case: a new key takes the name of one that was made for a foreign key
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, z INT, FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d LIKE c;
ALTER TABLE d DROP KEY pid, ADD FOREIGN KEY (pid) REFERENCES p (id);
CREATE TABLE e (id INT PRIMARY KEY, pid INT, z INT, FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE f (id INT PRIMARY KEY, pid INT, z INT, FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE g (id INT PRIMARY KEY, pid INT, z INT, FOREIGN KEY (pid) REFERENCES p (id));
ALTER TABLE c ADD UNIQUE KEY (pid);
ALTER TABLE d MODIFY pid INT UNIQUE;
ALTER TABLE e ADD KEY (pid, z);
ALTER TABLE e ADD KEY (pid);
ALTER TABLE f ADD KEY pid (pid, z);
CREATE INDEX pid ON g (pid, z);
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1, 1);
INSERT INTO f VALUES (1, 1, 1);
-- both
INSERT INTO f VALUES (2, 9, 1);
INSERT INTO c VALUES (2, 1, 1);
-- case: a new key takes the name of one that was made for a foreign key of a table that was there
-- before
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, z INT, FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, pid INT, z INT, FOREIGN KEY (pid) REFERENCES p (id));
-- target
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, z INT, KEY pid (pid), CONSTRAINT c_ibfk_1 FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, pid INT, z INT, KEY pid (pid), CONSTRAINT d_ibfk_1 FOREIGN KEY (pid) REFERENCES p (id));
-- upstream
ALTER TABLE c ADD KEY pid (pid, id);
ALTER TABLE d ADD UNIQUE KEY (pid), ADD n INT;
INSERT INTO d VALUES (1, NULL, 9, 9);
ALTER TABLE d DROP FOREIGN KEY d_ibfk_1, DROP KEY pid;
ALTER TABLE c DROP FOREIGN KEY c_ibfk_1, DROP KEY pid;
-- case: a new key is over the columns of one that was made for a foreign key of a table that was there
-- before
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, pid INT, CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE e (id INT PRIMARY KEY, pid INT, KEY pid (pid), FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE f (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE g (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id));
-- target
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, KEY pid (pid), CONSTRAINT c_ibfk_1 FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, pid INT, KEY fk (pid), CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE e (id INT PRIMARY KEY, pid INT, KEY pid (pid), CONSTRAINT e_ibfk_1 FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE f (id INT PRIMARY KEY, pid INT, KEY pid (pid), CONSTRAINT f_ibfk_1 FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE g (id INT PRIMARY KEY, pid INT, KEY pid (pid), CONSTRAINT g_ibfk_1 FOREIGN KEY (pid) REFERENCES p (id));
-- upstream
ALTER TABLE c ADD INDEX (pid);
CREATE INDEX fk ON d (pid);
ALTER TABLE e ADD INDEX (pid);
ALTER TABLE f ADD INDEX (id), ADD INDEX (pid), ADD INDEX (pid, id);
ALTER TABLE g ADD y INT, ADD INDEX pid (pid);
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1);
ALTER TABLE c ADD INDEX o (pid, id);
ALTER TABLE d ADD INDEX o (pid, id);

-- case: foreign keys are counted on and dropped where the target lacks the first, whose parent is left out
-- values only: c_ibfk_1 of $OUT
-- before
CREATE DATABASE $OUT;
CREATE TABLE $OUT.p (id INT PRIMARY KEY);
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, z INT, FOREIGN KEY (pid) REFERENCES $OUT.p (id));
CREATE TABLE d (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES $OUT.p (id));
-- target
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, z INT, KEY pid (pid));
CREATE TABLE d (id INT PRIMARY KEY, pid INT, KEY pid (pid));
-- upstream
ALTER TABLE c ADD FOREIGN KEY (z) REFERENCES p (id);
ALTER TABLE c DROP FOREIGN KEY c_ibfk_1;
ALTER TABLE c DROP FOREIGN KEY c_ibfk_2;
ALTER TABLE d DROP FOREIGN KEY d_ibfk_1, ADD n INT;
INSERT INTO d VALUES (1, NULL, 2);

-- case: a new key is over the columns of one that was made for a foreign key
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, pid INT);
CREATE TABLE e (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id));
CREATE INDEX pid ON c (pid);
ALTER TABLE d ADD CONSTRAINT fkn FOREIGN KEY (pid) REFERENCES p (id);
CREATE INDEX fkn ON d (pid);
ALTER TABLE e ADD x INT, ADD INDEX (pid);
ALTER TABLE c ADD INDEX o (pid, id);
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1);
INSERT INTO e VALUES (1, 1, 1);

-- case: a key that loses a column takes the place of one that was made for a foreign key
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, pid INT, n INT, KEY apn (a, pid, n), FOREIGN KEY (pid) REFERENCES p (id));
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 1, 1, 1);
ALTER TABLE c DROP COLUMN a;
INSERT INTO c VALUES (2, 2, 2);
ALTER TABLE c ADD KEY pid (n);
-- case: a key that loses a column takes the place of one that was made for a foreign key of a table that was there
-- before
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, pid INT, KEY ap (a, pid), CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, a INT, pid INT, KEY ap (a, pid), KEY fk2 (pid), CONSTRAINT fk2 FOREIGN KEY (pid) REFERENCES p (id));
-- target
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, pid INT, KEY ap (a, pid), KEY fk (pid), CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, a INT, pid INT, KEY ap (a, pid), KEY fk2 (pid), CONSTRAINT fk2 FOREIGN KEY (pid) REFERENCES p (id));
-- upstream
ALTER TABLE c DROP COLUMN a;
ALTER TABLE d DROP COLUMN a;
ALTER TABLE d DROP KEY fk2;
-- case: a key that a server made, and that loses a column, gives way to one that was there
CREATE TABLE p (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY (a, b));
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, z INT, CONSTRAINT fk FOREIGN KEY (a, b) REFERENCES p (a, b));
ALTER TABLE c ADD KEY az (a, z);
ALTER TABLE c DROP FOREIGN KEY fk;
ALTER TABLE c DROP COLUMN b;
INSERT INTO c VALUES (1, 2, 3);
-- case: the key of a foreign key goes for another one in the same statement
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT, z INT, KEY kp (pid), CONSTRAINT f FOREIGN KEY (pid) REFERENCES p (id));
ALTER TABLE c DROP KEY kp, ADD UNIQUE KEY kp (pid);
ALTER TABLE c DROP KEY kp, ADD KEY kpz (pid, z);
ALTER TABLE c DROP KEY kpz, ADD KEY kpz (pid, id), ADD n INT, RENAME TO d;
INSERT INTO p VALUES (1);
INSERT INTO d VALUES (1, 1, 1, 1), (2, 1, 1, 1);
-- both
INSERT INTO d VALUES (3, 9, 1, 1);
-- case: a foreign key is made anew over a key of its own
CREATE TABLE u (id INT PRIMARY KEY);
CREATE TABLE p (id INT PRIMARY KEY, user_id INT);
ALTER TABLE p ADD CONSTRAINT p_user_id_foreign FOREIGN KEY (user_id) REFERENCES u (id);
ALTER TABLE p DROP FOREIGN KEY p_user_id_foreign;
ALTER TABLE p ADD CONSTRAINT p_user_id_foreign FOREIGN KEY (user_id) REFERENCES u (id);
ALTER TABLE p ADD INDEX p_user_id_index (user_id);
ALTER TABLE p DROP FOREIGN KEY p_user_id_foreign, ADD CONSTRAINT p_author_foreign FOREIGN KEY (user_id) REFERENCES u (id), MODIFY user_id INT NOT NULL;
ALTER TABLE p DROP FOREIGN KEY p_author_foreign;
ALTER TABLE p DROP INDEX p_user_id_index;
-- case: a session's default engine has no foreign keys
CREATE TABLE p (id INT PRIMARY KEY);
SET default_storage_engine = MyISAM;
CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE d (id INT PRIMARY KEY, a INT);
ALTER TABLE d ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id);
CREATE TABLE e LIKE c;
ALTER TABLE e ADD FOREIGN KEY (a) REFERENCES p (id), ADD n INT;
INSERT INTO c VALUES (1, 99);
SET default_storage_engine = InnoDB;
CREATE TABLE g (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id)) ENGINE = 'myisam';
CREATE TABLE h (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id)) ENGINE InnoBase;
INSERT INTO d VALUES (2, 98);
INSERT INTO e (id, a) VALUES (2, 98);
INSERT INTO g VALUES (2, 98);
-- both
INSERT INTO h VALUES (2, 98);
-- case: a table of another engine gets foreign keys with InnoDB
SET default_storage_engine = MyISAM;
CREATE TABLE p (id INT PRIMARY KEY) ENGINE = InnoDB;
CREATE TABLE c (id INT PRIMARY KEY, a INT, KEY (a));
SET default_storage_engine = InnoDB;
ALTER TABLE c ENGINE = InnoDB, ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id);
-- both
INSERT INTO c VALUES (1, 98);
-- case: the engine that MariaDB sets for one statement has no foreign keys
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
SET STATEMENT default_storage_engine = Aria FOR CREATE TABLE c (id INT PRIMARY KEY, a INT REFERENCES p (id));
INSERT INTO c VALUES (1, 98);
-- case: a table with foreign keys is copied and renamed by one statement
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT, CONSTRAINT tp FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE t MODIFY id BIGINT, RENAME TO u;
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, KEY (b), CONSTRAINT q FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE c ADD CONSTRAINT r FOREIGN KEY (b) REFERENCES p (id), RENAME TO d;
CREATE TABLE e (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE e ADD n INT, RENAME TO f;
ALTER TABLE f DROP FOREIGN KEY f_ibfk_1;
-- case: columns of foreign keys are renamed with their table
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE c (a INT PRIMARY KEY, b INT, CONSTRAINT zz FOREIGN KEY (b) REFERENCES p (id));
INSERT INTO c VALUES (1, 1);
ALTER TABLE c CHANGE b bb INT, RENAME TO c2;
CREATE TABLE d (a INT PRIMARY KEY, b INT, CONSTRAINT yy FOREIGN KEY (b) REFERENCES p (id));
ALTER TABLE d RENAME COLUMN b TO bb, RENAME TO d2;
CREATE TABLE n (id INT PRIMARY KEY, up INT, CONSTRAINT xx FOREIGN KEY (up) REFERENCES n (id));
INSERT INTO n VALUES (1, NULL), (2, 1);
ALTER TABLE n CHANGE up parent INT, RENAME TO n2;
-- case: a foreign key that acts, of a column that is renamed with the table
-- only: mariadb
-- to: mariadb tidb
CREATE TABLE n (id INT PRIMARY KEY, up INT, CONSTRAINT xx FOREIGN KEY (up) REFERENCES n (id) ON DELETE CASCADE);
INSERT INTO n VALUES (1, NULL), (2, 1), (3, 2);
CREATE TABLE c (a INT PRIMARY KEY, b INT, CONSTRAINT zz FOREIGN KEY (b) REFERENCES n (id) ON DELETE CASCADE);
INSERT INTO c VALUES (1, 3);
ALTER TABLE n CHANGE up parent INT, RENAME TO n2;
ALTER TABLE c RENAME COLUMN b TO bb, RENAME TO c2;
-- case: a session copies a table with foreign keys that it renames
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT, CONSTRAINT tp FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
INSERT INTO p VALUES (1), (2);
INSERT INTO t VALUES (1, 1), (2, 2);
SET alter_algorithm = copy;
ALTER TABLE t ADD n INT, RENAME TO u;
DELETE FROM p;
-- pauses: 36297 … or MariaDB has lost it here
-- operator: replace ALTER TABLE $DB.t ADD n INT, DROP FOREIGN KEY tp, RENAME TO $DB.u
-- case: MariaDB copies a renamed table for other reasons
-- only: mariadb
-- to: mariadb mysql
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, CONSTRAINT c1 FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE c RENAME TO c2, DROP COLUMN id, ADD KEY (a);
CREATE TABLE d (id INT PRIMARY KEY, a INT, CONSTRAINT d1 FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE d RENAME TO d2, ADD CHECK (id > 0);
CREATE TABLE e (id INT PRIMARY KEY, a INT, b TEXT, CONSTRAINT e1 FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE e ADD n INT, RENAME TO e2;
-- case: MariaDB keeps a foreign key of a table with a key by hash that DROP CONSTRAINT names
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY (b) USING HASH, CONSTRAINT c1 FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1, 1);
ALTER TABLE c DROP CONSTRAINT c1;
INSERT INTO c VALUES (2, 1, 2);
-- case: foreign keys stay at the old name of a table that MariaDB copies
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY, v INT);
CREATE TABLE c (id INT PRIMARY KEY, a INT, CONSTRAINT c1 FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE p RENAME TO p2, ADD w INT;
ALTER TABLE p2 RENAME TO p, ADD CHECK (v > 0);
-- pauses: 36316 … `c`.`c1` still refer to
-- case: a foreign key that MariaDB added to a table that it renamed is dropped
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, KEY (b), FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE c ADD FOREIGN KEY (b) REFERENCES p (id), RENAME TO d;
ALTER TABLE d ADD FOREIGN KEY (a) REFERENCES p (id);
ALTER TABLE d DROP FOREIGN KEY d_ibfk_2;
-- case: a foreign key of MariaDB takes the name that is said for its key
-- only: mariadb
-- to: mysql tidb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, FOREIGN KEY ix (a) REFERENCES p (id));
ALTER TABLE c ADD FOREIGN KEY iy (b) REFERENCES p (id) ON DELETE CASCADE;
ALTER TABLE c DROP FOREIGN KEY ix, ADD d INT, ADD FOREIGN KEY iz (d) REFERENCES p (id);
-- case: conditions of foreign keys look at the table before the statement
-- only: mariadb
-- to: tidb mysql mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, CONSTRAINT f FOREIGN KEY (v) REFERENCES p (id));
ALTER TABLE t DROP FOREIGN KEY f, ADD CONSTRAINT f FOREIGN KEY IF NOT EXISTS f (w) REFERENCES p (id);
CREATE TABLE u (id INT PRIMARY KEY, v INT, w INT);
ALTER TABLE u ADD CONSTRAINT g FOREIGN KEY IF NOT EXISTS (v) REFERENCES p (id), ADD CONSTRAINT g FOREIGN KEY IF NOT EXISTS (w) REFERENCES p (id);
ALTER TABLE u ADD CONSTRAINT h FOREIGN KEY (w) REFERENCES p (id), DROP FOREIGN KEY IF EXISTS h;
ALTER TABLE u DROP CONSTRAINT IF EXISTS h, DROP FOREIGN KEY IF EXISTS h, ADD COLUMN x INT;
ALTER TABLE u ADD CONSTRAINT other FOREIGN KEY IF NOT EXISTS g (w) REFERENCES p (id), ADD COLUMN y INT;
CREATE TABLE q (id INT PRIMARY KEY, v INT, w INT, CONSTRAINT w FOREIGN KEY (v) REFERENCES p (id));
ALTER TABLE q ADD FOREIGN KEY IF NOT EXISTS (w) REFERENCES p (id), ADD COLUMN x INT;
-- case: a foreign key behind a column comes whether the column is there or not
-- only: mariadb
-- to: tidb mysql mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, v INT);
ALTER TABLE t ADD COLUMN IF NOT EXISTS v INT REFERENCES p (id);
ALTER TABLE t ADD COLUMN IF NOT EXISTS w INT REFERENCES p (id) ON DELETE CASCADE;
-- case: foreign keys follow a column that their parent gives another name
CREATE TABLE p (id INT PRIMARY KEY, c INT UNIQUE, v INT);
CREATE TABLE t (id INT PRIMARY KEY, p INT, q INT, up INT, CONSTRAINT f1 FOREIGN KEY (p) REFERENCES p (id), CONSTRAINT f2 FOREIGN KEY (q) REFERENCES p (c) ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT f3 FOREIGN KEY (up) REFERENCES t (id));
INSERT INTO p VALUES (1, 2, 3);
INSERT INTO t VALUES (1, 1, 2, NULL), (2, 1, NULL, 1);
ALTER TABLE p RENAME COLUMN c TO cc;
ALTER TABLE p CHANGE cc ccc INT NULL;
ALTER TABLE t ADD COLUMN n INT DEFAULT 5;
RENAME TABLE p TO p2, t TO t2;
ALTER TABLE t2 ADD COLUMN m INT DEFAULT 6, DROP COLUMN n;
INSERT INTO t2 VALUES (3, 1, 2, 2, 7);
-- case: foreign keys follow a parent that other clauses of its ALTER change, too
-- only: mysql
CREATE TABLE p (id INT PRIMARY KEY, a INT);
CREATE TABLE t (id INT PRIMARY KEY, m INT, CONSTRAINT f FOREIGN KEY (m) REFERENCES p (id));
INSERT INTO p VALUES (1, 2);
INSERT INTO t VALUES (1, 1);
ALTER TABLE p CHANGE a aa BIGINT UNSIGNED, ADD COLUMN b INT, RENAME TO p3;
ALTER TABLE t ADD COLUMN n INT;
INSERT INTO t VALUES (2, 1, 3);
-- case: the columns of the parent are left out
-- only: mysql
-- to: mariadb mysql tidb
CREATE TABLE p (id INT PRIMARY KEY, v INT UNIQUE);
CREATE TABLE pp (b INT, a INT, PRIMARY KEY (b, a));
CREATE TABLE c1 (id INT PRIMARY KEY, x INT REFERENCES p);
CREATE TABLE c2 (id INT PRIMARY KEY, x INT, y INT, FOREIGN KEY (x) REFERENCES p ON DELETE CASCADE, CONSTRAINT two FOREIGN KEY (x, y) REFERENCES pp ON UPDATE SET NULL);
CREATE TABLE c3 (id INT PRIMARY KEY, up INT REFERENCES c3);
CREATE TABLE c4 (id INT PRIMARY KEY);
ALTER TABLE c4 ADD x INT REFERENCES p, ADD y INT;
ALTER TABLE c4 ADD CONSTRAINT k FOREIGN KEY (y) REFERENCES p ON DELETE SET NULL;
INSERT INTO p VALUES (1, 1);
INSERT INTO c4 VALUES (1, 1, 1);
RENAME TABLE p TO p2;
INSERT INTO c1 VALUES (1, 1);
-- case: the columns of the parent are left out in MariaDB
-- only: mariadb
-- to: mariadb mysql tidb
CREATE TABLE p (id INT PRIMARY KEY, v INT, UNIQUE (v));
CREATE TABLE c1 (id INT PRIMARY KEY, v INT REFERENCES p);
CREATE TABLE c2 (id INT PRIMARY KEY, v INT, FOREIGN KEY (v) REFERENCES p, FOREIGN KEY (id) REFERENCES p);
INSERT INTO p VALUES (1, 1);
INSERT INTO c2 VALUES (1, 1);
-- case: a column that refers to itself in MariaDB
-- only: mariadb
-- to: mariadb
CREATE TABLE c3 (id INT PRIMARY KEY, up INT REFERENCES c3);
INSERT INTO c3 VALUES (1, NULL);
-- case: a foreign key is made anew with another rule
-- to: tidb mariadb mysql
CREATE TABLE fq (id INT PRIMARY KEY);
CREATE TABLE fe (id INT PRIMARY KEY, p INT, q INT, CONSTRAINT f1e FOREIGN KEY (p) REFERENCES fq (id), KEY (q));
CREATE TABLE fd (id INT PRIMARY KEY, p INT, FOREIGN KEY f1 (p) REFERENCES fq (id));
INSERT INTO fq VALUES (1);
ALTER TABLE fe DROP FOREIGN KEY f1e, ADD FOREIGN KEY (p) REFERENCES fq (id) ON UPDATE CASCADE;
INSERT INTO fe VALUES (1, 1, 1);
ALTER TABLE fe DROP FOREIGN KEY fe_ibfk_1, ADD CONSTRAINT again FOREIGN KEY (p) REFERENCES fq (id), ADD x INT;
-- case: a table whose DROP CONSTRAINT beside other clauses is in doubt has another name by the time that it is read
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
CREATE TABLE q (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 1), (2, 2);
RENAME TABLE q TO _q_old;
-- pauses: 36286 … no shadow
-- operator: replace DROP TABLE $DB.q
-- upstream
DROP TABLE _q_old;
ALTER TABLE c DROP CONSTRAINT f, MODIFY id BIGINT;
RENAME TABLE c TO c2;
CREATE TABLE c (id INT PRIMARY KEY, b INT);
INSERT INTO c2 VALUES (3, 2);
-- pauses: 36289 … keeps a foreign key
-- operator: replace ALTER TABLE $DB.c MODIFY id BIGINT
-- case: a session's engine of a table whose name another one has by the time that it is read
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE q (id INT PRIMARY KEY);
RENAME TABLE q TO _q_old;
-- pauses: 36286 … no shadow
-- operator: replace DROP TABLE $DB.q
-- upstream
DROP TABLE _q_old;
CREATE TABLE c (id INT PRIMARY KEY, a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE c TO c2;
SET default_storage_engine = MyISAM;
CREATE TABLE c (id INT PRIMARY KEY);
INSERT INTO p VALUES (1);
INSERT INTO c2 VALUES (1, 1);
-- both
-- case: the parent of a foreign key that DROP CONSTRAINT kept is renamed later
-- only: mariadb
-- to: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE t MODIFY id BIGINT, DROP CONSTRAINT f;
RENAME TABLE p TO q;
-- pauses: 36289 … keeps a foreign key
-- case: what a foreign key of a renamed table refers to is renamed later
-- only: mariadb
-- to: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE t CHANGE a aa INT, RENAME TO u;
RENAME TABLE p TO q;
-- pauses: 36194 … or has other ones now
-- case: foreign keys follow a table into another database, which TiDB does for another name alone
-- to: tidb
CREATE DATABASE $DB_x;
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
RENAME TABLE p TO $DB_x.q;
RENAME TABLE $DB_x.q TO p;
RENAME TABLE p TO $DB_x.p;
-- pauses: 36302 … would leave the foreign keys of
-- case: an ALTER takes a table with a foreign key to itself into another database
-- to: tidb
CREATE DATABASE $DB_x;
CREATE TABLE p (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
ALTER TABLE p RENAME TO $DB_x.p;
-- pauses: 36302 … would leave the foreign keys of
-- case: foreign keys follow a table into another database of other targets
-- to: mariadb mysql
CREATE DATABASE $DB_x;
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
RENAME TABLE p TO $DB_x.p;
ALTER TABLE c RENAME TO $DB_x.c;
-- case: foreign keys of other tables follow those that exchange their names
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, FOREIGN KEY (a) REFERENCES a (id), FOREIGN KEY (b) REFERENCES b (id));
RENAME TABLE a TO tmp, b TO a, tmp TO b;
-- case: the engine that a session enforces decides about foreign keys
-- only: mariadb
SET sql_mode = 'STRICT_TRANS_TABLES', enforce_storage_engine = 'InnoDB';
CREATE TABLE p (id INT PRIMARY KEY) ENGINE=MyISAM;
CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id)) ENGINE=MyISAM;
ALTER TABLE c ENGINE=Aria, ADD b INT;
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1, 2);
-- both
INSERT INTO c VALUES (3, 9, 9);
-- case: a session enforces an engine without foreign keys
-- only: mariadb
SET sql_mode = 'STRICT_TRANS_TABLES', enforce_storage_engine = 'MyISAM';
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id)) ENGINE=InnoDB;
-- pauses: 36303 … with foreign keys and ENGINE=INNODB
-- case: an engine that the upstream lacks is the usual one
SET sql_mode = 'STRICT_TRANS_TABLES';
CREATE TABLE p (id INT PRIMARY KEY) ENGINE=FEDERATED;
CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id)) ENGINE=FEDERATED;
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1);
-- both
INSERT INTO c VALUES (3, 9);
-- case: a table keeps its rows where the upstream lacks the engine that holds none
-- only: mariadb
SET sql_mode = 'STRICT_TRANS_TABLES';
CREATE TABLE p (id INT PRIMARY KEY) ENGINE=BLACKHOLE;
CREATE TABLE q (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
INSERT INTO q VALUES (1), (2);
ALTER TABLE q ENGINE=BLACKHOLE, ADD a INT;
INSERT INTO q VALUES (3, 3);
