-- case: another schema
CREATE DATABASE $DB_x CHARACTER SET utf8mb4;
CREATE TABLE $DB_x.t (id INT PRIMARY KEY);
INSERT INTO $DB_x.t VALUES (1);
USE $DB_x;
CREATE TABLE u (id INT PRIMARY KEY);
INSERT INTO u VALUES (2);
INSERT INTO $DB_x.t SELECT * FROM u;
-- case: drop a schema
CREATE DATABASE $DB_x;
CREATE TABLE $DB_x.t (id INT PRIMARY KEY);
INSERT INTO $DB_x.t VALUES (1);
DROP DATABASE $DB_x;
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
-- case: drop a schema and make it again
CREATE SCHEMA $DB_x;
CREATE TABLE $DB_x.t (id INT PRIMARY KEY, a INT);
INSERT INTO $DB_x.t VALUES (1, 1);
DROP SCHEMA IF EXISTS $DB_x;
CREATE DATABASE IF NOT EXISTS $DB_x;
CREATE DATABASE IF NOT EXISTS $DB_x;
CREATE TABLE $DB_x.t (b VARCHAR(5));
INSERT INTO $DB_x.t VALUES ('x'), ('x');
DROP DATABASE IF EXISTS $DB_nothing;
-- case: the schema's character set changes
CREATE DATABASE $DB_x CHARACTER SET latin1;
CREATE TABLE $DB_x.a (v VARCHAR(10) PRIMARY KEY);
INSERT INTO $DB_x.a VALUES ('ä'), ('€');
ALTER DATABASE $DB_x CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE $DB_x.b (v VARCHAR(10) PRIMARY KEY);
INSERT INTO $DB_x.b VALUES ('ä'), ('漢'), ('Ä');
USE $DB_x;
ALTER TABLE a ADD COLUMN w VARCHAR(5);
UPDATE a SET w = 'ö';
-- case: schemas that are left out
CREATE DATABASE $OUT;
CREATE TABLE $OUT.t (id INT PRIMARY KEY, v INT);
INSERT INTO $OUT.t VALUES (1, 1);
CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t SELECT * FROM $OUT.t;
ALTER TABLE $OUT.t ADD COLUMN w INT;
UPDATE $OUT.t o JOIN t i USING (id) SET i.v = 9, o.w = 9;
DROP DATABASE $OUT;
INSERT INTO t VALUES (2, 2);
-- case: a table like one that is left out
CREATE DATABASE $OUT;
CREATE TABLE $OUT.s (id INT PRIMARY KEY, v VARCHAR(10) DEFAULT 'x', KEY (v));
ALTER TABLE $OUT.s ADD COLUMN w INT AFTER id;
-- upstream
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
DROP DATABASE $OUT;
-- case: statements from another default schema
CREATE DATABASE $OUT;
CREATE TABLE t (id INT PRIMARY KEY, v INT);
USE $OUT;
CREATE TABLE t (x INT);
INSERT INTO t VALUES (5);
INSERT INTO $DB.t VALUES (1, 1);
ALTER TABLE $DB.t ADD COLUMN w INT;
INSERT INTO $DB.t VALUES (2, 2, 2);
DROP TABLE t;
CREATE TABLE $DB.u LIKE $DB.t;
DROP DATABASE $OUT;
INSERT INTO $DB.u VALUES (3, 3, 3);
-- case: a database that is read only upstream
-- only: mysql
-- to: mariadb tidb mysql
CREATE DATABASE $DB_x;
CREATE TABLE $DB_x.t (id INT PRIMARY KEY);
INSERT INTO $DB_x.t VALUES (1);
ALTER DATABASE $DB_x READ ONLY = 1;
ALTER DATABASE $DB_x READ ONLY = 0;
ALTER SCHEMA $DB_x READ ONLY DEFAULT COLLATE utf8mb4_bin;
CREATE TABLE $DB_x.u (id INT PRIMARY KEY, a VARCHAR(9));
-- both
INSERT INTO $DB_x.u VALUES (1, 'a');
-- case: a comment that is cut in a session that is not strict
-- only: mariadb
-- to: mariadb
SET sql_mode = '';
CREATE DATABASE $DB_x COMMENT 'ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc';
ALTER DATABASE $DB_x COMMENT 'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd';
CREATE TABLE t (a INT COMMENT 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee') COMMENT 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff';
