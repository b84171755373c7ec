-- case: digits behind the point become a text
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c DECIMAL(10,2));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c DECIMAL(20,4));
-- upstream
INSERT INTO t VALUES (1, 1.50), (2, NULL);
ALTER TABLE t MODIFY c VARCHAR(30);
INSERT INTO t (id) VALUES (3);
-- pauses: code=36196
-- case: digits behind the point are read by a default
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c DECIMAL(10,2));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c DECIMAL(20,4));
-- upstream
INSERT INTO t VALUES (1, 1.50), (2, NULL);
ALTER TABLE t ADD v VARCHAR(30) COLLATE utf8mb4_bin DEFAULT (CONCAT(c));
INSERT INTO t (id) VALUES (3);
-- pauses: code=36197
-- case: digits behind the point are read by a generated column
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c DECIMAL(10,2));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c DECIMAL(20,4));
-- upstream
INSERT INTO t VALUES (1, 1.50), (2, NULL);
ALTER TABLE t ADD v VARCHAR(30) COLLATE utf8mb4_bin AS (CONCAT(c)) STORED;
INSERT INTO t (id) VALUES (3);
-- pauses: code=36197
-- case: labels in another order become numbers
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','b'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('b','a','z'));
-- upstream
INSERT INTO t VALUES (1, 'a'), (2, NULL);
ALTER TABLE t MODIFY c INT;
INSERT INTO t (id) VALUES (3);
-- pauses: code=36196
-- case: labels in another order are read as numbers
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','b'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('b','a','z'));
-- upstream
INSERT INTO t VALUES (1, 'a'), (2, NULL);
ALTER TABLE t ADD v INT AS (c + 0) VIRTUAL;
INSERT INTO t (id) VALUES (3);
-- pauses: code=36197
-- case: a number that is a text there is read
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(20));
-- upstream
INSERT INTO t VALUES (1, 5), (2, NULL);
ALTER TABLE t ADD v VARCHAR(30) COLLATE utf8mb4_bin DEFAULT (HEX(c));
INSERT INTO t (id) VALUES (3);
-- pauses: code=36197
-- case: a day that is a moment there becomes a text
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c DATE);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c DATETIME);
-- upstream
INSERT INTO t VALUES (1, '2024-01-01'), (2, NULL);
ALTER TABLE t MODIFY c VARCHAR(30);
INSERT INTO t (id) VALUES (3);
-- pauses: code=36196
-- case: a moment with fractions there becomes a text
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c DATETIME);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c DATETIME(3));
-- upstream
INSERT INTO t VALUES (1, '2024-01-01 10:00:00'), (2, NULL);
ALTER TABLE t MODIFY c VARCHAR(40);
INSERT INTO t (id) VALUES (3);
-- pauses: code=36196
-- case: a whole number that has digits there becomes a text
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c DECIMAL(12,2));
-- upstream
INSERT INTO t VALUES (1, 7), (2, NULL);
ALTER TABLE t MODIFY c VARCHAR(20);
INSERT INTO t (id) VALUES (3);
-- pauses: code=36196
-- case: a number with zeros before it becomes a text
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT ZEROFILL);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c BIGINT UNSIGNED);
-- upstream
INSERT INTO t VALUES (1, 5), (2, NULL);
ALTER TABLE t MODIFY c VARCHAR(20);
INSERT INTO t (id) VALUES (3);
-- pauses: code=36196
-- case: a number that is unsigned there is read
-- only: mysql
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c BIGINT UNSIGNED);
-- upstream
INSERT INTO t VALUES (1, 5), (2, NULL);
ALTER TABLE t ADD v INT AS (c - 3) VIRTUAL;
INSERT INTO t (id) VALUES (3);
-- pauses: code=36197
-- case: a wider number becomes wider
-- only: mysql
-- values only: the target's column is another one
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c BIGINT);
-- upstream
INSERT INTO t VALUES (1, 5), (2, NULL);
ALTER TABLE t MODIFY c BIGINT, ADD v BIGINT AS (c + 1) VIRTUAL;
INSERT INTO t (id) VALUES (3);
-- case: a wider number becomes a text
-- only: mysql
-- values only: the target's column is another one
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c BIGINT);
-- upstream
INSERT INTO t VALUES (1, 5), (2, NULL);
ALTER TABLE t MODIFY c VARCHAR(20);
INSERT INTO t (id) VALUES (3);
-- case: a number that is a decimal there becomes one
-- only: mysql
-- values only: the target's column is another one
-- before
CREATE TABLE t (id INT PRIMARY KEY, c INT);
-- target
CREATE TABLE t (id INT PRIMARY KEY, c DECIMAL(12,2));
-- upstream
INSERT INTO t VALUES (1, 5), (2, NULL);
ALTER TABLE t MODIFY c DECIMAL(8,1);
INSERT INTO t (id) VALUES (3);
-- case: more labels behind the upstream's are read as numbers
-- only: mysql
-- values only: the target's column is another one
-- before
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','b'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','b','z'));
-- upstream
INSERT INTO t VALUES (1, 'b'), (2, NULL);
ALTER TABLE t ADD v INT AS (c + 0) VIRTUAL;
INSERT INTO t (id) VALUES (3);
-- case: labels in another order become a text
-- only: mysql
-- values only: the target's column is another one
-- before
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','b'));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('b','a','z'));
-- upstream
INSERT INTO t VALUES (1, 'a'), (2, NULL);
ALTER TABLE t MODIFY c VARCHAR(5);
INSERT INTO t (id) VALUES (3);
-- case: a longer text becomes longer
-- only: mysql
-- values only: the target's column is another one
-- before
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(10));
-- target
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(20));
-- upstream
INSERT INTO t VALUES (1, 'x'), (2, NULL);
ALTER TABLE t MODIFY c VARCHAR(30), ADD v INT AS (CHAR_LENGTH(c)) VIRTUAL;
INSERT INTO t (id) VALUES (3);
-- case: a counter over labels in another order
-- only: mysql
-- to: mysql
-- before
CREATE TABLE t (c ENUM('a','b','c') PRIMARY KEY, v INT);
-- target
CREATE TABLE t (c ENUM('c','b','a','z') PRIMARY KEY, v INT);
-- upstream
INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3);
ALTER TABLE t ADD COLUMN n INT NOT NULL AUTO_INCREMENT UNIQUE;
-- pauses: code=
-- case: a default of a text is set
-- only: mariadb
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a DATETIME(3), t TEXT);
ALTER TABLE t ALTER a SET DEFAULT CURRENT_TIMESTAMP(3), ALTER t SET DEFAULT 'text';
-- case: a default of a text is set, which MySQL takes in MODIFY only
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, t TEXT);
ALTER TABLE t ALTER t SET DEFAULT 'text';
-- pauses: 36108
-- operator: replace ALTER TABLE $DB.t MODIFY t TEXT DEFAULT ('text')
INSERT INTO t (id) VALUES (1);
