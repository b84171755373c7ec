-- case: regular expressions that servers read in different ways
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, b INT AS (a REGEXP '^[a-z]+[0-9]') STORED);
INSERT INTO t (id, a) VALUES (1, 'ab1'), (2, 'é1');
ALTER TABLE t ADD c INT AS (a REGEXP '\\w$') STORED;
-- pauses: 36197 … regular expressions

-- case: a generated column counts the bytes of a latin1 text
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, n INT AS (LENGTH(v)) STORED, h VARCHAR(40) AS (HEX(v)) VIRTUAL);
-- pauses: 36197 … LENGTH reads the bytes of v
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), n INT, h VARCHAR(40));
-- operator: skip
-- upstream
INSERT INTO t (id, v) VALUES (1, 'ä');
-- case: a new generated column counts the bytes of a latin1 text
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, n INT AS (CHAR_LENGTH(v)) STORED);
INSERT INTO t (id, v) VALUES (1, 'ä');
ALTER TABLE t ADD m INT AS (BIT_LENGTH(v)) VIRTUAL;
-- pauses: 36197 … BIT_LENGTH
-- case: a new column counts the bytes of a latin1 text
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1);
ALTER TABLE t ADD k INT DEFAULT (LENGTH(v));
INSERT INTO t VALUES (1, 'ä', 1);
ALTER TABLE t ADD n INT DEFAULT (LENGTH(v)), ADD h VARCHAR(40) DEFAULT (HEX(v));
-- pauses: 36197 … LENGTH
-- case: a generated column compares a key of a mapped collation
-- to: tidb
CREATE TABLE t (v VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY, g INT AS (v = 'A') STORED);
-- pauses: 36197 … = compares v
-- case: a generated column compares a number, and passes on a text of a mapped collation
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, gone TINYINT NOT NULL DEFAULT 0, g VARCHAR(20) CHARACTER SET latin1 AS (IF(gone = 0, v, NULL)) VIRTUAL, UNIQUE (g));
INSERT INTO t (id, v, gone) VALUES (1, 'a', 0), (2, 'a', 1), (3, 'a', 1), (4, 'b', 0);
-- case: a new column compares a key of a mapped collation
-- to: tidb
CREATE TABLE t (v VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY);
INSERT INTO t (v) VALUES ('a');
ALTER TABLE t ADD g INT DEFAULT (CASE v WHEN 'A' THEN 1 ELSE 2 END);
-- pauses: 36197 … CASE compares v
-- case: expressions over texts that are the same
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, w VARCHAR(20) CHARACTER SET latin1, g INT AS (v = 'A') STORED, l INT AS (LENGTH(v)) VIRTUAL, c VARCHAR(50) AS (CONCAT(w, '-', v)) STORED, n INT AS (CHAR_LENGTH(w)) STORED);
INSERT INTO t (id, v, w) VALUES (1, 'a', 'ä'), (2, 'A', 'B'), (3, 'ä', NULL);
-- case: a generated column makes a text of a float
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE, f FLOAT, g VARCHAR(40) AS (CONCAT(d)) STORED, h VARCHAR(40) AS (CONCAT(f)) STORED);
-- pauses: 36197 … FLOAT and DOUBLE
-- case: a new column makes a text of a float
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE);
INSERT INTO t (id, d) VALUES (1, 1e20);
ALTER TABLE t ADD g VARCHAR(40) DEFAULT (CONCAT(d));
-- pauses: 36197 … FLOAT and DOUBLE
-- case: a new column divides
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, dc DECIMAL(12, 4), n INT);
INSERT INTO t VALUES (1, 10.5555, 7), (2, -7.5, 2), (3, 2.5, 3);
ALTER TABLE t ADD d INT DEFAULT (dc);
ALTER TABLE t ADD p DECIMAL(20, 4) DEFAULT (n / 7);
ALTER TABLE t ADD r VARCHAR(40) DEFAULT (ROUND(dc, 2));
ALTER TABLE t ADD a VARCHAR(40) DEFAULT (n / 8);
-- pauses: 36197 … a quotient
-- case: a new column divides with more digits than one group
-- only: mariadb
-- to: tidb
-- values only: of the expression
CREATE TABLE t (id INT PRIMARY KEY, dc DECIMAL(12, 6));
INSERT INTO t VALUES (1, 10.5555), (2, 0.000001), (3, -3);
ALTER TABLE t ADD c DECIMAL(40, 20) DEFAULT (dc / 7);
-- case: a generated quotient
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE, e DOUBLE AS (d / 3) STORED);
INSERT INTO t (id, d) VALUES (1, 1), (3, 2);
CREATE TABLE u (id INT PRIMARY KEY, dc DECIMAL(12, 4), n INT, g VARCHAR(40) AS (n / 8) STORED, h VARCHAR(40) AS (dc / n) STORED);
-- pauses: 36197 … a quotient
-- case: a generated quotient that is rounded, which mysql has rounded before
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c DECIMAL(20, 2) AS (ROUND(a / b, 2)) STORED);
-- pauses: 36197 … a quotient
-- case: a generated quotient of whole numbers
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT AS (a / b) STORED);
-- pauses: 36197 … a quotient
-- case: a generated column takes an object out of a json
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, g VARCHAR(40) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))) STORED, n INT AS (JSON_EXTRACT(j, '$.b')) STORED);
INSERT INTO t (id, j) VALUES (1, '{"b": 1, "a": "x"}');
CREATE TABLE u (id INT PRIMARY KEY, j JSON, g VARCHAR(40) AS (JSON_EXTRACT(j, '$.a')) STORED);
-- pauses: 36197 … JSON
-- case: a counter numbers rows that stand in another order
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY) ENGINE=MyISAM;
INSERT INTO t VALUES (3), (1), (2);
ALTER TABLE t ADD n INT NOT NULL AUTO_INCREMENT UNIQUE;
-- pauses: 36198 … MYISAM
-- case: a counter numbers rows in the order of a text key
-- only: mysql
-- to: mariadb
CREATE TABLE t (v VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci PRIMARY KEY);
INSERT INTO t VALUES ('c'), ('a'), ('B'), ('D');
ALTER TABLE t ADD n INT NOT NULL AUTO_INCREMENT UNIQUE;
-- pauses: 36198 … the collation of v
-- case: a counter numbers rows without a key
-- to: mariadb mysql
CREATE TABLE t (v INT);
ALTER TABLE t ADD k INT NOT NULL AUTO_INCREMENT UNIQUE FIRST;
CREATE TABLE u (v INT);
INSERT INTO u VALUES (3), (1);
ALTER TABLE u ADD n INT NOT NULL AUTO_INCREMENT PRIMARY KEY;
-- pauses: 36198 … no primary key
-- case: a counter numbers rows in the order of their key
-- to: mariadb mysql
CREATE TABLE t (id INT, v VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, PRIMARY KEY (v, id));
INSERT INTO t VALUES (3, 'c'), (1, 'a'), (2, 'B'), (2, 'D');
ALTER TABLE t ADD n INT NOT NULL AUTO_INCREMENT UNIQUE;
-- case: a stored column is calculated where backslashes escape nothing
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) DEFAULT 'a', g VARCHAR(60) GENERATED ALWAYS AS (CONCAT(v, '\n')) STORED);
SET sql_mode = 'NO_BACKSLASH_ESCAPES';
INSERT INTO t (id) VALUES (1);
-- pauses: code=36218 … NO_BACKSLASH_ESCAPES
-- case: a stored column is calculated by a session that pads
-- only: mysql
-- to: tidb
SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH';
CREATE TABLE t (id INT PRIMARY KEY, a CHAR(5), c INT AS (CHAR_LENGTH(CONCAT(a, '|'))) STORED);
INSERT INTO t (id, a) VALUES (1, 'a');
-- pauses: code=36218 … column c
-- case: sessions with such modes write columns that do not depend on them
SET sql_mode = 'NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH';
CREATE TABLE t (id INT PRIMARY KEY, a CHAR(5), v VARCHAR(10), c VARCHAR(20) AS (CONCAT(v, '|')) STORED);
INSERT INTO t (id, a, v) VALUES (1, 'a', 'b');
SET sql_mode = DEFAULT;
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(10), g VARCHAR(60) AS (CONCAT(v, 'x\ny')) STORED);
INSERT INTO u (id, v) VALUES (1, 'b');

-- case: bits of numbers with a fraction
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a DOUBLE, v VARCHAR(20), z INT AS (a & 255) STORED);
-- pauses: 36197 … is not known to have the same values everywhere
-- target
CREATE TABLE t (id INT PRIMARY KEY, a DOUBLE, v VARCHAR(20), z INT);
-- operator: skip
-- upstream
INSERT INTO t (id, a, v) VALUES (2, 0.5, '0.5'), (3, 2.5, '2.5');
-- case: a new column of bits of a text
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
ALTER TABLE t ADD y INT AS (v & 255) STORED;
-- pauses: 36197 … is not known to have the same values everywhere
-- case: integers of times with a fraction
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, b TIME(6), d DATETIME(6), y BIGINT AS (b) STORED, z BIGINT AS (d) STORED);
-- pauses: 36197 … becomes bigint
-- case: the year of a number
CREATE TABLE t (id BIGINT PRIMARY KEY, d INT AS (YEAR(id)) STORED);
-- pauses: 36197 … YEAR(an integer)
-- case: a new column takes an integer of the present moment
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD z BIGINT DEFAULT (NOW(6));
-- pauses: 36197 … becomes bigint
-- case: expressions over integers, dates and times that are the same
CREATE TABLE t (id INT PRIMARY KEY, i INT, dc DECIMAL(9,2), da DATE, dt DATETIME(6), ti TIME(6), x INT AS (i & 12) STORED, y INT AS (((i << 2) | 1) ^ 3) STORED, b INT AS (dc & 7) STORED, m INT AS (YEAR(da) * 100 + MONTH(da)) STORED, d DATE AS (DATE(dt)) STORED, h INT AS (HOUR(ti)) STORED, n INT AS (IF(dt IS NULL, 1, NULL)) STORED, u INT AS (MICROSECOND(dt)) STORED);
INSERT INTO t (id, i, dc, da, dt, ti) VALUES (1, 13, 2.5, '2024-02-29', '2024-02-29 23:59:59.9', '23:59:59.9'), (2, 255, 3.5, '1999-12-31', NULL, '-10:00:00.5');

-- case: generated columns whose expressions warn of nearly every value
CREATE TABLE t (id INT PRIMARY KEY, i INT, y INT AS (CASE WHEN i = 'a' THEN 1 ELSE 2 END) STORED);
SET sql_mode = '';
INSERT IGNORE INTO t (id, i) VALUES (1, 0), (2, NULL), (3, 7);

-- case: a generated column that overflows in MariaDB
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a DECIMAL(30,2), y BIGINT UNSIGNED AS (CAST(a AS UNSIGNED)) STORED);
INSERT INTO t (id, a) VALUES (12, 12);
SET sql_mode = '';
INSERT IGNORE INTO t (id, a) VALUES (14, -5);
-- pauses: 36197 … CAST UNSIGNED(a DECIMAL)
-- case: a decimal or an integer becomes a text
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, price DECIMAL(10,2), qty INT, g VARCHAR(40) AS (IF(qty > 1, price, qty)) STORED);
INSERT INTO t (id, price, qty) VALUES (1, 1.50, 0);
-- pauses: 36197 … a DECIMAL becomes varchar(40)
-- case: ZEROFILL in a new column's default
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, i INT(5) UNSIGNED ZEROFILL);
INSERT INTO t VALUES (1, 42);
ALTER TABLE t ADD g VARCHAR(20) DEFAULT (CONCAT('A-', i));
-- pauses: 36197 … CONCAT('A-', an integer)
-- case: a document's number or text becomes an integer in MariaDB
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, k INT AS (JSON_EXTRACT(j, '$.k')) STORED);
INSERT INTO t (id, j) VALUES (1, '{"k": 5}'), (2, '{"k": "6"}'), (3, '{"k": true}');
-- pauses: 36197 … JSON becomes int
-- case: a document's number or text becomes an integer
CREATE TABLE t (id INT PRIMARY KEY, j JSON, k INT AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.k'))) STORED);
INSERT INTO t (id, j) VALUES (1, '{"k": 5}'), (2, '{"k": "6"}');
-- case: texts of a generated column that compare by the session's collation
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
SET NAMES utf8mb4 COLLATE utf8mb4_bin;
ALTER TABLE t ADD a INT AS ('a' = 'A') STORED;
-- pauses: 36197 … the collation of a column
-- case: texts of a default that compare by the session's collation
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
SET NAMES utf8mb4 COLLATE utf8mb4_unicode_ci;
ALTER TABLE t ADD e INT DEFAULT ('ß' = 'ss');
-- pauses: 36197 … the collation of a column
-- case: a table with backslashes in an expression is altered under NO_BACKSLASH_ESCAPES
-- only: mysql
-- to: tidb mariadb
CREATE TABLE s (id INT PRIMARY KEY, v VARCHAR(20), g VARCHAR(60) AS (CONCAT('p/', v)) STORED);
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), g VARCHAR(60) AS (CONCAT('p\\', v)) STORED);
SET sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES';
ALTER TABLE s ADD w INT DEFAULT 3;
ALTER TABLE t ADD w INT DEFAULT 3;
-- pauses: code=36255 … g;
-- case: an expression with a backslash is made under NO_BACKSLASH_ESCAPES
-- only: mysql
-- to: tidb mariadb
SET sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES';
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), d VARCHAR(9) DEFAULT 'a\', g VARCHAR(60) DEFAULT (CONCAT('p\', 'x')));
-- pauses: code=36255 … g;
-- case: a generated column has the bytes of a text, which TiDB cuts
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(3), b VARBINARY(20) AS (CAST(c AS BINARY)) STORED);
-- pauses: 36197 … CAST of a text to BINARY
-- case: a new generated column has the bytes of a text
CREATE TABLE t (id INT PRIMARY KEY, c CHAR(3) CHARACTER SET utf8mb4);
INSERT INTO t VALUES (1, '😀x😀'), (2, 'ä');
ALTER TABLE t ADD b VARBINARY(20) AS (BINARY c) VIRTUAL;
INSERT INTO t (id, c) VALUES (3, 'ßß😀');
-- case: the difference of unsigned numbers is negative in a stored column
-- only: mysql
-- to: tidb
SET sql_mode = 'NO_UNSIGNED_SUBTRACTION';
CREATE TABLE t (id INT PRIMARY KEY, a INT UNSIGNED, b INT UNSIGNED, c INT AS (a - b) STORED);
INSERT INTO t (id, a, b) VALUES (1, 3, 1);
INSERT INTO t (id, a, b) VALUES (2, 1, 3);
-- pauses: 10219 … NO_UNSIGNED_SUBTRACTION
-- case: the difference of unsigned numbers is negative below a function
-- only: mysql
-- to: tidb
SET sql_mode = 'NO_UNSIGNED_SUBTRACTION';
CREATE TABLE t (id INT PRIMARY KEY, a INT UNSIGNED, b INT UNSIGNED, c INT AS (COALESCE(ABS(a - b), 7)) STORED);
INSERT INTO t (id, a, b) VALUES (2, 1, 3);
-- pauses: 10219 … NO_UNSIGNED_SUBTRACTION
-- case: JSON_VALUE of MySQL has RETURNING
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(20) AS (JSON_VALUE(j, '$.v' RETURNING CHAR(20))));
-- pauses: 36197 … RETURNING
-- case: a concatenation by || with a backslash is made under NO_BACKSLASH_ESCAPES
-- only: mysql
-- to: tidb mariadb
SET sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT';
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT 'x', e VARCHAR(30) AS (a || '\n'));
-- pauses: code=36255 … e;
-- case: a concatenation by || of what has other texts in the target
-- only: mysql
-- to: tidb mariadb
SET sql_mode = 'PIPES_AS_CONCAT';
CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE, e VARCHAR(30) AS (d || 'x') STORED);
-- pauses: 36197
-- case: operators that a mode gives another meaning
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), n INT);
INSERT INTO t VALUES (1, 'x', 5);
SET sql_mode = 'PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE,STRICT_ALL_TABLES';
ALTER TABLE t ADD g VARCHAR(60) AS (a || n || 'y') STORED, ADD h INT AS (NOT n = 0) STORED;
INSERT INTO t (id, a, n) VALUES (2, 'z', 0), (3, NULL, NULL);
SET sql_mode = '';
INSERT INTO t (id, a, n) VALUES (4, '1', 0), (5, '0', 7);
-- case: a stored column by || is calculated where backslashes escape nothing
-- only: mysql
-- to: tidb mariadb
SET sql_mode = 'PIPES_AS_CONCAT,STRICT_ALL_TABLES';
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), e VARCHAR(30) AS (a || '\\n') STORED);
SET sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES';
INSERT INTO t (id, a) VALUES (2, 'x');
-- pauses: code=36218 … column e
-- case: a stored column by || is calculated by a session that pads
-- only: mysql
-- to: tidb
SET sql_mode = 'PIPES_AS_CONCAT,STRICT_ALL_TABLES';
CREATE TABLE t (id INT PRIMARY KEY, a CHAR(5), e VARCHAR(30) AS (a || 'n') STORED);
SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH,STRICT_ALL_TABLES';
INSERT INTO t (id, a) VALUES (2, 'x');
-- pauses: code=36218 … column e
-- case: a LIKE of columns is calculated where backslashes escape nothing
-- only: mysql
-- to: tidb mariadb
CREATE TABLE s (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20), e INT AS (a LIKE b ESCAPE '|') STORED, f INT AS (a LIKE 'x%') STORED);
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20), e INT AS (a LIKE b) STORED);
SET sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES';
INSERT INTO s (id, a, b) VALUES (1, 'x_y', 'x\_y'), (2, 'x\zy', 'x\_y');
INSERT INTO t (id, a, b) VALUES (1, 'x_y', 'x\_y'), (2, 'x\zy', 'x\_y');
-- pauses: code=36218 … column e
-- case: a table with a LIKE of columns is altered under NO_BACKSLASH_ESCAPES
-- only: mysql
-- to: tidb mariadb
CREATE TABLE s (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20), e INT AS (a LIKE 'x%') STORED);
SET sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES';
ALTER TABLE s ADD w INT;
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20), e INT AS (a LIKE b) STORED);
ALTER TABLE t ADD w INT, ALGORITHM = COPY;
-- pauses: code=36255 … e;
-- case: several paths of a document are read
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, g VARCHAR(99) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.b', '$.a'))));
-- pauses: 36197 … several paths
-- case: several paths of a document of MySQL are read
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t VALUES (1, '{"a": 1, "b": 2}');
ALTER TABLE t ADD x VARCHAR(99) DEFAULT (JSON_UNQUOTE(JSON_EXTRACT(j, '$.b', '$.a')));
-- pauses: several paths
-- case: all names of a document are read
-- to: mariadb mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, g VARCHAR(99) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.*'))));
-- pauses: 36197 … all names
-- case: several paths of a document of MySQL in TiDB
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, g VARCHAR(99) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.b', '$.a'))));
INSERT INTO t (id, j) VALUES (1, '{"a": 1, "b": 2}');
-- case: texts of numbers that are compared
CREATE TABLE t (id INT PRIMARY KEY, n INT, g INT AS (CONCAT(id, '-', n) = '1-2') STORED, h INT AS (LEFT(n, 1) = '2') STORED, i INT AS (LPAD(id, 3, '0') = CAST(n AS CHAR)) STORED);
INSERT INTO t (id, n) VALUES (1, 2), (12, 12), (2, -2);
-- case: calculated texts with letters that are compared
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, g INT AS (CONCAT(id, 'x') = CONCAT(id, 'X')) STORED);
-- pauses: 36197 … column g … without the collation of a column
-- case: calculated texts with letters in a default that fills rows
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD d INT DEFAULT (REPEAT('x', id) = REPEAT('X', id));
-- pauses: 36197 … column d … without the collation of a column
-- case: a default of a CHAR that is padded fills rows
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, c CHAR(5));
INSERT INTO t VALUES (1, 'q');
SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH';
ALTER TABLE t ADD g INT DEFAULT (LENGTH(c));
-- pauses: 36117 … PAD_CHAR_TO_FULL_LENGTH
-- case: a text becomes a label
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), g ENUM('a','b') AS (v) STORED);
-- pauses: 36197 … column g
-- case: a label becomes a label
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a','b'), s SET('x','y'), g ENUM('b','a') AS (e) STORED, h SET('y','x') AS (s) VIRTUAL);
INSERT INTO t (id, e, s) VALUES (1, 'a', 'x'), (2, 'b', 'y,x'), (3, NULL, '');

-- case: a counter numbers rows partition by partition
-- to: mariadb
-- only: mysql
CREATE TABLE t (d DATE, id INT, PRIMARY KEY (d, id)) PARTITION BY KEY (d) PARTITIONS 4;
INSERT INTO t VALUES ('2020-01-01', 1), ('2020-01-02', 2), ('2020-01-03', 3), ('2020-02-01', 4), ('1999-01-01', 8);
ALTER TABLE t ADD n INT NOT NULL AUTO_INCREMENT, ADD KEY (n);
-- pauses: 36198 … partitions
-- case: a counter numbers rows of partitions that both ends have
-- only: mysql
-- to: mysql
CREATE TABLE t (d DATE, id INT, PRIMARY KEY (d, id)) PARTITION BY KEY (d) PARTITIONS 4;
INSERT INTO t VALUES ('2020-01-01', 1), ('2020-01-02', 2), ('2020-01-03', 3), ('2020-02-01', 4), ('1999-01-01', 8);
ALTER TABLE t ADD n INT NOT NULL AUTO_INCREMENT, ADD KEY (n);
CREATE TABLE u (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (10), PARTITION q VALUES LESS THAN MAXVALUE);
INSERT INTO u VALUES (11, 1), (12, 1), (3, 1);
ALTER TABLE u ADD n INT NOT NULL AUTO_INCREMENT, ADD KEY (n);
