// SPDX-License-Identifier: MIT
// What every call of a compiled kernel has in common.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

// Pointers to arrays, Constants, and sizes; host_rows.h says which.
typedef void (*kernel)(void *const *, const double *, const long long *);

// Below so many bytes of arrays a kernel is done before another thread could have begun, and to release the lock of the
// interpreter may cost a wait of milliseconds until the others give it back.
enum { SMALL = 64 * 1024 };
