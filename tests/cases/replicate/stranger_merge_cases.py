def R(sp, tp, ts, tt="", **kw):
    return {"schema-pattern": sp, "table-pattern": tp, "target-schema": ts, "target-table": tt, **kw}


MERGE = [R("$A", "t*", "$T", "m"), R("$B", "t*", "$T", "m")]
TWO = "CREATE TABLE $A.t1 (id INT PRIMARY KEY, a INT, v VARCHAR(20));\nCREATE TABLE $A.t2 (id INT PRIMARY KEY, a INT, v VARCHAR(20));\nINSERT INTO $A.t1 VALUES (1,1,'a'),(2,2,'b');\nINSERT INTO $A.t2 VALUES (11,1,'a'),(12,2,'b');\n"
EX = {
    "extract-table": {"table-regexp": "(t.*)", "target-column": "c_t"},
    "extract-schema": {"schema-regexp": ".*(.)", "target-column": "c_s"},
    "extract-source": {"source-regexp": "src-(.*)", "target-column": "c_o"},
}
MERGEX = [R("$A", "t*", "$T", "m", **EX), R("$B", "t*", "$T", "m", **EX)]
XT = "CREATE TABLE $T.m (id INT, a INT, v VARCHAR(20), c_t VARCHAR(10), c_s VARCHAR(10), c_o VARCHAR(10), PRIMARY KEY (id, c_t))"
XTK = "CREATE TABLE $T.m (id INT, a INT, v VARCHAR(20), c_t VARCHAR(10), c_s VARCHAR(10), c_o VARCHAR(10))"
C = []


def c(id, sql, **kw):
    C.append({"id": id, "sql": sql, **kw})


c("engine", TWO + "ALTER TABLE t1 ENGINE=InnoDB;\nINSERT INTO t1 VALUES (3,3,'c')")
c("autoinc", TWO + "ALTER TABLE t1 AUTO_INCREMENT=100;\nINSERT INTO t1 VALUES (3,3,'c')")
c(
    "noop",
    TWO
    + "ALTER TABLE t1 ADD COLUMN IF NOT EXISTS a INT, DROP COLUMN IF EXISTS zz;\nINSERT INTO t1 VALUES (3,3,'c');\nALTER TABLE IF EXISTS t77 ADD q INT;\nDROP INDEX IF EXISTS ix ON t1;\nINSERT INTO t1 VALUES (4,3,'c')",
    only="mariadb",
)
c(
    "same_meaning",
    TWO
    + "ALTER TABLE t1 ADD b INT DEFAULT 1;\nINSERT INTO t1 VALUES (3,3,'c',5);\nalter table `t2` add column `b` integer null default '1';\nINSERT INTO t2 VALUES (13,3,'c',5)",
)
c(
    "fk_between",
    "CREATE TABLE p (id INT PRIMARY KEY);\nCREATE TABLE t1 (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id));\nCREATE TABLE t2 (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id));\nINSERT INTO p VALUES (1);\nINSERT INTO t1 VALUES (1,1);\nINSERT INTO t2 VALUES (2,1);\nALTER TABLE t1 DROP FOREIGN KEY t1_ibfk_1;\nALTER TABLE t2 DROP FOREIGN KEY t2_ibfk_1;\nINSERT INTO t2 VALUES (3,7)",
    show=1,
)
c(
    "fk_between_maria",
    "CREATE TABLE p (id INT PRIMARY KEY);\nCREATE TABLE t1 (id INT PRIMARY KEY, pid INT);\nCREATE TABLE t2 (id INT PRIMARY KEY, pid INT);\nINSERT INTO p VALUES (1);\nINSERT INTO t1 VALUES (1,1);\nINSERT INTO t2 VALUES (2,1);\nALTER TABLE t1 ADD CONSTRAINT f1 FOREIGN KEY (pid) REFERENCES p (id);\nALTER TABLE t2 ADD CONSTRAINT f2 FOREIGN KEY (pid) REFERENCES p (id);\nINSERT INTO t2 VALUES (3,1)",
    show=1,
)
c(
    "check_auto",
    "CREATE TABLE t1 (id INT PRIMARY KEY, a INT, CHECK (a > 0));\nCREATE TABLE t2 (id INT PRIMARY KEY, a INT, CHECK (a > 0));\nINSERT INTO t1 VALUES (1,1);\nINSERT INTO t2 VALUES (2,1);\nALTER TABLE t1 DROP CHECK t1_chk_1;\nALTER TABLE t2 DROP CHECK t2_chk_1;\nINSERT INTO t2 VALUES (3,0)",
    only="mysql",
)
CASES = C
