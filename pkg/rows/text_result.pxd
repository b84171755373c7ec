# C layout of text_result.py, for the compiled builders that take a result's rows.

cdef class TextResult:
    cdef bytearray _pending
    cdef Py_ssize_t _needed
    cdef int _state
    cdef Py_ssize_t _columns
    cdef list _kinds
    cdef Py_ssize_t _wide_bytes
    cdef Py_ssize_t _wide_left
    cdef bint _wide_goes_on
    cdef readonly long long rows
    cdef readonly long long value_bytes
    cdef int _take(self, object data) except? -1
    cdef Py_ssize_t _wide_packet(self, const unsigned char[::1] view, Py_ssize_t at, Py_ssize_t end) except? -2
    cdef int _columns_known(self) except? -1
    cdef int _row(self, const unsigned char[::1] view, Py_ssize_t at, Py_ssize_t end) except? -1
    cdef int _wide_piece(self, const unsigned char[::1] view, Py_ssize_t at, Py_ssize_t end) except? -1
    cdef int _wide_end(self) except? -1
    cdef int _rows_end(self) except? -1

cdef Py_ssize_t length_size(unsigned char first) noexcept
cdef Py_ssize_t value_length(const unsigned char[::1] view, Py_ssize_t at, Py_ssize_t end) noexcept
