-- case: texts and numbers of documents that servers write alike
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(90) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))) STORED, w VARCHAR(90) AS (CONCAT(JSON_UNQUOTE(JSON_EXTRACT(j, '$.a.b')), '!')) VIRTUAL,
 p DECIMAL(10,2) AS (CAST(JSON_UNQUOTE(JSON_EXTRACT(j, '$.p')) AS DECIMAL(10,2))) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": 1.5, "p": 1.50}'), (2, '{"a":{"b":"a/b"},"p":1e3}'), (3, '{"a": [1,2,{"c":"x"}], "x": 1.50}'), (4, '{"a": true, "p": -0}'), (5, '{"a": null}'), (6, '{"a": {"b": 100.0}}'), (7, NULL);
-- case: a number of a document that the target writes in another way
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(90) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": 1.5}');
INSERT INTO t (id, j) VALUES (2, '{"a": 1.50}');
-- pauses: 36267 … the number 1.50 … generated column v
-- case: an object of a document that the target writes in another way
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, l INT AS (CHAR_LENGTH(JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')))) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": {"a":1,"b":2}}');
INSERT INTO t (id, j) VALUES (2, '{"a": {"a":1.0,"b":2.00}}');
-- pauses: 36267 … an object or array that the target writes … generated column l
-- case: truth that becomes a value
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, n INT AS (JSON_VALUE(j, '$.a')) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": 1}'), (2, '{"a": null}'), (3, '{"a": "5"}'), (4, '{"b": 5}'), (5, '{"a": 10.0}'), (7, '{"a": 1e3}'), (8, '{"a": 2.50}');
INSERT INTO t (id, j) VALUES (6, '{"a": true}');
-- pauses: 36267 … true or false … generated column n
-- case: no scalar that becomes a value
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(30) AS (JSON_VALUE(j, '$.a')) VIRTUAL);
INSERT INTO t (id, j) VALUES (1, '{"a": 1}'), (2, '{"a": null}'), (3, '{"a": "x\\u0079\\/"}');
UPDATE t SET j = '{"a": []}' WHERE id = 2;
-- pauses: 36267 … an object or array, for which … generated column v
-- case: a new column makes a text of numbers that the target writes in another way
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t (id, j) VALUES (1, '{"a": 1.5}'), (2, '{"a": 1.50}');
ALTER TABLE t ADD p DECIMAL(10,2) AS (CAST(JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')) AS DECIMAL(10,2))) VIRTUAL;
ALTER TABLE t ADD v VARCHAR(90) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))) VIRTUAL;
-- pauses: 36197 … column v … the number 1.50
-- case: the text of a whole document
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(90) AS (CONCAT(j, '')) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": 1.5}'), (2, '{"b":1.50, "a": 1}');
-- case: the text of a whole document that is JSON in the target
-- only: mariadb
-- to: tidb
-- target
CREATE TABLE t (id INT PRIMARY KEY, j JSON, l INT AS (CHAR_LENGTH(j)) STORED);
-- upstream
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, j JSON, l INT AS (CHAR_LENGTH(j)) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": 1.5}');
INSERT INTO t (id, j) VALUES (2, '{"a":1.5}');
-- pauses: 36267 … a text that the target writes in another way … generated column l
-- case: the text of an object that MySQL and TiDB write alike
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(90) AS (j->>'$.a') STORED, l VARCHAR(90) AS (j) VIRTUAL);
INSERT INTO t (id, j) VALUES (1, '{"a": {"b": [1, 2.5, "it''s \\"x\\" \\\\ é"], "c": null}}'), (2, '{"a": 1.5}'), (3, NULL), (4, '{"a": "x"}');
ALTER TABLE t ADD w VARCHAR(90) AS (j->>'$.a.b') VIRTUAL;
-- case: the text of an object whose names TiDB orders otherwise
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(90) AS (j->>'$.a') STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": 1, "bb": {"x": 1}, "c": 2}');
UPDATE t SET j = '{"a": {"bb": 1, "c": 2}}';
-- pauses: 36267 … an object or array that the target writes … generated column v
-- case: the text of a document whose names TiDB orders otherwise
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, l VARCHAR(90) AS (j) STORED);
INSERT INTO t (id, j) VALUES (1, '{"bb": 1, "c": 2}');
-- pauses: 36267 … that the target writes in another way … generated column l
-- case: a new column makes a text of an object whose names TiDB orders otherwise
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t (id, j) VALUES (1, '{"a": {"bb": 1, "c": 2}}');
ALTER TABLE t ADD v VARCHAR(90) AS (j->>'$.x') VIRTUAL;
ALTER TABLE t ADD w VARCHAR(90) AS (j->>'$.a') VIRTUAL;
-- pauses: 36197 … column w … an object or array that the target writes
-- case: documents with a DECIMAL become texts
-- only: mysql
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t VALUES (1, JSON_OBJECT('p', 1.10)), (2, JSON_OBJECT('p', 1));
ALTER TABLE t MODIFY j TEXT;
-- pauses: 36196 … 1.1 for 1.10
-- case: a scalar document with a DECIMAL becomes a label
-- only: mysql
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t VALUES (1, CAST(CAST(1.50 AS DECIMAL(5,2)) AS JSON));
ALTER TABLE t CHANGE j e ENUM('1.5', '1.50') FIRST;
-- pauses: 36196 … 1.1 for 1.10
-- case: a document with a DECIMAL becomes bytes
-- only: mysql
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t VALUES (1, JSON_ARRAY(5.00));
ALTER TABLE t MODIFY j BINARY(20);
-- pauses: 36196 … 1.1 for 1.10
-- case: documents of a table that is dropped by now become texts
-- only: mysql
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t VALUES (1, JSON_OBJECT('p', 1.5e0));
ALTER TABLE t MODIFY j TEXT;
DROP TABLE t;
-- pauses: 36196 … changed since then
-- case: documents without a DECIMAL that the target would write otherwise
-- only: mysql
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, j JSON);
INSERT INTO t VALUES (1, '{"p": 1.1, "q": [1.5e20, -0.25], "s": "a.b", "d": 1e100}'), (2, JSON_OBJECT('p', 1.25)), (3, JSON_OBJECT('d', DATE'2024-01-02', 't', TIME'01:02:03.45')), (4, NULL);
CREATE TABLE u LIKE t;
INSERT INTO u SELECT * FROM t WHERE id <> 3;
CREATE TABLE d (id INT PRIMARY KEY, j JSON, k JSON, l JSON);
INSERT INTO d VALUES (1, CAST(CAST(1.10 AS DECIMAL(5,2)) AS JSON), '7', '2.5');
CREATE TABLE b (id INT PRIMARY KEY, j JSON);
INSERT INTO b VALUES (1, '[1.5]'), (2, '{"a": "ü.x"}');
ALTER TABLE t MODIFY j LONGTEXT;
ALTER TABLE u MODIFY j VARCHAR(200) CHARACTER SET latin1;
ALTER TABLE d MODIFY j DECIMAL(12,4), MODIFY k INT, MODIFY l DOUBLE;
ALTER TABLE b MODIFY j VARBINARY(60);
UPDATE t SET j = 'no.document' WHERE id = 4;
