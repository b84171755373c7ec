-- case: texts are converted to one character set, and the table gets another one as its default
-- only: mariadb
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'é');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4, CHARACTER SET latin5;
INSERT INTO t VALUES (2, '日');
ALTER TABLE t CHARACTER SET latin1, CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, ADD b VARCHAR(9);
INSERT INTO t VALUES (3, '日', '日');

-- case: latin1 by every way to name it
CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(50)) CHARACTER SET latin1;
CREATE TABLE b (id INT PRIMARY KEY, v VARCHAR(50) CHARACTER SET latin1, w TEXT CHARACTER SET latin1 COLLATE latin1_bin);
INSERT INTO a VALUES (1, 'äöüßÄÖÜ€éè'), (2, 'plain');
INSERT INTO b VALUES (1, 'ñ¿¡', '£¥§');
UPDATE a SET v = CONCAT(v, 'ÿ');
UPDATE b SET w = 'Œ', v = NULL;
-- case: latin1 is what the schema says
CREATE DATABASE $DB_x CHARACTER SET latin1;
USE $DB_x;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50), c CHAR(5), x TEXT);
INSERT INTO t VALUES (1, 'größe', 'é', 'naïve €');
ALTER TABLE t ADD COLUMN w VARCHAR(20) DEFAULT 'ü';
INSERT INTO t VALUES (2, 'ä', 'ö', 'ü', 'ß');
UPDATE t SET w = UPPER(w);
-- case: gbk
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50), k VARCHAR(20) UNIQUE) CHARACTER SET gbk;
INSERT INTO t VALUES (1, '中文测试', '键'), (2, '許功蓋', '誠'), (3, 'plain \\ ''', 'a');
UPDATE t SET v = CONCAT(v, '字') WHERE k = '键';
DELETE FROM t WHERE k = '誠';
-- case: utf8mb3
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50), w VARCHAR(20) COLLATE utf8mb3_bin) CHARACTER SET utf8mb3;
INSERT INTO t VALUES (1, 'äß漢字', 'Ω'), (2, 'é', 'A');
UPDATE t SET w = LOWER(w);
-- case: many character sets in one table
-- values only: TiDB has few character sets
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET cp1251, b VARCHAR(20) CHARACTER SET ucs2, c VARCHAR(20) CHARACTER SET utf16, d VARCHAR(20) CHARACTER SET big5, e VARCHAR(20) CHARACTER SET sjis, f VARCHAR(20) CHARACTER SET koi8r, g VARCHAR(20) CHARACTER SET latin2, h VARCHAR(20) CHARACTER SET utf32, i VARCHAR(20) CHARACTER SET euckr, j VARCHAR(20) CHARACTER SET greek);
INSERT INTO t VALUES (1, 'Привет', 'ß漢', '🦆x', '中文', 'テスト', 'мир', 'łąż', '🦆', '한국', 'αβγ');
UPDATE t SET a = 'ё', b = NULL, e = 'ソ', h = '', j = 'Ω';
INSERT INTO t (id, d) VALUES (2, '功');
-- case: ascii and binary
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET ascii, b CHAR(10) CHARACTER SET binary, c TEXT CHARACTER SET binary, d VARCHAR(10) BINARY);
INSERT INTO t VALUES (1, 'ascii', x'00FF', x'C3A4FF', 'X'), (2, '', '', '', '');
UPDATE t SET c = CONCAT(c, x'27');
-- case: connections of other character sets
SET NAMES latin1;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50) CHARACTER SET utf8mb4 COMMENT 'plain', w VARCHAR(20) CHARACTER SET latin1);
INSERT INTO t VALUES (1, x'C3A4', x'E4'), (2, _latin1 x'E4', _utf8mb4 x'C3A4');
SET NAMES utf8mb4;
UPDATE t SET v = CONCAT(v, 'ö') WHERE id = 2;
-- case: a table is converted
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50), w VARCHAR(20), e ENUM('a', 'b')) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'ä€', 'ö', 'a');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
INSERT INTO t VALUES (2, '漢字', '🦆', 'b');
UPDATE t SET v = CONCAT(v, '…');
-- case: texts grow when a table is converted
CREATE TABLE t (id INT PRIMARY KEY, a TEXT COMMENT 'it''s a', b TINYTEXT NOT NULL, c MEDIUMTEXT, d LONGTEXT, e TEXT CHARACTER SET utf8mb4, f VARCHAR(100)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, REPEAT('ä', 30000), REPEAT('ö', 120), 'x', 'x', 'x', 'ü');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
INSERT INTO t VALUES (2, REPEAT('漢', 60000), REPEAT('漢', 250), 'x', 'x', 'x', '漢');
ALTER TABLE t ADD COLUMN g TEXT;
UPDATE t SET a = CONCAT(a, 'x');
-- case: the default character set of a table changes
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50)) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'ä');
ALTER TABLE t DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
ALTER TABLE t ADD COLUMN w VARCHAR(20);
INSERT INTO t VALUES (2, 'ö', '漢');
-- case: a column gets another character set
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50) CHARACTER SET latin1);
INSERT INTO t VALUES (1, 'äöü');
ALTER TABLE t MODIFY v VARCHAR(50) CHARACTER SET utf8mb4;
INSERT INTO t VALUES (2, '漢字 🦆');
-- case: collations
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) COLLATE utf8mb4_bin, b VARCHAR(20) COLLATE utf8mb4_unicode_ci, c VARCHAR(20) COLLATE utf8mb4_general_ci, UNIQUE KEY (a), UNIQUE KEY (b), UNIQUE KEY (c)) COLLATE utf8mb4_unicode_ci;
INSERT INTO t VALUES (1, 'a', 'a', 'a'), (2, 'A', 'b', 'b'), (3, 'ä', 'straße', 'straße');
UPDATE t SET b = 'STRASSE' WHERE id = 3;
UPDATE t SET c = 'Ä' WHERE id = 1;
-- case: names and comments in latin1
SET NAMES latin1;
CREATE TABLE t (id INT PRIMARY KEY COMMENT 'plain');
SET NAMES utf8mb4;
ALTER TABLE t ADD COLUMN `ключ` INT COMMENT 'ключ';
INSERT INTO t VALUES (1, 1);
-- case: defaults in other character sets
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET latin1 DEFAULT 'ä€', b VARCHAR(20) DEFAULT '漢字', c ENUM('ü', '漢') DEFAULT '漢', d CHAR(5) CHARACTER SET gbk DEFAULT '中');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ALTER a SET DEFAULT 'ö';
INSERT INTO t (id) VALUES (2);
-- case: introducers in defaults
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT _latin1 'x', b VARCHAR(20) DEFAULT _utf8mb4'y', c VARBINARY(5) DEFAULT x'4142', d BIT(3) DEFAULT b'101', e INT DEFAULT 0x10);
INSERT INTO t (id) VALUES (1);
-- case: codes that share a character keep their bytes where the column keeps its set
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET cp932, k VARCHAR(20) CHARACTER SET cp932 UNIQUE, w TEXT CHARACTER SET sjis, x VARCHAR(20) CHARACTER SET eucjpms, y CHAR(9) CHARACTER SET ujis, a VARCHAR(9) CHARACTER SET armscii8, b VARCHAR(9) CHARACTER SET big5, u VARCHAR(9) CHARACTER SET tis620);
CREATE TABLE keyless (v VARCHAR(20) CHARACTER SET cp932, n INT);
INSERT INTO t VALUES (1, x'879081E0ED40FA5C', x'8790', x'5C815F835C', x'ADF0', x'8FA2B7A1C0', x'A4A5FF', x'A15AA240', x'A0DBFE'), (2, x'81E0', x'81E0', x'815F', 'あ', 'あ', 'x', '中', 'ก'), (3, '', 'A', NULL, '', '', '', '', '');
INSERT INTO keyless VALUES (x'8790', 1), (x'81E0', 2), ('', 3), (x'8790', 4);
-- upstream
UPDATE t SET v = CONCAT(v, x'8791'), w = x'5C' WHERE id = 1;
UPDATE t SET v = 'あ', w = 'ソ' WHERE id = 2;
UPDATE t SET v = x'ED40' WHERE id = 3;
DELETE FROM t WHERE k = 'A';
UPDATE keyless SET n = 5 WHERE n = 1;
DELETE FROM keyless WHERE n = 4;
-- case: codes without a character keep their bytes where the column keeps its set
-- only: mysql
-- to: mariadb
-- before
SET sql_mode = '';
-- upstream
CREATE TABLE t (id INT PRIMARY KEY, g VARCHAR(20) CHARACTER SET gbk, c VARCHAR(20) CHARACTER SET cp932, e VARCHAR(20) CHARACTER SET euckr, h TEXT CHARACTER SET gb2312, j CHAR(9) CHARACTER SET eucjpms, k VARCHAR(9) CHARACTER SET greek, l VARCHAR(9) CHARACTER SET cp1251 UNIQUE);
INSERT INTO t VALUES (1, x'A140D6D0', x'81AD41', x'C9A1', x'A2A1', x'A2AF', x'D2A1', x'9841'), (2, '中', 'あ', '한', '中', 'あ', 'α', 'ж'), (3, x'C2A141', '', '', '', '', '', '');
UPDATE t SET g = CONCAT(g, 'x'), c = CONCAT(c, x'81AD'), e = CONCAT(e, 'a') WHERE id < 3;
DELETE FROM t WHERE id = 2;
-- case: a text without a character pauses where the column cannot keep its set
-- to: tidb
-- values only: TiDB has few character sets
CREATE TABLE t (id INT PRIMARY KEY, e VARCHAR(20) CHARACTER SET euckr);
INSERT INTO t VALUES (1, '한국'), (2, NULL);
INSERT INTO t VALUES (3, x'C9A1');
-- pauses: a text in column e of … does not go through Unicode as it is … c9a1
-- case: a code of four bytes without a character pauses where the column cannot keep its set
-- only: mysql
-- to: tidb mariadb
-- values only: they have few character sets
CREATE TABLE t (id INT PRIMARY KEY, e VARCHAR(20) CHARACTER SET gb18030);
INSERT INTO t VALUES (1, '中😀ḿ€'), (2, NULL), (3, x'E3329A35A2A18130A431');
INSERT INTO t VALUES (4, x'8431A530');
-- pauses: a text in column e of … does not go through Unicode as it is … 8431a530
-- case: a byte without a character pauses where the column cannot keep its set
-- to: tidb
-- values only: TiDB has few character sets
CREATE TABLE t (id INT PRIMARY KEY, e VARCHAR(20) CHARACTER SET greek);
INSERT INTO t VALUES (1, 'αβγ'), (2, NULL);
INSERT INTO t VALUES (3, x'D2A1');
-- pauses: a text in column e of … does not go through Unicode as it is … d2a1
-- case: codes that share a character become that character, and pause in a key
-- to: tidb
-- values only: TiDB has few character sets
CREATE TABLE t (id INT PRIMARY KEY, e VARCHAR(20) CHARACTER SET cp932, k VARCHAR(20) CHARACTER SET cp932 UNIQUE);
INSERT INTO t VALUES (1, x'879081E0ED40', x'81E0');
INSERT INTO t VALUES (2, 'あ', x'8790');
-- pauses: a text in column k of … another code, too … 8790
-- case: labels with characters that the column's set lacks
-- values only: TiDB shows a set of its own
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('ü', '漢', 'b') CHARACTER SET latin1 NOT NULL, s SET('ä', '字') CHARACTER SET latin1, m ENUM('🦆', 'x') CHARACTER SET utf8mb3 DEFAULT 'x');
INSERT INTO t VALUES (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, NULL);
UPDATE t SET e = 2, s = 2 WHERE id = 3;
ALTER TABLE t ADD COLUMN g ENUM('a', '漢x') CHARACTER SET latin1 NOT NULL DEFAULT '?x', MODIFY e ENUM('ü', '漢', 'b', 'c') CHARACTER SET latin1;
INSERT INTO t VALUES (4, 4, NULL, 2, 1), (5, 2, 3, 1, 2);
INSERT INTO t (id, e) VALUES (6, '?');
-- case: COLLATE DEFAULT of a column is the default collation of its character set
-- only: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10) COLLATE DEFAULT, b VARCHAR(10) CHARACTER SET latin1 COLLATE DEFAULT) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO t VALUES (1, 'a', 'b');
ALTER TABLE t ADD COLUMN c TEXT COLLATE DEFAULT;
ALTER TABLE t ADD COLUMN d CHAR(3) COLLATE DEFAULT NOT NULL COLLATE utf8mb4_general_ci;
INSERT INTO t VALUES (2, 'A', 'B', 'c', 'd');
CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(10)) COLLATE DEFAULT;
CREATE TABLE v (id INT PRIMARY KEY, a VARCHAR(10)) COLLATE utf8mb4_unicode_ci;
ALTER TABLE v COLLATE DEFAULT;
ALTER TABLE v ADD COLUMN b VARCHAR(10);
ALTER TABLE v CHARACTER SET DEFAULT, ADD COLUMN c VARCHAR(10);
INSERT INTO u VALUES (1, 'a');
INSERT INTO v VALUES (1, 'a', 'b', 'c');
-- case: labels of an ENUM in binary are in the connection's character set
-- values only: MySQL shows no collation of such columns
SET NAMES latin1;
CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a', 'b') CHARACTER SET binary, d SET('x', 'y') CHARACTER SET binary);
SET NAMES utf8mb4, collation_connection = utf16_general_ci;
CREATE TABLE u (id INT PRIMARY KEY, c ENUM('aaa', 'b') CHARACTER SET binary);
INSERT INTO t VALUES (1, 1, 3), (2, 2, 1);
INSERT INTO u VALUES (1, 1), (2, 2);
-- case: a text behind an introducer keeps its bytes, whatever the session's character set
-- values only: from MySQL to MariaDB the default is an expression, CONVERT(X'…' USING utf8mb4)
SET NAMES latin1;
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10) CHARACTER SET utf8mb4 DEFAULT _utf8mb4'aä€', b VARCHAR(10) CHARACTER SET utf8mb4 DEFAULT _utf8mb4 'ä\'ß');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD COLUMN c VARCHAR(10) CHARACTER SET utf8mb4 NOT NULL DEFAULT _utf8mb4'ß';
INSERT INTO t (id) VALUES (2);
-- case: a text behind an introducer is no text of the session's character set
-- values only: from MySQL to MariaDB the default is an expression, CONVERT(X'…' USING utf8mb4)
CREATE TABLE t (id INT PRIMARY KEY);
SET NAMES ascii;
CREATE VIEW v AS SELECT _utf8mb4'ä' AS c, _latin1'ä' AS d;
DROP VIEW v;
ALTER TABLE t ADD COLUMN c VARCHAR(10) CHARACTER SET utf8mb4 NOT NULL DEFAULT _utf8mb4'ß';
INSERT INTO t (id) VALUES (2);
-- case: digits behind an introducer as a default
CREATE TABLE t (id INT PRIMARY KEY, a CHAR(3) CHARACTER SET latin1 DEFAULT _latin1 0xE4, b VARCHAR(3) CHARACTER SET utf8mb4 DEFAULT _latin1 x'E4', c CHAR(2) CHARACTER SET utf8mb4 DEFAULT _utf8mb4 b'1100001');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD COLUMN d VARCHAR(10) CHARACTER SET utf8mb4 NOT NULL DEFAULT _latin1 0xDF;
INSERT INTO t (id) VALUES (2);
-- case: digits of a character set that the target may lack as a default
-- values only: TiDB has few character sets
CREATE TABLE t (id INT PRIMARY KEY, a CHAR(3) CHARACTER SET cp1251 DEFAULT _koi8r 0xC1, b CHAR(3) CHARACTER SET cp1251 DEFAULT _koi8r x'C1');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD COLUMN d VARCHAR(10) CHARACTER SET utf8mb4 NOT NULL DEFAULT _koi8r 0xC1C2;
INSERT INTO t (id) VALUES (2);
-- case: latin1 texts that need more bytes
-- to: tidb
-- values only: latin1 is utf8mb4 there
CREATE TABLE t (id INT PRIMARY KEY, a TINYTEXT CHARACTER SET latin1, b TEXT CHARACTER SET latin1);
INSERT INTO t VALUES (1, REPEAT('ä', 255), 'x'), (2, NULL, REPEAT('ä', 65535));
-- case: latin1 texts that are added, modified and converted need more bytes
-- to: tidb
-- values only: latin1 is utf8mb4 there
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(255) CHARACTER SET latin1, c VARCHAR(9)) CHARACTER SET latin1;
CREATE TABLE u (id INT PRIMARY KEY, a TINYTEXT) CHARACTER SET utf8mb4;
INSERT INTO t (id, a) VALUES (1, REPEAT('ä', 255));
ALTER TABLE t ADD b TINYTEXT, MODIFY a TINYTEXT CHARACTER SET latin1, CHANGE c d TEXT(200);
UPDATE t SET b = a, d = a;
ALTER TABLE u CONVERT TO CHARACTER SET latin1;
INSERT INTO u VALUES (1, REPEAT('ä', 255));
-- case: halves of pairs in UCS-2 keep their bytes
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET ucs2, UNIQUE KEY (v));
CREATE TABLE u (v TEXT CHARACTER SET ucs2, n INT);
INSERT INTO t VALUES (1, _ucs2 x'D801DC00'), (2, _ucs2 x'0041D801'), (3, 'aä漢'), (4, ''), (5, NULL);
INSERT INTO u VALUES (_ucs2 x'D801DC00', 1), (_ucs2 x'0041D801', 2), ('aä漢', 3), ('', 4);
ALTER TABLE u COMMENT 'the rows are there';
UPDATE u SET n = n + 10;
UPDATE t SET v = _ucs2 x'DC00D801' WHERE id = 1;
DELETE FROM t WHERE id = 2;
-- case: halves of a pair in UCS-2 are no character
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET ucs2);
INSERT INTO t VALUES (1, 'aä漢');
INSERT INTO t VALUES (2, _ucs2 x'D801DC00');
-- pauses: 36118 … d801dc00
-- case: a table of documents is converted
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(10) NOT NULL DEFAULT 'x' COMMENT 'of it', e ENUM('a', 'b'), w TEXT, n INT, CONSTRAINT c CHECK (v <> 'y'), KEY (v)) DEFAULT CHARSET=latin1;
INSERT INTO t VALUES (1, '"😀я"', 'a', 'b', 'é', 5);
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb3;
INSERT INTO t (id, j, w) VALUES (2, '"😀"', 'é');
-- case: a table of documents is converted in a session that is not strict
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(10));
INSERT INTO t VALUES (1, '"😀я"', 'я');
SET sql_mode = '';
ALTER TABLE t CONVERT TO CHARACTER SET latin1, ADD COLUMN k JSON;
INSERT INTO t VALUES (2, '"😀"', 'ä', '"я"');
-- case: bytes above 127 in ascii, which MySQL does not take
-- only: mariadb
-- to: mysql
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET ascii);
INSERT INTO t VALUES (1, x'80');
-- pauses: Incorrect string value … `t`

-- case: TEXT with a length in a set whose characters take more bytes in the target
-- values only: the next larger type
CREATE TABLE t (id INT PRIMARY KEY, h TEXT(20), k TEXT(300) CHARACTER SET cp1251) DEFAULT CHARSET=latin1;
INSERT INTO t VALUES (1, REPEAT('é', 200), REPEAT('я', 300));
ALTER TABLE t ADD COLUMN a TEXT(20), ADD COLUMN m TEXT, MODIFY k TEXT(400) CHARACTER SET koi8r;
ALTER TABLE t MODIFY m TEXT(10);
INSERT INTO t VALUES (2, 'a', REPEAT('я', 400), REPEAT('é', 255), REPEAT('é', 255));

-- case: a table with a UUID is converted
-- only: mariadb
-- values only: what stands for the UUID is converted, too
CREATE TABLE t (id INT PRIMARY KEY, u UUID, v VARCHAR(10), i INET6);
INSERT INTO t VALUES (1, '123e4567-e89b-12d3-a456-426655440000', 'a', '::1');
ALTER TABLE t CONVERT TO CHARACTER SET utf16;
INSERT INTO t VALUES (2, '223e4567-e89b-12d3-a456-426655440000', '😀', '::2');

-- case: a table with a UUID in its key is converted
-- only: mariadb
-- values only: TiDB keeps the collations
CREATE TABLE t (u UUID PRIMARY KEY, v VARCHAR(10), x TEXT, i INET6, KEY (i)) DEFAULT CHARSET latin1;
INSERT INTO t VALUES ('123e4567-e89b-12d3-a456-426655440000', 'a', 'ä', '::1');
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4;
INSERT INTO t VALUES ('223e4567-e89b-12d3-a456-426655440000', '😀', REPEAT('😀', 20000), '::2');
UPDATE t SET v = 'b' WHERE u = '123e4567-e89b-12d3-a456-426655440000';
-- case: national literals are UTF-8 in a session of another character set
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
SET NAMES latin1;
ALTER TABLE t ADD a VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT N'é', ADD b VARCHAR(9) CHARACTER SET latin1 DEFAULT n'é';
ALTER TABLE t ADD c VARCHAR(9) CHARACTER SET utf8mb4 NOT NULL DEFAULT N'a' 'é', ADD d VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT _utf8mb4 'a' 'é';
ALTER TABLE t ALTER a SET DEFAULT N'ü';
CREATE TABLE u (id INT, v VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT N'é', g VARCHAR(19) CHARACTER SET utf8mb4 AS (CONCAT(v, N'ü')));
INSERT INTO t (id) VALUES (2);
INSERT INTO u (id) VALUES (1);
-- case: bytes of a letter are a backslash as a character
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET utf8mb4);
INSERT INTO t VALUES (1, 'x');
SET NAMES sjis;
ALTER TABLE t ADD a VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT 'aŁ_b' COMMENT 'cŁ_n', ADD c VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT 'Ł_';
ALTER TABLE t ADD g VARCHAR(40) CHARACTER SET utf8mb4 AS (CONCAT(v, 'aŁ_b', "Ł_'n"));
INSERT INTO t (id, v) VALUES (2, 'y');
-- case: a backslash is a letter as a character
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
SET NAMES swe7;
ALTER TABLE `t` ADD `a` VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT '[\'\\\\]~' COMMENT '{';
INSERT INTO t (id) VALUES (2);
-- case: a literal has bytes that are no text
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
SET NAMES ascii;
ALTER TABLE t ADD b VARBINARY(9) DEFAULT 'aé''b', ADD c VARCHAR(9);
INSERT INTO t (id) VALUES (2);
-- case: literals that the connection's character set lacks
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
SET character_set_connection = latin1;
ALTER TABLE t ADD v VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT '漢ü' COMMENT '漢ü', ADD e ENUM('ü', '漢') CHARACTER SET utf8mb4 NOT NULL DEFAULT '漢', ADD s SET('a', '漢') CHARACTER SET utf8mb4 DEFAULT 'a,漢', COMMENT = '漢';
ALTER TABLE t ADD g VARCHAR(9) CHARACTER SET utf8mb4 AS (CONCAT(v, '漢é')) STORED, ADD n VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT N'漢';
ALTER TABLE t ADD y VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT "漢'";
ALTER TABLE t ALTER COLUMN v SET DEFAULT '語é';
INSERT INTO t (id) VALUES (2);
CREATE TABLE u (id INT, v VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT '漢ü', CHECK (v <> '漢'));
INSERT INTO u VALUES (1, DEFAULT);
-- both
INSERT INTO t (id) VALUES (3);
-- case: literals that a partitioned table's connection lacks
SET character_set_connection = latin1;
CREATE TABLE t (id INT, v VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) PARTITION BY LIST COLUMNS (v) (PARTITION p VALUES IN ('a漢', 'b'));
INSERT INTO t VALUES (1, 'a?'), (2, 'b');
-- case: literals of a statement that is sent in the database's character set
ALTER DATABASE $DB CHARACTER SET latin1;
SET CHARACTER SET utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT '漢ä');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD w VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT '漢ä';
-- case: literals of four bytes in a connection of three
SET NAMES utf8mb4;
SET character_set_connection = utf8mb3;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT '漢🦆');
INSERT INTO t (id) VALUES (1);
-- case: literals that are sent as bytes
SET NAMES binary;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT 'ä', w VARCHAR(20) CHARACTER SET latin1 DEFAULT 'ä' COMMENT 'ä', e ENUM('ä', 'b') CHARACTER SET latin1, b VARBINARY(9) DEFAULT 'ä');
INSERT INTO t (id, e) VALUES (1, 1);
ALTER TABLE t ADD x VARCHAR(20) CHARACTER SET latin1 NOT NULL DEFAULT 'ö', ADD y TEXT CHARACTER SET utf8mb4 COMMENT 'ö';
INSERT INTO t (id, e) VALUES (2, 2);
-- case: literals that are bytes in the connection
SET character_set_connection = binary;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT 'ä', w VARCHAR(20) CHARACTER SET latin1 DEFAULT 'ä');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD x VARCHAR(20) CHARACTER SET latin1 NOT NULL DEFAULT 'ö';
-- case: literals that are sent as bytes to a connection of latin1
SET character_set_client = binary, character_set_connection = latin1;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT 'ä', w VARCHAR(20) CHARACTER SET latin1 DEFAULT 'ä');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD x VARCHAR(20) CHARACTER SET utf8mb4 NOT NULL DEFAULT 'ö';
-- case: defaults of bytes in a connection of latin1 that are no text
-- values only: TiDB keeps no default of such bytes
SET character_set_connection = latin1;
CREATE TABLE t (id INT PRIMARY KEY, a VARBINARY(9) DEFAULT 'ü漢');
INSERT INTO t (id) VALUES (1);
CREATE TABLE u (id INT);
ALTER TABLE t ADD b VARBINARY(9) DEFAULT 'ö漢';
INSERT INTO t (id) VALUES (2);
-- case: defaults of bytes in a connection of latin1
SET NAMES latin1;
CREATE TABLE t (id INT PRIMARY KEY, a VARBINARY(9) DEFAULT 'ü', b BINARY(3) NOT NULL DEFAULT 'ü', c CHAR(3) CHARACTER SET binary DEFAULT 'ü');
INSERT INTO t (id) VALUES (1);
CREATE TABLE u (id INT);
ALTER TABLE t ADD d VARBINARY(9) NOT NULL DEFAULT 'ö', ADD (e VARBINARY(3) DEFAULT 'ö');
INSERT INTO t (id) VALUES (2);
-- case: names lose characters of four bytes
-- only: mysql
CREATE TABLE `t😺` (id INT PRIMARY KEY, `a😺` INT, b INT, KEY `k😺` (`a😺`));
INSERT INTO `t😺` VALUES (1, 2, 3);
ALTER TABLE `t😺` ADD 𠀀 INT DEFAULT 5, CHANGE b `漢😺` BIGINT, ADD g INT AS (`a😺` + 1);
ALTER TABLE t😺 DROP KEY k😺, ADD KEY `ü😺` (`漢😺`);
INSERT INTO `t😺` (id, `a?`) VALUES (2, 3);
CREATE TABLE p (id INT PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION `p😺` VALUES LESS THAN (5), PARTITION q VALUES LESS THAN MAXVALUE);
INSERT INTO p VALUES (1), (9);
ALTER TABLE p TRUNCATE PARTITION `p😺`;
CREATE TABLE u AS SELECT id AS `i😺`, `a😺` FROM `t😺`;
RENAME TABLE `t😺` TO `v😺`;
UPDATE `v😺` SET `漢😺` = 7;
-- case: a default of bytes is set in a connection of latin1
SET NAMES latin1;
CREATE TABLE t (id INT PRIMARY KEY, a VARBINARY(9), b BINARY(3), c CHAR(3) CHARACTER SET binary, d CHAR(9)) CHARACTER SET utf8mb4;
ALTER TABLE t ALTER COLUMN a SET DEFAULT 'ü', ALTER b SET DEFAULT 'ö', ALTER COLUMN c SET DEFAULT 'ä', ALTER d SET DEFAULT 'ß';
INSERT INTO t (id) VALUES (1);
-- both
INSERT INTO t (id) VALUES (2);
-- case: defaults in a table of bytes in a connection of latin1
SET NAMES latin1;
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) DEFAULT 'ü', b CHAR(9) CHARACTER SET utf8mb4 DEFAULT 'ü') CHARACTER SET binary;
ALTER TABLE t ADD c VARCHAR(3) NOT NULL DEFAULT 'ö';
ALTER TABLE t ADD d CHAR(3), ALTER COLUMN a SET DEFAULT 'ß';
INSERT INTO t (id) VALUES (1);
ALTER DATABASE $DB CHARACTER SET binary;
CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(9) DEFAULT 'ü');
INSERT INTO u (id) VALUES (1);
-- both
INSERT INTO t (id) VALUES (2);
INSERT INTO u (id) VALUES (2);
-- case: a cast beside literals of bytes
-- to: tidb
SET NAMES binary;
CREATE TABLE t (id INT PRIMARY KEY, n INT) CHARACTER SET utf8mb4;
INSERT INTO t VALUES (1, 2);
ALTER TABLE t ADD l VARCHAR(9) CHARACTER SET latin1 DEFAULT 'ä', ADD u VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT 'ä', ADD g VARBINARY(9) AS (CAST(n AS CHAR)), ADD e ENUM('ä', 'b') CHARACTER SET latin1 DEFAULT 'b';
INSERT INTO t (id, n) VALUES (2, 3);
-- both
INSERT INTO t (id, n) VALUES (3, 4);
-- case: a cast beside literals of bytes pauses where a session would convert them
-- only: mysql
-- to: mariadb
SET NAMES binary;
CREATE TABLE t (id INT PRIMARY KEY, n INT) CHARACTER SET utf8mb4;
ALTER TABLE t ADD l VARCHAR(9) CHARACTER SET latin1 DEFAULT 'ä', ADD g VARBINARY(9) AS (CAST(n AS CHAR));
-- pauses: code=36117 … CAST to CHAR in binary
-- case: collations that all Unicode sets share, in each of them
-- only: mariadb
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER SET utf8mb3 COLLATE utf8mb3_uca1400_ai_ci, b VARCHAR(9) CHARACTER SET utf8mb3 COLLATE uca1400_swedish_as_cs, c VARCHAR(9) CHARACTER SET ucs2 COLLATE ucs2_uca1400_nopad_ai_ci, d VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_as_cs, UNIQUE (a), UNIQUE (b), UNIQUE (c), UNIQUE (d));
INSERT INTO t VALUES (1, 'a', 'a', 'a', 'a'), (2, 'b', 'A', 'a ', 'ä');
CREATE TABLE u (a VARCHAR(9), b VARCHAR(9) CHARACTER SET utf16) COLLATE utf8mb3_uca1400_german2_ai_ci;
ALTER TABLE u CONVERT TO CHARACTER SET utf8mb3 COLLATE utf8mb3_uca1400_nopad_as_ci;
CREATE DATABASE $DB_x COLLATE utf8mb3_uca1400_ai_ci;
CREATE TABLE $DB_x.t AS SELECT a FROM t;
-- case: half of a pair in ucs2
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(5) CHARACTER SET ucs2, b VARBINARY(20));
INSERT INTO t (id, a) VALUES (1, 0xdf84), (2, 0xd8000041);
UPDATE t SET b = CAST(a AS BINARY);
-- case: defaults of columns of bytes in a connection whose plain letters have other bytes
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1), (2);
SET character_set_connection = utf16;
ALTER TABLE t ADD a VARBINARY(9) DEFAULT 'x', ADD b VARCHAR(9) CHARACTER SET binary DEFAULT 'yz';
SET character_set_connection = utf16le;
ALTER TABLE t ADD c VARBINARY(9) DEFAULT 'x', ADD v VARCHAR(9) DEFAULT 'x';
SET character_set_connection = utf32;
ALTER TABLE t ADD d VARBINARY(9) DEFAULT 'x';
SET character_set_connection = ucs2;
ALTER TABLE t ALTER a SET DEFAULT 'q', ADD e VARBINARY(9) NOT NULL DEFAULT '';
SET character_set_connection = swe7;
ALTER TABLE t ADD f VARBINARY(9) DEFAULT 'x', ADD g VARCHAR(9) DEFAULT '[x]';
INSERT INTO t (id) VALUES (3);
-- case: a literal of an expression in a connection whose plain letters have other bytes
SET character_set_connection = utf16;
CREATE TABLE t (id INT PRIMARY KEY, h VARCHAR(20) AS (HEX('z')) STORED);
-- pauses: 36117 … makes in utf16
-- case: expressions of MySQL in connections whose plain letters have other bytes
-- only: mysql
-- to: mysql
SET collation_connection = utf16_bin;
CREATE TABLE t (id INT PRIMARY KEY, d VARBINARY(40) AS (CONCAT('x', id)) STORED, e INT AS (LENGTH(CONCAT(id,'ab'))), f VARBINARY(40) AS (CONCAT(_utf8mb4'y', X'41', id)) STORED);
INSERT INTO t (id) VALUES (1);
SET collation_connection = ucs2_general_ci;
ALTER TABLE t ADD h VARCHAR(20) AS (HEX(CONCAT('a', id))) STORED;
INSERT INTO t (id) VALUES (2);
-- case: a text of a number in a connection whose plain letters have other bytes
SET character_set_connection = utf16;
CREATE TABLE t (id INT PRIMARY KEY, l INT AS (LENGTH(CONCAT(id, ''))) STORED);
-- pauses: 36117 … makes in utf16
-- case: bytes of a literal that is not ASCII
SET NAMES latin1;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4, c VARCHAR(40) CHARACTER SET utf8mb4 AS (CONCAT(v, 'é')) STORED);
INSERT INTO t (id, v) VALUES (1, 'a');
ALTER TABLE t ADD h VARCHAR(40) AS (HEX(CONCAT('xé', id))) STORED;
-- pauses: 36197 … column h … bytes of the literal
-- case: bytes of a literal that is not ASCII in a column of bytes
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, b VARBINARY(40) AS (CONCAT(id, 'é')) STORED);
-- pauses: 36197 … column b … bytes of the literal
-- case: bytes of a literal that is not ASCII in a default that fills rows
SET NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
ALTER TABLE t ADD d VARCHAR(40) DEFAULT (HEX('é'));
-- pauses: 36197 … column d … bytes of the literal
-- case: a generated column of a set that lacks characters
SET sql_mode = '', NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET utf8mb4, g VARCHAR(10) CHARACTER SET latin1 AS (CONCAT(v, '')) STORED);
INSERT INTO t (id, v) VALUES (1, 'a'), (2, 'é');
-- case: a generated column of a set that lacks characters, and rows that have some
-- to: tidb
SET sql_mode = '', NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET utf8mb4, g VARCHAR(10) CHARACTER SET latin1 AS (v) VIRTUAL);
INSERT INTO t (id, v) VALUES (1, 'é');
INSERT INTO t (id, v) VALUES (2, 'x漢b');
-- pauses: 36273 … the character 漢 in v … latin1 … generated column g
-- case: a default of a set that lacks characters fills rows
-- to: tidb
SET sql_mode = '', NAMES utf8mb4;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) CHARACTER SET utf8mb4, w VARCHAR(10) CHARACTER SET utf8mb4);
INSERT INTO t (id, v, w) VALUES (1, 'abc', '漢');
ALTER TABLE t ADD g VARCHAR(10) CHARACTER SET latin1 DEFAULT (v);
ALTER TABLE t ADD h VARCHAR(10) CHARACTER SET latin1 DEFAULT (w);
-- pauses: 36197 … column h … characters in w that latin1 lacks
-- case: a session has another default for the database than it has
-- only: mysql
-- to: mysql mariadb
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10));
CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(10));
CREATE TABLE k (v VARCHAR(10), UNIQUE KEY (v));
INSERT INTO t VALUES (1, '日本'), (2, 'b');
INSERT INTO u VALUES (1, 'é'), (2, 'b');
INSERT INTO k VALUES ('b');
SET sql_mode = '', collation_database = latin1_swedish_ci;
ALTER TABLE t CONVERT TO CHARACTER SET DEFAULT;
CREATE TABLE n (id INT PRIMARY KEY, v VARCHAR(10));
SET sql_mode = DEFAULT;
ALTER TABLE u CONVERT TO CHARACTER SET DEFAULT;
SET collation_database = utf8mb4_bin;
ALTER TABLE k CONVERT TO CHARACTER SET DEFAULT;
INSERT INTO k VALUES ('B');
INSERT INTO n VALUES (1, '漢');
INSERT INTO t VALUES (3, 'ü');
INSERT INTO u VALUES (3, 'ü');

-- case: the default of a new text names a character set, and rows are there
-- values only: what MySQL shows of such a default is other characters
-- only: mysql
CREATE TABLE t (id INT PRIMARY KEY) DEFAULT CHARSET utf8mb4;
INSERT INTO t VALUES (1);
ALTER TABLE t ADD a TEXT DEFAULT (_latin1 X'C3A9'), ADD b TEXT DEFAULT (_cp1251 X'C6');
ALTER TABLE t ADD c TEXT DEFAULT (CONCAT(_ucs2 X'0041', _latin1 X'E9')), ADD d VARCHAR(9) DEFAULT (CONCAT(_latin1 X'C3A9', 'x'));
ALTER TABLE t ADD e TEXT DEFAULT (_latin1'é'), ADD f VARCHAR(9) DEFAULT (_latin1'é'), ADD g VARCHAR(9) DEFAULT _latin1'é';
ALTER TABLE t ADD i VARBINARY(9) DEFAULT _latin1 X'E9', ADD h BLOB DEFAULT (_latin1 X'41');
INSERT INTO t (id) VALUES (2);
-- case: the default of new bytes names a character set, and rows are there
-- only: mysql
-- to: mariadb tidb
CREATE TABLE t (id INT PRIMARY KEY) DEFAULT CHARSET utf8mb4;
INSERT INTO t VALUES (1);
ALTER TABLE t ADD h BLOB DEFAULT (_latin1 X'E9');
-- pauses: 36197 … _latin1 X'E9'
-- case: MariaDB destroys a literal of a generated column that names its character set
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), b VARCHAR(20) AS (CONCAT(a, _utf8mb4'é')), c VARCHAR(20) AS (CONCAT(a, 'x')) STORED) DEFAULT CHARSET utf8mb4;
-- pauses: 36197 … _utf8mb4'é'
-- case: MariaDB destroys a literal of a new generated column that names its character set
-- only: mariadb
-- to: mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9)) DEFAULT CHARSET utf8mb4;
INSERT INTO t VALUES (1, 'a');
ALTER TABLE t ADD b VARCHAR(20) AS (CONCAT(a, _latin1 X'C3A9'));
-- pauses: 36197 … _latin1 X'C3A9'
-- case: literals of generated columns that MariaDB keeps
-- only: mariadb
-- to: mariadb mysql tidb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), b VARCHAR(20) AS (CONCAT(a, 'é', _utf8mb4'x "y"', _latin1'', N'ü')), c VARCHAR(20) AS (CONCAT(a, '\\')) STORED) DEFAULT CHARSET utf8mb4;
INSERT INTO t (id, a) VALUES (2, 'b');
SET NAMES latin1;
CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(9), b VARCHAR(20) AS (CONCAT(a, N'ü'))) DEFAULT CHARSET utf8mb4;
INSERT INTO u (id, a) VALUES (2, 'b');
-- case: a document is added to a table of MySQL that is converted
-- only: mysql
-- to: mariadb
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20));
INSERT INTO t VALUES (1, 'é');
ALTER TABLE t CONVERT TO CHARACTER SET latin1, ADD COLUMN c JSON;
INSERT INTO t VALUES (2, 'é', '{"b": "漢"}');
-- case: texts are added to a table that is converted to bytes
-- only: mariadb
-- to: mariadb mysql
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET utf8mb4);
INSERT INTO t VALUES (1, 'é');
ALTER TABLE t CONVERT TO CHARACTER SET binary, ADD COLUMN c JSON, ADD d VARCHAR(10) CHARACTER SET utf8mb4, ADD e TEXT COLLATE utf8mb4_bin, ADD f NCHAR(3), ADD h VARCHAR(5);
INSERT INTO t VALUES (2, X'C3A9', '{"b":1}', X'00FF', X'00FF', 'abc', X'E4');
-- case: a client of latin1 makes tables of rows, which servers log in UTF-8
CREATE TABLE r (n INT);
SET NAMES latin1;
CREATE TABLE s (id INT PRIMARY KEY, `größe` INT COMMENT 'höhe', c ENUM('a','é') DEFAULT 'é', d VARCHAR(20) DEFAULT 'ü');
INSERT INTO s VALUES (1, 1, 'a', 'x');
CREATE TABLE t SELECT * FROM s;
INSERT INTO t VALUES (2, 2, 'é', 'y');
CREATE TABLE u (z VARCHAR(10) DEFAULT 'ß') SELECT * FROM s;
INSERT INTO u (id) VALUES (9);
-- case: a client of latin1 drops tables
CREATE TABLE r (n INT);
SET NAMES latin1;
CREATE TABLE `größe` (id INT PRIMARY KEY);
CREATE TABLE `größe2` (id INT PRIMARY KEY);
INSERT INTO `größe` VALUES (1);
DROP TABLE `größe`;
DROP TABLE IF EXISTS `größe2`, `ähm`;
