-- case: a foreign key and the index that it uses come in one statement
-- to: tidb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, pid INT);
ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id), ADD INDEX pidx (pid);
-- case: a foreign key that names its index
-- only: mysql
-- to: tidb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, qid INT);
ALTER TABLE c ADD FOREIGN KEY pfk (qid) REFERENCES p (id);
-- case: a foreign key behind a new column
-- to: tidb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY);
ALTER TABLE c ADD qid INT REFERENCES p (id) ON DELETE CASCADE;
-- case: literals of dates and national texts as defaults
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY);
ALTER TABLE t ADD a DATE DEFAULT DATE'2024-01-02', ADD l VARCHAR(9) DEFAULT N'x';
