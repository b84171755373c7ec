-- case: comments that only some servers execute
CREATE TABLE t (id INT PRIMARY KEY, a INT /*!50000 DEFAULT 1 */, b INT /*!80000 DEFAULT 2 */, c INT /*M! DEFAULT 3 */, d INT /*M!100100 DEFAULT 4 */, e INT /*T! DEFAULT 5 */, f INT /*!99999 DEFAULT 6 */, g INT /*!50701 DEFAULT 7 */, h INT /*!100100 DEFAULT 8 */, i INT /*!DEFAULT 9*/);
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD j INT NOT NULL /*M! DEFAULT 10 */ /*!80000 DEFAULT 11 */, ADD k VARCHAR(9) NOT NULL DEFAULT /*!50000 'k' /* inner */ */ /*!99999 COMMENT 'no' */;
ALTER TABLE t /*T! DROP COLUMN a, */ ADD l INT /*T![auto_rand] DEFAULT 12 */, ADD m INT DEFAULT 13 COMMENT '/*T! DEFAULT 14 */ -- x';
ALTER TABLE t /*M! ADD n INT, */ ADD o INT;
ALTER TABLE t /*!80000 ADD p INT, */ ADD q INT DEFAULT /*!5*/;
UPDATE t SET m = 5;
-- case: whole statements in comments
-- before
CREATE TABLE u (id INT PRIMARY KEY);
CREATE TABLE kept (id INT PRIMARY KEY);
CREATE TABLE x (id INT PRIMARY KEY);
INSERT INTO u VALUES (1);
INSERT INTO kept VALUES (1);
-- target
CREATE TABLE u (id INT PRIMARY KEY);
CREATE TABLE kept (id INT PRIMARY KEY);
CREATE TABLE x (id INT PRIMARY KEY);
INSERT INTO u VALUES (1);
INSERT INTO kept VALUES (1);
-- upstream
/*M! TRUNCATE TABLE */ /*!80000 TRUNCATE TABLE */ u;
/*!50000 TRUNCATE TABLE x */;
CREATE TABLE v (id INT PRIMARY KEY) /*T! ; TRUNCATE TABLE kept */;
DROP TABLE /*T! kept, */ x;
-- case: comments between the clauses that a target needs otherwise
CREATE DATABASE $DB_x CHARACTER SET latin1 -- the old ones
;
CREATE TABLE $DB_x.t (id INT PRIMARY KEY, v VARCHAR(10)) # no charset
;
INSERT INTO $DB_x.t VALUES (1, 'ä');
CREATE TABLE t (id INT /* one */ PRIMARY KEY, v VARCHAR(5) CHARACTER SET /* two */ utf8mb4 /* three */ COLLATE utf8mb4_bin /*four*/ COMMENT /*5*/ '/*' /* six */);
ALTER TABLE t ADD w VARCHAR(5) /* why */ COLLATE utf8mb4_bin /* so */, ADD KEY /**/ (v) /* z */ COMMENT '*/' -- end;
;
INSERT INTO t VALUES (1, 'a', 'b');
-- case: comments whose bytes are no text
SET @q = CONCAT('CREATE TABLE a (id INT PRIMARY KEY) ', X'2F2A20E4F6FC5C272A2F');
PREPARE s FROM @q;
EXECUTE s;
SET NAMES gbk;
SET @q = CONCAT('ALTER TABLE a ADD b INT ', X'2F2A20E42A2F', ', ADD c INT ', X'2D2D20FF81270A', 'DEFAULT 5');
PREPARE s FROM @q;
EXECUTE s;
SET NAMES sjis;
SET @q = CONCAT('ALTER TABLE a ADD d INT ', X'2F2A20955CFDFF2A2F', ', ADD e INT ', X'2320955C81270A', ' DEFAULT 6 COMMENT ''e''');
PREPARE s FROM @q;
EXECUTE s;
SET NAMES utf8mb4;
INSERT INTO a (id) VALUES (1);
-- case: texts of columns in the character set of the session
SET NAMES sjis;
SET @q = CONCAT('CREATE TABLE a (id INT PRIMARY KEY COMMENT ''', _utf8mb4 X'E8A1A8', ''', v VARCHAR(9) DEFAULT ''', _utf8mb4 X'E8A1A8', ''') COMMENT ''', _utf8mb4 X'E382BD', '''');
PREPARE s FROM @q;
EXECUTE s;
SET NAMES gbk;
SET @q = CONCAT('ALTER TABLE a ADD b INT COMMENT ''', _utf8mb4 X'E88AB1', '''');
PREPARE s FROM @q;
EXECUTE s;
SET NAMES latin1;
SET @q = CONCAT('ALTER TABLE a ADD c INT COMMENT ''', _utf8mb4 X'C3A4E282AC', ''' ', '/* ', _utf8mb4 X'C3BC', ' */');
PREPARE s FROM @q;
EXECUTE s;
SET NAMES utf8mb4;
INSERT INTO a (id) VALUES (1);
