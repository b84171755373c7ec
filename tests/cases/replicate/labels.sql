-- case: labels of four-byte characters of a table that was there
-- to: tidb mariadb mysql
-- values only: the information schema of MySQL and MariaDB shows ? for such a character
-- before
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', '?', '😀', 'x😀?', 'ü') CHARACTER SET utf8mb4 NOT NULL, s SET('p', '😀', '?', '1', '2', '3', '4', '5', '6', '🎉') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, u ENUM('?', '😀') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin);
-- target
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', '?', '😀', 'x😀?', 'ü') CHARACTER SET utf8mb4 NOT NULL, s SET('p', '😀', '?', '1', '2', '3', '4', '5', '6', '🎉') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, u ENUM('?', '😀') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin);
-- upstream
INSERT INTO t VALUES (1, 'a', 'p', NULL), (2, '?', '?', '?'), (3, '😀', '😀,?', '😀'), (4, 'x😀?', 'p,6,🎉', '?'), (5, 'ü', '', '😀');
UPDATE t SET e = '😀', s = '🎉' WHERE id = 2;
DELETE FROM t WHERE e = 'x😀?';
ALTER TABLE t ADD COLUMN n INT DEFAULT 5;
INSERT INTO t VALUES (6, '?', '2,🎉', '😀', 7);
-- case: labels of four-byte characters as keys and without a key
-- to: tidb mariadb mysql
-- values only: the information schema of MySQL and MariaDB shows ? for such a character
-- before
CREATE TABLE t (e ENUM('?', '😀') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, n INT);
CREATE TABLE keyless (s SET('?', '😀') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, n INT);
-- target
CREATE TABLE t (e ENUM('?', '😀') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, n INT);
CREATE TABLE keyless (s SET('?', '😀') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, n INT);
-- upstream
INSERT INTO t VALUES ('?', 1), ('😀', 2);
UPDATE t SET n = 3 WHERE e = '😀';
DELETE FROM t WHERE e = '?';
INSERT INTO keyless VALUES ('?', 1), ('😀', 2), ('?,😀', 3);
DELETE FROM keyless WHERE s = '😀';
-- case: a table like one with such labels
-- to: tidb mariadb mysql
-- values only: the information schema of MySQL and MariaDB shows ? for such a character
-- before
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', '?', '😀') CHARACTER SET utf8mb4);
-- target
CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', '?', '😀') CHARACTER SET utf8mb4);
-- upstream
CREATE TABLE u LIKE t;
INSERT INTO u VALUES (1, '😀'), (2, '?');
CREATE TABLE v (id INT PRIMARY KEY, e ENUM('a', '?', '😀') CHARACTER SET utf8mb4);
INSERT INTO v VALUES (1, '😀'), (2, '?');
-- case: labels and columns of odd names
-- to: mariadb mysql
-- values only: the information schema of MySQL and MariaDB shows ? for such a character
-- before
CREATE TABLE t (id INT PRIMARY KEY, `1` ENUM('it''s ?', 'it''s 😀', 'a\\😀', 'b\n😀') CHARACTER SET utf8mb4, `a``?` SET('ü?', 'ü😀') CHARACTER SET utf16, `d` ENUM('?', '😀') CHARACTER SET utf32);
-- target
CREATE TABLE t (id INT PRIMARY KEY, `1` ENUM('it''s ?', 'it''s 😀', 'a\\😀', 'b\n😀') CHARACTER SET utf8mb4, `a``?` SET('ü?', 'ü😀') CHARACTER SET utf16, `d` ENUM('?', '😀') CHARACTER SET utf32);
-- upstream
INSERT INTO t VALUES (1, 'it''s ?', 'ü?', '?'), (2, 'it''s 😀', 'ü😀', '😀'), (3, 'a\\😀', 'ü?,ü😀', NULL), (4, 'b\n😀', NULL, NULL);
