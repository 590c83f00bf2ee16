// SPDX-License-Identifier: MIT
// What a direction of a layer is, and a look at the arguments of a call: whether all of them are as usual.
// calls.py says what is looked at. A call is UNUSUAL that Python is to look at; nothing was changed then.
#pragma once
#include "binding.h"
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <string.h>

// Kind of an argument, in the numbers of protocol/directions.py.
enum part { ROW, ROW_SCALAR, FEATURE, NUMBER, CONSTANT };

// Type of an array: that of the rows, the compute type, one that is converted to the compute type, or integers, which
// are converted to 32 bits.
enum element { STORED, COMPUTED, CONVERTED, WHOLE };

// Types in the order of TYPES in calls.py, then integers of 32 bits with a sign, and all others.
enum type { FLOAT16, BFLOAT16, FLOAT32, FLOAT64, TYPES, INT32 = TYPES, INTEGER, UNKNOWN = -1 };

enum outcome { DONE, FAILED, UNUSUAL };

// Arguments and results of a call at the most, which the bits of a plan's `absent` are for; types known by sight; and
// entries of a row at the most, as in kernels.py.
enum { MOST = 48, SEEN = 16, MOST_FEATURES = 1 << 30 };

struct value {
    int part, element, required;
    int follows;  // the input without which this is None, or -1
};

struct result {
    int part, element;
    int of;  // the input, or behind those the argument, that it is the gradient of, or -1
    int is_zero;
};

struct settings {
    long long is_forward, cotangents, moved, outputs, least_features;
    long long most_entries;                    // that are computed here, in one chunk
    long long large;                           // bytes from which a result is `empty`
    long long feature_entries, other_entries;  // of a workspace, for each feature and besides
};

// Arguments of the constructor, in this order: Python functions, classes, and a tuple of types.
enum object { OTHERWISE, PREPARE, RUN, ROUND, EMPTY, TYPE_OF, WHOLE_OF, SAVED, RESULT, DTYPES };

struct plan {
    uint64_t absent;
    int stored, computed;
    PyObject *steps;  // bytes
};

typedef struct {
    PyObject_HEAD
    PyObject *objects;
    struct value given[MOST];
    struct result made[MOST];
    int kept[MOST];    // the place of what each field of `Saved` after the third is, among values and results
    int is_row[MOST];  // of each input
    int widest[TYPES];  // compute type for an array of each type; a call computes in the widest of them
    int values, results, fields, inputs;
    struct settings settings;
    struct {
        PyArray_Descr *descr;
        int type;
    } seen[SEEN];
    struct plan *plans;
    int plans_count;
    void *memory;  // a workspace that no call uses
    size_t memory_size;
} Call;

// A call as far as it has come. References are borrowed but for those in `made` and `own`.
struct work {
    PyObject *values[MOST];
    PyObject *made[MOST];
    PyObject *own[MOST];          // what a kernel is passed in place of a value or a result
    PyArray_Descr *inputs[MOST];  // their types; NULL for one that was left out
    npy_intp shape[NPY_MAXDIMS];
    int dimensions, stored, computed;
    npy_intp rows, features;
    uint64_t absent;
};

static PyObject *object(const Call *self, enum object which) {
    return PyTuple_GET_ITEM(self->objects, which);
}

// ---- what is given

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

static int same_shape(const struct work *work, int part, PyArrayObject *array) {
    const npy_intp *shape = PyArray_DIMS(array);
    int dimensions = PyArray_NDIM(array);
    if (part == FEATURE)
        return dimensions == 1 && shape[0] == work->features;
    int wanted = part == ROW ? work->dimensions : part == ROW_SCALAR ? work->dimensions - 1 : 0;
    return dimensions == wanted && !memcmp(shape, work->shape, wanted * sizeof *shape);
}

// The type of an array of the right shape without gaps, or UNKNOWN.
static int usual(Call *self, const struct work *work, int part, PyObject *object) {
    if (!Py_IS_TYPE(object, &PyArray_Type))
        return UNKNOWN;
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_IS_C_CONTIGUOUS(array) || !same_shape(work, part, array))
        return UNKNOWN;
    return type_of(self, PyArray_DESCR(array));
}

static int take_shape(struct work *work, const npy_intp *shape, int dimensions) {
    if (dimensions < 1 || dimensions > NPY_MAXDIMS)
        return UNUSUAL;
    work->dimensions = dimensions;
    work->rows = 1;
    for (int i = 0; i < dimensions; ++i) {
        work->shape[i] = shape[i];
        if (i + 1 < dimensions && __builtin_mul_overflow(work->rows, shape[i], &work->rows))
            return UNUSUAL;
    }
    work->features = shape[dimensions - 1];
    return work->rows > 0 && work->features > 0 && work->features <= MOST_FEATURES ? DONE : UNUSUAL;
}

static int shape_of_rows(Call *self, struct work *work) {
    for (int i = 0; i < self->values; ++i) {
        PyObject *value = work->values[i];
        if (self->given[i].part != ROW || value == Py_None)
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
    npy_intp sizes[NPY_MAXDIMS];
    if (!PyTuple_CheckExact(shape) || PyTuple_GET_SIZE(shape) > NPY_MAXDIMS)
        return UNUSUAL;
    for (int i = 0; i < (int)PyTuple_GET_SIZE(shape); ++i) {
        sizes[i] = PyLong_CheckExact(PyTuple_GET_ITEM(shape, i)) ? PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i)) : -1;
        if (sizes[i] < 0) {
            PyErr_Clear();
            return UNUSUAL;
        }
    }
    if (!PyArray_DescrCheck(PyTuple_GET_ITEM(saved, 1)) || !PyTuple_CheckExact(types) ||
        PyTuple_GET_SIZE(types) != self->inputs)
        return UNUSUAL;
    work->computed = type_of(self, (PyArray_Descr *)PyTuple_GET_ITEM(saved, 1));
    for (int i = 0; i < self->inputs; ++i) {
        PyObject *type = PyTuple_GET_ITEM(types, i);
        work->inputs[i] = type == Py_None ? NULL : (PyArray_Descr *)type;
        if (type != Py_None && (!PyArray_DescrCheck(type) || type_of(self, (PyArray_Descr *)type) == UNKNOWN))
            return UNUSUAL;
    }
    return take_shape(work, sizes, (int)PyTuple_GET_SIZE(shape));
}

// Looks at every value; with that, what rows are stored and computed in is known.
static int look(Call *self, struct work *work) {
    int types[MOST], widest = FLOAT16;
    work->stored = UNKNOWN;
    work->absent = 0;
    for (int i = 0; i < self->values; ++i) {
        const struct value *each = self->given + i;
        PyObject *value = work->values[i];
        int left_out = each->follows >= 0 && !work->inputs[each->follows];
        types[i] = UNKNOWN;
        if (value == Py_None) {
            if (each->required && !left_out)
                return UNUSUAL;
            work->absent |= (uint64_t)1 << i;
            continue;
        }
        if (left_out)
            return UNUSUAL;
        if (each->part == CONSTANT || (each->part == NUMBER && PyFloat_CheckExact(value))) {
            // The gradient of a cotangent has the cotangent's type, and a number has none.
            if (!PyFloat_CheckExact(value) || (self->settings.moved && i < (int)self->settings.cotangents))
                return UNUSUAL;
            if (self->settings.is_forward && i < self->inputs)
                work->inputs[i] = descr(self, FLOAT64);
            continue;
        }
        int type = types[i] = usual(self, work, each->part, value);
        if (type == UNKNOWN || (type >= TYPES) != (each->element == WHOLE))
            return UNUSUAL;
        if (self->settings.is_forward && i < self->inputs)
            work->inputs[i] = PyArray_DESCR((PyArrayObject *)value);
        if (type >= TYPES)
            continue;
        if (each->element == STORED) {
            if (work->stored != UNKNOWN && work->stored != type)
                return UNUSUAL;
            work->stored = type;
        }
        if (self->widest[type] > widest)
            widest = self->widest[type];
    }
    if (self->settings.is_forward)
        work->computed = widest;
    else if (widest > work->computed)
        return UNUSUAL;
    if (work->stored == UNKNOWN || (work->computed != FLOAT32 && work->computed != FLOAT64))
        return UNUSUAL;
    for (int i = 0; i < self->values; ++i)
        if (self->given[i].element == COMPUTED && types[i] != UNKNOWN && types[i] != work->computed)
            return UNUSUAL;
    for (int i = 0; i < self->inputs; ++i)
        if (self->is_row[i] && work->inputs[i] && type_of(self, work->inputs[i]) != work->stored)
            return UNUSUAL;
    uint64_t cotangents = ((uint64_t)1 << self->settings.cotangents) - 1;
    uint64_t moved = (((uint64_t)1 << self->settings.moved) - 1) << self->settings.cotangents;
    int none = (cotangents && (work->absent & cotangents) == cotangents) || (moved && (work->absent & moved) == moved);
    return none ? UNUSUAL : DONE;
}
