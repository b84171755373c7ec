-- case: add columns in places
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t ADD COLUMN b INT;
ALTER TABLE t ADD c VARCHAR(10) NOT NULL DEFAULT 'c' FIRST, ADD d INT AFTER id;
ALTER TABLE t ADD COLUMN (e INT, f TEXT);
INSERT INTO t (id, b, d, e, f) VALUES (2, 2, 2, 2, 'f');
UPDATE t SET c = CONCAT(c, id), e = id;
-- case: add a column and its values
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1), (2);
ALTER TABLE t ADD COLUMN n INT NOT NULL, ADD COLUMN s VARCHAR(5) NOT NULL, ADD COLUMN d DATE, ADD COLUMN e ENUM('x', 'y') NOT NULL;
INSERT INTO t VALUES (3, 3, 'three', '2020-01-01', 'y');
UPDATE t SET n = n + 1;
-- case: drop columns
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, d INT, KEY (b));
INSERT INTO t VALUES (1, 1, 1, 1, 1);
ALTER TABLE t DROP COLUMN a;
INSERT INTO t VALUES (2, 2, 2, 2);
ALTER TABLE t DROP c, DROP COLUMN d;
INSERT INTO t VALUES (3, 3);
UPDATE t SET b = b * 2;
-- case: drop a column with its index
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY ka (a));
INSERT INTO t VALUES (1, 1, 1);
ALTER TABLE t DROP COLUMN a;
INSERT INTO t VALUES (2, 2);
-- case: drop a column of two indexes
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY kab (a, b), KEY kba (b, a));
INSERT INTO t VALUES (1, 1, 1);
ALTER TABLE t DROP COLUMN a;
INSERT INTO t VALUES (2, 2);
-- case: rename columns
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY (a));
INSERT INTO t VALUES (1, 1, 10);
ALTER TABLE t RENAME COLUMN a TO c;
INSERT INTO t (id, c) VALUES (2, 2);
ALTER TABLE t RENAME COLUMN b TO a, RENAME COLUMN id TO `key`;
INSERT INTO t (`key`, a, c) VALUES (3, 30, 3);
UPDATE t SET a = c;
-- case: columns swap their names
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
INSERT INTO t VALUES (1, 1, 10);
ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a;
INSERT INTO t (id, a, b) VALUES (2, 20, 2);
UPDATE t SET a = a + 1;
-- case: modify and change
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), c INT);
INSERT INTO t VALUES (1, 1, 'x', 1);
ALTER TABLE t MODIFY a BIGINT UNSIGNED NOT NULL DEFAULT 7;
ALTER TABLE t CHANGE b bb VARCHAR(200) NOT NULL COMMENT 'it''s "b"';
ALTER TABLE t CHANGE COLUMN c c SMALLINT FIRST;
ALTER TABLE t MODIFY COLUMN bb VARCHAR(200) AFTER id;
INSERT INTO t (id, bb) VALUES (2, 'y');
UPDATE t SET a = a + 5;
-- case: change the type of values
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20), c DECIMAL(10,4), d DATETIME);
INSERT INTO t VALUES (1, 5, '12', 1.2345, '2020-01-01 12:34:56'), (2, -1, '-3', 9.9999, NULL);
ALTER TABLE t MODIFY a VARCHAR(10);
ALTER TABLE t MODIFY b INT;
ALTER TABLE t MODIFY c DECIMAL(8,2);
ALTER TABLE t MODIFY d DATE;
INSERT INTO t VALUES (3, 'three', 3, 3.33, '2020-03-03');
UPDATE t SET b = b + 1;
-- case: several changes in one statement
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY kb (b));
INSERT INTO t VALUES (1, 1, 1, 1);
ALTER TABLE t ADD d INT DEFAULT 4 AFTER a, DROP COLUMN c, MODIFY a BIGINT, DROP KEY kb, ADD KEY kd (d, bb), CHANGE b bb VARCHAR(5) FIRST;
INSERT INTO t VALUES ('x', 2, 2, 2);
UPDATE t SET a = a + 1;
-- case: several changes that TiDB takes
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY kb (b));
INSERT INTO t VALUES (1, 1, 1, 1);
ALTER TABLE t ADD d INT DEFAULT 4 AFTER a, DROP COLUMN c, MODIFY a BIGINT, ADD UNIQUE KEY ub (b);
INSERT INTO t VALUES (2, 2, 2, 2);
ALTER TABLE t DROP KEY kb, ADD KEY kd (d), RENAME KEY ub TO u2, COMMENT = 'now';
UPDATE t SET a = a + 1;
-- case: a new column is indexed at once
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1), (2);
ALTER TABLE t ADD COLUMN a INT, ADD INDEX ka (a), ADD COLUMN b INT AFTER a, ADD UNIQUE KEY (b, a);
INSERT INTO t VALUES (3, 3, 3);
-- case: a new column is defined once more in its statement
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t ADD COLUMN b INT NOT NULL DEFAULT 7 AFTER id, MODIFY COLUMN b INT NOT NULL DEFAULT 8;
INSERT INTO t VALUES (2, 20, 200);
ALTER TABLE t ADD COLUMN c INT DEFAULT 1, ADD COLUMN d VARCHAR(5), MODIFY c INT DEFAULT 2 FIRST, CHANGE D d VARCHAR(9) DEFAULT 'd', ADD KEY (c);
INSERT INTO t VALUES (3000, 3, 30, 300, 'ninechars');
UPDATE t SET a = a + 1 WHERE c = 2;
-- case: a column goes and comes again
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t DROP COLUMN a;
ALTER TABLE t ADD COLUMN a VARCHAR(5) DEFAULT 'new';
INSERT INTO t (id) VALUES (2);
ALTER TABLE t DROP COLUMN a, ADD COLUMN z INT;
INSERT INTO t VALUES (3, 3);
-- case: the case of names does not matter
CREATE TABLE t (Id INT PRIMARY KEY, SomeName INT);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t ADD COLUMN other INT AFTER SOMENAME;
ALTER TABLE t MODIFY somename BIGINT;
INSERT INTO t VALUES (2, 2, 2);
ALTER TABLE t DROP COLUMN OTHER;
UPDATE t SET SOMENAME = 3;
-- case: if exists and if not exists
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT;
ALTER TABLE t ADD COLUMN IF NOT EXISTS b INT DEFAULT 2;
ALTER TABLE t DROP COLUMN IF EXISTS nothing;
ALTER TABLE t DROP COLUMN IF EXISTS a;
INSERT INTO t VALUES (2, 3);
-- case: defaults are set and dropped
CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, b VARCHAR(5) DEFAULT 'x', c INT DEFAULT 1);
ALTER TABLE t ALTER a SET DEFAULT 5, ALTER COLUMN c SET DEFAULT NULL;
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ALTER b SET DEFAULT 'it''s';
INSERT INTO t (id) VALUES (2);
-- case: autoincrement on an existing column
CREATE TABLE t (id INT NOT NULL, a INT, KEY (id));
INSERT INTO t VALUES (1, 1), (5, 5);
ALTER TABLE t ADD COLUMN b INT;
INSERT INTO t VALUES (7, 7, 7);
-- case: an autoincrement primary key
CREATE TABLE t (id INT UNSIGNED NOT NULL AUTO_INCREMENT, a INT, PRIMARY KEY (id)) AUTO_INCREMENT = 100;
INSERT INTO t (a) VALUES (1), (2);
ALTER TABLE t MODIFY id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT;
ALTER TABLE t AUTO_INCREMENT = 1000;
INSERT INTO t (a) VALUES (3);
-- case: generated columns are added
CREATE TABLE t (id INT PRIMARY KEY, a INT, d JSON);
INSERT INTO t VALUES (1, 1, '{"k": 5}');
ALTER TABLE t ADD COLUMN twice INT GENERATED ALWAYS AS (a * 2) VIRTUAL;
ALTER TABLE t ADD COLUMN k INT AS (JSON_UNQUOTE(JSON_EXTRACT(d, '$.k'))) VIRTUAL AFTER id;
INSERT INTO t (id, a, d) VALUES (2, 2, '{"k": 6}');
ALTER TABLE t DROP COLUMN twice;
UPDATE t SET a = 9, d = '{"k": 7}';
-- case: enums grow
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', 'b') NOT NULL, s SET('x', 'y'));
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'x,y');
ALTER TABLE t MODIFY e ENUM('a', 'b', 'c', 'd''e') NOT NULL DEFAULT 'c';
ALTER TABLE t MODIFY s SET('x', 'y', 'z');
INSERT INTO t VALUES (3, 'd''e', 'z,x');
INSERT INTO t (id) VALUES (4);
-- case: comments with quotes
CREATE TABLE t (id INT PRIMARY KEY COMMENT 'it''s "the" `key` \\ ; -- #', a INT COMMENT "double ""quotes"" and 'single'") COMMENT = 'a; b\'s';
ALTER TABLE t ADD COLUMN b INT COMMENT '/* no comment */ ''; DROP TABLE t; --';
ALTER TABLE t MODIFY a INT COMMENT '漢字';
INSERT INTO t VALUES (1, 1, 1);
-- case: comments in statements
/* leading */ CREATE TABLE t ( -- one
  id INT PRIMARY KEY, # two
  a INT /* three */ DEFAULT 5 -- four
) /*!50100 COMMENT 'executable' */;
ALTER /* inside */ TABLE t # hash
  ADD COLUMN b INT -- dashes
  , ADD COLUMN c INT;
INSERT INTO t (id, b) VALUES (1, 1);
-- case: executable comments
CREATE TABLE t (id INT PRIMARY KEY, a INT /*!40000 NOT NULL DEFAULT 3 */) /*!50100 DEFAULT CHARSET=utf8mb4 */;
/*!40000 ALTER TABLE t DISABLE KEYS */;
INSERT INTO t (id) VALUES (1);
/*!40000 ALTER TABLE t ENABLE KEYS */;
/*!50003 ALTER TABLE t ADD COLUMN b INT */;
INSERT INTO t VALUES (2, 2, 2);
-- case: quotes by ANSI
SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES');
CREATE TABLE "t" ("id" INT PRIMARY KEY, "a b" VARCHAR(20) DEFAULT 'say "hi"');
ALTER TABLE "t" ADD COLUMN "c""d" INT;
INSERT INTO "t" ("id", "c""d") VALUES (1, 1);
-- case: backslashes that escape nothing
SET sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES');
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT 'c:\dir\', b VARCHAR(9) COMMENT '\n');
INSERT INTO t (id, b) VALUES (1, '\');
-- case: odd names of columns
CREATE TABLE t (`id` INT PRIMARY KEY, `a b` INT, `c.d` INT, `e``f` INT, `größe` INT, `select` INT, `1st` INT, `日本` INT, `a'b"c` INT, `percent%s` INT);
INSERT INTO t VALUES (1, 1, 1, 1, 1, 1, 1, 1, 1, 1), (2, 2, 2, 2, 2, 2, 2, 2, 2, 2);
UPDATE t SET `a b` = 5, `e``f` = 6, `percent%s` = 7, `a'b"c` = 8 WHERE id = 1;
ALTER TABLE t DROP COLUMN `c.d`, CHANGE `größe` `Größe 2` BIGINT;
DELETE FROM t WHERE `日本` = 2;
-- case: a period of seventeen changes
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD a1 INT;
INSERT INTO t VALUES (2, 2);
ALTER TABLE t ADD a2 INT FIRST;
INSERT INTO t VALUES (3, 3, 3);
ALTER TABLE t ADD a3 INT AFTER id;
INSERT INTO t VALUES (4, 4, 4, 4);
ALTER TABLE t DROP a1;
INSERT INTO t VALUES (5, 5, 5);
ALTER TABLE t CHANGE a3 a1 VARCHAR(5);
INSERT INTO t VALUES (6, 6, 'six');
-- case: a column comes before the invisible key that mysql makes
-- only: mysql
SET sql_generate_invisible_primary_key = ON;
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD c INT FIRST;
INSERT INTO t VALUES (7, 2);
-- case: a column like the invisible key comes before it
-- only: mysql
SET sql_generate_invisible_primary_key = ON;
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1), (1);
ALTER TABLE t ADD c BIGINT UNSIGNED FIRST;
INSERT INTO t VALUES (77, 2);
UPDATE t SET c = 55 WHERE a = 1;
-- case: a column like the invisible key comes before it and rows are only added
-- only: mysql
SET sql_generate_invisible_primary_key = ON;
CREATE TABLE t (a INT);
INSERT INTO t VALUES (1), (1);
ALTER TABLE t ADD c BIGINT UNSIGNED FIRST;
INSERT INTO t VALUES (77, 2);
-- case: columns move to the front, but for the invisible key that mysql makes
-- only: mysql
SET sql_generate_invisible_primary_key = ON;
CREATE TABLE t (a INT, b BIGINT UNSIGNED);
INSERT INTO t VALUES (1, 2);
SET sql_generate_invisible_primary_key = OFF;
ALTER TABLE t ADD c BIGINT UNSIGNED, MODIFY b BIGINT UNSIGNED FIRST, ADD d INT FIRST;
INSERT INTO t VALUES (3, 4, 5, 6);
ALTER TABLE t CHANGE COLUMN c e BIGINT UNSIGNED FIRST;
INSERT INTO t VALUES (7, 8, 9, 10);
ALTER TABLE t ALTER COLUMN my_row_id SET VISIBLE;
ALTER TABLE t ADD f BIGINT UNSIGNED FIRST;
INSERT INTO t VALUES (11, 12, 13, 14, 15, 16);
-- case: the key that mysql makes becomes visible, and stays in front of what comes first
-- only: mysql
SET sql_generate_invisible_primary_key = ON;
CREATE TABLE t (a INT, b BIGINT UNSIGNED);
INSERT INTO t VALUES (1, 2);
ALTER TABLE t ADD c INT FIRST, MODIFY b BIGINT FIRST, ALTER my_row_id SET VISIBLE;
INSERT INTO t VALUES (5, 3, 4, 5);
-- case: a new name is a name that another column gives up
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, g INT, h INT);
INSERT INTO t VALUES (1, 2, 3);
ALTER TABLE t RENAME COLUMN g TO tmp, RENAME COLUMN h TO g;
UPDATE t SET g = 12, tmp = 13;
-- case: a new name is that of a column which is dropped behind it
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
INSERT INTO t VALUES (1, 2, 3);
ALTER TABLE t CHANGE b a BIGINT, DROP a;
UPDATE t SET a = 12;
-- case: clauses in an order that only one statement can have
-- to: tidb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c VARCHAR(10), pid INT, KEY k (a), CONSTRAINT f FOREIGN KEY (pid) REFERENCES p (id));
INSERT INTO t VALUES (1, 2, 3, '4', NULL);
ALTER TABLE t ADD KEY k (d), ADD d INT DEFAULT 7, ADD a BIGINT DEFAULT 8, ADD e INT, DROP KEY k, DROP a;
ALTER TABLE t ADD UNIQUE KEY u (c), MODIFY c VARCHAR(20) COLLATE utf8mb4_bin, RENAME COLUMN b TO b2, ADD KEY b (b2);
ALTER TABLE t DROP pid, DROP KEY f, DROP FOREIGN KEY f;
UPDATE t SET a = 9, b2 = 10;
-- case: a column stops counting
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT);
INSERT INTO t (a) VALUES (1), (2);
ALTER TABLE t MODIFY id INT NOT NULL;
INSERT INTO t VALUES (10, 5);
-- case: a column stops counting beside other changes, and counts in another table
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT);
INSERT INTO t (a) VALUES (1), (2);
ALTER TABLE t CHANGE id n BIGINT NOT NULL, ADD b INT;
INSERT INTO t VALUES (10, 5, 6);
-- case: numbers in parentheses are defaults that TiDB has, too
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT (33), b DECIMAL(5,2) DEFAULT ( -1.50 ), c DOUBLE NOT NULL DEFAULT (2));
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD d BIGINT NOT NULL DEFAULT (7), ADD e FLOAT DEFAULT (+0.5);
INSERT INTO t (id) VALUES (2);
-- case: all columns of a table are replaced by one statement
CREATE TABLE t (a INT, b INT);
INSERT INTO t VALUES (1, 2);
ALTER TABLE t DROP a, DROP b, ADD c INT, ADD d INT DEFAULT 4;
INSERT INTO t VALUES (3, 4);
-- case: columns listed beside a key that the target lacks
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'x');
ALTER TABLE t ADD COLUMN (a INT DEFAULT 5, b INT, FULLTEXT KEY f (v));
INSERT INTO t VALUES (2, 'y', 6, 7);
-- case: columns listed beside a key over an expression
-- only: mysql
-- values only: MariaDB has no keys over expressions
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'x');
ALTER TABLE t ADD COLUMN (a INT DEFAULT 5, KEY f ((id * 2)), CHECK (a > 0), CONSTRAINT c CHECK (a > 1) NOT ENFORCED);
INSERT INTO t VALUES (2, 'y', 7);
ALTER TABLE t DROP CHECK t_chk_1, DROP CHECK c;
INSERT INTO t VALUES (3, 'z', -1);
-- case: columns listed with their keys
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD COLUMN (d INT, e INT, KEY (d), UNIQUE (e));
INSERT INTO t VALUES (2, 2, 2);
ALTER TABLE t DROP KEY d, DROP INDEX e, ADD (f INT, FOREIGN KEY (f) REFERENCES p (id), CHECK (f > 0));
INSERT INTO t VALUES (3, 2, 2, NULL);
ALTER TABLE t DROP FOREIGN KEY t_ibfk_1;
INSERT INTO t VALUES (4, 2, 2, 7);
-- case: columns listed, of which one is there
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT 1);
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD COLUMN IF NOT EXISTS (a BIGINT DEFAULT 9, b INT DEFAULT 3, KEY IF NOT EXISTS kb (b));
INSERT INTO t (id) VALUES (2);
-- case: columns listed, of which one is there, for MySQL
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT 1);
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD COLUMN IF NOT EXISTS (a BIGINT DEFAULT 9, b INT DEFAULT 3, KEY IF NOT EXISTS kb (b));
INSERT INTO t (id) VALUES (2);
-- case: column conditions look at the table before the statement
-- only: mariadb
-- to: tidb mysql mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT);
INSERT INTO t VALUES (1, 1, 2, 3);
ALTER TABLE t RENAME COLUMN a TO aa, ADD COLUMN IF NOT EXISTS a INT DEFAULT 7;
ALTER TABLE t DROP COLUMN b, ADD COLUMN IF NOT EXISTS b INT DEFAULT 9;
ALTER TABLE t CHANGE c cc BIGINT, ADD COLUMN IF NOT EXISTS c INT DEFAULT 8 AFTER id, DROP COLUMN IF EXISTS cc;
ALTER TABLE t ADD COLUMN a INT DEFAULT 4, ADD COLUMN IF NOT EXISTS a INT DEFAULT 5, MODIFY COLUMN IF EXISTS a BIGINT FIRST, DROP COLUMN IF EXISTS a;
ALTER TABLE t ADD COLUMN b INT, RENAME COLUMN IF EXISTS b TO c, CHANGE COLUMN IF EXISTS b d INT, ALTER COLUMN IF EXISTS b SET DEFAULT 8;
ALTER TABLE t DROP COLUMN b, DROP COLUMN IF EXISTS b;
ALTER TABLE t ADD COLUMN (p INT, q INT), ADD COLUMN IF NOT EXISTS (q INT DEFAULT 3, r INT DEFAULT 4);
ALTER TABLE t RENAME COLUMN IF EXISTS p TO q, RENAME COLUMN IF EXISTS q TO p, RENAME COLUMN IF EXISTS nothing TO r;
ALTER TABLE t ADD COLUMN IF NOT EXISTS p INT, ADD COLUMN IF NOT EXISTS p INT, ALGORITHM=COPY;
INSERT INTO t (id, p, q) VALUES (2, 5, 6);
-- case: keys behind columns have the condition of their column
-- only: mariadb
-- to: tidb mysql mariadb
CREATE TABLE t (id INT NOT NULL, a INT, b INT, c INT, KEY b (id));
INSERT INTO t VALUES (1, 1, 2, 3);
ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT UNIQUE, ADD COLUMN d INT;
ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT UNIQUE;
ALTER TABLE t ADD COLUMN IF NOT EXISTS b INT UNIQUE, ADD COLUMN e INT;
ALTER TABLE t MODIFY COLUMN IF EXISTS a BIGINT UNIQUE COMMENT 'unique', MODIFY COLUMN IF EXISTS c BIGINT UNIQUE;
ALTER TABLE t DROP INDEX a, ADD COLUMN IF NOT EXISTS a INT UNIQUE;
ALTER TABLE t ADD COLUMN z INT UNIQUE, ADD UNIQUE INDEX IF NOT EXISTS z (a);
INSERT INTO t (id, a) VALUES (2, 1);
-- case: a primary key behind a column has the condition of its column
-- only: mariadb
-- to: mysql mariadb
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 2);
ALTER TABLE t ADD COLUMN IF NOT EXISTS id INT PRIMARY KEY, ADD COLUMN w INT DEFAULT 3;
ALTER TABLE t ADD COLUMN IF NOT EXISTS n INT PRIMARY KEY, ADD PRIMARY KEY IF NOT EXISTS (v);
ALTER TABLE t DROP PRIMARY KEY, ADD COLUMN IF NOT EXISTS v INT PRIMARY KEY;
CREATE TABLE u (id INT NOT NULL, v INT);
INSERT INTO u VALUES (1, 2);
ALTER TABLE u ADD COLUMN IF NOT EXISTS id INT PRIMARY KEY, ADD COLUMN w INT DEFAULT 3;
-- case: periods come and go under a condition
-- only: mariadb
-- to: tidb mysql mariadb
-- values only: columns of a period may be NULL there
CREATE TABLE t (id INT PRIMARY KEY, s DATE, e DATE);
ALTER TABLE t ADD PERIOD IF NOT EXISTS FOR p (s, e), ADD COLUMN v INT;
ALTER TABLE t ADD PERIOD IF NOT EXISTS FOR p (s, e);
INSERT INTO t VALUES (1, '2020-01-01', '2020-02-01', 3);
ALTER TABLE t DROP PERIOD IF EXISTS FOR p, ADD COLUMN period INT;
ALTER TABLE t DROP PERIOD IF EXISTS FOR p;
ALTER TABLE t DROP COLUMN period;
INSERT INTO t VALUES (2, '2020-02-01', '2020-01-01', 3);
-- case: a condition behind a column that is changed
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
INSERT INTO t VALUES (1, 1, 2);
ALTER TABLE t MODIFY a BIGINT CHECK (a > 0);
ALTER TABLE t CHANGE b c BIGINT NOT NULL CHECK (c > 0 AND ',' <> '''') FIRST, ADD d INT CHECK (d <> 4);
INSERT INTO t (id, a, c) VALUES (2, 3, 4);
-- case: a condition behind a column that gets the name of another
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a BIGINT CHECK (a > 0), c INT, d INT);
INSERT INTO t VALUES (1, 1, 2, 3);
ALTER TABLE t RENAME COLUMN a TO c, CHANGE c a SMALLINT NOT NULL UNIQUE CHECK (a > 0) FIRST, ADD e INT AFTER d, MODIFY d BIGINT CHECK (d > 1) AFTER e;
INSERT INTO t (id, a, c) VALUES (2, 3, 4);
-- case: a named condition behind a column that is changed
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
INSERT INTO t VALUES (1, 1, 2);
ALTER TABLE t MODIFY a BIGINT CONSTRAINT above CHECK (a > 0) NOT ENFORCED, ADD c INT;
ALTER TABLE t DROP CONSTRAINT above;
INSERT INTO t VALUES (2, 3, 4, 5);
-- case: defaults that servers round or write in their own letters
CREATE TABLE t (id INT PRIMARY KEY, c INT DEFAULT 1.5);
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD COLUMN d INT DEFAULT -0.5, ADD COLUMN e ENUM('a','b') DEFAULT 'B';
INSERT INTO t (id) VALUES (2);
-- case: a column loses its CHECK
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT CHECK (a > 0), b VARCHAR(9) DEFAULT 'x', c INT, CONSTRAINT named CHECK (c > 0));
ALTER TABLE t MODIFY c BIGINT, MODIFY b VARCHAR(20) NOT NULL;
INSERT INTO t VALUES (1, 1, 'x', 1);
ALTER TABLE t MODIFY a BIGINT NOT NULL;
-- pauses: code=36254 … t_chk_1
-- target
ALTER TABLE t DROP CHECK t_chk_1;
-- upstream
INSERT INTO t VALUES (2, -1, 'x', 1);
-- case: values of a new column in a table whose key has a backtick in its name
-- values only: TiDB leaves defaults out that are expressions
CREATE TABLE t (`a``b` INT, c INT, PRIMARY KEY (`a``b`, c));
CREATE TABLE u (`a``b` INT PRIMARY KEY, c INT);
CREATE TABLE w (`a``b` INT, `c``` INT, PRIMARY KEY (`a``b`, `c```));
CREATE TABLE x (`a``b` INT, c INT, PRIMARY KEY (c, `a``b`));
INSERT INTO t VALUES (1, 1), (2, 2);
INSERT INTO u VALUES (1, 1), (2, 2);
INSERT INTO w VALUES (1, 1), (2, 2);
INSERT INTO x VALUES (1, 1), (2, 2);
ALTER TABLE t ADD g VARCHAR(20) DEFAULT (CONCAT('a', 'b'));
ALTER TABLE u ADD g VARCHAR(20) DEFAULT (CONCAT('a', 'b'));
ALTER TABLE w ADD g VARCHAR(20) DEFAULT (CONCAT('a', 'b'));
ALTER TABLE x ADD g VARCHAR(20) DEFAULT (CONCAT('a', 'b'));
-- case: NULLs of columns with a default become NOT NULL in MySQL
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT 5, v VARCHAR(9) DEFAULT 'dd', d DATETIME DEFAULT '2020-01-01', e DATE DEFAULT '2020-01-01');
CREATE TABLE u (id INT PRIMARY KEY, f DECIMAL(5,2) DEFAULT 1.5, s SET('a','b') DEFAULT 'b', y YEAR DEFAULT 2001, b BIT(4) DEFAULT b'11', x VARBINARY(5) DEFAULT 'q', g DOUBLE DEFAULT 1e3, c INT DEFAULT 3);
INSERT INTO t VALUES (1, NULL, NULL, NULL, NULL), (2, 1, 'x', '2021-01-01', '2021-01-01');
INSERT INTO u VALUES (1, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (2, 1, 'a', 2002, 1, 'w', 1, 1);
SET sql_mode = '';
ALTER TABLE t MODIFY a INT NOT NULL DEFAULT 7, MODIFY v VARCHAR(20) NOT NULL, MODIFY d DATETIME NOT NULL, CHANGE e f DATE NOT NULL DEFAULT '2020-01-01';
ALTER TABLE u MODIFY f DECIMAL(5,2) NOT NULL, MODIFY s SET('a','b') NOT NULL, MODIFY y YEAR NOT NULL, MODIFY b BIT(4) NOT NULL, MODIFY x VARBINARY(5) NOT NULL, MODIFY g DOUBLE NOT NULL, MODIFY c BIGINT NOT NULL;
-- case: NULLs of columns with a default become NOT NULL in MariaDB
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT 5, b INT DEFAULT 0, c INT, d INT DEFAULT 5, e VARCHAR(9) DEFAULT '', f DATETIME DEFAULT CURRENT_TIMESTAMP, g INT DEFAULT 5);
INSERT INTO t VALUES (1, 3, NULL, NULL, NULL, NULL, NULL, NULL);
SET sql_mode = '';
ALTER TABLE t MODIFY a INT NOT NULL, MODIFY b INT NOT NULL, MODIFY c INT NOT NULL DEFAULT 3, MODIFY d BIGINT NOT NULL, MODIFY e VARCHAR(9) NOT NULL, MODIFY f DATETIME NOT NULL;
ALTER TABLE t MODIFY g INT NOT NULL;
-- pauses: 36196 … the former default ('5') … WHERE `g` IS NULL
-- case: NULLs of columns with a default become NOT NULL in MariaDB, and in MariaDB
-- only: mariadb
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT 5, v ENUM('a', 'b') DEFAULT 'b');
INSERT INTO t VALUES (1, NULL, NULL);
SET sql_mode = '';
ALTER TABLE t MODIFY a INT NOT NULL, MODIFY v ENUM('a', 'b') NOT NULL;
-- case: NULLs of labels with a default become NOT NULL in MySQL
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v ENUM('a', 'b') DEFAULT 'b');
INSERT INTO t VALUES (1, NULL);
SET sql_mode = '';
ALTER TABLE t MODIFY v ENUM('a', 'b') NOT NULL;
-- pauses: 36196 … the former default ('b') … WHERE `v` IS NULL
-- case: a column that the statement moves has the default that another clause gives it, or none
-- only: mariadb
-- to: mysql tidb mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, e VARCHAR(10) DEFAULT 'x', d INT DEFAULT 5);
INSERT INTO t (id) VALUES (1);
ALTER TABLE t MODIFY e VARCHAR(20) DEFAULT '' AFTER id, ALTER e DROP DEFAULT;
INSERT INTO t (id, e) VALUES (2, 'y');
ALTER TABLE t ALTER d DROP DEFAULT, MODIFY d BIGINT DEFAULT 6 AFTER id, ADD b INT DEFAULT 3 UNIQUE, ALTER b DROP DEFAULT;
ALTER TABLE t MODIFY e VARCHAR(30) NOT NULL DEFAULT '' FIRST, ALTER e SET DEFAULT 'q', ALTER a SET DEFAULT 4;
INSERT INTO t (id, d, b) VALUES (3, 7, 8);
ALTER TABLE t ALTER f DROP DEFAULT, CHANGE e f VARCHAR(30) DEFAULT '' AFTER a;
ALTER TABLE t CHANGE a d INT DEFAULT 3 FIRST, CHANGE d a INT DEFAULT 4 AFTER b, ALTER d SET DEFAULT 9;
INSERT INTO t (id, b, f) VALUES (4, 9, 'z');
-- case: new columns of addresses whose defaults are written in other ways
-- only: mariadb
-- to: tidb mysql mariadb
-- values only: the others lack the types
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD u UUID DEFAULT 'AAAAAAAA-0000-1000-8000-00000000000A', ADD v UUID NOT NULL DEFAULT 'aaaaaaaa00001000800000000000000a', ADD i INET6 DEFAULT '1:0:0::1', ADD k INET6 DEFAULT '::FFFF:1.2.3.4', ADD l INET6 DEFAULT X'20010DB8000000000000000000000001';
INSERT INTO t (id) VALUES (2);
ALTER TABLE t ALTER u SET DEFAULT 'BBBBBBBB-0000-1000-8000-00000000000A', MODIFY i INET6 DEFAULT '2:0::1';
CREATE TABLE k (a INT, u UUID DEFAULT 'CCCCCCCC-0000-1000-8000-00000000000A');
INSERT INTO k (a) VALUES (1), (2);
-- both
INSERT INTO t (id) VALUES (3);
-- upstream
DELETE FROM t WHERE id = 1;
DELETE FROM k WHERE a = 1;
