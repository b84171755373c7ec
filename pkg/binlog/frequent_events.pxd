# C layout of frequent_events.py, for the compiled modules that make these events.

cdef class RowsEvent:
    cdef readonly object table_map
    cdef readonly str kind
    cdef readonly list rows
    cdef readonly long long start
    cdef readonly long long end
    cdef readonly long long timestamp
    cdef readonly long long server_id
    cdef readonly bint is_statement_end
    cdef readonly bint checks_keys

cdef class XidEvent:
    cdef readonly long long end
    cdef readonly long long timestamp

cdef class GtidEvent:
    cdef readonly str gtid
    cdef readonly long long end
    cdef readonly long long timestamp
    cdef readonly bint standalone
    cdef readonly bint is_ddl
    cdef readonly long long committed
