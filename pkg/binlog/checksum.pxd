# C layout of checksum.py, for the compiled modules that use it.

cdef class Checksum:
    cdef unsigned int[::1] _table
    cdef unsigned int of(self, bytes source, Py_ssize_t at, Py_ssize_t end)
