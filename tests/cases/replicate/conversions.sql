-- case: a char becomes binary and is padded otherwise
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, c CHAR(5)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t CONVERT TO CHARACTER SET binary;
-- pauses: 36196 … zero bytes
-- case: a char is modified to binary
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, c CHAR(5)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t MODIFY c BINARY(5);
-- pauses: 36196 … zero bytes
-- case: full chars become binary
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, c CHAR(5), d CHAR(3) CHARACTER SET utf8mb4) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'abcdé', 'a'), (2, NULL, 'é');
ALTER TABLE t CONVERT TO CHARACTER SET binary;
-- case: a time becomes a datetime on the statement's day
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, ti TIME);
INSERT INTO t VALUES (1, '01:02:03');
SET timestamp = 1000000000;
ALTER TABLE t MODIFY ti DATETIME;
-- case: a time becomes a datetime on the target's day
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, ti TIME);
INSERT INTO t VALUES (1, NULL);
ALTER TABLE t MODIFY ti DATETIME;
ALTER TABLE t MODIFY ti TIME;
INSERT INTO t VALUES (2, '01:02:03');
ALTER TABLE t MODIFY ti TIMESTAMP NULL;
-- pauses: 36196 … the present day
-- case: a double becomes a text
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE, f FLOAT, y YEAR);
INSERT INTO t VALUES (1, 12345.678, 1, 2020), (2, -0.5, -999999, 1999), (3, 0, 0, NULL), (4, NULL, NULL, 1901), (5, 99999999999999, 10, 2155);
ALTER TABLE t MODIFY d VARCHAR(40), MODIFY f VARCHAR(40), MODIFY y VARCHAR(4);
-- case: a double with an exponent becomes a text
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE);
INSERT INTO t VALUES (1, 1e20), (2, 1e15), (3, 1e-7), (4, 1e18);
ALTER TABLE t MODIFY d VARCHAR(40);
-- pauses: 36196 … ABS(`d`) >= 1e14
-- case: a float with many digits becomes a text
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, f FLOAT);
INSERT INTO t VALUES (1, 16777217), (2, 1e10), (3, 0.1);
ALTER TABLE t CHANGE f g VARCHAR(40);
-- pauses: 36196 … a FLOAT
-- case: a number becomes an enum
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, n INT);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t MODIFY n ENUM('p', 'q', '1');
-- pauses: 36196 … place
-- case: a number becomes an enum as in tidb
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, n INT);
INSERT INTO t VALUES (1, 1);
ALTER TABLE t MODIFY n ENUM('p', 'q', '1');
-- case: the year zero and bits become texts
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, y YEAR);
INSERT INTO t VALUES (1, 0);
ALTER TABLE t MODIFY y CHAR(4);
-- pauses: 36196 … 0000
-- case: texts become bytes whose character set is mapped
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1);
INSERT INTO t VALUES (1, 'a'), (2, 'ä');
ALTER TABLE t MODIFY v VARBINARY(20);
-- pauses: 36196 … the bytes of latin1

-- case: characters that a narrower set lacks become question marks upstream
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10) CHARACTER SET utf8mb4);
INSERT INTO t VALUES (1, 'é'), (2, '日本');
SET sql_mode = '';
ALTER TABLE t MODIFY a VARCHAR(10) CHARACTER SET latin1;
-- pauses: 36196 … characters that latin1 lacks

-- case: characters beyond the basic plane in a table that is converted to utf8mb3
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10)) CHARACTER SET utf8mb4;
INSERT INTO t VALUES (1, '日本'), (2, '😀');
SET sql_mode = '';
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb3;
-- pauses: 36196 … characters that utf8mb3 lacks

-- case: texts that a narrower set holds
-- values only: TiDB leaves them in utf8mb4
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10) CHARACTER SET utf8mb4, b TEXT CHARACTER SET utf8mb4, c VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, KEY (c));
INSERT INTO t VALUES (1, 'é€', '日本', 'x'), (2, 'Z', '', '日本');
SET sql_mode = '';
ALTER TABLE t MODIFY a VARCHAR(10) CHARACTER SET latin1, CHANGE b d VARCHAR(50) CHARACTER SET utf8mb3, MODIFY c VARCHAR(9) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin;
INSERT INTO t VALUES (3, 'ü', '語', '語');
CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(10), b TEXT CHARACTER SET utf8mb3) CHARACTER SET utf8mb4;
INSERT INTO u VALUES (1, '日本', 'é');
ALTER TABLE u CONVERT TO CHARACTER SET utf8mb3;
ALTER TABLE u ADD c VARCHAR(9), DEFAULT CHARACTER SET utf8mb3 COLLATE utf8mb3_bin;
INSERT INTO u VALUES (2, '語', 'é', 'x');
CREATE TABLE w (id INT PRIMARY KEY, a VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, b VARCHAR(10) CHARACTER SET utf8mb4);
INSERT INTO w VALUES (1, 'x', 'X');
ALTER TABLE w MODIFY a VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_bin, MODIFY b VARCHAR(10) CHARACTER SET ascii;
INSERT INTO w VALUES (2, 'é', 'e');
-- case: texts that become addresses and are written as these are
-- only: mariadb
-- to: mysql
-- values only: the target has texts
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(36), d VARCHAR(39));
INSERT INTO t VALUES (1, '123e4567-e89b-12d3-a456-426655440000', '::1'), (2, NULL, '::ffff:1.2.3.4'), (3, NULL, NULL);
ALTER TABLE t MODIFY c UUID, MODIFY d INET6;
-- case: texts that become UUIDs and are written otherwise
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(36));
INSERT INTO t VALUES (2, '123E4567E89B12D3A456426655440000');
ALTER TABLE t MODIFY c UUID;
-- pauses: 36196 … in one way
-- case: texts that become INET6 and are written otherwise
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(36));
INSERT INTO t VALUES (1, '::1'), (2, '::0:1');
ALTER TABLE t MODIFY c INET6;
-- pauses: 36196 … in one way
-- case: bytes that become INET4 in a session that is not strict
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, c VARBINARY(20));
INSERT INTO t VALUES (1, '1.2.3.4');
SET sql_mode = '';
ALTER TABLE t MODIFY c INET4;
-- pauses: 36196 … in one way
-- case: numbers that become INET6 in a session that is not strict
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, c BIGINT);
INSERT INTO t VALUES (1, 9223372036854775806);
SET sql_mode = '';
ALTER TABLE t MODIFY c INET6;
-- pauses: 36196 … in one way
-- case: ZEROFILL becomes a text
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, i INT(5) ZEROFILL);
INSERT INTO t VALUES (1, 42);
ALTER TABLE t MODIFY i VARCHAR(9);
-- pauses: 36196 … ZEROFILL
-- case: a zero with a sign becomes a year
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20));
INSERT INTO t VALUES (1, '-0'), (2, '+0');
CREATE TABLE u (id INT);
ALTER TABLE t MODIFY a YEAR;
-- pauses: 36196 … 0000
-- case: texts become years
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b VARBINARY(9));
INSERT INTO t VALUES (1, '0', '0'), (2, '00', '24'), (3, '0000', '0000'), (4, '2024', '1999');
ALTER TABLE t MODIFY a YEAR;
ALTER TABLE t MODIFY b YEAR;
-- case: texts become numbers while the table is renamed
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(36));
INSERT INTO t VALUES (1, '2.5');
SET sql_mode = '';
ALTER TABLE t MODIFY c INT, RENAME TO u;
-- pauses: 36196 … in different ways
-- case: moments with a fraction become days while fractions are rounded
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, a DATETIME(4), b DATETIME(6));
INSERT INTO t VALUES (1, '2000-12-31 23:59:59.9999', '2000-12-31 23:59:59'), (2, NULL, NULL);
SET sql_mode = 'TIME_ROUND_FRACTIONAL';
ALTER TABLE t MODIFY b DATE;
ALTER TABLE t MODIFY a DATE;
-- pauses: 36196 … round the fraction
-- case: moments with a fraction become days
CREATE TABLE t (id INT PRIMARY KEY, a DATETIME(4), b DATETIME(6));
INSERT INTO t VALUES (1, '2000-12-31 23:59:59.9999', '2000-12-31 23:59:59'), (2, NULL, NULL);
SET sql_mode = IF(VERSION() LIKE '%MariaDB%', '', 'TIME_TRUNCATE_FRACTIONAL');
ALTER TABLE t MODIFY b DATE;
-- case: DECIMAL to a DOUBLE(M,D) whose last bits are others
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a DECIMAL(20,5));
INSERT INTO t VALUES (1, -1.86), (2, -1.64), (3, 7);
ALTER TABLE t MODIFY a DOUBLE(22,15);
-- pauses: code=36196 … rounds nothing to 15 decimals
-- case: DECIMAL to a DOUBLE(M,D) that has all digits
-- only: mysql
-- to: mariadb
-- values only: the target has a DOUBLE
CREATE TABLE t (id INT PRIMARY KEY, a DECIMAL(10,5), b DECIMAL(20,5));
INSERT INTO t VALUES (1, -1.86, 7), (2, -1.64, 8), (3, 7, 9);
ALTER TABLE t MODIFY a DOUBLE(20,8), MODIFY b DOUBLE(22,15);
-- case: a table with impossible dates is copied in a session that is not strict
-- only: mysql
-- to: mariadb tidb
SET sql_mode = 'ALLOW_INVALID_DATES';
CREATE TABLE s (id INT PRIMARY KEY, k DATETIME(6), d DATE, v INT);
INSERT INTO s VALUES (1, '2024-02-29', '2023-12-31', 1), (2, '0000-00-00', '2000-02-29', 1), (3, NULL, NULL, 1);
CREATE TABLE t (id INT PRIMARY KEY, k DATETIME(6), d DATE, v INT);
INSERT INTO t VALUES (1, '2024-02-28', '1900-02-29', 1);
SET sql_mode = '';
ALTER TABLE s MODIFY v BIGINT;
ALTER TABLE t ADD w INT, ALTER v SET DEFAULT 5, ADD KEY (v);
ALTER TABLE t MODIFY v BIGINT;
-- pauses: code=36115 … the impossible dates of d
-- case: a table with impossible dates is copied by MariaDB in a session that is not strict
-- only: mariadb
-- to: mysql tidb
SET sql_mode = 'ALLOW_INVALID_DATES';
CREATE TABLE t (id INT PRIMARY KEY, k DATETIME(6), d DATE, v INT);
INSERT INTO t VALUES (1, '2024-02-30', '2024-02-01', 1);
ALTER TABLE t DROP PRIMARY KEY;
-- pauses: code=36115 … the impossible dates of k
-- case: a table with dates of no day is copied by MariaDB
-- only: mariadb
-- to: mysql tidb
SET sql_mode = '';
CREATE TABLE t (id INT, k DATETIME(6), v INT);
INSERT INTO t VALUES (1, '2024-01-00 10:00:00', 1);
SET sql_mode = 'NO_ZERO_DATE,NO_ZERO_IN_DATE';
ALTER TABLE t MODIFY v BIGINT;
-- pauses: code=36115 … the impossible dates of k
-- case: NULLs of a number that becomes a text are empty
-- to: mariadb mysql
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, c INT, d DECIMAL(5,2), b BINARY(4), e INT, v VARCHAR(9));
INSERT INTO t VALUES (1, NULL, NULL, NULL, NULL, NULL), (2, 5, 5, 'ab', 5, '5');
ALTER TABLE t MODIFY c VARCHAR(9) NOT NULL, MODIFY d CHAR(9) NOT NULL DEFAULT 'q', MODIFY b VARBINARY(9) NOT NULL;
ALTER TABLE t CHANGE e f BIGINT NOT NULL, MODIFY v INT NOT NULL;
-- case: NULLs of a number that becomes a text pause in TiDB
-- to: tidb
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, c INT);
INSERT INTO t VALUES (1, NULL), (2, 5);
ALTER TABLE t MODIFY c VARCHAR(9) NOT NULL;
-- pauses: code=36108 … Data truncated for column 'c'
