-- case: keys and counters behind the rows, as phpMyAdmin exports them
-- to: tidb
-- values only: TiDB gives AUTO_INCREMENT to columns of new tables only
CREATE TABLE `ex` (`id` int(11) NOT NULL, `name` varchar(50) NOT NULL, `pid` int(11) DEFAULT NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE `ep` (`id` int(11) NOT NULL, `v` int(11) DEFAULT NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `ep` (`id`, `v`) VALUES (1, 1);
INSERT INTO `ex` (`id`, `name`, `pid`) VALUES (1, 'a', 1), (2, 'b', NULL);
ALTER TABLE `ep` ADD PRIMARY KEY (`id`);
ALTER TABLE `ex` ADD PRIMARY KEY (`id`), ADD UNIQUE KEY `name` (`name`), ADD KEY `pid` (`pid`);
ALTER TABLE `ep` MODIFY `id` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=2;
ALTER TABLE `ex` MODIFY `id` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=3;
ALTER TABLE `ex` ADD CONSTRAINT `ex_ibfk_1` FOREIGN KEY (`pid`) REFERENCES `ep` (`id`) ON DELETE CASCADE;
INSERT INTO `ex` (`name`) VALUES ('c');
-- case: columns that begin to count, and go on
-- to: tidb
-- values only: TiDB gives AUTO_INCREMENT to columns of new tables only
CREATE TABLE a (id INT UNIQUE, v INT);
INSERT INTO a VALUES (4, 1), (5, 2);
CREATE TABLE b (id INT, v INT);
INSERT INTO b VALUES (1, 1), (2, 2);
CREATE TABLE c (id INT PRIMARY KEY, v INT);
INSERT INTO c VALUES (1, 1);
ALTER TABLE a MODIFY id INT AUTO_INCREMENT;
ALTER TABLE a MODIFY COLUMN id BIGINT AUTO_INCREMENT COMMENT 'c' FIRST, AUTO_INCREMENT = 100;
ALTER TABLE a CHANGE id n BIGINT NULL AUTO_INCREMENT;
INSERT INTO a (v) VALUES (3);
ALTER TABLE b MODIFY id INT AUTO_INCREMENT PRIMARY KEY;
INSERT INTO b (v) VALUES (3);
ALTER TABLE c AUTO_INCREMENT = 7, CHANGE id i BIGINT NOT NULL AUTO_INCREMENT, ADD w INT, ENGINE = InnoDB;
INSERT INTO c (v) VALUES (3);
ALTER TABLE c MODIFY i BIGINT NOT NULL;
INSERT INTO c VALUES (20, 3, 4);
-- case: counters that are added to tables without rows
-- to: tidb
-- values only: TiDB gives AUTO_INCREMENT to columns of new tables only
CREATE TABLE a (v INT);
ALTER TABLE a ADD id INT AUTO_INCREMENT PRIMARY KEY FIRST;
INSERT INTO a (v) VALUES (1), (2);
CREATE TABLE b (v INT);
ALTER TABLE b ADD COLUMN id SERIAL, ADD w INT NOT NULL;
INSERT INTO b (v, w) VALUES (1, 3), (2, 4);
CREATE TABLE c (v INT);
ALTER TABLE c ADD (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE, w INT);
INSERT INTO c (v, w) VALUES (1, 3), (2, 4);
-- case: keys behind columns that are added or changed
CREATE TABLE a (v INT NOT NULL, w INT);
ALTER TABLE a ADD id INT PRIMARY KEY FIRST;
INSERT INTO a VALUES (1, 2, 3);
ALTER TABLE a MODIFY v BIGINT NOT NULL UNIQUE, CHANGE w x INT UNIQUE KEY;
CREATE TABLE b (v INT);
ALTER TABLE b ADD (n INT UNIQUE, i VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY);
INSERT INTO b VALUES (1, 2, 'a');
-- case: a column that begins to count numbers a zero
-- to: tidb
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (0, 1), (5, 2);
ALTER TABLE t MODIFY id INT AUTO_INCREMENT;
-- pauses: 36207 … `id` = 0
-- case: a column that begins to count keeps a zero
-- to: tidb
-- values only: TiDB gives AUTO_INCREMENT to columns of new tables only
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (0, 1), (5, 2);
CREATE TABLE u (id INT PRIMARY KEY AUTO_INCREMENT, a INT);
INSERT INTO u VALUES (7, 1), (5, 2);
UPDATE u SET id = 0 WHERE id = 7;
SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,STRICT_TRANS_TABLES';
ALTER TABLE t MODIFY id INT AUTO_INCREMENT;
SET sql_mode = 'STRICT_TRANS_TABLES';
ALTER TABLE u MODIFY id BIGINT AUTO_INCREMENT;
ALTER TABLE t CHANGE id i BIGINT AUTO_INCREMENT;
-- case: a column that begins to count numbers a NULL
-- to: tidb
CREATE TABLE t (id INT UNIQUE, a INT);
INSERT INTO t VALUES (NULL, 1), (5, 2);
ALTER TABLE t MODIFY id INT NOT NULL AUTO_INCREMENT;
-- pauses: 36207 … `id` IS NULL
-- case: a counter that is added numbers rows
-- to: tidb
CREATE TABLE t (v INT PRIMARY KEY);
INSERT INTO t VALUES (3), (1), (2);
ALTER TABLE t ADD n INT NOT NULL AUTO_INCREMENT UNIQUE;
-- pauses: 36207 … it has rows
-- case: a column that counts is dropped
CREATE TABLE t (v INT, id INT AUTO_INCREMENT, KEY (id));
INSERT INTO t (v) VALUES (7);
ALTER TABLE t DROP COLUMN id;
INSERT INTO t VALUES (8);
