// SPDX-License-Identifier: MIT
// Calls of compiled kernels from Python, on one sample after the other. No header but Python's.
#include "binding.h"

static void release(Py_buffer *views, Py_ssize_t count) {
    while (count--)
        PyBuffer_Release(views + count);  // does nothing for one that was never got
}

// Fills views and starts; the bytes of all arrays, or -1 with an exception and no view left.
static Py_ssize_t get(PyObject *arrays, int flags, Py_buffer *views, char **starts) {
    Py_ssize_t bytes = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays); ++i) {
        PyObject *array = PyTuple_GET_ITEM(arrays, i);
        views[i].obj = NULL;
        starts[i] = NULL;
        if (array == Py_None)
            continue;
        // Without a format asked for, types that have none in the buffer protocol (bfloat16) are given too.
        if (PyObject_GetBuffer(array, views + i, flags)) {
            release(views, i);
            return -1;
        }
        starts[i] = views[i].buf;
        bytes += views[i].len;
    }
    return bytes;
}

static int take_numbers(PyObject *numbers, double *to) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers); ++i) {
        to[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(numbers, i));
        if (to[i] == -1.0 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

static int take_whole(PyObject *numbers, long long *to) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers); ++i) {
        to[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(numbers, i));
        if (to[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

// Steps, arrays, numbers and sizes; of samples also the strides of arrays, and the range of samples.
static PyObject *call(PyObject *module, PyObject *args) {
    (void)module;
    const char *steps;
    Py_ssize_t length;
    PyObject *arrays, *numbers, *sizes, *strides = NULL;  // no strides, or one for each array
    long long first = 0, end = 1;
    if (!PyArg_ParseTuple(args, "y#O!O!O!|O!LL", &steps, &length, &PyTuple_Type, &arrays, &PyTuple_Type, &numbers,
                          &PyTuple_Type, &sizes, &PyTuple_Type, &strides, &first, &end))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(arrays);
    int has_samples = strides && PyTuple_GET_SIZE(strides) == count;
    Py_buffer views[count + 1];
    char *starts[count + 1];
    void *pointers[count + 1];
    long long apart[count + 1], whole[PyTuple_GET_SIZE(sizes) + 1];
    double doubles[PyTuple_GET_SIZE(numbers) + 1], constants[PyTuple_GET_SIZE(numbers) + 1];
    if (take_numbers(numbers, doubles) || take_whole(sizes, whole) || (has_samples && take_whole(strides, apart)))
        return NULL;
    // Samples may share an array, whose stride is 0 then.
    Py_ssize_t bytes = get(arrays, has_samples ? PyBUF_STRIDES : PyBUF_SIMPLE, views, starts);
    if (bytes < 0)
        return NULL;
    struct steps kernels = {(const int64_t *)steps, (const int64_t *)(steps + length)};
    struct values values = {starts, has_samples ? apart : NULL, doubles, whole};
    PyThreadState *released = bytes < SMALL ? NULL : PyEval_SaveThread();
    for (long long sample = first; sample < end; ++sample)
        run_steps(kernels, values, sample, pointers, constants);
    if (released)
        PyEval_RestoreThread(released);
    release(views, count);
    Py_RETURN_NONE;
}

// The function for Python; this itself is called by ctypes, holding the lock of the interpreter.
PyObject *binding(void) {
    static PyMethodDef definition = {"call", call, METH_VARARGS, NULL};
    return PyCFunction_New(&definition, NULL);
}
