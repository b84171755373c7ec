# C layout of row_writer.py, for the compiled readers that fill its rows.

cdef class RowWriter:
    cdef Py_ssize_t _max_rows
    cdef Py_ssize_t _max_bytes
    cdef object _layout
    cdef Py_ssize_t _layout_number
    cdef Py_ssize_t _count
    cdef bint _converts
    cdef bytes _modes
    cdef tuple _charsets
    cdef bytes _prefix
    cdef bytes _tail
    cdef bytearray _values
    cdef Py_ssize_t _used
    cdef long long[::1] _starts
    cdef long long[::1] _stops
    cdef unsigned char[::1] _kinds
    cdef bytearray _out
    cdef Py_ssize_t _length
    cdef Py_ssize_t _rows_in_block
    cdef list _ready
    cdef readonly long long rows
    cdef int _put_row(self, Py_ssize_t size) except? -2
    cdef int _put_line(self) except? -2
    cdef int _put_sql(self) except? -2
    cdef Py_ssize_t _put_literal(self, Py_ssize_t o, Py_ssize_t column) except? -2
