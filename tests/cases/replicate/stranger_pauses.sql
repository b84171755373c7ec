-- case: a partition of a text that has another collation in the target
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT, r VARCHAR(10), PRIMARY KEY (id, r)) PARTITION BY LIST COLUMNS (r) (PARTITION pn VALUES IN ('a', 'b'));
INSERT INTO t VALUES (3, 'B');
