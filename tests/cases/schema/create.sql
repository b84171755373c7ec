-- case: integer types and attributes
CREATE TABLE t (a INT, b INTEGER UNSIGNED NOT NULL, c TINYINT(1) DEFAULT 1, d BIGINT(20) UNSIGNED ZEROFILL, e SMALLINT DEFAULT -5, f MEDIUMINT, g BOOL, h INT8, i INT1 NULL);
-- case: numeric types
CREATE TABLE t (a DECIMAL, b DECIMAL(8), c NUMERIC(12,4) UNSIGNED, d FLOAT, e FLOAT(10,2), f FLOAT(30), g DOUBLE PRECISION, h REAL, i DEC(5,1) DEFAULT 1.5, j FIXED(6));
-- case: temporal types
CREATE TABLE t (a DATE, b TIME(3), c DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), d TIMESTAMP NULL, e YEAR, f DATETIME DEFAULT NOW(), g TIMESTAMP DEFAULT CURRENT_TIMESTAMP, h YEAR(4), i DATETIME(0));
-- case: text types with and without character sets
CREATE TABLE t (a CHAR, b VARCHAR(10) CHARACTER SET latin1, c TEXT COLLATE utf8mb4_bin, d TINYTEXT CHARSET utf8mb4, e ENUM('x','Y ','it''s'), f SET('a','b') CHARACTER SET latin1 COLLATE latin1_bin, g NATIONAL VARCHAR(5), h NCHAR(3), i CHARACTER VARYING(7), j LONG VARCHAR, k VARCHAR(9) BINARY, l LONGTEXT, m MEDIUMTEXT) DEFAULT CHARSET=gbk;
-- case: text with a length takes the smallest type
CREATE TABLE t (a TEXT(10), b TEXT(300), c TEXT(70000), d BLOB(10), e BLOB(70000), f TEXT(20000) CHARACTER SET utf8mb4);
-- case: binary types
CREATE TABLE t (a BINARY, b BINARY(16), c VARBINARY(20), d BLOB, e LONGBLOB, f BIT, g BIT(12), h CHAR(4) CHARACTER SET binary, i TEXT CHARSET binary, j VARCHAR(3) BYTE, k LONG VARBINARY, l TINYBLOB, m MEDIUMBLOB);
-- case: json and spatial types
CREATE TABLE t (a JSON, b GEOMETRY, c POINT NOT NULL, d POLYGON, e LINESTRING, SPATIAL KEY (c));
-- case: table character set by collation alone
CREATE TABLE t (a VARCHAR(3), b CHAR(2) COLLATE latin1_german1_ci) COLLATE latin1_spanish_ci;
-- case: character set with case and equal signs
CREATE TABLE t (a VARCHAR(3)) DEFAULT CHARACTER SET = UTF8MB4 DEFAULT COLLATE = UTF8MB4_UNICODE_CI COMMENT = 'it''s; "fine"' ENGINE = InnoDB;
-- case: no character set at all
CREATE TABLE t (a VARCHAR(3), b TEXT);
-- case: utf8 is utf8mb3
CREATE TABLE t (a VARCHAR(3), b TEXT CHARACTER SET utf8) CHARSET utf8;
-- case: inline keys
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a INT UNIQUE, b INT UNIQUE KEY, c VARCHAR(3) NOT NULL UNIQUE COMMENT 'x');
-- case: serial
CREATE TABLE t (id SERIAL, a INT);
-- case: serial default value
CREATE TABLE t (id BIGINT SERIAL DEFAULT VALUE, a INT);
-- case: keys without names
CREATE TABLE t (a INT, b INT, c VARCHAR(100), KEY (a), KEY (a, b), UNIQUE (b), INDEX (c(10)), UNIQUE KEY (c(20), a), PRIMARY KEY (b, a));
-- case: named keys with options
CREATE TABLE t (a INT NOT NULL, b VARCHAR(50), c TEXT, CONSTRAINT pk PRIMARY KEY USING BTREE (a), UNIQUE INDEX ub USING HASH (b) COMMENT 'x,y)', KEY kc (c(5)), FULLTEXT KEY ft (c), CONSTRAINT cu UNIQUE (b, a));
-- case: descending key parts
CREATE TABLE t (a INT, b INT, KEY k (a DESC, b ASC), UNIQUE u (b DESC));
-- case: prefix that covers the column
CREATE TABLE t (a VARCHAR(10), b CHAR(5), UNIQUE u1 (a(10)), UNIQUE u2 (b(3)));
-- case: foreign keys
CREATE TABLE p (id INT PRIMARY KEY, x INT, UNIQUE (x));
CREATE TABLE t (id INT PRIMARY KEY, pid INT, y INT, CONSTRAINT fk1 FOREIGN KEY (pid) REFERENCES p (id) ON DELETE CASCADE ON UPDATE SET NULL, FOREIGN KEY (y) REFERENCES p (x), KEY (y));
-- case: foreign key without a key of its own
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (a INT, b INT, CONSTRAINT named FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY byname (b) REFERENCES p (id) ON DELETE NO ACTION ON UPDATE RESTRICT);
-- case: references behind a column
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, pid INT REFERENCES p (id) ON DELETE CASCADE);
-- case: check constraints
CREATE TABLE t (a INT CHECK (a > 0), b INT CHECK (b <> 5), c INT, CHECK (c < a + 10), CONSTRAINT cc CHECK (c IN (1, 2, 3)));
-- case: generated columns
CREATE TABLE t (a INT, b INT AS (a + 1), c INT GENERATED ALWAYS AS (a * 2) STORED, d VARCHAR(20) AS (concat('x,', a, ')')) VIRTUAL, UNIQUE (c));
-- case: invisible columns
CREATE TABLE t (a INT, b INT INVISIBLE, c INT DEFAULT 3 INVISIBLE);
-- case: defaults
CREATE TABLE t (a VARCHAR(10) DEFAULT 'it''s', b VARCHAR(10) DEFAULT "q\"x", c INT DEFAULT '7', d BIT(8) DEFAULT b'101', e INT DEFAULT NULL, f INT NOT NULL DEFAULT TRUE, g DOUBLE DEFAULT (1 + 2), h VARCHAR(3) NOT NULL DEFAULT '', i BLOB DEFAULT (0x61), j DATE DEFAULT '2020-01-02');
-- case: partitions
CREATE TABLE t (id INT NOT NULL, d DATE NOT NULL, PRIMARY KEY (id, d)) PARTITION BY RANGE (YEAR(d)) (PARTITION p0 VALUES LESS THAN (2020) COMMENT = 'a', PARTITION p1 VALUES LESS THAN MAXVALUE);
-- case: partitions by hash with options
CREATE TABLE t (id INT PRIMARY KEY) ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='x' PARTITION BY KEY (id) PARTITIONS 4;
-- case: names in quotes with odd characters
CREATE TABLE `t ``x` (`a b` INT, `sel``ect` INT, `Ä` INT, `primary` INT, KEY `k 1` (`a b`), UNIQUE `key` (`primary`));
-- case: names that are words of the language
CREATE TABLE t (type INT, comment VARCHAR(3), status INT, value INT, date DATE, `key` INT, name TEXT, action INT, charset INT, position INT, storage INT, visible INT, enum ENUM('a'));
-- case: comments in the statement
CREATE /* one */ TABLE t ( -- two
  a INT, # three
  b INT /* four, ) */ NOT NULL /*!50100 , c INT */ ) /*!40100 DEFAULT CHARSET=latin1 */;
-- case: like
CREATE TABLE p (id INT PRIMARY KEY) COMMENT 'parent';
CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, pid INT, v VARCHAR(5) CHARACTER SET latin1, UNIQUE uv (v), FOREIGN KEY (pid) REFERENCES p (id)) COMMENT 'original';
CREATE TABLE t LIKE a;
CREATE TABLE IF NOT EXISTS t LIKE p;
CREATE TABLE u (LIKE a);
-- case: if not exists of a table that is there
CREATE TABLE t (a INT);
CREATE TABLE IF NOT EXISTS t (b INT, c INT);
-- case: create table with its schema
CREATE TABLE `$DB`.t (a INT);
CREATE TABLE $DB.`u` LIKE $DB.t;
-- case: time stamps that are not null
CREATE TABLE t (a TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, b TIMESTAMP NOT NULL DEFAULT '2020-01-01 00:00:00', c TIMESTAMP(3) NULL DEFAULT NULL);
-- case: expression index
-- only: mysql
CREATE TABLE t (a INT, b VARCHAR(20), UNIQUE KEY e ((lower(b)), a), KEY ((a + 1)), KEY ((a * 2)));
-- case: generated invisible primary key is not there when a key is
-- only: mysql
CREATE TABLE t (a INT NOT NULL, b INT, UNIQUE KEY (a), KEY (b) /*!80000 INVISIBLE */);
-- case: column attributes of mysql
-- only: mysql
CREATE TABLE t (a INT COLUMN_FORMAT FIXED STORAGE DISK, g POINT SRID 4326 NOT NULL, c INT CONSTRAINT cc CHECK (c > 0) NOT ENFORCED, d VARCHAR(3) DEFAULT (uuid_short()), e VECTOR(3));
-- case: types of mariadb
-- only: mariadb
CREATE TABLE t (a UUID DEFAULT uuid(), b INET6, c INET4, d JSON NOT NULL, e VARCHAR(100) COMPRESSED, f INT DEFAULT (1 + 1), g DATETIME DEFAULT current_timestamp(), h VARCHAR(36) DEFAULT uuid());
-- case: system versioning
-- only: mariadb
CREATE TABLE t (a INT PRIMARY KEY, b INT WITHOUT SYSTEM VERSIONING) WITH SYSTEM VERSIONING;
CREATE TABLE u (a INT, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, e TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING;
-- case: application periods
-- only: mariadb
CREATE TABLE t (id INT, s DATE, e DATE, PERIOD FOR p (s, e), PRIMARY KEY (id, p WITHOUT OVERLAPS));
-- case: or replace
-- only: mariadb
CREATE TABLE t (a INT);
CREATE OR REPLACE TABLE t (b VARCHAR(3) NOT NULL PRIMARY KEY);
CREATE OR REPLACE TABLE u LIKE t;
-- case: mariadb table options
-- only: mariadb
CREATE TABLE t (a INT PRIMARY KEY, b TEXT) ENGINE=Aria TRANSACTIONAL=1 PAGE_CHECKSUM=1 CHARSET=latin1;
CREATE TABLE u (a INT PRIMARY KEY) ENGINE=InnoDB PAGE_COMPRESSED=1 `PAGE_COMPRESSION_LEVEL`=9;
-- case: collation of the database
CREATE DATABASE IF NOT EXISTS `$DB_x` CHARACTER SET latin1 COLLATE latin1_bin;
CREATE TABLE `$DB_x`.t (a VARCHAR(3));
ALTER DATABASE `$DB_x` CHARSET gbk;
CREATE TABLE `$DB_x`.u (a VARCHAR(3));
ALTER TABLE `$DB_x`.t CONVERT TO CHARACTER SET DEFAULT;
DROP DATABASE `$DB_x`;
