-- case: days of no calendar that servers read alike
CREATE TABLE t (id INT PRIMARY KEY, d DATE, dt DATETIME, d3 DATETIME(3), y INT AS (YEAR(dt)) STORED, m INT AS (MONTH(d)) STORED,
 e INT AS (EXTRACT(YEAR_MONTH FROM d3)) STORED, b DATE AS (DATE(dt)) STORED, p BOOLEAN AS (d > '2020-01-01') STORED,
 v VARCHAR(40) AS (CONCAT(d, '/', dt)) STORED, l INT AS (LENGTH(dt)) STORED, n BOOLEAN AS (dt IS NULL) STORED);
SET sql_mode = 'ALLOW_INVALID_DATES';
INSERT INTO t (id, d, dt, d3) VALUES (1, '0000-00-00', '0000-00-00', '0000-00-00'), (2, '2020-00-15', '2020-02-31 01:02:03', '2021-02-29 01:02:03.5'),
 (3, '0000-01-01', '0000-02-29 10:00:00', '0000-12-31 23:59:59.999'), (4, '2020-02-29', '2020-02-29', '2020-02-29'), (5, NULL, NULL, NULL);
UPDATE t SET dt = '2020-00-00', d = '2020-04-31' WHERE id > 2;
-- case: the zero date is formatted
-- only: mysql
-- to: tidb
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME, m VARCHAR(10) AS (DATE_FORMAT(d, '%Y-%m')) STORED);
INSERT INTO t (id, d) VALUES (1, '2020-02-29'), (2, NULL);
INSERT INTO t (id, d) VALUES (3, '0000-00-00');
-- pauses: 36271 … '0000-00-00 00:00:00' in d … generated column m
-- case: the zero date is formatted, and the target has a plain column
-- only: mysql
-- to: tidb
-- target
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME, m VARCHAR(10));
-- upstream
SET sql_mode = '';
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, d DATETIME, m VARCHAR(10) AS (DATE_FORMAT(d, '%Y-%m')) STORED);
INSERT INTO t (id, d) VALUES (1, '2020-02-29'), (2, NULL), (3, '0000-00-00');
-- case: a text of the zero date has no fraction in TiDB
-- to: tidb
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME(3), v VARCHAR(40) AS (CONCAT(d, '')) STORED);
INSERT INTO t (id, d) VALUES (1, '2020-02-29 01:02:03.25'), (2, NULL), (3, '2020-00-00');
UPDATE t SET d = '0000-00-00' WHERE id = 2;
-- pauses: 36271 … '0000-00-00 00:00:00.000' in d … generated column v
-- case: a text of the zero date of a TIMESTAMP has no fraction in TiDB
-- to: tidb
SET sql_mode = '', time_zone = '+05:00';
CREATE TABLE t (id INT PRIMARY KEY, d TIMESTAMP(2) NULL, l INT AS (CHAR_LENGTH(d)) STORED);
INSERT INTO t (id, d) VALUES (1, '0000-00-00');
-- pauses: 36271 … '0000-00-00 00:00:00.00' in d … generated column l
-- case: a day is added to days of no calendar
-- to: tidb mysql
-- only: mariadb
SET sql_mode = 'ALLOW_INVALID_DATES';
CREATE TABLE t (id INT PRIMARY KEY, d DATE, n DATE AS (d + INTERVAL 1 DAY) STORED);
INSERT INTO t (id, d) VALUES (1, '2020-02-29'), (2, NULL);
INSERT INTO t (id, d) VALUES (3, '2020-02-31');
-- pauses: 36271 … '2020-02-31' in d … generated column n
-- case: a row that had such a day, and has none any more
-- only: mysql
-- to: tidb
-- before
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, d DATE, m VARCHAR(10) AS (DATE_FORMAT(d, '%Y')) STORED);
INSERT INTO t (id, d) VALUES (1, '0000-00-00'), (2, '0000-00-00');
-- target
CREATE TABLE t (id INT PRIMARY KEY, d DATE, m VARCHAR(10) AS (DATE_FORMAT(d, '%Y')) STORED);
SET sql_mode = '';
INSERT INTO t (id, d) VALUES (1, '0000-00-00'), (2, '0000-00-00');
-- upstream
UPDATE t SET d = '2020-01-01' WHERE id = 1;
DELETE FROM t WHERE id = 2;
-- case: the day of the zero date is NULL in a session that does not take it
SET sql_mode = 'NO_ZERO_DATE';
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME, b DATE AS (DATE(d)) STORED);
INSERT INTO t (id, d) VALUES (1, '2020-02-29 10:00:00'), (2, NULL);
INSERT IGNORE INTO t (id, d) VALUES (3, '0000-00-00');
-- pauses: 36271 … '0000-00-00 00:00:00' in d … generated column b
-- case: a new column formats the zero date of rows that are there
-- only: mysql
-- to: tidb
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, d DATE, e DATE);
INSERT INTO t VALUES (1, '2020-02-29', '0000-00-00'), (2, NULL, NULL);
ALTER TABLE t ADD m VARCHAR(10) AS (DATE_FORMAT(d, '%Y')) VIRTUAL;
ALTER TABLE t ADD n VARCHAR(10) AS (DATE_FORMAT(e, '%Y')) VIRTUAL;
-- pauses: 36197 … column n … days of no calendar in e, for one 0000-00-00
-- case: a new column formats the zero date that another new column has
-- only: mysql
-- to: tidb
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD d DATE NOT NULL, ADD m VARCHAR(10) AS (DATE_FORMAT(d, '%Y')) VIRTUAL;
-- pauses: 36197 … column m … days of no calendar in d
-- case: a default formats the zero date of rows that are there
-- only: mysql
-- to: tidb
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, d DATE);
INSERT INTO t VALUES (1, '0000-00-00');
ALTER TABLE t ADD m VARCHAR(10) DEFAULT (DATE_FORMAT(d, '%Y'));
-- pauses: 36197 … column m … in d, for one 0000-00-00
