-- case: a name stands twice in a document of which the target counts the members
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, l INT AS (JSON_LENGTH(j)) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": 1, "b": {"a": 2}}'), (2, NULL), (3, '[{"a": 1}, {"a": 1}]');
INSERT INTO t (id, j) VALUES (4, '{"a": 1, "a": 2}');
-- pauses: 36267 … name "a" twice … column l
-- case: a name stands twice deep in a document, written in two ways
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, h VARCHAR(99) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))) VIRTUAL);
INSERT INTO t (id, j) VALUES (1, '{"a": 1}');
UPDATE t SET j = '{"a": 1, "b": [{"x": 1, "\\u0078": 3}]}';
UPDATE t SET j = '{"a": {"b": [{"x": 1, "\\u0078": 3}]}}';
-- pauses: 36267 … name "x" twice … column h
-- case: a document with a name twice that goes, or that no expression reads
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, k JSON);
INSERT INTO t VALUES (1, '{"a": 1, "a": 2}', '{"b": 1, "b": 2}'), (2, '{"a": 1, "a": 2}', NULL), (3, '{"a": 1}', '{"c": 1}');
UPDATE t SET j = '{"a": 2, "é": {"a": "a"}}' WHERE id = 1;
DELETE FROM t WHERE id = 2;
UPDATE t SET k = NULL;
ALTER TABLE t ADD l INT AS (JSON_LENGTH(j)) STORED, ADD h VARCHAR(99) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$."é".a'))) VIRTUAL;
INSERT INTO t (id, j, k) VALUES (4, '{"x": {"x": 1}, "y": "\\"x\\":"}', '{}');
-- case: a row whose document had a name twice before it was changed
-- only: mariadb
-- to: tidb mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, j JSON, l INT AS (JSON_LENGTH(j)) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": 1, "a": 2}'), (2, '{"a": 1, "a": 2}');
-- target
CREATE TABLE t (id INT PRIMARY KEY, j JSON, l INT AS (JSON_LENGTH(j)) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": 2}'), (2, '{"a": 2}');
-- upstream
UPDATE t SET j = '{"a": 2}' WHERE id = 1;
DELETE FROM t WHERE id = 2;
-- case: a new column is calculated of documents with a name twice
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, k JSON);
INSERT INTO t VALUES (1, '{"a": 1, "a": 2}', '{}');
ALTER TABLE t ADD g INT AS (JSON_LENGTH(j)) VIRTUAL, ADD h VARCHAR(99) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))) VIRTUAL;
-- pauses: 36197 … column g … name "a" twice
-- case: a generated column that reads another one of a document with a name twice
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, b JSON AS (JSON_EXTRACT(j, '$.b')) STORED, l INT AS (JSON_LENGTH(b)) STORED);
INSERT INTO t (id, j) VALUES (1, '{"b": {"x": 1}}');
INSERT INTO t (id, j) VALUES (2, '{"b": {"x": 1, "x": 2}}');
-- pauses: 36267 … name "x" twice
-- case: a name stands twice in a text that an expression reads as JSON
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT CHARACTER SET utf8mb4, l INT AS (JSON_LENGTH(v)) STORED);
INSERT INTO t (id, v) VALUES (1, '{"a": 1}'), (2, '[1, 2]');
INSERT INTO t (id, v) VALUES (3, '{"a": 1, "a": 2}');
-- pauses: 36267 … name "a" twice … column l
-- case: a unique key of the target reads a document with a name twice
-- only: mariadb
-- to: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
-- target
CREATE TABLE t (id INT PRIMARY KEY, j JSON, UNIQUE KEY u ((CAST(JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')) AS CHAR(20)))));
-- upstream
INSERT INTO t VALUES (1, '{"a": 1}');
INSERT INTO t VALUES (2, '{"a": 2, "a": 3}');
-- pauses: 36267 … name "a" twice … unique key u
-- case: a name stands twice in a compressed document
-- only: mariadb
-- to: tidb mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT COMPRESSED CHARACTER SET utf8mb4);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT CHARACTER SET utf8mb4, l INT AS (JSON_LENGTH(v)) STORED);
-- upstream
INSERT INTO t VALUES (1, CONCAT('{"a": 1, "b": "', REPEAT('x', 500), '"}'));
INSERT INTO t VALUES (2, CONCAT('{"a": 1, "a": "', REPEAT('x', 500), '"}'));
-- pauses: 36267 … name "a" twice … column l
-- case: a name stands twice in a document of latin1 in a table without a key
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (v TEXT CHARACTER SET latin1, l INT AS (JSON_LENGTH(v)) STORED);
INSERT INTO t (v) VALUES ('{"ä": 1, "a": 2}'), (NULL);
UPDATE t SET v = '{"ä": 1, "ö": 3}' WHERE v IS NULL;
INSERT INTO t (v) VALUES ('{"ä": 1, "\\u00e4": 2}');
-- pauses: 36267 … name "ä" twice … column l
-- case: a default fills rows with what it calculates of documents
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
ALTER TABLE t ADD n VARCHAR(20) DEFAULT (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')));
INSERT INTO t (id, j) VALUES (1, '{"a": 1, "a": 2}');
ALTER TABLE t ADD m VARCHAR(20) DEFAULT (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')));
-- pauses: 36197 … column m … default fills rows
-- case: a name is written with an escape that it needs not
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, h VARCHAR(99) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))) VIRTUAL);
INSERT INTO t (id, j) VALUES (1, '{"a": "\\u0061\\/", "stra\\u00dfe": 2, "x": [{"\\u0061": 3}]}'), (2, '{"b": {"\\u0061": 3}}');
INSERT INTO t (id, j) VALUES (3, '{"\\u0061": 9}');
-- pauses: 36267 … name "\u0061" with an escape … column h
-- case: names are written with escapes that they need, and a path has such ones
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, l INT AS (JSON_LENGTH(j)) STORED, q VARCHAR(9) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$."a\\"b"'))) STORED,
  n VARCHAR(9) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$."a\\nb"'))) VIRTUAL, s VARCHAR(9) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$."a/b"'))) VIRTUAL);
INSERT INTO t (id, j) VALUES (1, '{"a\\"b": "q", "a\\nb": "n", "a/b": "s"}'), (2, '{"a\\\\b": 1, "\\t": 2}'), (3, NULL), (4, '{"x": "\\u00e4"}');
UPDATE t SET j = '{"a\\"b": "r", "é": 1}' WHERE id = 3;
INSERT INTO t (id, j) VALUES (5, '{"x": {"a\\/b": 1}}');
-- pauses: 36267 … name "a\/b" with an escape … column l
-- case: a path has an escape that its name needs not
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
ALTER TABLE t ADD h INT AS (JSON_EXTRACT(j, '$."\\u0061"')) VIRTUAL;
-- pauses: 36197 … column h … a path with an escape
-- case: a new column is calculated of documents with escaped names
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t VALUES (1, '{"a": {"b": 1}, "\\u0062": 2}'), (2, '{"a": {"\\u0062": 1}}');
ALTER TABLE t ADD h VARCHAR(9) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.b.c'))) VIRTUAL;
-- pauses: 36197 … column h … name "\u0062" with an escape
-- case: new columns are calculated of parts of documents without such names
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t VALUES (1, '{"a": {"b": 1, "c": 2}, "\\u0062": 2}'), (2, '{"a": {"b": "x"}, "x": 1, "x": 2}');
ALTER TABLE t ADD h VARCHAR(9) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a.b'))) STORED, ADD l INT AS (JSON_LENGTH(j, '$.a')) VIRTUAL;
UPDATE t SET j = '{"a": {"b": 2}, "\\u0062": 3}' WHERE id = 1;
-- case: a text has more levels than MariaDB reads
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT CHARACTER SET utf8mb4, l INT AS (JSON_LENGTH(v)) STORED);
INSERT INTO t (id, v) VALUES (1, CONCAT(REPEAT('[', 31), REPEAT(']', 31)));
SET sql_mode = '';
INSERT INTO t (id, v) VALUES (2, CONCAT(REPEAT('[', 32), REPEAT(']', 32)));
-- pauses: 36267 … more than 31 levels … column l
-- case: a text has half of a surrogate pair, with which MariaDB does not read it
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT CHARACTER SET utf8mb4, h VARCHAR(9) AS (JSON_UNQUOTE(JSON_EXTRACT(v, '$.a'))) VIRTUAL);
INSERT INTO t (id, v) VALUES (1, '{"a": "\\ud83d\\ude00"}');
SET sql_mode = '';
INSERT INTO t (id, v) VALUES (2, '{"a": "a", "b": "\\ud83d"}');
-- pauses: 36267 … half of a surrogate pair … column h
-- case: a text ends in a character of code 0, with which MariaDB does not read it
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT CHARACTER SET utf8mb4, l INT AS (JSON_LENGTH(v)) STORED);
INSERT INTO t (id, v) VALUES (1, '[1]');
SET sql_mode = '';
INSERT INTO t (id, v) VALUES (2, '[1]\0');
-- pauses: 36267 … code 0 … column l
