// SPDX-License-Identifier: MIT
// A call of a compiled kernel from Python: pointers to the buffers of arrays, numbers and sizes. No header but Python's.
#include "binding.h"

// Arrays up to this number are kept on the stack; a call with more allocates memory.
enum { FEW = 32 };

struct space {
    Py_buffer *views;
    void **pointers;
    double *numbers;
    long long *sizes;
};

static void release(Py_buffer *views, Py_ssize_t count) {
    while (count--)
        PyBuffer_Release(views + count);  // does nothing for one that was never got
}

// Exporters describe a wrong layout in different words; this adds the array's number.
static void explain(Py_ssize_t number, PyObject *array) {
    if (PyErr_ExceptionMatches(PyExc_MemoryError))
        return;
    PyErr_Clear();
    if (PyObject_CheckBuffer(array))
        PyErr_Format(PyExc_ValueError, "array %zd is not C-contiguous", number);
    else
        PyErr_Format(PyExc_TypeError, "array %zd is of type %s, which has no buffer", number, Py_TYPE(array)->tp_name);
}

// Fills views and pointers; the bytes of all arrays, or -1 with an exception and no view left.
static Py_ssize_t get(PyObject *arrays, Py_ssize_t count, Py_buffer *views, void **pointers) {
    Py_ssize_t bytes = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *array = PyTuple_GET_ITEM(arrays, i);
        views[i].obj = NULL;
        pointers[i] = NULL;
        if (array == Py_None)
            continue;
        // Without a format asked for, types that have none in the buffer protocol (bfloat16) are given too.
        if (PyObject_GetBuffer(array, views + i, PyBUF_SIMPLE)) {
            explain(i, array);
            release(views, i);
            return -1;
        }
        pointers[i] = views[i].buf;
        bytes += views[i].len;
    }
    return bytes;
}

static int convert(PyObject *numbers, PyObject *sizes, struct space to) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers); ++i) {
        to.numbers[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(numbers, i));
        if (to.numbers[i] == -1.0 && PyErr_Occurred())
            return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sizes); ++i) {
        to.sizes[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(sizes, i));
        if (to.sizes[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

static PyObject *run(kernel function, PyObject *arrays, PyObject *numbers, PyObject *sizes, struct space space) {
    if (convert(numbers, sizes, space))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(arrays);
    Py_ssize_t bytes = get(arrays, count, space.views, space.pointers);
    if (bytes < 0)
        return NULL;
    if (bytes < SMALL) {
        function(space.pointers, space.numbers, space.sizes);
    } else {
        Py_BEGIN_ALLOW_THREADS
        function(space.pointers, space.numbers, space.sizes);
        Py_END_ALLOW_THREADS
    }
    release(space.views, count);
    Py_RETURN_NONE;
}

static PyObject *run_with_many(kernel function, PyObject *arrays, PyObject *numbers, PyObject *sizes) {
    struct space space = {
        PyMem_New(Py_buffer, PyTuple_GET_SIZE(arrays)),
        PyMem_New(void *, PyTuple_GET_SIZE(arrays)),
        PyMem_New(double, PyTuple_GET_SIZE(numbers)),
        PyMem_New(long long, PyTuple_GET_SIZE(sizes)),
    };
    PyObject *done = NULL;
    if (space.views && space.pointers && space.numbers && space.sizes)
        done = run(function, arrays, numbers, sizes, space);
    else
        PyErr_NoMemory();
    PyMem_Free(space.views);
    PyMem_Free(space.pointers);
    PyMem_Free(space.numbers);
    PyMem_Free(space.sizes);
    return done;
}

static PyObject *call(PyObject *module, PyObject *const *given, Py_ssize_t count) {
    (void)module;
    if (count != 4)
        return PyErr_Format(PyExc_TypeError, "call takes an address, arrays, numbers and sizes, not %zd arguments",
                            count);
    PyObject *arrays = given[1], *numbers = given[2], *sizes = given[3];
    if (!PyTuple_Check(arrays) || !PyTuple_Check(numbers) || !PyTuple_Check(sizes))
        return PyErr_Format(PyExc_TypeError, "arrays, numbers and sizes are tuples");
    void *address = PyLong_AsVoidPtr(given[0]);
    if (!address) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "there is no kernel at address 0");
        return NULL;
    }
    kernel function = (kernel)(size_t)address;
    if (PyTuple_GET_SIZE(arrays) > FEW || PyTuple_GET_SIZE(numbers) > FEW || PyTuple_GET_SIZE(sizes) > FEW)
        return run_with_many(function, arrays, numbers, sizes);
    Py_buffer views[FEW];
    void *pointers[FEW];
    double doubles[FEW];
    long long whole[FEW];
    return run(function, arrays, numbers, sizes, (struct space){views, pointers, doubles, whole});
}

// The function for Python; this itself is called by ctypes, holding the lock of the interpreter.
PyObject *binding(void) {
    static PyMethodDef definition = {"call", (PyCFunction)(void (*)(void))call, METH_FASTCALL, NULL};
    return PyCFunction_New(&definition, NULL);
}
