-- case: gh-ost, atomic cut-over
-- before
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
drop /* gh-ost */ table if exists `$DB`.`_t_ghc`;
create /* gh-ost */ table `$DB`.`_t_ghc` (id bigint unsigned auto_increment, last_update timestamp not null DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, hint varchar(64) charset ascii not null, value varchar(4096) charset ascii not null, primary key(id), unique key hint_uidx(hint)) auto_increment=256;
drop /* gh-ost */ table if exists `$DB`.`_t_gho`;
create /* gh-ost */ table `$DB`.`_t_gho` like `$DB`.`t`;
alter /* gh-ost */ table `$DB`.`_t_gho` ADD COLUMN w INT NOT NULL DEFAULT 5 AFTER id, ADD KEY kv (v);
alter /* gh-ost */ table `$DB`.`_t_gho` AUTO_INCREMENT=3;
insert /* gh-ost */ into `$DB`.`_t_ghc` (id, hint, value) values (NULLIF(2, 0), 'state', 'GhostTableMigrated') on duplicate key update last_update=NOW(), value=VALUES(value);
INSERT INTO t VALUES (3, 'while it runs');
insert /* gh-ost `$DB`.`t` */ ignore into `$DB`.`_t_gho` (`id`, `v`) (select `id`, `v` from `$DB`.`t` lock in share mode);
replace /* gh-ost `$DB`.`_t_gho` */ into `$DB`.`_t_gho` (`id`, `v`) values (3, 'while it runs');
UPDATE t SET v = 'B' WHERE id = 2;
update /* gh-ost `$DB`.`_t_gho` */ `$DB`.`_t_gho` set v = 'B' where id = 2;
create /* gh-ost */ table `$DB`.`_t_del` (id int auto_increment primary key) engine=InnoDB comment='ghost-cut-over-sentry';
drop /* gh-ost */ table if exists `$DB`.`_t_del`;
rename /* gh-ost */ table `$DB`.`t` to `$DB`.`_t_del`, `$DB`.`_t_gho` to `$DB`.`t`;
INSERT INTO t VALUES (4, 6, 'after');
drop /* gh-ost */ table if exists `$DB`.`_t_ghc`;
drop /* gh-ost */ table if exists `$DB`.`_t_del`;
UPDATE t SET w = 7 WHERE id = 1;
-- case: gh-ost, cut-over in two steps
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
create /* gh-ost */ table `$DB`.`_t_gho` like `$DB`.`t`;
alter /* gh-ost */ table `$DB`.`_t_gho` MODIFY v VARCHAR(40) NOT NULL DEFAULT '', ADD COLUMN w INT FIRST;
insert ignore into `$DB`.`_t_gho` (`id`, `v`) (select `id`, `v` from `$DB`.`t`);
alter /* gh-ost */ table `$DB`.`t` rename `_t_del`;
alter /* gh-ost */ table `$DB`.`_t_gho` rename `t`;
INSERT INTO t VALUES (7, 2, 'after');
drop /* gh-ost */ table if exists `$DB`.`_t_del`;
-- case: gh-ost, the second step fails and the first is taken back
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
create table `_t_gho` like t;
alter table `_t_gho` ADD COLUMN w INT;
insert ignore into `_t_gho` (id, v) select id, v from t;
RENAME TABLE t TO _t_del;
RENAME TABLE _t_del TO t;
INSERT INTO t VALUES (2, 'between');
insert into `_t_gho` (id, v) values (2, 'between');
RENAME TABLE t TO _t_del;
RENAME TABLE _t_gho TO t;
INSERT INTO t VALUES (3, 'after', 9);
DROP TABLE _t_del;
-- case: gh-ost is broken off and begun again with another change
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
create table _t_gho like t;
alter table _t_gho DROP COLUMN v;
drop table if exists _t_gho;
create table _t_gho like t;
alter table _t_gho ADD COLUMN w INT DEFAULT 3;
insert ignore into _t_gho (id, v) select id, v from t;
rename table t to _t_del, _t_gho to t;
INSERT INTO t VALUES (2, 'b', 4);
drop table _t_del;
-- case: pt-online-schema-change
CREATE TABLE `t` (`id` int(11) NOT NULL AUTO_INCREMENT, `v` varchar(20) DEFAULT NULL, `old` int(11) DEFAULT NULL, PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
CREATE TABLE `$DB`.`_t_new` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `v` varchar(20) DEFAULT NULL,
  `old` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
ALTER TABLE `$DB`.`_t_new` ADD COLUMN w BIGINT DEFAULT 4, DROP COLUMN old, ADD UNIQUE KEY uv (v);
CREATE TRIGGER `pt_osc_$DB_t_del` AFTER DELETE ON `$DB`.`t` FOR EACH ROW BEGIN DECLARE CONTINUE HANDLER FOR 1146 begin end; DELETE IGNORE FROM `$DB`.`_t_new` WHERE `$DB`.`_t_new`.`id` <=> OLD.`id`; END;
CREATE TRIGGER `pt_osc_$DB_t_upd` AFTER UPDATE ON `$DB`.`t` FOR EACH ROW BEGIN DECLARE CONTINUE HANDLER FOR 1146 begin end; DELETE IGNORE FROM `$DB`.`_t_new` WHERE !(OLD.`id` <=> NEW.`id`) AND `$DB`.`_t_new`.`id` <=> OLD.`id`; REPLACE INTO `$DB`.`_t_new` (`id`, `v`) VALUES (NEW.`id`, NEW.`v`); END;
CREATE TRIGGER `pt_osc_$DB_t_ins` AFTER INSERT ON `$DB`.`t` FOR EACH ROW BEGIN DECLARE CONTINUE HANDLER FOR 1146 begin end; REPLACE INTO `$DB`.`_t_new` (`id`, `v`) VALUES (NEW.`id`, NEW.`v`);END;
INSERT INTO t VALUES (3, 'c', 3);
UPDATE t SET v = 'A' WHERE id = 1;
INSERT LOW_PRIORITY IGNORE INTO `$DB`.`_t_new` (`id`, `v`) SELECT `id`, `v` FROM `$DB`.`t` LOCK IN SHARE MODE /*pt-online-schema-change 4242 copy table*/;
DELETE FROM t WHERE id = 2;
ANALYZE TABLE `$DB`.`_t_new` /* pt-online-schema-change */;
RENAME TABLE `$DB`.`t` TO `$DB`.`_t_old`, `$DB`.`_t_new` TO `$DB`.`t`;
INSERT INTO t VALUES (4, 'd', 44);
DROP TABLE IF EXISTS `$DB`.`_t_old`;
DROP TRIGGER IF EXISTS `$DB`.`pt_osc_$DB_t_del`;
DROP TRIGGER IF EXISTS `$DB`.`pt_osc_$DB_t_upd`;
DROP TRIGGER IF EXISTS `$DB`.`pt_osc_$DB_t_ins`;
UPDATE t SET w = 5 WHERE id = 1;
-- case: pt finds a table of its new one's name and adds an underscore
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
CREATE TABLE _t_new (id INT PRIMARY KEY);
INSERT INTO t VALUES (1, 'a');
CREATE TABLE __t_new (id INT PRIMARY KEY, v VARCHAR(20));
ALTER TABLE __t_new ADD COLUMN w INT;
INSERT IGNORE INTO __t_new (id, v) SELECT id, v FROM t;
RENAME TABLE t TO __t_old, __t_new TO t;
INSERT INTO t VALUES (2, 'b', 2);
DROP TABLE __t_old, _t_new;
-- case: several changes of one shadow table, one after the other
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 1;
CREATE INDEX kw ON _t_new (w);
ALTER TABLE _t_new CHANGE COLUMN v name VARCHAR(30) NOT NULL;
DROP INDEX kw ON _t_new;
ALTER TABLE _t_new ADD KEY kn (name, w);
INSERT INTO _t_new (id, name) SELECT id, v FROM t;
RENAME TABLE t TO _t_old, _t_new TO t;
INSERT INTO t VALUES (2, 'b', 7);
DROP TABLE _t_old;
-- case: one change after the other, with a plain one between
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 1;
INSERT INTO _t_new (id, v) SELECT id, v FROM t;
RENAME TABLE t TO _t_old, _t_new TO t;
DROP TABLE _t_old;
INSERT INTO t VALUES (2, 'b', 7);
ALTER TABLE t ADD COLUMN x INT DEFAULT 2;
INSERT INTO t VALUES (3, 'c', 8, 9);
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho DROP COLUMN w;
INSERT INTO _t_gho (id, v, x) SELECT id, v, x FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
INSERT INTO t VALUES (4, 'd', 10);
DROP TABLE _t_del;
-- case: two tables at once
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b (id INT PRIMARY KEY);
CREATE TABLE _a_new LIKE a;
CREATE TABLE _b_new LIKE b;
ALTER TABLE _b_new ADD COLUMN vb INT;
ALTER TABLE _a_new ADD COLUMN va VARCHAR(5);
RENAME TABLE a TO _a_old, _a_new TO a, b TO _b_old, _b_new TO b;
INSERT INTO a VALUES (1, 'a');
INSERT INTO b VALUES (1, 2);
DROP TABLE _a_old, _b_old;
-- case: other tables in the tools' statements
CREATE TABLE t (id INT PRIMARY KEY);
CREATE TABLE x (id INT PRIMARY KEY);
CREATE TABLE y (id INT PRIMARY KEY);
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT;
RENAME TABLE t TO _t_old, x TO z, _t_new TO t;
INSERT INTO t VALUES (1, 1);
INSERT INTO z VALUES (1);
DROP TABLE _t_old, y;
-- case: names with spaces and quotes
CREATE TABLE `my t``able` (id INT PRIMARY KEY);
CREATE TABLE `_my t``able_gho` LIKE `my t``able`;
ALTER TABLE `$DB`.`_my t``able_gho` ADD COLUMN `w w` INT COMMENT 'of _my t`able_gho';
RENAME TABLE `my t``able` TO `_my t``able_del`, `_my t``able_gho` TO `my t``able`;
INSERT INTO `my t``able` VALUES (1, 2);
DROP TABLE `_my t``able_del`;
-- case: the session of the shadow table's change
CREATE TABLE t (id INT PRIMARY KEY);
CREATE TABLE _t_new LIKE t;
SET SESSION sql_mode = 'ANSI_QUOTES', time_zone = '+05:00';
ALTER TABLE "_t_new" ADD COLUMN "w" TIMESTAMP NOT NULL DEFAULT '2020-01-01 05:00:00';
SET SESSION sql_mode = '', time_zone = '+00:00';
RENAME TABLE t TO _t_old, _t_new TO t;
INSERT INTO t (id) VALUES (1);
DROP TABLE _t_old;
-- case: a shadow table that is given up
CREATE TABLE t (id INT PRIMARY KEY);
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT;
INSERT INTO _t_new VALUES (1, 1);
RENAME TABLE _t_new TO _t_old;
DROP TABLE _t_old;
INSERT INTO t VALUES (1);
-- case: a shadow table is altered where backslashes escape nothing
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
create table _t_gho like t;
SET sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES,ANSI_QUOTES');
alter table "_t_gho" ADD COLUMN w VARCHAR(20) NOT NULL DEFAULT 'c:\dir\' COMMENT 'a "\n"';
insert ignore into _t_gho (id) select id from t;
rename table t to _t_del, _t_gho to t;
INSERT INTO t (id) VALUES (2);
INSERT INTO t VALUES (3, 'a\b');
drop table _t_del;
-- case: keys without names of a shadow table
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY a (b));
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY a (b));
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD UNIQUE (a), ADD UNIQUE (b, a);
ALTER TABLE _t_gho ADD KEY (b), ADD UNIQUE (a, id);
RENAME TABLE t TO _t_del, _t_gho TO t;
ALTER TABLE t DROP KEY a_2;
INSERT INTO t VALUES (1, 1, 1), (2, 1, 2);
DROP TABLE _t_del;
-- case: a shadow table gets the present moment, and rows that of their copy
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_gho LIKE t;
SET timestamp = 1600000000;
ALTER TABLE _t_gho ADD COLUMN made TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP;
SET timestamp = 1700000000;
INSERT IGNORE INTO _t_gho (id, v) SELECT id, v FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
INSERT INTO t VALUES (3, 'c', '2024-01-01');
-- pauses: 36236 … column `made` … the moment at which it was copied
-- target
ALTER TABLE t ADD COLUMN made TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP;
UPDATE t SET made = FROM_UNIXTIME(1700000000);
-- operator: skip
-- upstream
DROP TABLE _t_del;
UPDATE t SET v = 'B' WHERE id = 2;
-- case: a shadow table gets a moment that updates set
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD COLUMN changed DATETIME NULL ON UPDATE CURRENT_TIMESTAMP;
INSERT IGNORE INTO _t_gho (id, v) SELECT id, v FROM t;
UPDATE t SET v = 'A';
UPDATE _t_gho SET v = 'A';
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … changed … written while they were copied
-- case: a shadow table gets a default of other columns, which change while rows are copied
-- to: mysql mariadb
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT);
INSERT INTO t VALUES (1, 1);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD COLUMN w INT DEFAULT (a * 2);
INSERT IGNORE INTO _t_gho (id, a) SELECT id, a FROM t;
UPDATE t SET a = 5;
UPDATE _t_gho SET a = 5;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … w … its columns may have changed
-- case: a shadow table without rows gets moments and counters
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD COLUMN made TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, ADD COLUMN changed DATETIME NULL ON UPDATE CURRENT_TIMESTAMP;
RENAME TABLE t TO _t_del, _t_gho TO t;
INSERT INTO t (id) VALUES (1);
DROP TABLE _t_del;
-- case: a shadow table gets a counter, and a row is written before the others are copied
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho ADD COLUMN k BIGINT NOT NULL AUTO_INCREMENT UNIQUE;
INSERT INTO t VALUES (3, 'c');
REPLACE INTO _t_gho (id, v) VALUES (3, 'c');
INSERT IGNORE INTO _t_gho (id, v) SELECT id, v FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … column `k` … the order in which they were copied
-- case: a shadow table gets a counter for its primary key
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a'), (2, 'b');
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new DROP PRIMARY KEY, ADD COLUMN k BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, ADD UNIQUE KEY (id);
INSERT IGNORE INTO _t_new (id, v) SELECT id, v FROM t ORDER BY id DESC;
RENAME TABLE t TO _t_old, _t_new TO t;
-- pauses: 36236 … column `k` … the order in which they were copied
-- case: a shadow table's column begins to count, and its zeros stay
-- before
SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (0, 'a'), (2, 'b');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (0, 'a'), (2, 'b');
-- upstream
SET SESSION sql_mode = '';
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho MODIFY id INT AUTO_INCREMENT;
SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
INSERT IGNORE INTO _t_gho (id, v) SELECT id, v FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … column `id` … may have got numbers
-- case: a shadow table's moment becomes NOT NULL
-- before
CREATE TABLE t (id INT PRIMARY KEY, ts TIMESTAMP NULL);
INSERT INTO t VALUES (1, NULL);
CREATE TABLE u (id INT PRIMARY KEY, d DATETIME);
INSERT INTO u VALUES (1, NULL);
-- target
CREATE TABLE t (id INT PRIMARY KEY, ts TIMESTAMP NULL);
INSERT INTO t VALUES (1, NULL);
CREATE TABLE u (id INT PRIMARY KEY, d DATETIME);
INSERT INTO u VALUES (1, NULL);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho MODIFY ts TIMESTAMP NOT NULL DEFAULT '2021-01-01 00:00:00';
INSERT IGNORE INTO _t_gho (id, ts) SELECT id, ts FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … column `ts` … NULL becomes
-- target
ALTER TABLE t MODIFY ts TIMESTAMP NULL DEFAULT '2021-01-01 00:00:00';
-- operator: skip
-- upstream
CREATE TABLE _u_gho LIKE u;
ALTER TABLE _u_gho MODIFY d TIMESTAMP NOT NULL DEFAULT '2021-01-01 00:00:00';
INSERT IGNORE INTO _u_gho (id, d) SELECT id, d FROM u;
RENAME TABLE u TO _u_del, _u_gho TO u;
-- pauses: 36236 … column `d` … NULL becomes
-- case: a shadow table's local times become moments in the zone of the copy
-- before
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME);
INSERT INTO t VALUES (1, '2024-01-01 00:00:00');
-- target
CREATE TABLE t (id INT PRIMARY KEY, d DATETIME);
INSERT INTO t VALUES (1, '2024-01-01 00:00:00');
-- upstream
CREATE TABLE _t_gho LIKE t;
SET SESSION time_zone = '+00:00';
ALTER TABLE _t_gho MODIFY d TIMESTAMP NULL;
SET SESSION time_zone = '+05:00';
INSERT IGNORE INTO _t_gho (id, d) SELECT id, d FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … time zone of the copying session
-- case: a shadow table's column is dropped and added again, which keeps its values
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w INT);
INSERT INTO t VALUES (1, '7', 1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w INT);
INSERT INTO t VALUES (1, '7', 1);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho DROP COLUMN v, ADD COLUMN v INT NOT NULL DEFAULT 0;
INSERT IGNORE INTO _t_gho (id, v, w) SELECT id, v, w FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … column `v` … is dropped, and its values were copied
-- case: a shadow table's column gets another name by RENAME COLUMN, and no values
-- before
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
-- target
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO t VALUES (1, 'a');
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho RENAME COLUMN v TO w;
INSERT IGNORE INTO _t_gho (id) SELECT id FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … column `w` … RENAME COLUMN
-- case: a shadow table's new column changes before rows are copied
-- before
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
-- target
CREATE TABLE t (id INT PRIMARY KEY);
INSERT INTO t VALUES (1);
-- upstream
CREATE TABLE _t_new LIKE t;
ALTER TABLE _t_new ADD COLUMN w INT DEFAULT 1;
ALTER TABLE _t_new MODIFY w INT DEFAULT 2;
INSERT IGNORE INTO _t_new (id) SELECT id FROM t;
RENAME TABLE t TO _t_old, _t_new TO t;
-- pauses: 36236 … column `w` … changed after it was added
-- case: a shadow table's generated column becomes a plain one, without values
-- before
CREATE TABLE t (id INT PRIMARY KEY, g INT GENERATED ALWAYS AS (id * 2) STORED);
INSERT INTO t (id) VALUES (1);
-- target
CREATE TABLE t (id INT PRIMARY KEY, g INT GENERATED ALWAYS AS (id * 2) STORED);
INSERT INTO t (id) VALUES (1);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho MODIFY g INT DEFAULT 5;
INSERT IGNORE INTO _t_gho (id) SELECT id FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … column `g` … generated values are not copied
-- case: a shadow table's numbers with zeros in front become texts
-- before
CREATE TABLE t (id INT PRIMARY KEY, z INT(6) ZEROFILL);
INSERT INTO t VALUES (1, 42);
-- target
CREATE TABLE t (id INT PRIMARY KEY, z INT(6) ZEROFILL);
INSERT INTO t VALUES (1, 42);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho MODIFY z VARCHAR(20);
INSERT IGNORE INTO _t_gho (id, z) SELECT id, z FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … column `z` … writes the digits of a number in another way
-- case: a shadow table's numbers become labels
-- before
CREATE TABLE t (id INT PRIMARY KEY, n INT);
INSERT INTO t VALUES (1, 5);
-- target
CREATE TABLE t (id INT PRIMARY KEY, n INT);
INSERT INTO t VALUES (1, 5);
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho MODIFY n ENUM('a', 'x', '2', '5', 'q');
INSERT IGNORE INTO _t_gho (id, n) SELECT id, n FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
-- pauses: 36236 … column `n` … for its place
-- case: changes of a shadow table whose rows are the same, altered and copied
-- before
CREATE TABLE t (id INT PRIMARY KEY, a INT, v VARCHAR(20), e ENUM('x', 'y'), d DATETIME, o INT, ts TIMESTAMP NULL);
INSERT INTO t VALUES (1, 7, 'a', 'x', '2024-01-01 10:00:00', 1, '2024-01-01 10:00:00'), (2, NULL, 'b', 'y', NULL, 2, '2024-01-02 10:00:00');
-- target
CREATE TABLE t (id INT PRIMARY KEY, a INT, v VARCHAR(20), e ENUM('x', 'y'), d DATETIME, o INT, ts TIMESTAMP NULL);
INSERT INTO t VALUES (1, 7, 'a', 'x', '2024-01-01 10:00:00', 1, '2024-01-01 10:00:00'), (2, NULL, 'b', 'y', NULL, 2, '2024-01-02 10:00:00');
-- upstream
CREATE TABLE _t_gho LIKE t;
ALTER TABLE _t_gho MODIFY a BIGINT, CHANGE v name VARCHAR(50), MODIFY e ENUM('y', 'z', 'x'), MODIFY d DATE, DROP COLUMN o, ADD COLUMN n INT NOT NULL, ADD COLUMN x VARCHAR(9) NOT NULL DEFAULT 'q', ADD COLUMN j DATETIME NULL, MODIFY ts TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, ADD KEY ka (a);
INSERT IGNORE INTO _t_gho (id, a, name, e, d, ts) SELECT id, a, v, e, d, ts FROM t;
RENAME TABLE t TO _t_del, _t_gho TO t;
UPDATE t SET n = 4 WHERE id = 1;
DROP TABLE _t_del;
