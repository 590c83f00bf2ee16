// SPDX-License-Identifier: MIT
// Arguments of a call that are NumPy's arrays, and what forward saved of a call.
#pragma once
#include "call_arguments.h"
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

// Types known by sight.
enum { SEEN = 16 };

// Arguments of the constructor, in this order: Python functions, classes, and a tuple of types.
enum object { OTHERWISE, PREPARE, RUN, ROUND, EMPTY, TYPE_OF, WHOLE_OF, SAVED, RESULT, DTYPES };

typedef struct {
    PyObject_HEAD
    PyObject *objects;
    struct direction of;
    struct {
        PyArray_Descr *descr;
        int type;
    } seen[SEEN];
} Call;

static PyObject *object(const Call *self, enum object which) {
    return PyTuple_GET_ITEM(self->objects, which);
}

static int type_of(Call *self, PyArray_Descr *descr) {
    for (int i = 0; i < SEEN && self->seen[i].descr; ++i)
        if (self->seen[i].descr == descr)
            return self->seen[i].type;
    PyObject *found = PyObject_CallOneArg(object(self, TYPE_OF), (PyObject *)descr);
    long type = found ? PyLong_AsLong(found) : UNKNOWN;
    Py_XDECREF(found);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return UNKNOWN;
    }
    for (int i = 0; i < SEEN; ++i) {
        if (self->seen[i].descr)
            continue;
        Py_INCREF(descr);
        self->seen[i].descr = descr;
        self->seen[i].type = (int)type;
        return (int)type;
    }
    return UNKNOWN;
}

// The object for a type that a value had, or that is computed in.
static PyArray_Descr *descr(const Call *self, int type) {
    int i = 0;
    while (self->seen[i].type != type)
        ++i;
    return self->seen[i].descr;
}

static int array_of(void *self, PyObject *object, struct array *to) {
    if (!Py_IS_TYPE(object, &PyArray_Type))
        return UNKNOWN;
    PyArrayObject *array = (PyArrayObject *)object;
    *to = (struct array){PyArray_BYTES(array), PyArray_DIMS(array), PyArray_NDIM(array), UNKNOWN, 0};
    return PyArray_IS_C_CONTIGUOUS(array) ? to->type = type_of(self, PyArray_DESCR(array)) : UNKNOWN;
}

static int shape_of_rows(const Call *self, struct work *work) {
    for (int i = 0; i < self->of.values; ++i) {
        PyObject *value = work->values[i];
        if (self->of.given[i].part != ROW || value == Py_None)
            continue;
        if (!Py_IS_TYPE(value, &PyArray_Type))
            return UNUSUAL;
        PyArrayObject *array = (PyArrayObject *)value;
        return take_shape(work, PyArray_DIMS(array), PyArray_NDIM(array));
    }
    return UNUSUAL;
}

// The first three fields of what forward saved: the shape of rows, the type computed in, and those of the inputs.
static int take_saved(Call *self, struct work *work, PyObject *saved) {
    PyObject *shape = PyTuple_GET_ITEM(saved, 0), *types = PyTuple_GET_ITEM(saved, 2);
    int64_t sizes[MOST_AXES];
    if (!PyTuple_CheckExact(shape) || PyTuple_GET_SIZE(shape) > MOST_AXES)
        return UNUSUAL;
    for (int i = 0; i < (int)PyTuple_GET_SIZE(shape); ++i) {
        sizes[i] = PyLong_CheckExact(PyTuple_GET_ITEM(shape, i)) ? PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i)) : -1;
        if (sizes[i] < 0) {
            PyErr_Clear();
            return UNUSUAL;
        }
    }
    if (!PyArray_DescrCheck(PyTuple_GET_ITEM(saved, 1)) || !PyTuple_CheckExact(types) ||
        PyTuple_GET_SIZE(types) != self->of.inputs)
        return UNUSUAL;
    work->computed = type_of(self, (PyArray_Descr *)PyTuple_GET_ITEM(saved, 1));
    for (int i = 0; i < self->of.inputs; ++i) {
        PyObject *type = PyTuple_GET_ITEM(types, i);
        if (type != Py_None && !PyArray_DescrCheck(type))
            return UNUSUAL;
        work->inputs[i] = type == Py_None ? LEFT_OUT : type_of(self, (PyArray_Descr *)type);
        if (work->inputs[i] == UNKNOWN)
            return UNUSUAL;
    }
    return take_shape(work, sizes, (int)PyTuple_GET_SIZE(shape));
}
