-- case: a unique key and the column's other collation in one statement
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(255) COLLATE utf8mb4_general_ci);
INSERT INTO t VALUES (1, 'a'), (2, 'A');
ALTER TABLE t ADD UNIQUE INDEX n (name), MODIFY name VARCHAR(255) COLLATE utf8mb4_bin NOT NULL;
INSERT INTO t VALUES (3, 'b');
-- case: a unique key and the conversion of its texts in one statement
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(255)) CHARSET utf8mb3;
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci, ADD UNIQUE (v);
INSERT INTO t VALUES (3, '😀');
-- case: a unique key and the conversion of its texts in one statement, of MariaDB
-- only: mariadb
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(255)) CHARSET latin1;
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, ADD UNIQUE (v);
INSERT INTO t VALUES (3, 'A');
-- case: latin1 texts become utf8mb3
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(255)) CHARSET latin1;
INSERT INTO t VALUES (1, 'ä');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb3;
INSERT INTO t VALUES (2, '日');
-- case: a latin1 column becomes utf8mb3
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(255) CHARACTER SET latin1);
INSERT INTO t VALUES (1, 'ä');
ALTER TABLE t MODIFY v VARCHAR(255) CHARACTER SET utf8mb3;
INSERT INTO t VALUES (2, '日');
-- case: a new name is a name that another column gives up
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, g INT, h INT);
INSERT INTO t VALUES (1, 2, 3);
ALTER TABLE t RENAME COLUMN g TO tmp, RENAME COLUMN h TO g;
UPDATE t SET g = 12, tmp = 13;
-- case: a new name is that of a column which is dropped behind it
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
INSERT INTO t VALUES (1, 2, 3);
ALTER TABLE t CHANGE b a BIGINT, DROP a;
UPDATE t SET a = 12;
-- case: a column stops counting
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT);
INSERT INTO t (a) VALUES (1), (2);
ALTER TABLE t MODIFY id INT NOT NULL;
INSERT INTO t VALUES (10, 5);
-- case: a full-text index that was left out gets another name
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a TEXT, FULLTEXT KEY ft (a));
INSERT INTO t VALUES (1, 'hello');
ALTER TABLE t RENAME INDEX ft TO ft3;
INSERT INTO t VALUES (2, 'hello');
-- case: a label with a backslash at its end
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a\\','b') DEFAULT 'a\\');
INSERT INTO t (id, e) VALUES (2, 'b');
ALTER TABLE t ADD f INT DEFAULT 2;
INSERT INTO t (id) VALUES (3);
-- case: a check is added if it does not exist
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY, y INT);
ALTER TABLE t ADD CONSTRAINT IF NOT EXISTS c CHECK (y > 0);
ALTER TABLE t ADD CONSTRAINT IF NOT EXISTS c CHECK (y > 1);
INSERT INTO t VALUES (1, 1);
-- case: a partition is added if it does not exist
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20));
INSERT INTO t VALUES (1), (15);
ALTER TABLE t ADD PARTITION IF NOT EXISTS (PARTITION p1 VALUES LESS THAN (30));
INSERT INTO t VALUES (2);
-- case: a second foreign key behind a column
-- only: mysql
-- to: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT REFERENCES p (id));
ALTER TABLE c ADD qid INT REFERENCES p (id) ON DELETE CASCADE;
-- case: a second foreign key behind a column, of MariaDB
-- only: mariadb
-- to: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT REFERENCES p (id));
ALTER TABLE c ADD qid INT REFERENCES p (id) ON DELETE CASCADE;
-- case: a column grows that a foreign key names
-- only: mysql
-- to: mariadb
CREATE TABLE p (id INT PRIMARY KEY, code VARCHAR(5) UNIQUE);
CREATE TABLE c (id INT PRIMARY KEY, code VARCHAR(5), FOREIGN KEY (code) REFERENCES p (code));
ALTER TABLE p MODIFY code VARCHAR(10);
INSERT INTO p VALUES (2, 'abcdefgh');
