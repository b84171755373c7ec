-- case: a stored generated column is added to a table with rows
CREATE TABLE g (id INT PRIMARY KEY, a DECIMAL(10,2), b INT);
INSERT INTO g VALUES (1, 1.5, 2);
ALTER TABLE g ADD COLUMN c DECIMAL(20,2) GENERATED ALWAYS AS (a * b) STORED;
INSERT INTO g (id, a, b) VALUES (2, 2.5, 3);
UPDATE g SET b = 4 WHERE id = 1;
-- case: stored generated columns are added among other clauses
CREATE TABLE g (id INT PRIMARY KEY, a INT, v VARCHAR(9));
INSERT INTO g (id, a, v) VALUES (1, 2, 'x'), (2, 3, 'y');
ALTER TABLE g ADD c INT AS (a + 1) STORED UNIQUE AFTER id, ADD KEY k (d, c), ADD COLUMN d BIGINT AS (c * 2) STORED, ADD CHECK (c > 0);
ALTER TABLE g ADD (e INT AS (d + 1) STORED COMMENT 'e', f INT AS (a) VIRTUAL, h VARCHAR(20) GENERATED ALWAYS AS (CONCAT(v, 'STORED')) STORED);
ALTER TABLE g ADD n INT AS (e + f);
INSERT INTO g (id, a, v) VALUES (3, 4, 'z');
UPDATE g SET a = 7 WHERE c = 3;
DELETE FROM g WHERE d = 8;
CREATE TABLE l LIKE g;
INSERT INTO l (id, a, v) VALUES (3, 4, 'z');
ALTER TABLE g DROP KEY k, DROP n, DROP e, RENAME COLUMN h TO i;
-- case: a stored generated column of MariaDB, in its words
-- only: mariadb
CREATE TABLE g (id INT PRIMARY KEY, a INT);
ALTER TABLE g ADD COLUMN IF NOT EXISTS c INT AS (a * 2) PERSISTENT COMMENT 'c';
INSERT INTO g (id, a) VALUES (1, 2);
-- case: a stored generated column that is not NULL is added
-- only: mysql
-- to: tidb
CREATE TABLE g (id INT PRIMARY KEY, a INT NOT NULL);
INSERT INTO g (id, a) VALUES (1, 2);
ALTER TABLE g ADD c INT GENERATED ALWAYS AS (a + 1) STORED NOT NULL;
ALTER TABLE g MODIFY c BIGINT GENERATED ALWAYS AS (a + 1) STORED NOT NULL COMMENT 'larger', ADD KEY (c);
INSERT INTO g (id, a) VALUES (2, 3);
-- case: a stored generated column over moments is added
-- only: mysql
-- to: tidb
CREATE TABLE g (id INT PRIMARY KEY, a TIMESTAMP NULL);
ALTER TABLE g ADD c DATETIME GENERATED ALWAYS AS (a) STORED;
-- pauses: 36197 … time zone
-- case: a generated column gets another expression
-- only: mysql
-- to: tidb
CREATE TABLE g (id INT PRIMARY KEY, a INT, c INT AS (a + 1) STORED);
INSERT INTO g (id, a) VALUES (1, 2);
ALTER TABLE g MODIFY c INT AS (a + 2) STORED;
-- pauses: 36208 … DROP COLUMN
-- operator: replace ALTER TABLE $DB.g DROP COLUMN c, ADD COLUMN c INT AS (a + 2) VIRTUAL
INSERT INTO g (id, a) VALUES (2, 3);
-- case: arrows in expressions
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, `rank` JSON, g VARCHAR(30) AS (j->>'$.a') STORED, v VARCHAR(60) AS (CONCAT(`rank`->>'$."b c"', '|', IFNULL(`j`->>"$.x[1].y", 'none'))), n BIGINT AS (JSON_LENGTH(j->'$.l')), KEY k (g), CONSTRAINT c CHECK (j->>'$.a' <> 'no'));
INSERT INTO t (id, j, `rank`) VALUES (1, '{"a": "5", "l": [1, 2]}', '{"b c": "\\"quoted\\" \\u00e9\\n"}'), (2, '{"a": 5.50, "x": [0, {"y": "in"}]}', '{"b c": true}'), (3, '{"a": null}', '{"b c": {"d": [1, 2.0, 1e20]}}'), (4, '{}', NULL), (5, NULL, '{}'), (6, '{"a": "", "l": {}}', '{"b c": ""}'), (7, '{"a": "日本🦆", "l": "s"}', '{"b c": -0}');
ALTER TABLE t ADD COLUMN h VARCHAR(40) AS (UPPER(j->>'$.a')) VIRTUAL, ADD CHECK (j->>'$.l' IS NULL OR j->>'$.l' <> 'x');
UPDATE t SET j = JSON_SET(j, '$.a', 'set') WHERE id = 2;
-- both
INSERT INTO t (id, j) VALUES (8, '{"a": "yes"}');
-- case: an arrow that keeps the quotes
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, g VARCHAR(30) AS (j->'$.a') STORED);
-- pauses: 36197
-- case: a generated column is the primary key by its own words
-- only: mysql
-- to: mariadb
-- values only: MariaDB has a unique key for it
CREATE TABLE t (a INT, b INT AS (a + 1) STORED PRIMARY KEY COMMENT 'x');
INSERT INTO t (a) VALUES (1), (2);
UPDATE t SET a = 5 WHERE b = 2;
CREATE TABLE u (a INT NOT NULL);
INSERT INTO u VALUES (1), (2);
ALTER TABLE u ADD c INT AS (a + 2) STORED NOT NULL PRIMARY KEY FIRST;
DELETE FROM u WHERE c = 3;
-- case: a primary key over a generated column is created, copied, dropped and added
-- only: mysql
-- to: mariadb
-- values only: MariaDB has a unique key for it
CREATE TABLE c (id INT, d DATE, y INT AS (YEAR(d)) STORED, v INT, PRIMARY KEY (id, y));
INSERT INTO c (id, d, v) VALUES (1, '2024-02-03', 1), (1, '2025-02-03', 2), (2, '2024-02-03', 3);
UPDATE c SET d = '2026-01-01' WHERE v = 1;
CREATE TABLE l LIKE c;
INSERT INTO l (id, d, v) SELECT id, d, v FROM c;
DELETE FROM l WHERE v = 2;
ALTER TABLE l DROP PRIMARY KEY, ADD PRIMARY KEY (y, id), ADD COLUMN w INT DEFAULT 4;
UPDATE l SET w = 5 WHERE id = 2;
DROP INDEX `PRIMARY` ON c;
INSERT INTO c (id, d, v) VALUES (2, '2024-02-03', 4);
CREATE TABLE a (id INT NOT NULL, d DATE, y INT AS (YEAR(d)) STORED NOT NULL);
INSERT INTO a (id, d) VALUES (1, '2024-02-03'), (1, '2025-02-03');
ALTER TABLE a ADD PRIMARY KEY (id, y);
UPDATE a SET d = '2026-02-03' WHERE y = 2024;
CREATE TABLE p (id INT PRIMARY KEY, v INT);
INSERT INTO p VALUES (1, 2), (3, 4);
ALTER TABLE p DROP PRIMARY KEY, ADD COLUMN y INT AS (id + 1) STORED NOT NULL, ADD PRIMARY KEY (id, y);
UPDATE p SET v = 5 WHERE y = 4;
-- case: an added generated column becomes a plain one
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t (id, a) VALUES (1, 3);
ALTER TABLE t ADD c INT AS (a + 2) STORED;
ALTER TABLE t MODIFY c INT;
-- pauses: 36208 … a plain one there under another name
-- case: the text of a DECIMAL without digits before the point is cut by TiDB
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a DECIMAL(5,5), b DECIMAL(6,5), g VARCHAR(20) AS (CONCAT(a)) STORED, h VARCHAR(20) AS (CAST(b AS CHAR)) STORED, KEY (h));
INSERT INTO t (id, a, b) VALUES (1, -0.5, -9.5), (2, -0.00001, -0.00001), (3, 0.5, 0.5);
ALTER TABLE t ADD k VARCHAR(20) AS (CAST(a AS CHAR)) STORED;
-- pauses: 36197 … CAST to CHAR of a DECIMAL
-- case: texts and numbers taken out of documents that have values of SQL types, too
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, n VARCHAR(30) AS (j->>'$.name') STORED, p DECIMAL(10,2) AS (CAST(j->>'$.price' AS DECIMAL(10,2))) STORED, a VARCHAR(30) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.at'))) STORED, l INT AS (JSON_LENGTH(j)), UNIQUE (n));
INSERT INTO t (id, j) VALUES (1, JSON_OBJECT('name', 'a', 'price', 19.90, 'at', CAST('2024-01-31 10:00:00' AS DATETIME))), (2, JSON_OBJECT('name', 'b', 'price', 5.00, 'at', DATE'2024-01-31', 'x', JSON_ARRAY(TIME'10:00:00', X'00FF'))), (3, '{"name": "c", "price": 1.50}'), (4, NULL);
UPDATE t SET j = JSON_SET(j, '$.price', 7.10, '$.name', 'd') WHERE id = 2;
ALTER TABLE t ADD m VARCHAR(30) AS (LOWER(j->>'$.name')), ADD b DECIMAL(10,1) AS (CAST(j->>'$.price' AS DECIMAL(10,1)));
INSERT INTO t (id, j) VALUES (5, JSON_OBJECT('name', 'E', 'price', 0.50));
-- case: the text of a decimal in a document
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(20) AS (j->>'$.price') STORED, UNIQUE (v));
INSERT INTO t (id, j) VALUES (1, JSON_OBJECT('price', 19.95)), (2, JSON_OBJECT('price', 3));
INSERT INTO t (id, j) VALUES (3, JSON_OBJECT('price', CAST(19.90 AS DECIMAL(10,2))));
-- pauses: 36267 … DECIMAL 19.90 at $."price" … column v
-- case: the text of a decimal in a document that changes in part
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(20) AS (j->>'$.price'));
INSERT INTO t (id, j) VALUES (1, '{"price": 1.5, "filler": "0123456789012345678901234567890123456789"}');
SET binlog_row_value_options = 'PARTIAL_JSON';
UPDATE t SET j = JSON_SET(j, '$.price', 2.50);
-- pauses: 36267 … DECIMAL 2.50 … column v
-- case: a new column of the text of decimals that rows have in a document
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t (id, j) VALUES (1, JSON_OBJECT('price', 19.95, 'a', 1.50)), (2, JSON_OBJECT('price', 19.90));
ALTER TABLE t ADD n VARCHAR(20) AS (j->>'$.name');
ALTER TABLE t ADD v VARCHAR(20) AS (j->>'$.price');
-- pauses: 36197 … v … DECIMAL
-- case: rows whose documents lose the values of SQL types that a new column reads
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t (id, j) VALUES (1, JSON_OBJECT('price', 19.90)), (2, JSON_OBJECT('price', 2.50)), (3, NULL);
ALTER TABLE t ADD v VARCHAR(20) AS (j->>'$.price');
UPDATE t SET j = CAST(CAST(j AS CHAR) AS JSON) WHERE id = 1;
UPDATE t SET j = NULL, id = 4 WHERE id = 2;
DELETE FROM t WHERE id = 1;
-- case: a default that takes a text out of a document fills rows
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
ALTER TABLE t ADD e VARCHAR(20) DEFAULT (j->>'$.price');
INSERT INTO t (id, j) VALUES (1, JSON_OBJECT('price', 19.90));
ALTER TABLE t ADD d VARCHAR(20) DEFAULT (j->>'$.price');
UPDATE t SET j = NULL;
-- pauses: 36197 … column d … the default fills rows
-- case: WEEK without a mode has that of the session that made the column
-- only: mysql
-- to: tidb mariadb
SET default_week_format = 3;
CREATE TABLE t (id INT PRIMARY KEY, d DATE, w INT AS (WEEK(d)) STORED, KEY week (d));
INSERT INTO t (id, d) VALUES (1, '2026-01-01'), (2, '2026-12-31');
ALTER TABLE t ADD v INT AS (WEEK(d) + 1) VIRTUAL;
SET default_week_format = 0;
ALTER TABLE t ADD u INT AS (WEEK(d)) VIRTUAL;
INSERT INTO t (id, d) VALUES (3, '2026-01-01'), (4, '2026-12-31');
UPDATE t SET d = '2027-01-01' WHERE id = 2;
-- case: a generated column is calculated anew of bytes, when its text is converted
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET utf8mb4, h INT AS (LENGTH(v)) STORED);
INSERT INTO t (id, v) VALUES (1, 'é');
ALTER TABLE t CONVERT TO CHARACTER SET latin1;
-- pauses: 36197 … h … LENGTH
-- case: a generated column is calculated anew of letters, when its text is converted
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET utf8mb4, g VARCHAR(10) CHARACTER SET utf8mb4 AS (UPPER(v)) STORED);
INSERT INTO t (id, v) VALUES (1, 'šµ');
ALTER TABLE t CONVERT TO CHARACTER SET latin1;
-- pauses: 36197 … g … letters
-- case: a generated column is calculated anew by another collation
-- only: mysql
-- to: mariadb tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, f INT AS (v = 'ae'));
INSERT INTO t (id, v) VALUES (1, 'ä');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_de_pb_0900_ai_ci;
-- pauses: 36197 … f
-- case: a generated column is calculated anew of a number of another type
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, g INT AS (a % 2 = 0) STORED);
INSERT INTO t (id, a) VALUES (1, -4), (2, 30);
ALTER TABLE t MODIFY a BIGINT;
ALTER TABLE t MODIFY a DECIMAL(10,2);
-- pauses: 36197 … g
-- case: a generated column is calculated anew of one whose type changes
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, g1 INT AS (a) VIRTUAL, h INT AS (g1 % 2 = 0) VIRTUAL);
INSERT INTO t (id, a) VALUES (1, -4), (2, 3);
ALTER TABLE t MODIFY g1 DECIMAL(10,2) AS (a) VIRTUAL;
-- pauses: 36197 … h
-- case: a generated column that is a plain one in the target is calculated anew
-- target
CREATE TABLE t (id INT PRIMARY KEY, a DECIMAL(9,1), g INT);
-- upstream
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, a DECIMAL(9,1), g INT AS (a * 10) STORED);
INSERT INTO t (id, a) VALUES (1, 2.5);
ALTER TABLE t MODIFY a INT;
-- pauses: 36197 … g … plain
-- case: generated columns are calculated anew alike
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, v VARCHAR(10), g INT AS (a + 1), h VARCHAR(20) AS (CONCAT(v, '!')));
INSERT INTO t (id, a, v) VALUES (1, 2, 'é');
ALTER TABLE t MODIFY v VARCHAR(12), ADD k INT AS (a * 2);
ALTER TABLE t MODIFY v VARCHAR(12) NOT NULL, MODIFY a BIGINT;
INSERT INTO t (id, a, v) VALUES (2, 3, 'ü');
-- case: letters and days of a column that is renamed beside the column that reads them
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET latin1);
INSERT INTO t (id, v) VALUES (1, 'µ');
ALTER TABLE t RENAME COLUMN v TO w, ADD g VARCHAR(10) CHARACTER SET latin1 AS (UPPER(w));
-- pauses: 36197 … g … letters
-- case: a cast to a text that compares by code points
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5) CHARACTER SET utf8mb4, g VARCHAR(20) CHARACTER SET utf8mb4 AS (CAST(v AS CHAR CHARACTER SET utf8mb4 BINARY)) STORED);
INSERT INTO t (id, v) VALUES (1, 'üüüüü'), (2, 'A'), (3, 'a');
SET collation_connection = 'utf8mb4_bin';
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(5) CHARACTER SET utf8mb4, g VARCHAR(20) CHARACTER SET utf8mb4 AS (CAST(v AS CHAR)), h VARCHAR(20) CHARACTER SET utf8mb4 AS (CONVERT(v, CHAR(3))));
INSERT INTO u (id, v) VALUES (1, 'ééééé'), (2, '日本');
INSERT INTO u (id, v) VALUES (3, '日本語日本');
-- case: a column that takes the name of a dropped one beside the column that reads it
-- only: mysql
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10), w VARCHAR(10));
INSERT INTO t VALUES (1, 'a', 'b');
ALTER TABLE t DROP COLUMN w, RENAME COLUMN v TO w, ADD g VARCHAR(20) AS (UPPER(w));
INSERT INTO t (id, w) VALUES (2, 'c');
-- case: a session that is not strict makes a date of a text that is none
-- only: mysql
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), d DATE AS (CAST(v AS DATE)) STORED);
INSERT INTO t (id, v) VALUES (1, '2020-01-31'), (2, NULL);
SET sql_mode = '';
INSERT INTO t (id, v) VALUES (3, '2020-02-31');
-- pauses: 36315 … NULL upstream
