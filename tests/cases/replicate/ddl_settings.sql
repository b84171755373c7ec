-- case: a session that is not strict cuts what a narrower type cannot hold
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20), c DECIMAL(10,4), d VARBINARY(8), e ENUM('a','bb','ccc'), f VARCHAR(20), g DOUBLE);
INSERT INTO t VALUES (1, 300, 'abcdef', 12345.6789, x'61626364', 'ccc', '12abc', 1e15), (2, -5, 'äöüxyz', -99.9999, x'01', 'bb', 'x', -2.5), (3, 7, 'ab ', 1.5, NULL, NULL, '1.239', 2.5);
ALTER TABLE t MODIFY a TINYINT;
ALTER TABLE t MODIFY b VARCHAR(3), MODIFY c DECIMAL(5,2), MODIFY d VARBINARY(2);
ALTER TABLE t MODIFY e ENUM('a','bb'), MODIFY f DECIMAL(5,2), MODIFY g INT;
INSERT INTO t (id, a) VALUES (4, 4);
-- case: a session that is not strict makes zeros of NULLs
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20), c DATE, d ENUM('x','y'), e DATETIME(3), f TIMESTAMP NULL, g TIME, h BLOB, k INT, ts TIMESTAMP NOT NULL DEFAULT '2001-01-01 00:00:00' ON UPDATE CURRENT_TIMESTAMP);
INSERT INTO t (id, a) VALUES (1, NULL), (2, 5);
SET timestamp = 1500000000;
ALTER TABLE t MODIFY a INT NOT NULL DEFAULT 7, MODIFY b VARCHAR(20) NOT NULL;
ALTER TABLE t MODIFY c DATE NOT NULL, MODIFY d ENUM('x','y') NOT NULL;
ALTER TABLE t MODIFY e DATETIME(3) NOT NULL, MODIFY g TIME NOT NULL, MODIFY h BLOB NOT NULL;
ALTER TABLE t MODIFY f TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, CHANGE k l BIGINT NOT NULL;
UPDATE t SET a = 9 WHERE id = 2;
-- case: a new primary key over a column with a NULL
SET sql_mode = '';
CREATE TABLE t (id INT, a INT);
INSERT INTO t VALUES (1, NULL), (2, 2);
ALTER TABLE t ADD PRIMARY KEY (a);
UPDATE t SET id = 5 WHERE a = 0;
-- case: types that are too long in a session that is not strict
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(70000), b VARBINARY(70000), c VARCHAR(20000), KEY k (id, c(10)));
INSERT INTO t VALUES (1, REPEAT('ä', 40000), REPEAT('b', 66000), 'c');
ALTER TABLE t ADD d VARCHAR(66000), MODIFY c VARCHAR(80000);
INSERT INTO t (id, c, d) VALUES (2, REPEAT('c', 30000), REPEAT('d', 65000));
UPDATE t SET a = 'x' WHERE id = 1;
-- case: padded CHARs keep their blanks when they become longer texts
SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH';
CREATE TABLE t (id INT PRIMARY KEY, a CHAR(5), b CHAR(5) NOT NULL, c CHAR(5), d CHAR(5), ts TIMESTAMP NOT NULL DEFAULT '2001-01-01 00:00:00' ON UPDATE CURRENT_TIMESTAMP);
INSERT INTO t (id, a, b, c, d) VALUES (1, 'x', 'ä', 'c', 'd'), (2, NULL, '', NULL, NULL);
ALTER TABLE t MODIFY a VARCHAR(10), CHANGE b bb TEXT NOT NULL;
ALTER TABLE t MODIFY c CHAR(8);
SET sql_mode = '';
ALTER TABLE t MODIFY d VARCHAR(10);
-- case: a column that begins to count renumbers zeros, or keeps them
-- to: mariadb
SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,STRICT_TRANS_TABLES';
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE u (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (0, 1), (5, 2);
INSERT INTO u VALUES (0, 1), (5, 2);
ALTER TABLE u MODIFY id INT AUTO_INCREMENT;
SET sql_mode = 'STRICT_TRANS_TABLES';
ALTER TABLE t MODIFY id INT AUTO_INCREMENT;
UPDATE t SET a = 7 WHERE id = 1;
-- case: a new counter takes the steps of its session
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
SET auto_increment_increment = 10, auto_increment_offset = 3;
ALTER TABLE t ADD b INT NOT NULL AUTO_INCREMENT UNIQUE;
SET auto_increment_increment = 1, auto_increment_offset = 1;
UPDATE t SET a = 9 WHERE b = 13;
-- case: a column of names of days in the session's language
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, d DATE);
INSERT INTO t VALUES (1, '2021-01-01'), (2, '2022-03-01');
SET lc_time_names = 'de_DE';
ALTER TABLE t ADD n VARCHAR(40) DEFAULT (DATE_FORMAT(d, '%W %M'));
SET lc_time_names = 'en_US';
ALTER TABLE t ADD m VARCHAR(40) DEFAULT (DATE_FORMAT(d, '%W %M'));
-- case: names of days that TiDB does not know
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, d DATE);
INSERT INTO t VALUES (1, '2021-01-01');
SET lc_time_names = 'de_DE';
ALTER TABLE t ADD n VARCHAR(40) DEFAULT (DATE_FORMAT(d, '%W'));
-- pauses: 36117 … lc_time_names
-- case: the character set of a CAST is the connection's
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'ö'), (2, 'ä');
SET NAMES latin1;
ALTER TABLE t ADD c VARCHAR(20) DEFAULT (CAST(v AS CHAR));
SET NAMES utf8mb4;
ALTER TABLE t ADD d VARCHAR(20) DEFAULT (CAST(v AS CHAR));
-- case: a CAST in a character set that TiDB does not keep
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'ä');
SET NAMES latin1;
ALTER TABLE t ADD c VARCHAR(20) DEFAULT (CAST(v AS CHAR));
-- pauses: 36117 … latin1
-- case: a connection of another character set that nothing depends on
CREATE TABLE t (id INT PRIMARY KEY, v CHAR(20));
INSERT INTO t VALUES (1, 'ж');
SET NAMES latin1;
ALTER TABLE t ADD c CHAR(5) NOT NULL DEFAULT 'x';
SET NAMES utf8mb4;
INSERT INTO t VALUES (2, 'ж', 'y');
-- case: types of ORACLE
-- only: mariadb
SET sql_mode = 'ORACLE';
CREATE TABLE t (id INT PRIMARY KEY, a DATE, b VARCHAR2(10), c NUMBER, d NUMBER(5,2), e RAW(8), f CLOB, g BLOB);
INSERT INTO t VALUES (1, TIMESTAMP '2020-01-01 10:11:12', 'b', 1.5, 2.25, 'e', 'f', 'g');
ALTER TABLE t ADD h DATE DEFAULT '2020-02-02 01:02:03', MODIFY d NUMBER;
SET sql_mode = '';
ALTER TABLE t ADD i DATE;
UPDATE t SET i = '2020-01-01' WHERE id = 1;
-- case: an expression of ORACLE
-- only: mariadb
-- to: tidb
SET sql_mode = 'ORACLE';
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10));
INSERT INTO t VALUES (1, NULL);
ALTER TABLE t ADD c VARCHAR(20) DEFAULT (v || 'x');
-- pauses: 36117 … ORACLE
-- case: empty strings that are NULL
-- only: mariadb
-- to: tidb
SET sql_mode = 'EMPTY_STRING_IS_NULL';
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) DEFAULT '');
-- pauses: 36117 … EMPTY_STRING_IS_NULL
-- case: operators as the session has them
-- values only: TiDB takes few expressions as defaults
CREATE TABLE t (id INT PRIMARY KEY, a INT UNSIGNED, v VARCHAR(10));
INSERT INTO t VALUES (1, 3, 'x'), (2, 0, 'y');
SET sql_mode = 'NO_UNSIGNED_SUBTRACTION,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE';
ALTER TABLE t ADD b BIGINT DEFAULT (a - 10);
ALTER TABLE t ADD c VARCHAR(20) AS (v || '!') VIRTUAL;
ALTER TABLE t ADD d INT AS (NOT a BETWEEN -5 AND 5) VIRTUAL;
SET sql_mode = '';
INSERT INTO t (id, a, v) VALUES (3, 40, 'z');
-- case: dates that are none in a session that is not strict
-- to: mariadb
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20));
INSERT INTO t VALUES (1, '2020-02-30'), (2, '2020-01-01');
ALTER TABLE t MODIFY a DATE;
-- pauses: 36115 … varchar(20) as date
-- case: invalid dates that a session allows
-- only: mysql
-- to: tidb
SET sql_mode = 'ALLOW_INVALID_DATES';
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20));
INSERT INTO t VALUES (1, '2020-02-30'), (2, '2020-01-01');
ALTER TABLE t MODIFY a DATE;
-- case: texts that are numbers in a session that is not strict
-- only: mariadb
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20));
INSERT INTO t VALUES (1, '1e3'), (2, '12abc');
ALTER TABLE t MODIFY a INT;
-- pauses: 36196 … varchar(20) → int
-- case: a restored dump, child before parent
SET foreign_key_checks = 0, unique_checks = 0;
DROP TABLE IF EXISTS c;
CREATE TABLE c (id INT PRIMARY KEY, p INT, KEY (p), FOREIGN KEY (p) REFERENCES p (id));
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO c VALUES (1, 1);
INSERT INTO p VALUES (1);
TRUNCATE TABLE p;
INSERT INTO p VALUES (1), (2);
DROP TABLE p;
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (3);
SET foreign_key_checks = 1;
INSERT INTO c VALUES (2, 3);
-- case: weeks as the server's own settings have them
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, d DATE, a DECIMAL(10,2));
INSERT INTO t VALUES (1, '2021-01-01', 1), (2, '2022-01-01', 2);
ALTER TABLE t ADD w INT DEFAULT (WEEK(d));
ALTER TABLE t ADD q INT DEFAULT (a DIV 7);
-- case: quotients that have the same digits on both servers
-- only: mariadb
-- to: mariadb tidb
-- values only: TiDB takes few expressions as defaults
CREATE TABLE t (id INT PRIMARY KEY, a DECIMAL(10,2));
INSERT INTO t VALUES (1, 1), (2, 2.5);
ALTER TABLE t ADD q DECIMAL(30,20) DEFAULT (a / 7);
-- case: a quotient of MySQL has other digits elsewhere
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1), (2, NULL);
ALTER TABLE t ADD q DECIMAL(20,2) DEFAULT (a / 201);
-- pauses: 36140 … new column q … / in its default
-- case: a quotient of MariaDB has other digits in MySQL
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1), (2, NULL);
ALTER TABLE t ADD q DECIMAL(20,12) DEFAULT (a / 7);
-- pauses: 36140 … new column q … / in its default
-- case: all settings end with their statement
SET sql_mode = '', foreign_key_checks = 0, unique_checks = 0, lc_time_names = 'de_DE', auto_increment_increment = 5, auto_increment_offset = 2, time_zone = '+05:00';
CREATE TABLE t (id INT PRIMARY KEY, d DATE, v VARCHAR(5));
SET sql_mode = 'STRICT_ALL_TABLES', foreign_key_checks = 1, unique_checks = 1, lc_time_names = 'en_US', auto_increment_increment = 1, auto_increment_offset = 1, time_zone = '+00:00';
INSERT INTO t VALUES (1, '2021-01-01', 'x');
ALTER TABLE t ADD b DATETIME NOT NULL DEFAULT '2020-01-01 00:00:00', ADD c TIMESTAMP NOT NULL DEFAULT '2020-01-01 00:00:00';
ALTER TABLE t MODIFY v VARCHAR(1);
INSERT INTO t (id, d, v) VALUES (2, '2021-01-02', 'y');
-- case: invalid dates that MariaDB does not make of texts
-- only: mariadb
SET sql_mode = 'ALLOW_INVALID_DATES';
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20));
INSERT INTO t VALUES (1, '2020-02-30'), (2, '2020-01-01');
ALTER TABLE t MODIFY a DATE;
-- pauses: 36115 … varchar(20) as date
-- case: a moment becomes a local time of its session
SET time_zone = '+08:00';
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, b DATETIME, c TIMESTAMP NULL);
INSERT INTO t VALUES (1, '2020-01-01 10:00:00', '2020-01-01 10:00:00', '2020-06-01 10:00:00');
ALTER TABLE t MODIFY a DATETIME, MODIFY b TIMESTAMP NULL;
ALTER TABLE t MODIFY c VARCHAR(40);
-- case: a comment of another server beside what the settings are for
-- only: mysql
-- to: mariadb
CREATE TABLE t (v INT PRIMARY KEY);
INSERT INTO t VALUES (1), (2), (3);
SET auto_increment_increment = 5, auto_increment_offset = 2;
ALTER TABLE t ADD id INT AUTO_INCREMENT UNIQUE FIRST /*M! it's of MariaDB */;
-- case: ends of partitions by local times of another season
-- to: tidb
-- before
$BERLIN;
-- upstream
SET time_zone = 'Europe/Berlin';
CREATE TABLE t (id INT, ts TIMESTAMP NOT NULL) PARTITION BY RANGE (UNIX_TIMESTAMP(ts)) (PARTITION p0 VALUES LESS THAN (UNIX_TIMESTAMP('2020-01-15 00:00:00')), PARTITION p1 VALUES LESS THAN (UNIX_TIMESTAMP('2020-07-15 00:00:00')), PARTITION p2 VALUES LESS THAN (MAXVALUE));
INSERT INTO t VALUES (1, '2020-01-14 23:30:00'), (2, '2020-01-15 00:30:00'), (3, '2020-07-14 23:30:00'), (4, '2020-07-15 00:30:00');
ALTER TABLE t TRUNCATE PARTITION p1;
-- case: the session's connection is in a set of two bytes
-- only: mariadb
-- to: mysql mariadb
SET collation_connection = 'ucs2_general_ci', lc_time_names = 'de_DE';
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT 'ä');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD w VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT 'x', ADD x INT;
INSERT INTO t (id) VALUES (2);
-- case: labels of a SET go away in a session that is not strict
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, b SET('a','b','c'));
INSERT INTO t VALUES (1, 'a,b'), (2, 'b'), (3, NULL);
CREATE TABLE u (id INT);
SET sql_mode = '';
ALTER TABLE t MODIFY b SET('b','c');
-- pauses: 36115 … as set in b
-- case: texts become labels in a session that is not strict
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'a,z'), (3, 'b,b,');
CREATE TABLE u (id INT);
SET sql_mode = '';
ALTER TABLE t MODIFY a SET('a', 'b');
-- pauses: 36115 … as set in a
-- case: characters of several bytes lose their end in a session that is not strict
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(300));
INSERT INTO t VALUES (1, REPEAT('漢', 100));
CREATE TABLE u (id INT);
SET sql_mode = '';
ALTER TABLE t MODIFY a TINYTEXT;
-- pauses: 36115 … as tinytext in a
-- case: a SET gets other labels in a session that is not strict
CREATE TABLE t (id INT PRIMARY KEY, b SET('a','b','c'), e ENUM('a','b','c'));
INSERT INTO t VALUES (1, 'c,b', 'a'), (2, 'b', 'b'), (3, NULL, 'c');
CREATE TABLE u (id INT);
SET sql_mode = '';
ALTER TABLE t MODIFY b SET('c','d','b');
ALTER TABLE t MODIFY e ENUM('c','a');
-- case: a default that the connection's set lacks stays a literal
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY);
SET NAMES latin1;
ALTER TABLE t ADD COLUMN a VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT _utf8mb4 x'e284ab';
ALTER TABLE t ADD COLUMN b VARCHAR(9) CHARACTER SET latin1 DEFAULT _utf8mb4 x'c3a4', ADD c VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT _latin1 x'e4';
ALTER TABLE t ADD COLUMN d VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT _ucs2 x'212b';
INSERT INTO t (id) VALUES (1);
-- case: bytes in the literals of a binary session
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET utf8mb4);
CREATE DATABASE $OUT;
SET NAMES binary;
SET @s = CONCAT('ALTER TABLE t ADD b VARBINARY(10) DEFAULT ''', x'ff', ''', ADD c VARCHAR(9) CHARACTER SET latin1 DEFAULT ''a', x'e4', '''');
PREPARE s FROM @s;
EXECUTE s;
SET @s = CONCAT('CREATE TABLE $OUT.u (id INT, b BINARY(3) DEFAULT ''', x'80', ''')');
PREPARE s FROM @s;
EXECUTE s;
INSERT INTO t (id) VALUES (1);
DROP DATABASE $OUT;
-- case: a key that is too long in a session that is not strict
-- only: mariadb
-- to: mariadb mysql tidb
SET sql_mode = '';
CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(2000), KEY a (a));
ALTER TABLE u ADD c VARCHAR(900), ADD KEY (c);
INSERT INTO u VALUES (1, REPEAT('ä', 2000), 'c');
-- case: what no mode of the target takes is no value that was cut
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, g INT AS (a + 1) STORED);
INSERT INTO t (id, a) VALUES (1, 1);
SET sql_mode = '';
ALTER TABLE t ADD x VARCHAR(9) DEFAULT (CONCAT('p', 'q')), RENAME COLUMN a TO b;
-- pauses: 36108 … generated column
-- case: defaults of a session in which an empty text is NULL
-- only: mariadb
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w VARCHAR(9));
INSERT INTO t VALUES (1, '', 'x');
SET sql_mode = 'EMPTY_STRING_IS_NULL';
ALTER TABLE t ADD COLUMN e VARCHAR(5) DEFAULT '';
ALTER TABLE t MODIFY v VARCHAR(20) DEFAULT '', ALTER w SET DEFAULT '';
CREATE TABLE u (id INT PRIMARY KEY, e ENUM('a', 'b') DEFAULT '');
SET sql_mode = '';
INSERT INTO t (id) VALUES (2);
INSERT INTO u (id) VALUES (1);
