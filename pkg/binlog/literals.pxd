# C signatures of literals.py, for the compiled modules that call it.

cdef unsigned long long little(const unsigned char* p, Py_ssize_t at, Py_ssize_t size) noexcept
cdef unsigned long long big(const unsigned char* p, Py_ssize_t at, Py_ssize_t size) noexcept
cdef bytes taken(unsigned char* out, Py_ssize_t first, Py_ssize_t last)
cdef bytes quoted(unsigned char* out, Py_ssize_t n)
cdef bytes number(unsigned char* out, unsigned long long value, bint negative)
cdef bytes integer(unsigned char* out, const unsigned char* p, Py_ssize_t at, Py_ssize_t size, bint is_unsigned)
cdef bytes decimal(unsigned char* out, const unsigned char* p, Py_ssize_t at, int precision, int scale)
cdef bytes double_precision(const unsigned char* p, Py_ssize_t at)
cdef bytes single_precision(const unsigned char* p, Py_ssize_t at)
cdef bytes widened_single(const unsigned char* p, Py_ssize_t at)
cdef bytes date(unsigned char* out, const unsigned char* p, Py_ssize_t at)
cdef bytes datetime(unsigned char* out, const unsigned char* p, Py_ssize_t at, int digits)
cdef bytes timestamp(unsigned char* out, const unsigned char* p, Py_ssize_t at, int digits)
cdef bytes time(unsigned char* out, const unsigned char* p, Py_ssize_t at, Py_ssize_t size, int digits)
cdef bytes old_datetime(unsigned char* out, const unsigned char* p, Py_ssize_t at)
cdef bytes old_timestamp(unsigned char* out, const unsigned char* p, Py_ssize_t at, int digits)
cdef bytes old_time(unsigned char* out, const unsigned char* p, Py_ssize_t at)
