-- case: settings before a DDL
-- only: mariadb
SET STATEMENT sort_buffer_size=100000 FOR CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 1);
SET STATEMENT lock_wait_timeout=5, sql_mode='' FOR ALTER TABLE t ADD w INT NOT NULL;
SET STATEMENT lock_wait_timeout=5 FOR SET STATEMENT sort_buffer_size=100000 FOR RENAME TABLE t TO t2;
SET STATEMENT sort_buffer_size=100000 FOR INSERT INTO t2 VALUES (2, 2, 2);
ANALYZE UPDATE t2 SET w = 5;
EXECUTE IMMEDIATE 'SET STATEMENT lock_wait_timeout=5 FOR CREATE TABLE e (id INT PRIMARY KEY)';
BEGIN NOT ATOMIC INSERT INTO e VALUES (1); SET STATEMENT lock_wait_timeout=5 FOR TRUNCATE t2; INSERT INTO e VALUES (2); END;
-- case: names in the brackets of the mode MSSQL
-- only: mariadb
SET sql_mode = 'MSSQL';
CREATE TABLE [u x] ([id] INT PRIMARY KEY, [select] VARCHAR(5) DEFAULT 'a', [a`b] INT, "q" INT);
INSERT INTO [u x] ([id]) VALUES (1);
ALTER TABLE [u x] RENAME COLUMN [q] TO [r], ADD [c[d] INT DEFAULT 3;
INSERT INTO [u x] ([id], [r]) VALUES (2, 2);
-- case: a settings sql_mode before a text with quotes
-- only: mariadb
SET STATEMENT sql_mode='ANSI_QUOTES' FOR CREATE TABLE t (id INT PRIMARY KEY, v CHAR(9) DEFAULT "x");
-- pauses: code=36067 … SET STATEMENT sql_mode stands before it
-- case: settings before rows as statements
-- only: mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- upstream
SET SESSION binlog_format = 'STATEMENT';
SET STATEMENT sort_buffer_size=100000 FOR UPDATE t SET a = 2;
-- pauses: code=36014 … UPDATE t SET a = 2
-- case: analyzed rows as statements
-- only: mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- upstream
SET SESSION binlog_format = 'STATEMENT';
ANALYZE FORMAT=JSON UPDATE t SET a = 2;
-- pauses: code=36014 … UPDATE t SET a = 2
-- case: rows as statements that leave the task's tables alone
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
CREATE DATABASE $OUT;
CREATE TABLE $OUT.n (id INT PRIMARY KEY, a INT);
CREATE TABLE $OUT.m LIKE $OUT.n;
SET SESSION binlog_format = 'STATEMENT';
INSERT INTO $OUT.n SELECT * FROM t;
UPDATE $OUT.n, $OUT.m SET $OUT.n.a = 2;
USE $OUT;
DELETE n FROM n JOIN m USING (id);
BEGIN;
INSERT INTO m VALUES (5, GREATEST(5, 6));
COMMIT;
USE $DB;
SET SESSION binlog_format = 'ROW';
INSERT INTO t VALUES (2, 2);
DROP DATABASE $OUT;
-- case: rows as statements with another default database
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
INSERT INTO $DB.t VALUES (1, 1);
-- pauses: code=36014 … it may change `$DB`.`t`
-- case: rows as statements of joined tables
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE $OUT.n (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
INSERT INTO $OUT.n VALUES (1, 1);
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
UPDATE n JOIN $DB.t ON n.id = t.id SET t.a = 2;
-- pauses: code=36014 … it may change `$DB`.`t`
-- case: rows as statements by a trigger that has been dropped since
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE DATABASE $OUT;
CREATE TABLE $OUT.n (id INT PRIMARY KEY);
CREATE TRIGGER $OUT.tr BEFORE INSERT ON $OUT.n FOR EACH ROW INSERT INTO $DB.t VALUES (NEW.id, 1);
USE $OUT;
SET binlog_format = STATEMENT;
INSERT INTO $OUT.n VALUES (1);
DROP TRIGGER $OUT.tr;
-- pauses: code=36014 … it used the database `$DB`
-- case: rows as statements by a trigger
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE $OUT.n (id INT PRIMARY KEY, a INT);
SET GLOBAL log_bin_trust_function_creators = 1;
CREATE TRIGGER $OUT.tr BEFORE INSERT ON $OUT.n FOR EACH ROW INSERT INTO $DB.t VALUES (NEW.id, 1);
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
INSERT INTO n VALUES (1, 1);
-- pauses: code=36014 … it may change more than its text says, by the trigger
-- case: rows as statements by a function
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE $OUT.n (id INT PRIMARY KEY, a INT);
SET GLOBAL log_bin_trust_function_creators = 1;
CREATE FUNCTION f() RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO t VALUES (1, 1); RETURN 1; END;
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
DO $DB.f();
-- pauses: code=36014 … what it has changed is not in its text
-- case: rows as statements through a MERGE table
-- only: mariadb
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT) ENGINE=MyISAM;
CREATE TABLE $OUT.m (id INT PRIMARY KEY, a INT) ENGINE=MERGE UNION=($DB.t) INSERT_METHOD=LAST;
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
INSERT INTO m VALUES (1, 1);
-- pauses: code=36014 … by the MERGE table
-- case: rows as statements that a foreign key takes into the task
-- only: mysql
-- before
CREATE DATABASE $OUT;
CREATE TABLE $OUT.p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES $OUT.p (id) ON DELETE CASCADE);
INSERT INTO $OUT.p VALUES (1), (2);
INSERT INTO t VALUES (1, 1), (2, 2);
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
DELETE FROM p WHERE id = 1;
-- pauses: code=36014 … by the foreign key
-- case: rows as statements that a foreign key takes into the task which is dropped afterwards
-- only: mysql
-- before
CREATE DATABASE $OUT;
CREATE TABLE $OUT.p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO $OUT.p VALUES (1), (2);
INSERT INTO t VALUES (1), (2);
-- target
CREATE DATABASE $OUT;
CREATE TABLE $OUT.p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO $OUT.p VALUES (1), (2);
INSERT INTO t VALUES (1), (2);
-- upstream
ALTER TABLE t ADD CONSTRAINT k FOREIGN KEY (id) REFERENCES $OUT.p (id) ON DELETE CASCADE;
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
DELETE FROM p WHERE id = 1;
ALTER TABLE $DB.t DROP FOREIGN KEY k;
-- pauses: code=36014 … by the foreign key
-- case: rows as statements by a function that is dropped afterwards
-- only: mariadb
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE $OUT.n (id INT PRIMARY KEY, a INT);
SET GLOBAL log_bin_trust_function_creators = 1;
CREATE FUNCTION $OUT.f(n INT) RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO $DB.t VALUES (n, 1); RETURN 1; END;
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
INSERT INTO n VALUES (f(5), 1);
DROP FUNCTION f;
-- pauses: code=36014 … which is there no more
-- case: rows as statements by a function that a view of a view calls
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE $OUT.n (id INT PRIMARY KEY, a INT);
SET GLOBAL log_bin_trust_function_creators = 1;
CREATE FUNCTION $OUT.f(n INT) RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO $DB.t VALUES (n, 1); RETURN 1; END;
INSERT INTO $OUT.n VALUES (1, 1);
CREATE VIEW $OUT.v AS SELECT id, $OUT.f(id) AS z FROM $OUT.n;
CREATE VIEW $OUT.w AS SELECT id, z FROM $OUT.v;
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
INSERT INTO n SELECT id + 100, z FROM w;
-- pauses: code=36014 … it may change more than its text says, by the function
-- case: rows as statements by a view that is dropped afterwards
-- only: mariadb
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE VIEW $OUT.v AS SELECT * FROM t;
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
INSERT INTO v VALUES (5, 5);
DROP VIEW v;
-- pauses: code=36014 … `v`, which is there no more
-- case: rows as statements that read a view that is dropped afterwards
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE $OUT.n (id INT PRIMARY KEY, a INT);
SET GLOBAL log_bin_trust_function_creators = 1;
CREATE FUNCTION $OUT.f(n INT) RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO $DB.t VALUES (n, 1); RETURN 1; END;
INSERT INTO $OUT.n VALUES (1, 1);
CREATE VIEW $OUT.v AS SELECT id, $OUT.f(id) AS z FROM $OUT.n;
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
INSERT IGNORE INTO n SELECT x.id + 100, x.z FROM n AS y JOIN v AS x;
DROP VIEW v;
-- pauses: code=36014 … `v`, which is there no more
-- case: rows as statements of all shapes elsewhere
-- only: mariadb
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE $OUT.n (id INT PRIMARY KEY, a INT, j LONGTEXT, KEY a (a), FULLTEXT (j)) ENGINE=InnoDB;
CREATE TABLE $OUT.p (id INT PRIMARY KEY);
CREATE TABLE $OUT.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES $OUT.p (id) ON DELETE CASCADE);
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
INSERT INTO n (id, a) VALUES (1, IF(1, 2, 3)), (2, CAST('3' AS DECIMAL(10,2))), (3, EXTRACT(YEAR FROM '2024-01-01'));
INSERT INTO n (id, a, j) SELECT x.id + 10, COUNT(*), GROUP_CONCAT(TRIM(BOTH 'x' FROM x.j)) FROM n AS x, (SELECT 1) AS d GROUP BY x.id;
INSERT INTO n (id) WITH RECURSIVE k (i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM k WHERE i < 25), l AS (SELECT i FROM k) SELECT i FROM l;
UPDATE n USE INDEX (a) SET a = 5 WHERE id = ANY (SELECT 1) AND MATCH (j) AGAINST ('x');
DELETE FROM n WHERE id IN (SELECT * FROM (SELECT id FROM n WHERE a > 100) AS z) LIMIT 3;
INSERT INTO n (id, a) SELECT 30, j.a FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$')) AS j;
INSERT INTO n (id, a) VALUES (40, 1) ON DUPLICATE KEY UPDATE a = VALUES(a);
INSERT INTO n (id, a) SELECT 50, ROW_NUMBER() OVER (ORDER BY 1) FROM DUAL;
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (1, 1);
DELETE FROM p WHERE id = 1;
INSERT INTO $DB.t SELECT 1, 1;
-- pauses: code=36014 … it may change `$DB`.`t`
-- case: rows as statements that read a view elsewhere
-- only: mariadb
-- before
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE $OUT.n (id INT PRIMARY KEY, a INT);
INSERT INTO $OUT.n VALUES (1, 1);
CREATE VIEW $OUT.v AS SELECT id, ABS(a) AS z FROM $OUT.n;
-- upstream
USE $OUT;
SET SESSION binlog_format = 'STATEMENT';
INSERT INTO n SELECT id + 100, z FROM v;
INSERT INTO $DB.t SELECT 1, 1;
-- pauses: code=36014 … it may change `$DB`.`t`
-- case: temporary tables in the statement format
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1), (2, 2);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1), (2, 2);
-- upstream
SET SESSION binlog_format = 'STATEMENT';
CREATE TEMPORARY TABLE t (id INT, b INT);
INSERT INTO t VALUES (1, 1);
TRUNCATE t;
ALTER TABLE t ADD c INT;
CREATE INDEX i ON t (c);
DROP INDEX i ON t;
ALTER TABLE t RENAME TO t2;
ALTER TABLE t2 RENAME TO t;
DROP TABLE t;
CREATE TABLE other (id INT PRIMARY KEY);
DROP TABLE other;
-- case: a temporary table is renamed
-- only: mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- upstream
SET SESSION binlog_format = 'MIXED';
CREATE TEMPORARY TABLE t (id INT);
RENAME TABLE t TO u;
TRUNCATE u;
DROP TEMPORARY TABLE u;
RENAME TABLE t TO v;
-- case: a procedure with a temporary table changes others
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
CREATE PROCEDURE p() BEGIN CREATE TEMPORARY TABLE tmp (a INT); TRUNCATE t; ALTER TABLE t ADD b INT; INSERT INTO t VALUES (2, 2, 2); DROP TEMPORARY TABLE tmp; END;
CALL p();
DROP PROCEDURE p;
-- case: a table like a temporary one
CREATE TABLE t (id INT PRIMARY KEY, a INT);
SET SESSION binlog_format = 'STATEMENT';
CREATE TEMPORARY TABLE tmp (id INT PRIMARY KEY);
CREATE TABLE made LIKE tmp;
-- pauses: code=36171 … `$DB`.`tmp` may be a temporary table … whose structure is not known
-- case: a temporary table is known after a restart
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE u (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE u (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- upstream
SET SESSION binlog_format = 'STATEMENT';
CREATE TEMPORARY TABLE t (id INT);
INSERT INTO u VALUES (1, 1);
TRUNCATE t;
ALTER TABLE t ADD b INT;
-- pauses: code=36014 … it may change `$DB`.`u`
-- target
INSERT INTO u VALUES (1, 1);
-- operator: skip
-- upstream
INSERT INTO u VALUES (2, 2);
-- case: files that are loaded as statements outside of the task
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE DATABASE $OUT;
CREATE TABLE $OUT.t (id INT PRIMARY KEY, a VARCHAR(30), b INT) CHARACTER SET utf8mb4;
SET SESSION binlog_format = 'STATEMENT';
LOAD DATA LOCAL INFILE '$FILE' INTO TABLE $OUT.t CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' (id, a, @b) SET b = 1;
USE $OUT;
LOAD DATA LOCAL INFILE '$FILE' REPLACE INTO TABLE t CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' (id, a, @b);
USE $DB;
SET SESSION binlog_format = 'ROW';
INSERT INTO t VALUES (9, 9);
-- case: a file that is loaded as a statement
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
-- upstream
SET SESSION binlog_format = 'STATEMENT';
LOAD DATA LOCAL INFILE '$FILE' INTO TABLE t CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' (id, @a, @b) SET a = 1;
SET SESSION binlog_format = 'ROW';
TRUNCATE TABLE t;
INSERT INTO t VALUES (90, 9);
-- pauses: code=36014 … it may change `$DB`.`t`
-- operator: skip
-- case: programs between dollar signs
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, `$a$` INT);
CREATE FUNCTION f(a INT) RETURNS INT DETERMINISTIC LANGUAGE JAVASCRIPT AS $mle$ /* it's */ return a $mle$;
DROP FUNCTION f;
INSERT INTO t VALUES (1, 2);
-- case: a temporary sequence in the statement format hides a table
-- only: mariadb
-- to: tidb mysql mariadb
CREATE TABLE s (id INT PRIMARY KEY);
INSERT INTO s VALUES (1);
SET binlog_format = 'STATEMENT';
CREATE TEMPORARY SEQUENCE s;
DROP TABLE s;
CREATE TEMPORARY SEQUENCE s;
DROP SEQUENCE s;
CREATE OR REPLACE TEMPORARY SEQUENCE s;
ALTER TABLE s RENAME TO s3;
DROP SEQUENCE s3;
CREATE TEMPORARY SEQUENCE s;
RENAME TABLE s TO s3;
SET binlog_format = 'ROW';
INSERT INTO s VALUES (2);
-- case: a temporary sequence in the mixed format hides a table
-- only: mariadb
-- to: tidb mysql mariadb
CREATE TABLE s (id INT PRIMARY KEY);
INSERT INTO s VALUES (1);
SET binlog_format = 'MIXED';
CREATE TEMPORARY SEQUENCE s;
ALTER TABLE s RENAME TO s3, COMMENT = 'x';
DROP SEQUENCE s3;
SET binlog_format = 'ROW';
INSERT INTO s VALUES (2);
