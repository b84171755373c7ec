# C layout of rows.py, for the decoder.

cdef Py_ssize_t first_image(bytes source, Py_ssize_t at, Py_ssize_t end, bint two, Py_ssize_t columns)

cdef class RowPlan:
    cdef int _count
    cdef int _shown  # of them: those behind are hidden
    cdef int[::1] _layout  # of each column: kind, size, meta
    cdef list _extra
    cdef list _strict  # who refuses text without a character, or None
    cdef object _partial  # how differences of JSON are read
    cdef bytes _bytes  # what `_in` points to
    cdef const unsigned char* _in
    cdef bytearray _scratch  # what `_out` points to; never resized
    cdef unsigned char* _out
    cdef list _typed  # readers of documents that look at types, or None
    cpdef list decode(self, bytes buf, Py_ssize_t start, Py_ssize_t end, int kind=*)
    cpdef list decode_partial(self, bytes buf, Py_ssize_t start, Py_ssize_t end)
    cdef void _expect(self, bint is_after)
    cdef Py_ssize_t _image(self, Py_ssize_t at, Py_ssize_t end, list rows)
    cdef bytes _fixed(self, int kind, int i, Py_ssize_t at, Py_ssize_t size)
    cdef bytes _rare(self, int kind, int i, Py_ssize_t at, Py_ssize_t size)
    cdef bytes _counted(self, int kind, int i, Py_ssize_t at, Py_ssize_t end)
