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
