-- case: settings before a DDL
-- only: mariadb
SET STATEMENT sort_buffer_size=100000 FOR CREATE TABLE t (id INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 1);
SET STATEMENT lock_wait_timeout=5, sql_mode='' FOR ALTER TABLE t ADD w INT NOT NULL;
SET STATEMENT lock_wait_timeout=5 FOR SET STATEMENT sort_buffer_size=100000 FOR RENAME TABLE t TO t2;
SET STATEMENT sort_buffer_size=100000 FOR INSERT INTO t2 VALUES (2, 2, 2);
ANALYZE UPDATE t2 SET w = 5;
EXECUTE IMMEDIATE 'SET STATEMENT lock_wait_timeout=5 FOR CREATE TABLE e (id INT PRIMARY KEY)';
BEGIN NOT ATOMIC INSERT INTO e VALUES (1); SET STATEMENT lock_wait_timeout=5 FOR TRUNCATE t2; INSERT INTO e VALUES (2); END;
-- case: a settings sql_mode before a text with quotes
-- only: mariadb
SET STATEMENT sql_mode='ANSI_QUOTES' FOR CREATE TABLE t (id INT PRIMARY KEY, v CHAR(9) DEFAULT "x");
-- pauses: code=36067 … SET STATEMENT sql_mode stands before it
-- case: settings before rows as statements
-- only: mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- upstream
SET SESSION binlog_format = 'STATEMENT';
SET STATEMENT sort_buffer_size=100000 FOR UPDATE t SET a = 2;
-- pauses: code=36014 … UPDATE t SET a = 2
-- case: analyzed rows as statements
-- only: mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- upstream
SET SESSION binlog_format = 'STATEMENT';
ANALYZE FORMAT=JSON UPDATE t SET a = 2;
-- pauses: code=36014 … UPDATE t SET a = 2
