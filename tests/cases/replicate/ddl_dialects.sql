-- case: names without quotation marks that are words to the target
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, row INT NOT NULL, rank INT DEFAULT 1, stored INT AS (row + 1) STORED, KEY groups (rank, row), CHECK (row > 0));
INSERT INTO t (id, row) VALUES (1, 1), (2, 2);
ALTER TABLE t ADD COLUMN system INT AFTER row, ADD lead INT, CHANGE rank lag INT, DROP KEY groups, ADD UNIQUE of (row);
INSERT INTO t (id, row, system, lead, lag) VALUES (3, 3, 3, 3, 3);
ALTER TABLE t DROP lead, RENAME COLUMN system TO option;
CREATE INDEX window ON t (lag);
UPDATE t SET option = 4, lag = 5 WHERE id = 1;

-- case: names without quotation marks that are words to MariaDB
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, offset INT, KEY returning (offset));
INSERT INTO t VALUES (1, 1);
ALTER TABLE t CHANGE offset portion INT, ADD returning INT AS (portion + 1);
INSERT INTO t (id, portion) VALUES (2, 2);

-- case: json of mariadb
-- only: mariadb
-- to: mariadb tidb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, k JSON NOT NULL);
INSERT INTO t VALUES (1, '{"a": [1]}', '2');
ALTER TABLE t ADD COLUMN l JSON, MODIFY j JSON COMMENT 'x';
UPDATE t SET l = '[]';
-- case: comments and options of databases
-- only: mariadb
-- to: mariadb mysql tidb
CREATE DATABASE $DB_x COMMENT 'hi' CHARACTER SET utf8mb4;
ALTER DATABASE $DB COMMENT 'there';
ALTER DATABASE $DB_x COMMENT 'latin' CHARACTER SET latin1;
CREATE TABLE $DB_x.t (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET utf8mb4);
INSERT INTO $DB_x.t VALUES (1, 'ä');
-- case: a database is replaced
-- only: mariadb
-- to: mariadb mysql tidb
CREATE DATABASE $DB_x;
CREATE TABLE $DB_x.t (id INT PRIMARY KEY, v INT);
INSERT INTO $DB_x.t VALUES (1, 1);
CREATE OR REPLACE DATABASE $DB_x CHARACTER SET utf8mb4;
CREATE TABLE IF NOT EXISTS $DB_x.t (v VARCHAR(10) PRIMARY KEY);
INSERT INTO $DB_x.t VALUES ('ä');
-- case: foreign keys of an engine that has none
-- values only: of foreign keys, which are compared by what they would refuse
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, p INT, q INT REFERENCES p (id), FOREIGN KEY (p) REFERENCES p (id)) ENGINE=MyISAM;
ALTER TABLE c ADD r INT, ADD CONSTRAINT n FOREIGN KEY (r) REFERENCES p (id);
INSERT INTO c VALUES (1, 5, 6, 7);
ALTER TABLE c DROP KEY p, DROP KEY n;
-- case: foreign keys without names
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, p INT, q INT REFERENCES p (id), FOREIGN KEY (p) REFERENCES p (id));
ALTER TABLE c ADD r INT, ADD KEY r (r);
ALTER TABLE c ADD FOREIGN KEY (r) REFERENCES p (id);
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1, 1, 1);
ALTER TABLE c DROP FOREIGN KEY c_ibfk_1;
ALTER TABLE c DROP FOREIGN KEY c_ibfk_2;
ALTER TABLE c DROP FOREIGN KEY c_ibfk_3;
-- case: options of other engines
-- only: mariadb
-- to: mariadb mysql tidb
CREATE TABLE a (id INT PRIMARY KEY) ENGINE=MyISAM, ROW_FORMAT=FIXED, COMMENT='x';
CREATE TABLE b (id INT PRIMARY KEY) ENGINE=Aria ROW_FORMAT=PAGE TRANSACTIONAL=1 PAGE_CHECKSUM=1;
CREATE TABLE c (id INT PRIMARY KEY) DELAY_KEY_WRITE=1, KEY_BLOCK_SIZE=1024, ENGINE=MyISAM, PACK_KEYS=1, INSERT_METHOD=NO;
CREATE TABLE d (id INT PRIMARY KEY) TRANSACTIONAL=0, ENGINE=Aria, COMMENT='z', ROW_FORMAT=PAGE;
CREATE TABLE e (id INT PRIMARY KEY) ENGINE=MyISAM PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10) ENGINE = MyISAM COMMENT = 'a', PARTITION p1 VALUES LESS THAN (20) ENGINE MyISAM);
ALTER TABLE a ENGINE=MyISAM, ROW_FORMAT=DYNAMIC;
ALTER TABLE a ROW_FORMAT=FIXED, TABLE_CHECKSUM=1, ADD COLUMN v INT, DELAY_KEY_WRITE=0;
ALTER TABLE a MAX_ROWS=10;
ALTER TABLE a ENGINE=MEMORY;
ALTER TABLE e ADD PARTITION (PARTITION p2 VALUES LESS THAN (30) ENGINE = MyISAM);
INSERT INTO a VALUES (1, 1);
INSERT INTO e VALUES (1), (25);
-- case: options that mysql takes
-- only: mysql
CREATE TABLE a (id INT PRIMARY KEY) ENGINE=MyISAM, ROW_FORMAT=FIXED;
CREATE TABLE b (id INT PRIMARY KEY) PACK_KEYS=1 CHECKSUM=1 MIN_ROWS=2, INSERT_METHOD=NO, AUTOEXTEND_SIZE=4M, COMMENT='q';
ALTER TABLE b DELAY_KEY_WRITE=0, PACK_KEYS=1, STATS_SAMPLE_PAGES=5, ADD COLUMN v INT;
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1, 1);
-- case: a counter behind another column of the key
-- values only: InnoDB needs a key for it
CREATE TABLE t (g INT, id INT AUTO_INCREMENT, PRIMARY KEY (g, id)) ENGINE=MyISAM;
INSERT INTO t (g) VALUES (1), (1), (2);
-- case: defaults by sequences
-- only: mariadb
-- to: mariadb mysql tidb
-- values only: sequences stay upstream, and so do defaults by them
CREATE SEQUENCE s;
CREATE TABLE a (id INT PRIMARY KEY DEFAULT nextval(s), v INT);
CREATE TABLE b (id INT PRIMARY KEY DEFAULT NEXT VALUE FOR s, v INT DEFAULT (1 + nextval(s)));
INSERT INTO a (v) VALUES (1), (2);
INSERT INTO b (v) VALUES (1);
ALTER TABLE a ALTER v SET DEFAULT nextval(s);
ALTER TABLE a ALTER v DROP DEFAULT, ALTER id DROP DEFAULT;
DROP SEQUENCE s;
INSERT INTO a VALUES (5, 5);
-- case: views and sequences get other names
-- only: mariadb
-- to: mariadb mysql tidb
CREATE TABLE t (id INT PRIMARY KEY);
CREATE VIEW v AS SELECT * FROM t;
CREATE SEQUENCE s;
RENAME TABLE v TO w;
RENAME TABLE s TO s2, t TO u;
ALTER TABLE s2 RENAME TO s3;
ALTER SEQUENCE s3 RESTART 5;
DROP TABLE s3;
DROP VIEW w;
INSERT INTO u VALUES (4);
-- case: views get other names
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY);
CREATE VIEW v AS SELECT * FROM t;
RENAME TABLE v TO w, t TO u;
RENAME TABLE w TO x;
DROP VIEW x;
INSERT INTO u VALUES (4);
-- case: a partition becomes a table and a table a partition
-- only: mariadb
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20));
INSERT INTO t VALUES (1, 1), (15, 15);
ALTER TABLE t CONVERT PARTITION p1 TO TABLE x;
INSERT INTO x VALUES (16, 16);
ALTER TABLE x ADD COLUMN w INT;
UPDATE x SET w = 5;
ALTER TABLE x DROP COLUMN w;
ALTER TABLE t CONVERT TABLE x TO PARTITION p1 VALUES LESS THAN (30);
INSERT INTO t VALUES (26, 26);
-- case: a partition becomes a table where the target has no words for it
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, v INT) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20));
INSERT INTO t VALUES (1, 1), (15, 15);
ALTER TABLE t CONVERT PARTITION p1 TO TABLE x;
INSERT INTO x VALUES (16, 16);
-- pauses: 36126 … EXCHANGE PARTITION p WITH TABLE `$DB`.`x`
-- target
CREATE TABLE x LIKE t;
ALTER TABLE x REMOVE PARTITIONING;
ALTER TABLE t EXCHANGE PARTITION p1 WITH TABLE x;
ALTER TABLE t DROP PARTITION p1;
-- operator: skip
-- case: truncate says what becomes of the storage
-- only: mariadb
-- to: mariadb mysql tidb
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1), (2);
SET sql_mode=ORACLE;
TRUNCATE TABLE t REUSE STORAGE;
INSERT INTO t VALUES (3);
TRUNCATE TABLE t DROP STORAGE;
INSERT INTO t VALUES (4);
-- case: labels as digits
CREATE TABLE t (id INT PRIMARY KEY, e ENUM(0xE4, 'b') CHARACTER SET latin1, s SET(0x61, x'62', 0xE9) CHARACTER SET latin1 COLLATE latin1_bin, f ENUM(0xC3A4, b'01100010') CHARACTER SET utf8mb4);
INSERT INTO t VALUES (1, 1, 5, 1), (2, 2, 4, 2);
ALTER TABLE t ADD COLUMN g ENUM(0xFC, 'q') CHARACTER SET latin1;
UPDATE t SET g = 1;
-- case: types of oracle mode
-- only: mariadb
-- to: mariadb mysql tidb
SET sql_mode=ORACLE;
CREATE TABLE t (id NUMBER PRIMARY KEY, v VARCHAR2(20), c CLOB, r RAW(10), n NUMBER(10,2), d DATE, b BLOB);
INSERT INTO t VALUES (1, 'a', 'clob', X'00', 4.5, '2020-01-01 10:00:00', 'x');
ALTER TABLE t ADD w VARCHAR2(10);
ALTER TABLE t MODIFY n NUMBER(12,2);
UPDATE t SET w = 'w', d = '2020-01-01 10:00:01';
SET sql_mode=MAXDB;
CREATE TABLE m (id INT PRIMARY KEY, t TIMESTAMP(3));
INSERT INTO m VALUES (1, '9999-01-01');
-- case: a default of oracle mode without parentheses
-- only: mariadb
-- to: mariadb mysql
SET sql_mode=ORACLE;
CREATE TABLE t (id NUMBER(10) PRIMARY KEY, d DATE DEFAULT SYSDATE, v VARCHAR2(5) DEFAULT 'x');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t MODIFY v VARCHAR2(9), MODIFY d DATE DEFAULT SYSDATE NOT NULL;
INSERT INTO t (id) VALUES (2);
-- case: types with the schema that they are of
-- only: mariadb
-- to: mariadb mysql tidb
CREATE TABLE s (id INT PRIMARY KEY, d DATE, t TIMESTAMP(3) NULL, dt DATETIME, b BLOB);
INSERT INTO s VALUES (1, '2020-01-01', '2020-01-01 10:00:00.123', '2020-01-01 10:00:01', 'x');
SET sql_mode=ORACLE;
CREATE TABLE a SELECT * FROM s;
CREATE TABLE b (id INT PRIMARY KEY, d mariadb_schema.date, e oracle_schema.date, f maxdb_schema.timestamp(2), g `mariadb_schema`.blob, h DATE);
INSERT INTO b VALUES (1, '2020-01-01', '2020-01-01 10:00:01', '9999-01-01', 'x', '2020-01-01 10:00:02');
SET sql_mode=MAXDB;
CREATE TABLE c SELECT * FROM s;
ALTER TABLE b ADD i mariadb_schema.timestamp NULL, MODIFY h mariadb_schema.date;
SET sql_mode='';
CREATE TABLE e (d oracle_schema.date);
INSERT INTO e VALUES ('2020-01-01 10:00:02');
-- case: a type that is too long becomes a text
CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(10));
SET sql_mode='';
ALTER TABLE t ADD v VARCHAR(70000) CHARACTER SET latin1, ADD b VARBINARY(70000), ADD w VARCHAR(17000000) CHARACTER SET latin1, ADD x VARBINARY(17000000), ADD y VARCHAR(4194303) CHARACTER SET utf8mb4;
INSERT INTO t (id, u, v, b) VALUES (1, 'u', REPEAT('ä', 66000), REPEAT('b', 66000));
-- case: a text that is too long in the character set of tidb
-- to: tidb
-- values only: it is a mediumtext there
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(30000) CHARACTER SET latin1 DEFAULT 'x');
INSERT INTO t VALUES (1, REPEAT('ä', 30000));
ALTER TABLE t MODIFY v VARCHAR(40000) CHARACTER SET latin1;
INSERT INTO t VALUES (2, REPEAT('€', 40000));
-- case: the present moment in another precision
-- only: mariadb
-- to: mariadb mysql tidb
-- values only: MariaDB shows the precision that was written
CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP, b DATETIME(6) DEFAULT NOW() ON UPDATE NOW(), c DATETIME DEFAULT NOW(3));
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD d TIMESTAMP(2) DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE t ADD e DATETIME DEFAULT CURRENT_TIMESTAMP(3), ALTER a SET DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE t ADD f VARCHAR(30) DEFAULT NOW(), ADD g DATE DEFAULT NOW();
-- case: defaults that are set
-- only: mysql
-- values only: TiDB takes few expressions
CREATE TABLE t (id INT PRIMARY KEY, a DATETIME(3), i INT, d DATETIME(3) DEFAULT NOW(3), j VARCHAR(40) DEFAULT 'x');
ALTER TABLE t ALTER a SET DEFAULT (NOW(3));
ALTER TABLE t ALTER i SET DEFAULT (1 + 1);
ALTER TABLE t ALTER j SET DEFAULT (concat('a', 'b'));
ALTER TABLE t ALTER d DROP DEFAULT;
INSERT INTO t VALUES (1, '2020-01-01', 1, '2020-01-01', 'c');
-- case: defaults that are set by mariadb
-- only: mariadb
-- to: mariadb mysql tidb
-- values only: the others take fewer
CREATE TABLE t (id INT PRIMARY KEY, a DATETIME(3), i INT, j VARCHAR(40) DEFAULT 'x', t TEXT);
ALTER TABLE t ALTER a SET DEFAULT CURRENT_TIMESTAMP(3);
ALTER TABLE t ALTER i SET DEFAULT (1 + 1), ALTER j SET DEFAULT uuid();
INSERT INTO t VALUES (1, '2020-01-01', 1, 'c', 'd');
-- case: null in a primary key
-- only: mariadb
-- to: mariadb mysql tidb
CREATE TABLE t (a INT NULL, b INT NULL DEFAULT 5, c INT, PRIMARY KEY (a, b));
CREATE TABLE u (a INT NULL PRIMARY KEY);
INSERT INTO t VALUES (1, 1, 1);
ALTER TABLE t MODIFY a BIGINT NULL;
INSERT INTO t VALUES (2, 1, 1);
-- case: tables that show the rows of others stay upstream
-- values only: it is not in the target
CREATE TABLE a (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE TABLE b (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE TABLE m (id INT NOT NULL, KEY (id)) ENGINE=MERGE UNION=(a, b) INSERT_METHOD=LAST;
INSERT INTO a VALUES (1);
ALTER TABLE m UNION=(a);
RENAME TABLE m TO n;
DROP TABLE n;
-- case: rows are written through a table that shows those of others
CREATE TABLE a (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE TABLE m (id INT NOT NULL, KEY (id)) ENGINE=MERGE UNION=(a) INSERT_METHOD=LAST;
INSERT INTO m VALUES (1);
-- pauses: 44012 … $DB.m, a MERGE table
-- case: a key comes before the columns
CREATE TABLE t (FULLTEXT KEY (a), a TEXT, b INT, PRIMARY KEY (b));
INSERT INTO t VALUES ('x', 1);
-- case: constraints are dropped by name
CREATE TABLE t (id INT PRIMARY KEY, p INT, CONSTRAINT pos CHECK (p > 0), CONSTRAINT five CHECK (p <> 5));
INSERT INTO t VALUES (1, 1);
ALTER TABLE t DROP CONSTRAINT five;
-- case: checks are dropped by name
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, p INT, CONSTRAINT five CHECK (p <> 5));
INSERT INTO t VALUES (1, 1);
ALTER TABLE t DROP CHECK five, ADD v INT;
UPDATE t SET v = 1, p = 5;
-- case: full-text parsers
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, t TEXT, FULLTEXT KEY (t) WITH PARSER ngram);
CREATE TABLE u (id INT PRIMARY KEY, t TEXT, u TEXT);
ALTER TABLE u ADD FULLTEXT INDEX ft (t) WITH PARSER ngram;
CREATE FULLTEXT INDEX ft2 ON u (u) WITH PARSER ngram;
INSERT INTO t VALUES (1, 't');
-- case: keys over texts without a length
-- only: mariadb
-- to: mariadb mysql tidb
-- values only: others want a length
CREATE TABLE t (id INT PRIMARY KEY, b BLOB, t TEXT, KEY (b));
INSERT INTO t VALUES (1, 'a', 'a');
ALTER TABLE t ADD KEY (t);
INSERT INTO t VALUES (2, 'a', 'a');
-- case: a table that becomes a MERGE table
CREATE TABLE a (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE TABLE m (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
ALTER TABLE m ENGINE=MERGE UNION=(a) INSERT_METHOD=LAST;
-- pauses: 36262 … `m` becomes a MERGE table
-- target
DROP TABLE m;
-- operator: skip
-- upstream
INSERT INTO a VALUES (2);
TRUNCATE TABLE m;
-- pauses: 36261 … `m` is a MERGE table
-- target
TRUNCATE TABLE a;
-- operator: skip
-- upstream
INSERT INTO a VALUES (3);
ALTER TABLE m ENGINE=InnoDB;
-- pauses: 36263 … `m`, which is no table of the target, becomes one
-- target
CREATE TABLE m (id INT NOT NULL, KEY (id));
INSERT INTO m VALUES (3);
-- operator: skip
-- upstream
INSERT INTO m VALUES (4);
-- case: a table like a MERGE table becomes a plain one
-- only: mariadb
-- to: tidb mariadb mysql
CREATE TABLE a (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE TABLE m (id INT NOT NULL, KEY (id)) ENGINE=MERGE UNION=(a) INSERT_METHOD=LAST;
CREATE TABLE n LIKE m;
ALTER TABLE n ENGINE=MyISAM;
-- pauses: 36263 … `n`, which is no table of the target, becomes one
-- case: rows are written through a MERGE table that the task leaves out
CREATE TABLE a (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE DATABASE $OUT;
CREATE TABLE $OUT.b (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE TABLE $OUT.n (id INT NOT NULL, KEY (id)) ENGINE=MERGE UNION=($OUT.b) INSERT_METHOD=LAST;
INSERT INTO $OUT.n VALUES (1);
TRUNCATE TABLE $OUT.n;
INSERT INTO $OUT.b VALUES (2);
CREATE TABLE $OUT.m (id INT NOT NULL, KEY (id)) ENGINE=MERGE UNION=($DB.a) INSERT_METHOD=LAST;
INSERT INTO $OUT.m VALUES (1);
-- pauses: 44012 … out_$DB.m, a MERGE table
-- case: rows are written through an older MERGE table that the task leaves out
-- before
CREATE TABLE a (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE DATABASE $OUT;
CREATE TABLE $OUT.`UNION` (id INT NOT NULL, `UNION` INT, KEY (id)) ENGINE=MyISAM;
CREATE TABLE $OUT.m (id INT NOT NULL, KEY (id)) ENGINE=MERGE UNION=($DB.a) INSERT_METHOD=LAST COMMENT 'UNION=(x)';
-- target
CREATE TABLE a (id INT NOT NULL, KEY (id));
-- upstream
INSERT INTO a VALUES (1);
INSERT INTO $OUT.`UNION` VALUES (1, 1);
INSERT INTO $OUT.m VALUES (2);
-- pauses: 44012 … out_$DB.m, a MERGE table
-- case: a MERGE table that the task leaves out is emptied
CREATE TABLE a (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
INSERT INTO a VALUES (1);
CREATE DATABASE $OUT;
CREATE TABLE $OUT.m (id INT NOT NULL, KEY (id)) ENGINE=MERGE UNION=($DB.a) INSERT_METHOD=LAST;
TRUNCATE TABLE $OUT.m;
-- pauses: 36261 … `m` is a MERGE table
-- target
TRUNCATE TABLE a;
-- operator: skip
-- upstream
INSERT INTO a VALUES (2);
-- case: an older MERGE table gets other tables
-- before
CREATE TABLE a (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE TABLE m (id INT NOT NULL, KEY (id)) ENGINE=MERGE UNION=(a) INSERT_METHOD=LAST;
-- target
CREATE TABLE a (id INT NOT NULL, KEY (id));
-- upstream
ALTER TABLE m UNION=(a), INSERT_METHOD=FIRST, COMMENT='x';
INSERT INTO m VALUES (1);
-- pauses: 44012 … $DB.m, a MERGE table
-- case: a MERGE table replaces a table
-- only: mariadb
-- to: tidb mariadb mysql
-- values only: it is not in the target
CREATE TABLE a (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
CREATE TABLE m (id INT NOT NULL, KEY (id)) ENGINE=MyISAM;
INSERT INTO m VALUES (1);
CREATE OR REPLACE TABLE m (id INT NOT NULL, KEY (id)) ENGINE=MERGE UNION=(a);
INSERT INTO a VALUES (2);
DROP TABLE m;
-- case: the check of a column stays when the column is modified
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT CHECK (a < 10));
ALTER TABLE t MODIFY a BIGINT;
-- both
INSERT INTO t VALUES (2, 20);
-- case: columns become visible and invisible
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT INVISIBLE DEFAULT 1, b INT DEFAULT 2);
ALTER TABLE t ALTER COLUMN a SET VISIBLE, ALTER COLUMN b SET INVISIBLE;
-- both
INSERT INTO t VALUES (1, 7);
-- case: the period of a primary key
-- only: mariadb
-- to: tidb mysql
-- values only: TiDB has no periods
CREATE TABLE t (id INT, s DATE, e DATE, PERIOD FOR p (s, e), PRIMARY KEY (id, s));
INSERT INTO t VALUES (1, '2020-01-01', '2020-12-31');
-- both
INSERT INTO t VALUES (2, '2020-01-01', NULL);
-- case: a table that is renamed if it exists
-- only: mariadb
-- to: tidb mysql
CREATE TABLE a (id INT PRIMARY KEY);
RENAME TABLE IF EXISTS a TO b;
-- case: constraints are dropped if they exist
-- only: mariadb
-- to: tidb mysql
CREATE TABLE a (id INT PRIMARY KEY);
ALTER TABLE a DROP CONSTRAINT IF EXISTS nothing;
ALTER TABLE a DROP FOREIGN KEY IF EXISTS nothing;
-- case: clauses that apply if something exists
-- only: mariadb
-- to: tidb mysql
CREATE TABLE a (id INT PRIMARY KEY, x INT);
ALTER TABLE a RENAME COLUMN IF EXISTS nothing TO n;
ALTER TABLE a RENAME INDEX IF EXISTS nothing TO n;
ALTER TABLE a ALTER COLUMN IF EXISTS x SET DEFAULT 4;
ALTER TABLE a CHANGE COLUMN IF EXISTS x z INT;
ALTER TABLE IF EXISTS a ADD KEY IF NOT EXISTS kz (z);
CREATE OR REPLACE INDEX kz ON a (z, id);
-- case: the order of a period is a check
-- only: mariadb
-- to: mysql
-- values only: MySQL has no periods
CREATE TABLE t (id INT, s DATE, e DATE, PERIOD FOR p (s, e), PRIMARY KEY (id, p WITHOUT OVERLAPS), UNIQUE KEY u (id, p WITHOUT OVERLAPS));
INSERT INTO t VALUES (1, '2020-01-01', '2020-12-31'), (1, '2021-01-01', '2021-12-31');
UPDATE t FOR PORTION OF p FROM '2020-03-01' TO '2020-04-01' SET id = 2;
-- both
INSERT INTO t VALUES (3, '2020-01-01', '2019-01-01');
INSERT INTO t VALUES (1, '2021-01-01', '2021-12-31');
-- case: a key without overlaps is a key over the period's columns
-- only: mariadb
-- to: tidb
-- values only: TiDB has no periods
CREATE TABLE t (id INT, s DATE, e DATE, PERIOD FOR p (s, e), PRIMARY KEY (id, p WITHOUT OVERLAPS));
INSERT INTO t VALUES (1, '2020-01-01', '2020-12-31'), (1, '2021-01-01', '2021-12-31');
DELETE FROM t FOR PORTION OF p FROM '2020-03-01' TO '2020-04-01';
-- both
INSERT INTO t VALUES (1, '2021-01-01', '2021-12-31');
-- case: conditions that do not hold, and conditions that do
-- only: mariadb
-- to: tidb mysql
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, x INT, y INT, KEY kx (x), CONSTRAINT f FOREIGN KEY (x) REFERENCES p (id), CONSTRAINT c CHECK (y > 0));
ALTER TABLE t ADD COLUMN IF NOT EXISTS x INT, ADD COLUMN IF NOT EXISTS z INT, DROP COLUMN IF EXISTS nothing, MODIFY COLUMN IF EXISTS nothing INT;
ALTER TABLE t ADD UNIQUE KEY IF NOT EXISTS kx (y), ADD UNIQUE KEY IF NOT EXISTS ky (y), DROP INDEX IF EXISTS nothing;
ALTER TABLE t DROP FOREIGN KEY IF EXISTS f, DROP CONSTRAINT IF EXISTS c;
ALTER TABLE IF EXISTS t RENAME COLUMN IF EXISTS z TO w, RENAME INDEX IF EXISTS kx TO kv;
ALTER TABLE IF EXISTS nothing ADD a INT;
RENAME TABLE IF EXISTS nothing TO elsewhere;
CREATE INDEX IF NOT EXISTS kv ON t (y);
DROP INDEX IF EXISTS kv ON t;
INSERT INTO t VALUES (1, 1, -1, 1);
-- case: the names of checks follow their table
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT, CHECK (a > 0));
RENAME TABLE t TO u;
ALTER TABLE u DROP CHECK u_chk_1;
-- case: a column of JSON gets another name and another type
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a JSON, b JSON);
INSERT INTO t VALUES (1, '{}', '[1]');
ALTER TABLE t CHANGE a c JSON;
ALTER TABLE t MODIFY c JSON COMMENT 'x', MODIFY b LONGTEXT;
INSERT INTO t VALUES (2, '{"a": 1}', 'no document');
ALTER TABLE t DROP COLUMN c;
-- case: checks of columns and tables are dropped by their names
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT CHECK (a > 0), b INT CONSTRAINT own CHECK (b > 0), CHECK (a < b), c INT CHECK (c > 0) NOT ENFORCED);
ALTER TABLE t ADD d INT CHECK (d > 0), ADD CHECK (d < 9), MODIFY a BIGINT CHECK (a < 99);
ALTER TABLE t DROP CHECK t_chk_2, DROP CHECK own;
RENAME TABLE t TO u;
ALTER TABLE u ADD CHECK (b < 50), DROP CHECK u_chk_4, DROP CONSTRAINT u_chk_5, MODIFY d BIGINT;
ALTER TABLE u DROP COLUMN c;
-- both
INSERT INTO u VALUES (1, 5, -1, 99);
INSERT INTO u VALUES (2, -5, 1, 99);
INSERT INTO u VALUES (3, 500, 1, 99);
INSERT INTO u VALUES (4, 5, 55, 99);
-- case: a number of a check that the statement frees is given again
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT CHECK (a > 0), b INT, CHECK (b > a), CONSTRAINT foo_chk_7 CHECK (a <> 77));
ALTER TABLE t DROP CHECK t_chk_2, ADD CHECK (a + b > 0);
ALTER TABLE t ADD CHECK (b <> 9);
ALTER TABLE t ALTER CHECK t_chk_2 NOT ENFORCED;
ALTER TABLE t DROP CHECK t_chk_3;
INSERT INTO t VALUES (1, 2, 9), (2, 2, -9);
CREATE TABLE u LIKE t;
ALTER TABLE u DROP CHECK u_chk_1;
INSERT INTO u VALUES (1, 77, 0);
CREATE TABLE c (id INT PRIMARY KEY, a INT CHECK (a > 0), b INT CHECK (b > 0), c INT);
ALTER TABLE c DROP COLUMN b, ADD CHECK (a + c > 0), ADD CHECK (c <> 9);
ALTER TABLE c DROP CHECK c_chk_3;
INSERT INTO c VALUES (1, 1, 9);
RENAME TABLE c TO d;
ALTER TABLE d ADD CHECK (c <> 8), ADD e INT CHECK (e > 0);
RENAME TABLE d TO c;
ALTER TABLE c DROP CHECK c_chk_4, ADD CHECK (c <> 7), RENAME TO d;
ALTER TABLE d ADD CHECK (c <> 6);
ALTER TABLE d DROP CHECK d_chk_4;
INSERT INTO d VALUES (2, 1, 7, -1), (3, 1, 9, 5);
-- both
INSERT INTO t VALUES (5, -1, 5);
INSERT INTO t VALUES (6, 77, 5);
INSERT INTO u VALUES (7, 77, 5);
INSERT INTO u VALUES (8, -5, 5);
INSERT INTO d VALUES (9, 5, 6, 5);
INSERT INTO d VALUES (10, -5, 60, 5);
INSERT INTO d VALUES (11, 5, 60, 0);
INSERT INTO d VALUES (12, 5, 8, 0);
-- case: checks are enforced and not
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v INT, w VARCHAR(5) CHECK (w <> 'x') NOT ENFORCED, CONSTRAINT c1 CHECK (v < 10), CONSTRAINT c2 CHECK (v < 100 OR w = 'y' OR v > 1000) NOT ENFORCED, CONSTRAINT c3 CHECK (v > 0 AND v <> 7 XOR v = -1));
CREATE TABLE r (id INT PRIMARY KEY, v INT CHECK (v < 10), CHECK (v > 0) NOT ENFORCED);
CREATE TABLE e (id INT PRIMARY KEY, v INT CHECK (v < 10) ENFORCED, w INT, CONSTRAINT ew CHECK (w > v) ENFORCED);
ALTER TABLE e ADD z INT CHECK (z > 1) ENFORCED, ADD CONSTRAINT ez CHECK (z < 9) ENFORCED;
INSERT INTO t VALUES (1, 1, 'x');
ALTER TABLE t ALTER CHECK c1 NOT ENFORCED, ALTER CONSTRAINT C2 ENFORCED, ADD COLUMN z INT;
INSERT INTO t VALUES (2, 50, 'y', 1);
ALTER TABLE t ALTER CHECK c1 NOT ENFORCED;
ALTER TABLE t ALTER CHECK c2 NOT ENFORCED, ALTER CHECK c3 NOT ENFORCED;
INSERT INTO t VALUES (3, 500, 'z', -1), (4, 7, 'x', 2);
UPDATE t SET v = 1, w = 'w';
ALTER TABLE t ALTER CHECK c2 ENFORCED, ALTER CHECK c3 ENFORCED, ALTER CHECK t_chk_1 ENFORCED, ALTER CHECK c1 ENFORCED, ALTER CHECK c1 NOT ENFORCED;
RENAME TABLE r TO q;
ALTER TABLE q ALTER CHECK q_chk_1 NOT ENFORCED, ALTER CHECK q_chk_2 ENFORCED;
-- both
INSERT INTO t VALUES (5, 60, 'y', 1);
INSERT INTO t VALUES (6, 500, 'z', 1);
INSERT INTO t VALUES (7, 500, 'y', 1);
INSERT INTO t VALUES (8, 7, 'y', 1);
INSERT INTO t VALUES (9, -1, 'y', 1);
INSERT INTO t VALUES (10, 5, 'x', 1);
INSERT INTO q VALUES (1, 10);
INSERT INTO q VALUES (2, 0);
INSERT INTO e VALUES (1, 5, 6, 2);
INSERT INTO e VALUES (2, 15, 16, 2);
INSERT INTO e VALUES (3, 5, 5, 2);
INSERT INTO e VALUES (4, 5, 6, 1);
INSERT INTO e VALUES (5, 5, 6, 9);
-- case: literals with an introducer in expressions
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), g VARCHAR(40) AS (CONCAT(a, _utf8mb4'é')) STORED, d VARCHAR(20) DEFAULT (CONCAT(_utf8mb4'é', 'x')), CHECK (a <> _utf8mb4'ä'));
INSERT INTO t (id, a) VALUES (1, 'b'), (2, 'xC3xA4');
ALTER TABLE t ADD e VARCHAR(40) AS (CONCAT(a, _latin1 x'E9', _utf8mb4'\n\\', _utf16 x'D83EDD86')), ADD CHECK (a <> _latin1'é');
SET NAMES latin1;
ALTER TABLE t ADD f VARCHAR(40) AS (CONCAT(a, _utf8mb4 x'E697A5', _latin1'e')) STORED;
INSERT INTO t (id, a) VALUES (3, 'c');
-- case: literals with an introducer that TiDB does not know
-- only: mysql
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), g VARCHAR(40) AS (CONCAT(a, _latin1 x'E9', _gbk x'B0A1')) STORED);
INSERT INTO t (id, a) VALUES (1, 'b');
-- case: literals with an introducer, of a session that is not UTF-8, for TiDB
-- only: mysql
-- to: tidb
-- values only: TiDB shows its own literals
SET NAMES latin1;
CREATE TABLE t (id INT PRIMARY KEY, b VARCHAR(20), n VARCHAR(20) CHARACTER SET latin1);
INSERT INTO t VALUES (1, 'x', 'x'), (2, _latin1 0xE9, _latin1 0xE9);
ALTER TABLE t ADD g VARCHAR(40) AS (CONCAT(b, _latin1 0xE9)) VIRTUAL, ADD h INT AS (b = _latin1 0xE9) VIRTUAL, ADD i VARCHAR(40) AS (CONCAT(b, _latin1'é')) STORED;
ALTER TABLE t ADD j VARCHAR(40) AS (CONCAT(b, _cp1251 0xE9, _sjis 0x835C, _utf16 0x00E9, _utf32 0x41)) VIRTUAL, ADD k VARCHAR(40) DEFAULT (CONCAT('p', _latin1 0xE9));
SET NAMES utf8mb4;
INSERT INTO t (id, b) VALUES (3, 'é'), (4, 'z');
-- case: literals with an introducer, of a session of gbk, for TiDB
-- only: mysql
-- to: tidb
-- values only: TiDB shows its own literals
SET NAMES gbk;
CREATE TABLE t (id INT PRIMARY KEY, b VARCHAR(20));
INSERT INTO t VALUES (1, 'x'), (2, _gbk 0xB0A1);
ALTER TABLE t ADD g VARCHAR(40) AS (CONCAT(b, _gbk 0xB0A1)) VIRTUAL, ADD h INT AS (b = _gbk 0xB0A1) VIRTUAL;
SET NAMES utf8mb4;
-- case: generated columns that are not NULL
-- only: mysql
-- to: mariadb
-- values only: MariaDB has no such ones
CREATE TABLE t (id INT PRIMARY KEY, g INT AS (id * 2) STORED NOT NULL, h INT AS (id + 1) VIRTUAL NOT NULL COMMENT 'x' UNIQUE);
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD i INT GENERATED ALWAYS AS (id + 2) STORED NOT NULL;
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
-- case: partitions are dropped and added if they exist or not
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN (30));
INSERT INTO t VALUES (1), (15), (25);
ALTER TABLE t DROP PARTITION IF EXISTS P1, px;
ALTER TABLE t DROP PARTITION IF EXISTS px, py;
ALTER TABLE t ADD PARTITION IF NOT EXISTS (PARTITION p3 VALUES LESS THAN (40));
INSERT INTO t VALUES (35);
-- case: generated columns that may be NULL and say so
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, v TIMESTAMP NULL, g TIMESTAMP AS (v) STORED NULL, h TIMESTAMP(3) AS (v) VIRTUAL NULL UNIQUE, i INT AS (id + 1) STORED NULL);
INSERT INTO t (id, v) VALUES (1, '2024-01-01 00:00:00'), (2, NULL);
ALTER TABLE t ADD j TIMESTAMP AS (v) VIRTUAL NULL;

-- case: a column of a composite unique key is dropped
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, UNIQUE KEY k (a, b), UNIQUE KEY l (b, c, a), KEY n (b, c));
CREATE TABLE u (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY k (a, b));
INSERT INTO t VALUES (1, 1, 1, 1), (2, 2, 1, 1);
INSERT INTO u VALUES (1, 1, 1), (2, 2, 1);
ALTER TABLE t DROP COLUMN b;
ALTER TABLE u DROP COLUMN b, DROP KEY k, ADD UNIQUE KEY k (a);
INSERT INTO t VALUES (3, 3, 3);
INSERT INTO u VALUES (3, 3);

-- case: a column of a primary key is dropped
-- only: mysql
-- to: mariadb mysql
CREATE TABLE t (id INT, a INT, b INT, PRIMARY KEY (id, a));
INSERT INTO t VALUES (1, 1, 1), (2, 1, 1);
ALTER TABLE t ADD COLUMN c INT NOT NULL DEFAULT 5, DROP COLUMN a;
UPDATE t SET b = 2 WHERE id = 2;

-- case: NOT NULL INVISIBLE without a default
-- only: mysql
-- to: mariadb
-- values only: such a column is visible in MariaDB
CREATE TABLE t (id INT PRIMARY KEY, c INT NOT NULL INVISIBLE, d INT INVISIBLE, e INT NOT NULL);
INSERT INTO t (id, c, d, e) VALUES (1, 1, 2, 3);
ALTER TABLE t ALTER COLUMN e SET INVISIBLE, ADD COLUMN f INT NOT NULL INVISIBLE;
INSERT INTO t (id, c, d, e, f) VALUES (2, 1, 2, 3, 4);

-- case: a table that is there is created again, with a type that the target lacks
-- to: tidb
-- before
CREATE TABLE t (id INT PRIMARY KEY, g GEOMETRY);
CREATE TABLE u (id INT PRIMARY KEY);
-- target
CREATE TABLE t (id INT PRIMARY KEY, g LONGBLOB);
CREATE TABLE u (id INT PRIMARY KEY);
-- upstream
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, g GEOMETRY);
INSERT INTO t (id) VALUES (1);
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, g POINT);
CREATE TABLE IF NOT EXISTS u (id INT PRIMARY KEY, v VARCHAR(20) DEFAULT 'x', FOREIGN KEY (id) REFERENCES none (id), KEY (lacking));
INSERT INTO u VALUES (1);

-- case: INET6 and UUID become texts
-- only: mariadb
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, c INET6, d INET4, u UUID);
INSERT INTO t VALUES (1, '::1', '1.2.3.4', '123e4567-e89b-12d3-a456-426655440000');
ALTER TABLE t MODIFY c VARCHAR(60), MODIFY d TEXT, MODIFY u CHAR(40) CHARACTER SET latin1;
INSERT INTO t VALUES (2, 'é', 'я', 'é');
-- case: constraints without a name
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT, a INT, b INT, CONSTRAINT PRIMARY KEY (id), CONSTRAINT UNIQUE (a, b), CONSTRAINT FOREIGN KEY (a) REFERENCES p (id), CONSTRAINT CHECK (a > 0));
INSERT INTO t VALUES (1, NULL, 2);
ALTER TABLE t ADD c INT, ADD CONSTRAINT FOREIGN KEY (c) REFERENCES p (id), ADD CONSTRAINT UNIQUE (c), ADD CONSTRAINT CHECK (c > 0);
ALTER TABLE t DROP FOREIGN KEY t_ibfk_2, DROP KEY c;
INSERT INTO t VALUES (2, NULL, 8, NULL);
-- case: a constraint's name behind a column
-- only: mariadb
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT CONSTRAINT n REFERENCES p (id), b INT, CONSTRAINT FOREIGN KEY (b) REFERENCES p (id));
ALTER TABLE t ADD c INT CONSTRAINT m REFERENCES p (id), ADD d INT;
ALTER TABLE t DROP FOREIGN KEY n, DROP FOREIGN KEY m;
INSERT INTO t VALUES (1, 2, NULL, 3, 4);
-- case: a constraint's name behind a column, for MySQL
-- only: mariadb
-- to: mysql
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT CONSTRAINT n REFERENCES p (id), b INT, CONSTRAINT FOREIGN KEY (b) REFERENCES p (id));
ALTER TABLE t ADD c INT CONSTRAINT m REFERENCES p (id), ADD d INT;
ALTER TABLE t DROP FOREIGN KEY n, DROP FOREIGN KEY m;
INSERT INTO t VALUES (1, 2, NULL, 3, 4);
-- case: statements that wait for locks
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a INT) STATS_AUTO_RECALC=0;
INSERT INTO t VALUES (1, 1);
CREATE INDEX IF NOT EXISTS i ON t (a) WAIT 3;
CREATE INDEX j ON t (id, a) NOWAIT COMMENT 'x';
DROP INDEX i ON t WAIT 2;
ALTER TABLE t WAIT 2 ADD b INT DEFAULT 4;
TRUNCATE TABLE t NOWAIT;
INSERT INTO t VALUES (2, 2, 2);
CREATE TABLE w (id INT);
RENAME TABLE t WAIT 2 TO nowait, w NOWAIT TO v;
INSERT INTO `nowait` VALUES (3, 3, 3);
DROP TABLE IF EXISTS v, nix WAIT 2;
-- case: statements that wait for locks, for MySQL
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, a INT) STATS_AUTO_RECALC=0;
INSERT INTO t VALUES (1, 1);
CREATE INDEX IF NOT EXISTS i ON t (a) WAIT 3;
DROP INDEX i ON t WAIT 2;
ALTER TABLE t WAIT 2 ADD b INT DEFAULT 4;
TRUNCATE TABLE t NOWAIT;
INSERT INTO t VALUES (2, 2, 2);
RENAME TABLE t WAIT 2 TO u;
DROP TABLE IF EXISTS u, nix WAIT 2;
-- case: a period goes
-- only: mariadb
-- to: tidb mysql
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, s DATE, e DATE, PERIOD FOR p (s, e));
CREATE TABLE added (id INT PRIMARY KEY, s DATE NOT NULL, e DATE NOT NULL);
INSERT INTO t VALUES (1, '2020-01-01', '2020-02-01');
ALTER TABLE t DROP PERIOD FOR p;
ALTER TABLE added ADD PERIOD FOR p (s, e);
ALTER TABLE added DROP PERIOD FOR p, ADD COLUMN v INT;
INSERT INTO t VALUES (2, '2020-01-01', '2020-02-01');
INSERT INTO added VALUES (1, '2020-01-01', '2019-02-01', 7);
-- case: a column's check names another column
-- only: mariadb
-- to: mysql
-- values only: the target says it as the table's
CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL COMMENT 'x' CHECK (a > `b`), b INT CHECK (b > 0), e INT CHECK (e < id));
INSERT INTO t VALUES (1, 2, 1, 0);
ALTER TABLE t ADD c INT CHECK (c > a OR LENGTH('b') = 2) AFTER id, ADD COLUMN (d INT CHECK (d > c), f INT);
ALTER TABLE t ADD g INT CHECK (g > 1), ADD h INT CHECK (h > g) FIRST;
INSERT INTO t (id, a, b, c, d, e) VALUES (2, 2, 1, 3, 4, 1);
-- case: a word about partitions beside another clause
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY);
ALTER TABLE t ADD q INT, WITHOUT VALIDATION;
ALTER TABLE t WITH VALIDATION, ADD r INT;
INSERT INTO t VALUES (1, 2, 3);
-- case: literals in a row behind a character set
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'v');
ALTER TABLE t ADD a VARCHAR(20) DEFAULT N'a' 'b';
ALTER TABLE t ADD c VARCHAR(20) DEFAULT _utf8mb4'a' 'b';
ALTER TABLE t ADD d VARCHAR(20) DEFAULT _utf8mb4'a' 'é';
ALTER TABLE t ADD e VARCHAR(20) DEFAULT _utf8mb4'a'"b''\\" 'c';
ALTER TABLE t ADD g VARCHAR(20) AS (CONCAT(v, N'a' 'b', _utf8mb4'a' 'c'));
SET sql_mode = 'NO_BACKSLASH_ESCAPES';
ALTER TABLE t ADD f VARCHAR(20) DEFAULT _utf8mb4'a\' '\b';
INSERT INTO t (id, v) VALUES (2, 'w');
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(20) DEFAULT _utf8mb4'a' 'b', w VARCHAR(20) DEFAULT _latin1'a' 'b');
INSERT INTO u (id) VALUES (1);
-- case: moments in ODBC's braces
-- values only: TiDB has no CHECKs, and leaves out defaults that are expressions
CREATE TABLE t (id INT PRIMARY KEY, a DATE DEFAULT ({d '2020-01-02'}), CHECK (a > {d '2019-01-01'}));
ALTER TABLE t ADD d VARCHAR(30) DEFAULT (CONCAT({ts '2020-01-02 03:04:05'}, {fn LOWER('A')}));
ALTER TABLE t ADD e INT AS (a > {d '2019-06-01'});
INSERT INTO t (id) VALUES (1);
-- case: moments in ODBC's braces that are defaults as they stand
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a DATE DEFAULT {d '2020-01-02'});
ALTER TABLE t ADD b TIME DEFAULT {t'10:11:12'}, ADD c DATETIME DEFAULT {ts '2020-01-02 03:04:05'};
INSERT INTO t (id) VALUES (1);
-- case: digits as defaults of numbers
CREATE TABLE t (id INT PRIMARY KEY, b BIGINT DEFAULT x'31', d BIGINT DEFAULT 0x31, e BIGINT DEFAULT b'11', f DOUBLE DEFAULT x'31', g DECIMAL(5,1) DEFAULT 0x31, h BIT(8) DEFAULT x'31', i VARCHAR(4) DEFAULT x'31');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD j BIGINT DEFAULT x'31', ADD k DECIMAL(4) DEFAULT X'39', ADD l YEAR DEFAULT x'31', ADD m FLOAT DEFAULT b'110001', ADD n ENUM('1','2') DEFAULT x'31';
INSERT INTO t (id) VALUES (2);
-- case: digits in expressions: X'31' is a text in MariaDB, and a number in MySQL
-- values only: TiDB leaves out defaults that are expressions
CREATE TABLE t (id INT PRIMARY KEY, h INT DEFAULT (x'31' + 1), CHECK (id < x'31' + 500));
INSERT INTO t (id) VALUES (1), (40), (49), (50);
ALTER TABLE t ADD y YEAR DEFAULT '1', ADD z YEAR DEFAULT '0', ADD x YEAR DEFAULT '70', ADD w YEAR DEFAULT ' 5';
INSERT INTO t (id) VALUES (3);
-- case: years of two digits as defaults
CREATE TABLE t (id INT PRIMARY KEY, y YEAR DEFAULT '1', z YEAR DEFAULT '0', x YEAR DEFAULT '70', w YEAR DEFAULT 69, v YEAR DEFAULT '00', u YEAR DEFAULT x'31');
INSERT INTO t (id) VALUES (3);
-- case: digits in X'' that are numbers in MySQL alone
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY, a BIGINT DEFAULT x'00ff', b DECIMAL(10) DEFAULT X'ffff', c DOUBLE DEFAULT x'01', d BIT(9) DEFAULT x'01ff', e YEAR DEFAULT x'07d0');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD j BIGINT DEFAULT x'ff00';
ALTER TABLE t ALTER a SET DEFAULT x'01';
INSERT INTO t (id) VALUES (2);
-- case: a sequence in the place of a table is dropped as a table
-- only: mariadb
-- to: tidb mariadb mysql
CREATE TABLE s (a INT PRIMARY KEY);
INSERT INTO s VALUES (1);
CREATE OR REPLACE SEQUENCE s;
DROP TABLE s;
CREATE TABLE s (b INT PRIMARY KEY);
INSERT INTO s VALUES (3);
DROP TABLE s;
CREATE SEQUENCE s;
CREATE TABLE r (b INT PRIMARY KEY);
DROP TABLE s, r;
CREATE SEQUENCE s;
ALTER TABLE s COMMENT = 'x';
ALTER TABLE s RENAME TO q;
CREATE TABLE s (b INT PRIMARY KEY, c INT);
CREATE TABLE r (b INT PRIMARY KEY, d INT);
INSERT INTO s VALUES (1, 2);
DROP TABLE q;
CREATE TABLE q (b INT PRIMARY KEY);
ALTER TABLE q ADD c INT;
INSERT INTO q VALUES (1, 2);
-- case: DROP TABLE IF EXISTS leaves a view where it is
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
CREATE VIEW vv AS SELECT 1 AS a;
DROP TABLE IF EXISTS vv, nothing;
RENAME TABLE vv TO vv2, t TO t9;
DROP VIEW vv2;
CREATE TABLE vv2 (id INT PRIMARY KEY);
INSERT INTO vv2 VALUES (2);
-- case: a view that DROP TABLE IF EXISTS has met keeps its name from a table
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY);
CREATE VIEW v AS SELECT * FROM t;
DROP TABLE IF EXISTS v;
CREATE TABLE IF NOT EXISTS v (id INT PRIMARY KEY);
DROP VIEW v;
RENAME TABLE t TO v;
ALTER TABLE v ADD a INT;
INSERT INTO v VALUES (1, 1);
-- case: the session waits for locks
-- only: mariadb
-- to: tidb mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, v INT) /* without rows, which the server's own threads would hold while they purge */;
ALTER TABLE t WAIT 2 ADD COLUMN IF NOT EXISTS v INT, ADD w INT;
ALTER TABLE t NOWAIT ADD x INT, DROP COLUMN IF EXISTS nothing;
ALTER TABLE t NOWAIT;
ALTER TABLE t WAIT 3 ADD wait INT DEFAULT 5;
INSERT INTO t VALUES (1, 2, 3, 4, 5);
-- case: CREATE TABLE … SELECT in a session that shows tables without their properties
-- only: mariadb
-- to: tidb mariadb mysql
CREATE TABLE src (id INT PRIMARY KEY, u VARCHAR(10) CHARACTER SET utf8mb4, n INT) DEFAULT CHARSET latin1;
INSERT INTO src VALUES (1, '漢', 1);
SET sql_mode = 'ANSI';
CREATE TABLE a SELECT id, n FROM src;
CREATE TABLE d (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET latin1) DEFAULT CHARSET utf8mb4;
SET sql_mode = 'MYSQL40';
CREATE TABLE b SELECT id, n FROM src;
CREATE TABLE c DEFAULT CHARSET latin1 SELECT * FROM src;
-- pauses: 36299 … MYSQL40 … the table is in latin1
-- operator: replace CREATE TABLE $DB.c (id INT NOT NULL, u VARCHAR(10) CHARACTER SET utf8mb4, n INT) DEFAULT CHARSET latin1
INSERT INTO c VALUES (2, '漢', 2);
-- case: CREATE TABLE … LIKE a temporary table in a session that shows tables without their properties
-- only: mariadb
-- to: tidb mariadb mysql
CREATE TEMPORARY TABLE tmp (id INT PRIMARY KEY, u VARCHAR(10)) DEFAULT CHARSET ucs2;
SET sql_mode = 'NO_TABLE_OPTIONS';
CREATE TABLE x LIKE tmp;
-- pauses: 36299 … NO_TABLE_OPTIONS … the table is in ucs2
-- case: CREATE TABLE … SELECT where backslashes are none
-- only: mariadb
-- to: tidb mariadb mysql
CREATE TABLE src (id INT PRIMARY KEY, e ENUM('a', 'c\\d'));
INSERT INTO src VALUES (1, 'c\\d');
SET sql_mode = 'NO_BACKSLASH_ESCAPES';
CREATE TABLE c SELECT id FROM src;
CREATE TABLE d SELECT * FROM src;
-- pauses: 36299 … NO_BACKSLASH_ESCAPES … the column e
-- case: defaults of BLOB and TEXT that are no ASCII
-- only: mariadb
-- to: tidb mysql
-- values only: TiDB has no defaults of texts
CREATE TABLE t (id INT PRIMARY KEY) DEFAULT CHARSET utf8mb4;
INSERT INTO t VALUES (1);
ALTER TABLE t ADD a BLOB DEFAULT N'é', ADD b TEXT DEFAULT 'é', ADD c BLOB DEFAULT _utf8mb4'a';
CREATE TABLE u (id INT PRIMARY KEY) DEFAULT CHARSET latin1;
INSERT INTO u VALUES (1);
ALTER TABLE u ADD a BLOB DEFAULT 'e', ADD b TEXT DEFAULT N'e';
SET NAMES utf8mb4, character_set_connection = latin1;
ALTER TABLE t ADD f BLOB DEFAULT 'é';
SET character_set_connection = ucs2;
ALTER TABLE t ADD g BLOB DEFAULT 'xy';
ALTER TABLE u ADD g BLOB DEFAULT 'xy';
-- case: defaults of BLOB and TEXT in a table of latin1
-- only: mariadb
-- to: tidb mysql
-- values only: TiDB has no defaults of texts, and MySQL's is an expression
CREATE TABLE u (id INT PRIMARY KEY) DEFAULT CHARSET latin1;
INSERT INTO u VALUES (1);
ALTER TABLE u ADD d BLOB DEFAULT N'é', ADD e BLOB DEFAULT 'é', ADD f TEXT DEFAULT 'é', ADD g BLOB DEFAULT '', ADD h TEXT CHARACTER SET utf8mb4 DEFAULT N'é';
INSERT INTO u (id) VALUES (2);
-- case: a default of BLOB that names its character set
-- only: mariadb
-- to: tidb mysql
CREATE TABLE t (id INT PRIMARY KEY) DEFAULT CHARSET utf8mb4;
INSERT INTO t VALUES (1);
ALTER TABLE t ADD d BLOB DEFAULT _utf8mb4'é';
-- pauses: 36251 … _utf8mb4'é' … column d
-- case: defaults of BLOB that are no ASCII, in MariaDB
-- only: mariadb
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY) DEFAULT CHARSET utf8mb4;
CREATE TABLE u (id INT PRIMARY KEY) DEFAULT CHARSET latin1;
INSERT INTO t VALUES (1);
INSERT INTO u VALUES (1);
ALTER TABLE t ADD a BLOB DEFAULT N'é', ADD b BLOB DEFAULT 'é', ADD c BLOB DEFAULT _utf8mb4'é';
ALTER TABLE u ADD a BLOB DEFAULT N'é', ADD b BLOB DEFAULT 'é', ADD c BLOB DEFAULT _utf8mb4'é';
SET NAMES utf8mb4, character_set_connection = latin1;
ALTER TABLE t ADD f BLOB DEFAULT 'é', ADD v VARBINARY(9) DEFAULT 'é';
ALTER TABLE u ADD f BLOB DEFAULT 'é', ADD v VARBINARY(9) DEFAULT 'é';
SET character_set_connection = ucs2;
ALTER TABLE t ADD g BLOB DEFAULT 'xy';
ALTER TABLE u ADD g BLOB DEFAULT 'xy';
