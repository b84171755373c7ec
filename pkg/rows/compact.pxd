# C layout of compact.py, for the compiled statements.py.

from pkg.rows.job cimport Job

cdef class NetChange:
    cdef readonly object kind
    cdef readonly tuple key
    cdef readonly tuple before
    cdef readonly tuple after
    cdef readonly bint replaced
    cdef readonly int expected

cdef class TableSegment:
    cdef readonly object table
    cdef readonly bint safe
    cdef bint _keyless
    cdef bint _folds
    cdef bint _has_moves
    cdef dict _by_key
    cdef dict _raw_of
    cdef dict _uniques
    cdef readonly list ordered
    cdef bint _inserts_only
    cdef object _known
    cdef bint takes(self, Job job, bint compact)
    cdef bint _follows(self, NetChange known, Job job)
    cdef bint continues(self, Job job)
    cdef bint _has_room_for(self, Job job)
    cdef void add(self, Job job)
