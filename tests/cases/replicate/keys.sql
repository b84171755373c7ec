-- case: the primary key changes
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
UPDATE t SET id = id + 10;
UPDATE t SET id = 11, v = 'moved' WHERE id = 13 AND FALSE;
UPDATE t SET id = 14 WHERE id = 13;
INSERT INTO t VALUES (13, 'again'), (1, 'new');
-- case: primary keys chase each other
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
UPDATE t SET id = id + 1 ORDER BY id DESC;
UPDATE t SET id = id - 1 ORDER BY id;
BEGIN;
UPDATE t SET id = 100 WHERE id = 1;
UPDATE t SET id = 1 WHERE id = 2;
UPDATE t SET id = 2 WHERE id = 100;
COMMIT;
-- case: unique values swap
CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(10) UNIQUE);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
BEGIN;
UPDATE t SET u = 'tmp' WHERE id = 1;
UPDATE t SET u = 'a' WHERE id = 2;
UPDATE t SET u = 'b' WHERE id = 1;
COMMIT;
UPDATE t SET u = NULL WHERE id = 1;
UPDATE t SET u = 'b' WHERE id = 3;
UPDATE t SET u = 'c' WHERE id = 1;
-- case: unique values move from deleted rows
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, u INT UNIQUE);
INSERT INTO t (u) VALUES (1), (2), (3);
DELETE FROM t WHERE u = 2;
INSERT INTO t (u) VALUES (2);
BEGIN;
DELETE FROM t WHERE u IN (1, 3);
INSERT INTO t (u) VALUES (3), (1);
COMMIT;
REPLACE INTO t (u) VALUES (1), (2), (3), (1);
-- case: NULLs in unique keys
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY ab (a, b));
INSERT INTO t VALUES (1, NULL, NULL), (2, NULL, NULL), (3, 1, NULL), (4, 1, NULL), (5, 1, 1);
UPDATE t SET b = 2 WHERE id = 3;
UPDATE t SET b = NULL WHERE id = 5;
UPDATE t SET b = 1 WHERE id = 4;
DELETE FROM t WHERE a IS NULL AND id = 1;
-- case: a unique key with NULLs is no identity
CREATE TABLE t (a INT, b INT, UNIQUE KEY (a));
INSERT INTO t VALUES (NULL, 1), (NULL, 1), (1, 1), (NULL, 2);
UPDATE t SET b = 9 WHERE a IS NULL AND b = 1 LIMIT 1;
DELETE FROM t WHERE b = 2;
UPDATE t SET a = 2 WHERE a = 1;
-- case: a unique key without NULLs is the identity
CREATE TABLE t (a INT NOT NULL, b VARCHAR(10) NOT NULL, c INT, UNIQUE KEY (b, a), KEY (c));
INSERT INTO t VALUES (1, 'x', 1), (1, 'y', 2), (2, 'x', 3);
UPDATE t SET c = c * 2;
UPDATE t SET b = 'z' WHERE a = 1 AND b = 'y';
DELETE FROM t WHERE a = 2;
-- case: composite primary keys
CREATE TABLE t (a INT, b VARCHAR(10), c DATE, v INT, PRIMARY KEY (c, a, b));
INSERT INTO t VALUES (1, 'x', '2020-01-01', 1), (1, 'y', '2020-01-01', 2), (2, 'x', '2020-01-02', 3);
UPDATE t SET v = v + a WHERE c = '2020-01-01';
UPDATE t SET b = 'yy' WHERE b = 'y';
DELETE FROM t WHERE a = 2;
UPDATE t SET v = CASE b WHEN 'x' THEN 5 ELSE 6 END;
-- case: prefix keys
CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(200), b BLOB, UNIQUE KEY pu (u(3)), UNIQUE KEY pb (b(2)));
INSERT INTO t VALUES (1, 'abcdef', 'xxyy'), (2, 'abdef', 'yyzz'), (3, 'ä', 'zz');
UPDATE t SET u = 'zzzlong' WHERE id = 1;
INSERT INTO t VALUES (4, 'abcnew', 'ww');
BEGIN;
UPDATE t SET u = 'qqq1', b = 'qq' WHERE id = 2;
UPDATE t SET u = 'abd again', b = 'yy again' WHERE id = 3;
COMMIT;
-- case: a prefix primary key
CREATE TABLE t (k VARCHAR(100), v INT, PRIMARY KEY (k(4)));
INSERT INTO t VALUES ('aaaabbbb', 1), ('bbbbcccc', 2), ('c', 3);
UPDATE t SET v = v + 10;
UPDATE t SET k = 'aaaazzzz' WHERE k = 'aaaabbbb';
DELETE FROM t WHERE k = 'c';
INSERT INTO t VALUES ('c and more', 4);
-- case: keys by collation
CREATE TABLE t (k VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY, v INT);
INSERT INTO t VALUES ('a', 1), ('b', 2), ('ß', 3), ('Zoë', 4);
UPDATE t SET k = 'A' WHERE k = 'a';
UPDATE t SET v = 20 WHERE k = 'B';
DELETE FROM t WHERE k = 'zoe';
INSERT INTO t VALUES ('ZOE', 5);
DELETE FROM t WHERE k = 'A';
INSERT INTO t VALUES ('á', 6);
UPDATE t SET k = 's', v = v + 1 WHERE v = 3;
-- case: trailing spaces in keys
CREATE TABLE t (k VARCHAR(20) COLLATE utf8mb4_bin PRIMARY KEY, u CHAR(5) COLLATE utf8mb4_bin UNIQUE);
INSERT INTO t VALUES ('a', 'x'), ('b ', 'y ');
UPDATE t SET k = 'a  ' WHERE k = 'a';
UPDATE t SET k = 'b' WHERE k = 'b';
DELETE FROM t WHERE u = 'y';
INSERT INTO t VALUES ('b   ', 'y');
-- case: case counts in a binary collation
CREATE TABLE t (k VARCHAR(20) COLLATE utf8mb4_bin PRIMARY KEY, v INT, u VARBINARY(10) UNIQUE);
INSERT INTO t VALUES ('a', 1, 'x'), ('A', 2, 'X'), ('á', 3, 'x ');
UPDATE t SET v = v * 10;
UPDATE t SET u = 'Y' WHERE k = 'A';
DELETE FROM t WHERE k = 'a';
INSERT INTO t VALUES ('ａ', 4, 'x');
-- case: unique values that only the collation calls equal move
CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(20) COLLATE utf8mb4_general_ci, UNIQUE KEY (u));
INSERT INTO t VALUES (1, 'abc'), (2, 'def');
BEGIN;
DELETE FROM t WHERE id = 1;
INSERT INTO t VALUES (3, 'ABC');
COMMIT;
BEGIN;
UPDATE t SET u = 'x' WHERE id = 2;
INSERT INTO t VALUES (4, 'DÉF');
COMMIT;
UPDATE t SET u = 'Abc' WHERE id = 3;
-- case: keyless tables with equal rows
CREATE TABLE t (a INT, b VARCHAR(10));
INSERT INTO t VALUES (1, 'x'), (1, 'x'), (1, 'x'), (2, NULL), (2, NULL), (NULL, NULL);
DELETE FROM t WHERE a = 1 LIMIT 1;
UPDATE t SET b = 'y' WHERE a = 1 LIMIT 1;
UPDATE t SET a = 3 WHERE a = 2 AND b IS NULL LIMIT 1;
DELETE FROM t WHERE a IS NULL;
INSERT INTO t SELECT * FROM t;
-- case: keyless rows of every kind of value
CREATE TABLE t (f FLOAT, d DOUBLE, n DECIMAL(20,10), c CHAR(5), s VARCHAR(20), b BLOB, j DATETIME(3), e ENUM('a','b'), bits BIT(9), y YEAR);
INSERT INTO t VALUES (0.1, 0.1, 0.1, 'a ', 'a ', 'a ', '2020-01-01 00:00:00.123', 'b', b'101', 2020), (1e30, 1e-300, -5.5, '', '', '', NULL, NULL, b'0', NULL), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO t SELECT * FROM t;
UPDATE t SET s = CONCAT(COALESCE(s, 'none'), '!') LIMIT 4;
DELETE FROM t WHERE f > 1 LIMIT 1;
DELETE FROM t WHERE f IS NULL LIMIT 1;
DELETE FROM t WHERE e = 'b' LIMIT 1;
-- case: keyless JSON rows
CREATE TABLE t (a INT, d JSON);
INSERT INTO t VALUES (1, '{"b": 1, "a": [1, 2.0]}'), (1, '{"b": 1, "a": [1, 2.0]}'), (2, NULL), (3, '"x"');
DELETE FROM t WHERE a = 1 LIMIT 1;
UPDATE t SET d = '[]' WHERE a = 1;
DELETE FROM t WHERE a IN (2, 3);
-- case: keys of many types
CREATE TABLE d (k DECIMAL(20,5) PRIMARY KEY, v INT);
INSERT INTO d VALUES (1.5, 1), (-0.00001, 2), (99999.99999, 3);
UPDATE d SET v = v + 1;
DELETE FROM d WHERE k = 1.5;
CREATE TABLE dt (k DATETIME(6) PRIMARY KEY, v INT);
INSERT INTO dt VALUES ('2020-02-29 12:00:00.000001', 1), ('2020-02-29 12:00:00', 2);
UPDATE dt SET v = v + 1;
DELETE FROM dt WHERE v = 2;
CREATE TABLE b (k VARBINARY(20) PRIMARY KEY, v INT);
INSERT INTO b VALUES (x'00', 1), (x'0000', 2), (x'27', 3), ('', 4);
UPDATE b SET v = v + 1;
DELETE FROM b WHERE k = x'00';
CREATE TABLE e (k ENUM('x','Y','z') PRIMARY KEY, v INT);
INSERT INTO e VALUES ('x', 1), ('Y', 2);
UPDATE e SET v = v + 1, k = IF(k = 'x', 'z', k);
CREATE TABLE bu (k BIGINT UNSIGNED PRIMARY KEY, v INT);
INSERT INTO bu VALUES (18446744073709551615, 1), (0, 2), (9223372036854775808, 3);
UPDATE bu SET v = v + 1;
DELETE FROM bu WHERE k = 18446744073709551615;
-- case: floating keys
CREATE TABLE t (k DOUBLE PRIMARY KEY, v INT);
INSERT INTO t VALUES (0.1, 1), (1e300, 2), (-2.2250738585072014e-308, 3), (123456789.123456789, 4);
UPDATE t SET v = v + 1;
DELETE FROM t WHERE v = 3;
-- case: instants as keys
SET time_zone = '+05:30';
CREATE TABLE t (k TIMESTAMP PRIMARY KEY DEFAULT CURRENT_TIMESTAMP, v INT);
INSERT INTO t VALUES ('2020-03-29 02:30:00', 1), ('2020-10-25 02:30:00', 2);
UPDATE t SET v = v + 1;
DELETE FROM t WHERE v = 2;
-- case: a generated column in a unique key
CREATE TABLE t (id INT PRIMARY KEY, a INT, g INT AS (a * 2) STORED, UNIQUE KEY (g));
INSERT INTO t (id, a) VALUES (1, 1), (2, 2);
BEGIN;
UPDATE t SET a = 3 WHERE id = 1;
UPDATE t SET a = 1 WHERE id = 2;
UPDATE t SET a = 2 WHERE id = 1;
COMMIT;
-- case: several unique keys at once
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, UNIQUE (a), UNIQUE (b), UNIQUE (c, a));
INSERT INTO t VALUES (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3);
BEGIN;
UPDATE t SET a = 10, b = 10 WHERE id = 1;
UPDATE t SET a = 1, b = 3 + 100 WHERE id = 2;
UPDATE t SET b = 2 WHERE id = 3;
UPDATE t SET a = 2, b = 1 WHERE id = 1;
COMMIT;
DELETE FROM t WHERE a = 1;
INSERT INTO t VALUES (4, 1, 103, 2);
-- case: a primary key appears under the rows
CREATE TABLE t (a INT NOT NULL, b INT);
INSERT INTO t VALUES (1, 1), (2, 2);
UPDATE t SET b = 5 WHERE a = 1;
ALTER TABLE t ADD UNIQUE KEY (a);
UPDATE t SET b = 6 WHERE a = 2;
ALTER TABLE t DROP KEY a;
INSERT INTO t VALUES (1, 1), (1, 1);
DELETE FROM t WHERE a = 1 AND b = 1 LIMIT 1;
-- case: columns of a key change places
CREATE TABLE t (a INT, b INT, v INT, PRIMARY KEY (a, b));
INSERT INTO t VALUES (1, 2, 0), (2, 1, 0), (3, 3, 0);
UPDATE t SET a = b, b = 5 WHERE a = 1;
UPDATE t SET v = a * 10 + b;
-- case: texts that only the upstream's collation tells apart are different keys
-- values only: collations become others
CREATE TABLE p (v VARCHAR(20) PRIMARY KEY, w VARCHAR(20)) CHARACTER SET latin1;
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(20) COLLATE latin1_spanish_ci, UNIQUE KEY (v)) CHARACTER SET latin1;
CREATE TABLE g (v VARCHAR(20) CHARACTER SET gbk PRIMARY KEY, w INT);
CREATE TABLE h (v VARCHAR(20) CHARACTER SET ascii PRIMARY KEY, w INT);
INSERT INTO p VALUES ('a', 'x'), ('ä', 'y');
INSERT INTO p VALUES ('o', 'b'), ('ö', 'b'), ('u', 'c'), ('ü', 'c'), ('ss', 'd'), ('ß', 'd');
INSERT INTO u VALUES (1, 'n'), (2, 'ñ');
INSERT INTO g VALUES ('[', 1), ('\\', 2), ('中', 3);
INSERT INTO h VALUES ('\\', 1), ('[', 2), ('^', 3);
UPDATE p SET w = 'changed' WHERE v = 'ä';
DELETE FROM p WHERE v = 'o';
CREATE TABLE later (v VARCHAR(20) CHARACTER SET latin1 UNIQUE);
INSERT INTO later VALUES ('a'), ('ä');
-- case: keys of a mysql collation that others lack
-- only: mysql
-- values only: collations become others
CREATE TABLE p (v VARCHAR(20) COLLATE utf8mb4_0900_as_ci PRIMARY KEY, w INT);
CREATE TABLE d (v VARCHAR(20) COLLATE utf8mb4_0900_ai_ci PRIMARY KEY, w INT);
CREATE TABLE c (v VARCHAR(20) COLLATE utf8mb4_0900_as_cs PRIMARY KEY, w INT);
CREATE TABLE s (v VARCHAR(20) COLLATE utf8mb4_sv_0900_ai_ci PRIMARY KEY, w INT);
CREATE TABLE e (v VARCHAR(20) COLLATE utf8mb4_es_0900_ai_ci PRIMARY KEY, w INT);
CREATE TABLE r (v VARCHAR(20) COLLATE utf8mb4_tr_0900_ai_ci PRIMARY KEY, w INT);
INSERT INTO p VALUES ('a', 1), ('ä', 2), ('a ', 3);
INSERT INTO d VALUES ('a', 1), ('b', 2), ('a ', 3), ('١', 4), (_utf8mb4 x'E0A1B0', 5), ('ا', 6);
INSERT INTO c VALUES ('a', 1), ('A', 2), ('ä', 3), ('a ', 4);
INSERT INTO s VALUES ('a', 1), ('å', 2), ('ä', 3), ('o', 4), ('ö', 5);
INSERT INTO e VALUES ('n', 1), ('ñ', 2);
INSERT INTO r VALUES ('i', 1), ('I', 2);
UPDATE p SET w = 22 WHERE v = 'ä';
DELETE FROM s WHERE v = 'a';
-- case: keys of a mariadb collation that others lack
-- only: mariadb
-- values only: collations become others
CREATE TABLE p (v VARCHAR(20) COLLATE utf8mb4_general_nopad_ci PRIMARY KEY, w INT);
CREATE TABLE l (v VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_nopad_ci PRIMARY KEY, w INT);
CREATE TABLE n (v VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_nopad_bin PRIMARY KEY, w INT);
CREATE TABLE s (v VARCHAR(20) COLLATE utf8mb4_swedish_ci PRIMARY KEY, w INT);
INSERT INTO p VALUES ('a', 1), ('a ', 2), ('b', 3);
INSERT INTO l VALUES ('a', 1), ('a ', 2), ('ä', 3);
INSERT INTO n VALUES ('a', 1), ('a ', 2), ('A', 3);
INSERT INTO s VALUES ('a', 1), ('å', 2), ('ö', 3), ('o', 4);
DELETE FROM p WHERE v = 'a' AND w = 1;
-- case: NULL in a key that counts
-- only: mysql
-- to: mariadb
CREATE TABLE t (c1 INT AUTO_INCREMENT NULL UNIQUE, b INT);
INSERT INTO t VALUES (NULL, 1), (NULL, 2), (NULL, 3), (NULL, 4), (7, 5);
UPDATE t SET b = 30 WHERE b = 3;
DELETE FROM t WHERE b = 4;
CREATE TABLE n (c1 INT NULL AUTO_INCREMENT UNIQUE, b INT);
INSERT INTO n VALUES (NULL, 1), (NULL, 2);
UPDATE n SET b = b + 10;
ALTER TABLE n MODIFY c1 BIGINT AUTO_INCREMENT NULL;
INSERT INTO n VALUES (NULL, 3), (NULL, 4);
-- case: NULL in a key that counts, which TiDB has not
-- to: tidb
-- values only: no AUTO_INCREMENT column of TiDB takes NULL
CREATE TABLE t (c1 INT AUTO_INCREMENT NULL UNIQUE, b INT);
INSERT INTO t VALUES (NULL, 1), (NULL, 2), (NULL, 3), (NULL, 4), (7, 5);
UPDATE t SET b = 30 WHERE b = 3;
UPDATE t SET c1 = NULL WHERE b = 5;
DELETE FROM t WHERE b = 4;
-- case: NULL in a key that counts, whose table is known from the upstream
-- values only: no AUTO_INCREMENT column of TiDB takes NULL
-- before
CREATE TABLE t (c1 INT AUTO_INCREMENT NULL UNIQUE, b INT);
-- target
CREATE TABLE t (c1 INT NULL UNIQUE, b INT);
-- upstream
INSERT INTO t VALUES (NULL, 1), (NULL, 2), (NULL, 3), (NULL, 4), (7, 5);
UPDATE t SET b = 30 WHERE b = 3;
-- case: NULL for which the target would count
-- before
CREATE TABLE t (c1 INT AUTO_INCREMENT NULL UNIQUE, b INT);
-- target
CREATE TABLE t (c1 INT NOT NULL AUTO_INCREMENT UNIQUE, b INT);
-- upstream
INSERT INTO t VALUES (7, 5);
INSERT INTO t VALUES (NULL, 1), (NULL, 2);
-- pauses: c1 … NULL
-- case: the names of foreign keys follow their table
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE t TO u;
ALTER TABLE u DROP FOREIGN KEY u_ibfk_1;

-- case: a foreign key over the primary key is added, and has no key of its own
CREATE TABLE p (id BIGINT UNSIGNED NOT NULL, PRIMARY KEY (id));
CREATE TABLE c (id BIGINT UNSIGNED NOT NULL, v INT, PRIMARY KEY (id));
ALTER TABLE c ADD CONSTRAINT c_1 FOREIGN KEY (id) REFERENCES p (id) ON DELETE CASCADE;
CREATE TABLE d (id BIGINT UNSIGNED NOT NULL, v INT, PRIMARY KEY (id));
ALTER TABLE d ADD FOREIGN KEY (id) REFERENCES p (id), ADD w INT;
CREATE TABLE e (id BIGINT UNSIGNED NOT NULL, v BIGINT UNSIGNED, PRIMARY KEY (id), KEY e_1 (id));
ALTER TABLE e ADD CONSTRAINT e_1 FOREIGN KEY (id) REFERENCES p (id), ADD CONSTRAINT e_2 FOREIGN KEY (v) REFERENCES p (id);
CREATE TABLE f (id BIGINT UNSIGNED NOT NULL, v INT, PRIMARY KEY (id));
ALTER TABLE f ADD CONSTRAINT f_1 FOREIGN KEY (id) REFERENCES p (id);
ALTER TABLE f DROP FOREIGN KEY f_1;
ALTER TABLE f ADD KEY f_1 (id), ADD CONSTRAINT f_1 FOREIGN KEY (id) REFERENCES p (id) ON UPDATE CASCADE;
ALTER TABLE f DROP FOREIGN KEY f_1, DROP KEY f_1;
-- case: a foreign key whose name of MariaDB's is too long elsewhere
-- only: mariadb
-- to: tidb
CREATE TABLE t_23456789012345678901234567890123456789012345678901234567890123 (id INT PRIMARY KEY);
ALTER TABLE t_23456789012345678901234567890123456789012345678901234567890123 ADD pid INT, ADD FOREIGN KEY (pid) REFERENCES t_23456789012345678901234567890123456789012345678901234567890123 (id);

-- case: rows behind the largest AUTO_INCREMENT value
CREATE TABLE t (id BIGINT NOT NULL AUTO_INCREMENT UNIQUE, v INT);
INSERT INTO t VALUES (9223372036854775807, 1);
CREATE TABLE u (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, v INT, KEY (id)) PARTITION BY HASH (id) PARTITIONS 2;
INSERT INTO t VALUES (5, 2);
INSERT INTO u VALUES (18446744073709551614, 1), (6, 2);
CREATE TABLE w LIKE t;
INSERT INTO w VALUES (9223372036854775807, 1);
UPDATE u SET v = 3;
INSERT INTO w VALUES (1, 1);

-- case: rows behind the largest AUTO_INCREMENT value of a table that was there
-- only: mysql
-- to: tidb
-- before
CREATE TABLE t (id BIGINT NOT NULL AUTO_INCREMENT UNIQUE, v INT);
-- target
CREATE TABLE t (id BIGINT NOT NULL AUTO_INCREMENT UNIQUE, v INT);
-- upstream
INSERT INTO t VALUES (9223372036854775807, 1);
CREATE TABLE u (a INT);
INSERT INTO t VALUES (5, 2);
-- pauses: 36226 … INSERT INTO … AUTO_ID_CACHE=1
-- case: a unique key of MyISAM is too long by its number
-- only: mariadb
CREATE TABLE t (uid BIGINT PRIMARY KEY, un VARCHAR(250) CHARACTER SET utf8mb4 NOT NULL, uc SMALLINT NOT NULL, UNIQUE KEY nc (un, uc)) ENGINE=MyISAM;
INSERT INTO t VALUES (1, 'test', 8), (2, 'test', 9);
CREATE TABLE u (uid BIGINT PRIMARY KEY, un VARCHAR(250) CHARACTER SET utf8mb4 NOT NULL, UNIQUE KEY nc (un)) ENGINE=MyISAM;
INSERT INTO u VALUES (1, 'test');
UPDATE t SET un = 'other' WHERE uc = 9;
-- case: UNIQUE twice behind a column is one key
CREATE TABLE t (id INT PRIMARY KEY, y INT UNIQUE UNIQUE, z INT UNIQUE KEY COMMENT 'x' UNIQUE, w INT NOT NULL UNIQUE DEFAULT 3 UNIQUE UNIQUE);
INSERT INTO t VALUES (9, 9, 9, 9);
ALTER TABLE t DROP INDEX y, DROP INDEX z, DROP INDEX w;
INSERT INTO t VALUES (1, 1, 1, 1), (2, 1, 1, 1);
ALTER TABLE t ADD v INT UNIQUE UNIQUE, ADD u INT UNIQUE;
ALTER TABLE t DROP INDEX v;
UPDATE t SET v = 1;
-- case: UNIQUE beside PRIMARY KEY behind a column is none in MariaDB
-- only: mariadb
CREATE TABLE t (id INT UNIQUE PRIMARY KEY, v INT);
CREATE TABLE s (id INT PRIMARY KEY UNIQUE, v INT);
CREATE TABLE r (id INT KEY KEY, v INT);
INSERT INTO t VALUES (1, 1), (2, 1);
INSERT INTO s VALUES (1, 1), (2, 1);
INSERT INTO r VALUES (1, 1), (2, 1);
-- case: UNIQUE and PRIMARY KEY behind one column
CREATE TABLE x (id INT UNIQUE PRIMARY KEY, a INT);
CREATE TABLE y (id INT NOT NULL AUTO_INCREMENT UNIQUE, a INT, PRIMARY KEY (id));
-- case: SERIAL beside a primary key
CREATE TABLE t (id SERIAL, a INT, PRIMARY KEY (id));
-- case: SERIAL DEFAULT VALUE beside a primary key
CREATE TABLE v (id INT SERIAL DEFAULT VALUE, a INT, PRIMARY KEY (a, id));
-- case: SERIAL DEFAULT VALUE beside a primary key of it
CREATE TABLE w (id INT SERIAL DEFAULT VALUE, PRIMARY KEY (id));
-- case: SERIAL PRIMARY KEY
CREATE TABLE u (id SERIAL PRIMARY KEY COMMENT 'SERIAL', a INT UNIQUE);

-- case: keys that a session cuts, which is not strict
-- values only: the column of 70,000 characters is a text of other lengths
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(70000) CHARACTER SET utf8mb4, w VARCHAR(900) CHARACTER SET utf8mb4, KEY v (v(800)), KEY w (w(900)));
INSERT INTO t VALUES (1, 'a', 'b');
ALTER TABLE t DROP KEY w, ADD KEY w (w(800));
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(1000) CHARACTER SET utf8mb4, KEY (v));
CREATE INDEX i ON u (v);
CREATE INDEX j ON u (v(999));
ALTER TABLE u ADD w INT;
INSERT INTO t VALUES (2, 'a', 'b');
INSERT INTO u VALUES (2, 'a', 3);

-- case: rows of a session without strictness under functional keys
-- only: mysql
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), j JSON, KEY n ((CAST(v AS SIGNED))), KEY c ((CAST(v AS CHAR(3)))), UNIQUE d ((CAST(v AS DATE)), id), KEY m ((CAST(j->'$.a' AS UNSIGNED ARRAY))));
SET sql_mode = '';
INSERT INTO t VALUES (1, 'abcdef', NULL), (2, '5x', '{"a": [1, 2]}'), (3, '2024-02-31', '{}'), (4, '99999999999999999999', NULL);
UPDATE t SET v = 'ghijkl' WHERE id = 2;
UPDATE t SET v = CONCAT(v, 'x'), id = id + 10 ORDER BY id DESC;
CREATE INDEX k ON t ((CAST(v AS DECIMAL(5, 2))));
INSERT INTO t VALUES (5, '123456.789', NULL);
DELETE FROM t WHERE id = 13;

-- case: rows of a session without strictness under a functional key of TiDB's
-- only: mysql
-- to: tidb
SET sql_mode = '';
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), KEY n ((CAST(v AS SIGNED))), UNIQUE u (id, (CAST(v AS UNSIGNED))));
INSERT INTO t VALUES (1, 'abcdef'), (2, '5x'), (3, '2024-02-31');
UPDATE t SET v = 'ghijkl' WHERE id = 2;
UPDATE t SET v = CONCAT(v, 'x'), id = id + 10 ORDER BY id DESC;
CREATE INDEX k ON t (v);
ALTER TABLE t ADD KEY m ((CAST(v AS DECIMAL(15, 2))));
INSERT INTO t VALUES (5, '123456.789z');
DELETE FROM t WHERE id = 13;

-- case: keys without a name over columns with long names
CREATE TABLE t (id INT PRIMARY KEY, x2345678901234567890123456789012345678901234567890123456789012 INT, aéééééééééééééééééééééééééééééé INT, KEY (x2345678901234567890123456789012345678901234567890123456789012), KEY (x2345678901234567890123456789012345678901234567890123456789012, id), KEY (aéééééééééééééééééééééééééééééé));
ALTER TABLE t ADD KEY (x2345678901234567890123456789012345678901234567890123456789012, aéééééééééééééééééééééééééééééé), ADD UNIQUE (aéééééééééééééééééééééééééééééé, id);
INSERT INTO t VALUES (1, 2, 3), (2, 3, 4);
ALTER TABLE t DROP KEY aéééééééééééééééééééééééééééééé_2;
-- case: keys without a name over columns whose names MySQL cuts
-- only: mysql
CREATE TABLE u (id INT PRIMARY KEY, x23456789012345678901234567890123456789012345678901234567890123 INT, aééééééééééééééééééééééééééééééé INT, KEY (x23456789012345678901234567890123456789012345678901234567890123), KEY (x23456789012345678901234567890123456789012345678901234567890123, id), KEY (aééééééééééééééééééééééééééééééé));
ALTER TABLE u ADD KEY (aééééééééééééééééééééééééééééééé, id), ADD KEY (x23456789012345678901234567890123456789012345678901234567890123, aééééééééééééééééééééééééééééééé);
INSERT INTO u VALUES (1, 2, 3);
ALTER TABLE u DROP KEY x234567890123456789012345678901234567890123456789012345678901_3, DROP KEY aéééééééééééééééééééééééééééééé_2;

-- case: unique keys over texts that have room again
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(50), UNIQUE u (a));
INSERT INTO t VALUES (1, 'x');
ALTER TABLE t MODIFY a TEXT;
INSERT INTO t VALUES (2, 'y');
ALTER TABLE t MODIFY a VARCHAR(60);
INSERT INTO t VALUES (3, 'z');
CREATE TABLE v (id INT PRIMARY KEY, a TEXT, b BLOB, c INT, UNIQUE u (a, c), UNIQUE w (b) USING HASH, KEY k (a));
INSERT INTO v VALUES (1, 'x', 'x', 1);
ALTER TABLE v CHANGE a aa VARCHAR(100), MODIFY b VARBINARY(40);
INSERT INTO v VALUES (2, 'x', 'y', 2);
