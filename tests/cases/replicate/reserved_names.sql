-- case: a column whose name is reserved in the target
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, rank INT, groups INT, INDEX (groups));
INSERT INTO t VALUES (1, 1, 1);
-- case: a new column whose name is reserved in the target
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY);
ALTER TABLE t ADD lead INT, ADD lag INT;
INSERT INTO t VALUES (1, 1, 2);
-- case: a column gets a name that is reserved in the target
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, function INT);
ALTER TABLE t CHANGE id rank INT;
INSERT INTO t VALUES (1, 1);
-- case: a column whose name is reserved in MariaDB
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, offset INT);
ALTER TABLE t ADD returning INT, ADD slow INT;
INSERT INTO t VALUES (1, 1, 1, 1);
-- case: keys and expressions over columns whose names are reserved in the target
-- only: mariadb
-- to: tidb mysql
CREATE TABLE p (lead INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, rank INT NOT NULL, groups INT DEFAULT 7, lag INT AS (rank + groups) STORED, CONSTRAINT window CHECK (rank > 0 AND t.groups > 0), KEY lead (rank, groups), KEY system (groups));
INSERT INTO t (id, rank) VALUES (1, 1);
ALTER TABLE t ADD lead INT AFTER rank, ADD CONSTRAINT except_one CHECK (lead > 1), DROP KEY system;
ALTER TABLE t ADD FOREIGN KEY groups (lead) REFERENCES p (lead);
ALTER TABLE t ALTER rank SET DEFAULT 3;
CREATE INDEX system ON t (groups, lead);
DROP INDEX lead ON t;
INSERT INTO p VALUES (2);
INSERT INTO t (id, lead) VALUES (2, 2);
-- case: a new column whose default is taken from one with a reserved name
-- only: mariadb
-- to: tidb mysql
-- values only: TiDB has no such default
CREATE TABLE t (id INT PRIMARY KEY, rank INT);
INSERT INTO t VALUES (1, 1), (2, 2);
ALTER TABLE t ADD groups INT DEFAULT (rank + 1);
INSERT INTO t (id, rank) VALUES (3, 3);
-- case: partitions of and with names that are reserved in the target
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT, rank INT, v INT, PRIMARY KEY (id, rank)) PARTITION BY RANGE (rank) (PARTITION lead VALUES LESS THAN (10), PARTITION lag VALUES LESS THAN (20));
INSERT INTO t VALUES (1, 1, 1), (2, 11, 2);
ALTER TABLE t ADD PARTITION (PARTITION system VALUES LESS THAN (30));
INSERT INTO t VALUES (3, 21, 3);
ALTER TABLE t DROP PARTITION lead;
ALTER TABLE t TRUNCATE PARTITION lag, system;
INSERT INTO t VALUES (4, 11, 4);
-- case: keys and expressions over columns whose names are reserved in MariaDB
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, portion INT, offset INT DEFAULT (id + 1), returning INT AS (offset + 1), KEY offset (offset), CONSTRAINT returning CHECK (offset > 0));
INSERT INTO t (id) VALUES (1);
ALTER TABLE t RENAME COLUMN portion TO current_role, RENAME KEY offset TO returning, DROP CHECK returning;
INSERT INTO t (id) VALUES (2);
-- case: columns with names of keywords that expressions use
CREATE TABLE t (id INT PRIMARY KEY, day INT, date DATE, year INT AS (YEAR(date) + day), month DATE AS (date + INTERVAL day DAY), time INT AS (CAST(day AS SIGNED) + EXTRACT(DAY FROM date)), value INT, comment INT, KEY day (day, value));
INSERT INTO t (id, day, date) VALUES (1, 2, '2024-01-02');
