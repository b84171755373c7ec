-- case: letters that both servers make large and small alike
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4, w VARCHAR(20) CHARACTER SET latin1, u VARCHAR(20) CHARACTER SET utf8mb4 AS (UPPER(v)) STORED,
 l VARCHAR(20) CHARACTER SET utf8mb4 AS (LOWER(v)) VIRTUAL, m VARCHAR(20) CHARACTER SET latin1 AS (LOWER(w)) STORED);
INSERT INTO t (id, v, w) VALUES (1, 'Straße İıé', 'Straße Éé'), (2, NULL, NULL), (3, 'ΑΘήνα 😀', 'µÿ'), (4, 'Жж', '');
UPDATE t SET v = 'Škoda', w = 'Über' WHERE id = 2;
ALTER TABLE t ADD n VARCHAR(20) CHARACTER SET latin1 AS (LOWER(w)) VIRTUAL;
-- case: a letter of latin1 without a small one
-- to: tidb
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, w VARCHAR(20) CHARACTER SET latin1, m VARCHAR(20) CHARACTER SET latin1 AS (LOWER(w)) STORED);
INSERT INTO t (id, w) VALUES (1, 'škoda'), (2, 'Éé');
UPDATE t SET w = 'Škoda' WHERE id = 2;
-- pauses: 36272 … the letter Š in w … LOWER … generated column m
-- case: a letter of latin1 without a small one, and the target has a plain column
-- to: tidb
-- target
CREATE TABLE t (id INT PRIMARY KEY, w VARCHAR(20), m VARCHAR(20));
-- upstream
SET NAMES utf8mb4;
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, w VARCHAR(20) CHARACTER SET latin1, m VARCHAR(20) CHARACTER SET latin1 AS (LOWER(w)) STORED);
INSERT INTO t (id, w) VALUES (1, 'Škoda');
-- case: letters of a Turkish collation
-- to: tidb
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_turkish_ci, u VARCHAR(20) CHARACTER SET utf8mb4 AS (CONCAT(UCASE(v), '!')) STORED);
INSERT INTO t (id, v) VALUES (1, 'abc');
INSERT INTO t (id, v) VALUES (2, 'istanbul');
-- pauses: 36272 … the letter i in v … UPPER … generated column u
-- case: letters of a Turkish collation of MariaDB
-- only: mariadb
-- to: mysql
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_turkish_ai_ci, u VARCHAR(20) CHARACTER SET utf8mb4 AS (LOWER(v)) STORED);
INSERT INTO t (id, v) VALUES (1, 'abc');
INSERT INTO t (id, v) VALUES (2, 'Istanbul');
-- pauses: 36272 … the letter I in v … LOWER … generated column u
-- case: a newer letter of Unicode
-- to: tidb
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, u VARCHAR(20) CHARACTER SET utf8mb4 AS (UPPER(v)) STORED);
INSERT INTO t (id, v) VALUES (1, 'ǆ');
INSERT INTO t (id, v) VALUES (2, 'xყ');
-- pauses: 36272 … the letter ყ in v
-- case: letters of text in other bytes
-- to: tidb
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET euckr, u VARCHAR(20) CHARACTER SET euckr AS (UPPER(v)) STORED);
INSERT INTO t (id, v) VALUES (1, '가a');
INSERT INTO t (id, v) VALUES (2, '가ⓐ');
-- pauses: 36272 … the letter ⓐ in v
-- case: a new column makes letters large of rows that are there
-- to: tidb
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, w VARCHAR(20) CHARACTER SET greek, x VARCHAR(20) CHARACTER SET greek);
INSERT INTO t (id, w, x) VALUES (1, 'Αλφα', 'αθήνα');
ALTER TABLE t ADD u VARCHAR(20) CHARACTER SET greek DEFAULT (UPPER(w));
ALTER TABLE t ADD v VARCHAR(20) CHARACTER SET greek AS (UPPER(x)) VIRTUAL;
-- pauses: 36197 … column v … letters in x of which UPPER
-- case: a letter of a document
-- to: tidb
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, j JSON, u VARCHAR(40) AS (UPPER(JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')))) STORED);
INSERT INTO t (id, j) VALUES (1, '{"a": "straße"}');
INSERT INTO t (id, j) VALUES (2, '{"a": "ყ"}');
-- pauses: 36272 … the letter ყ in j
-- case: a letter of an ENUM
-- to: tidb
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a','Š') CHARACTER SET latin1, u VARCHAR(40) CHARACTER SET latin1 AS (LOWER(e)) STORED);
INSERT INTO t (id, e) VALUES (1, 'a');
INSERT INTO t (id, e) VALUES (2, 'Š');
-- pauses: 36272 … the letter Š in e
