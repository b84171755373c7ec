# C layout of framing.py, for the compiled modules that use it.

cdef class Frames:
    cdef bytes source
    cdef Py_ssize_t start
    cdef Py_ssize_t end
    cdef bytes _buf  # what is framed; read up to `_at`
    cdef Py_ssize_t _at
    cdef list _pieces  # what came since, not joined yet
    cdef Py_ssize_t _pieces_size
    cdef list _long  # the packets of an event that has more than one
    cdef bint _packets
    cdef bint _started  # a file's magic was read
    cdef bint find(self)
    cdef bint _has(self, Py_ssize_t size)
    cdef bint _find_packet(self)
    cdef bint _find_in_file(self)

cdef class Unpacking:
    cdef bytes source
    cdef Py_ssize_t start
    cdef Py_ssize_t end
    cdef object _content
    cdef bint find(self)
    cdef bint _has(self, Py_ssize_t size)
