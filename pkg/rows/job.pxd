# C layout of job.py, for the compiled modules that make and read jobs.

cdef class Job:
    cdef readonly long long seq
    cdef readonly int channel
    cdef readonly object kind
    cdef readonly object table
    cdef readonly tuple key
    cdef readonly tuple fold
    cdef readonly tuple before
    cdef readonly tuple after
    cdef readonly bint safe
    cdef public object origin
    cdef readonly long long event_end
    cdef readonly long long row_index
    cdef readonly Py_ssize_t size
    cdef public bint is_replay
    cdef public tuple needs
    cdef public tuple uniques
