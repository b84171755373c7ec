# C signatures of text_literals.py, for the compiled modules that call it.

cdef bytes utf8_text(unsigned char* out, const unsigned char* p, Py_ssize_t at, Py_ssize_t end)
cdef bytes single_byte_text(unsigned char* out, const unsigned char* p, Py_ssize_t at, Py_ssize_t end, tuple table)
cdef bytes hexadecimal(unsigned char* out, const unsigned char* p, Py_ssize_t at, Py_ssize_t end, Py_ssize_t width)
