// SPDX-License-Identifier: MIT
// What a direction of a layer is, and a look at the arguments of a call: whether all of them are as usual.
// calls.py says what is looked at. A call is UNUSUAL that Python is to look at; nothing was changed then.
// Who includes this has `array_of`, which says of an object whether it is an array, and which.
#pragma once
#include "binding.h"
#include <string.h>

// Kind of an argument, in the numbers of protocol/directions.py.
enum part { ROW, ROW_SCALAR, FEATURE, NUMBER, CONSTANT };

// Type of an array: that of the rows, the compute type, one that is converted to the compute type, or integers, which
// are converted to 32 bits.
enum element { STORED, COMPUTED, CONVERTED, WHOLE };

// Types in the order of TYPES in calls.py, then integers of 32 bits with a sign, and all others. An input that was left
// out has none.
enum type { FLOAT16, BFLOAT16, FLOAT32, FLOAT64, TYPES, INT32 = TYPES, INTEGER, UNKNOWN = -1, LEFT_OUT = -2 };

enum outcome { DONE, FAILED, UNUSUAL };

// Arguments and results of a call at the most, which the bits of a plan's `absent` are for; axes of an array; and entries
// of a row at the most, as in kernels.py.
enum { MOST = 48, MOST_AXES = 64, MOST_FEATURES = 1 << 30 };

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

// The kernels of calls that are alike.
struct plan {
    uint64_t absent;
    int stored, computed;
    PyObject *steps;  // bytes
};

// A direction, as calls.py describes it, and what its calls share.
struct direction {
    struct value given[MOST];
    struct result made[MOST];
    int kept[MOST];     // the place of what each field of `Saved` after the third is, among values and results
    int is_row[MOST];   // of each input
    int widest[TYPES];  // compute type for an array of each type; a call computes in the widest of them
    int values, results, fields, inputs;
    struct settings settings;
    struct plan *plans;
    int plans_count;
    void *memory;  // a workspace that no call uses
    size_t memory_size;
};

// An array without gaps, or none if it has no data.
struct array {
    char *data;
    const int64_t *shape;
    int dimensions, type;
    int whole;  // which integers, as the caller of `look` tells them apart
};

// A call as far as it has come. References are borrowed but for those in `made` and `own`.
struct work {
    PyObject *values[MOST];
    struct array arrays[MOST];  // those of the values that are some; one that has data is not looked at
    PyObject *made[MOST];
    PyObject *own[MOST];  // what a kernel is passed in place of a value or a result
    int inputs[MOST];     // their types
    int64_t shape[MOST_AXES];
    int dimensions, stored, computed;
    int64_t rows, features;
    uint64_t absent;
};

// Fills in an array, and returns its type: UNKNOWN of an object that is none, or has gaps. `self` is that of the caller.
static int array_of(void *self, PyObject *object, struct array *to);

// Copies a buffer to a place with room for `most` units, and returns their number, which may be larger.
static int copied(const Py_buffer *from, void *to, size_t unit, size_t most) {
    size_t count = from->len / unit;
    memcpy(to, from->buf, (count < most ? count : most) * unit);
    return (int)count;
}

// Takes the tables of calls.py: values, results, kept, is_row, widest, settings.
static void describe(struct direction *of, const Py_buffer *tables) {
    of->values = copied(tables, of->given, sizeof *of->given, MOST);
    of->results = copied(tables + 1, of->made, sizeof *of->made, MOST);
    of->fields = copied(tables + 2, of->kept, sizeof *of->kept, MOST);
    of->inputs = copied(tables + 3, of->is_row, sizeof *of->is_row, MOST);
    copied(tables + 4, of->widest, sizeof *of->widest, TYPES);
    copied(tables + 5, &of->settings, sizeof of->settings, 1);
}

static void forget(struct direction *of) {
    for (int i = 0; i < of->plans_count; ++i)
        Py_DECREF(of->plans[i].steps);
    PyMem_Free(of->plans);
    PyMem_RawFree(of->memory);
}

// The function of Python's that makes objects of a type, which it is given first.
static PyObject *maker(PyMethodDef *definition, const char *name, int size, PyType_Slot *slots) {
    unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    PyType_Spec spec = {.name = name, .basicsize = size, .flags = flags, .slots = slots};
    PyObject *type = PyType_FromSpec(&spec), *made = type ? PyCFunction_New(definition, type) : NULL;
    Py_XDECREF(type);
    return made;
}

// ---- what is given

static int same_shape(const struct work *work, int part, const struct array *array) {
    if (part == FEATURE)
        return array->dimensions == 1 && array->shape[0] == work->features;
    int wanted = part == ROW ? work->dimensions : part == ROW_SCALAR ? work->dimensions - 1 : 0;
    return array->dimensions == wanted && !memcmp(array->shape, work->shape, wanted * sizeof *work->shape);
}

static int take_shape(struct work *work, const int64_t *shape, int dimensions) {
    if (dimensions < 1 || dimensions > MOST_AXES)
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

// Looks at every value; with that, what rows are stored and computed in is known.
static int look(const struct direction *of, struct work *work, void *self) {
    int types[MOST], widest = FLOAT16;
    work->stored = UNKNOWN;
    work->absent = 0;
    for (int i = 0; i < of->values; ++i) {
        const struct value *each = of->given + i;
        PyObject *value = work->values[i];
        int left_out = each->follows >= 0 && work->inputs[each->follows] == LEFT_OUT;
        types[i] = UNKNOWN;
        if (of->settings.is_forward && i < of->inputs)
            work->inputs[i] = LEFT_OUT;
        if (value == Py_None) {
            if (each->required && !left_out)
                return UNUSUAL;
            work->absent |= (uint64_t)1 << i;
            continue;
        }
        if (left_out)
            return UNUSUAL;
        if (each->part == CONSTANT || (each->part == NUMBER && each->element != WHOLE && PyFloat_CheckExact(value))) {
            if (!PyFloat_CheckExact(value))
                return UNUSUAL;
            if (of->settings.is_forward && i < of->inputs)
                work->inputs[i] = FLOAT64;
            continue;
        }
        int type = types[i] = work->arrays[i].data ? work->arrays[i].type : array_of(self, value, work->arrays + i);
        if (type == UNKNOWN || !same_shape(work, each->part, work->arrays + i))
            return UNUSUAL;
        if ((type >= TYPES) != (each->element == WHOLE))
            return UNUSUAL;
        if (of->settings.is_forward && i < of->inputs)
            work->inputs[i] = type;
        if (type >= TYPES)
            continue;
        if (each->element == STORED) {
            if (work->stored != UNKNOWN && work->stored != type)
                return UNUSUAL;
            work->stored = type;
        }
        if (of->widest[type] > widest)
            widest = of->widest[type];
    }
    if (of->settings.is_forward)
        work->computed = widest;
    else if (widest > work->computed)
        return UNUSUAL;
    if (work->stored == UNKNOWN || (work->computed != FLOAT32 && work->computed != FLOAT64))
        return UNUSUAL;
    for (int i = 0; i < of->values; ++i)
        if (of->given[i].element == COMPUTED && types[i] != UNKNOWN && types[i] != work->computed)
            return UNUSUAL;
    for (int i = 0; i < of->inputs; ++i)
        if (of->is_row[i] && work->inputs[i] != LEFT_OUT && work->inputs[i] != work->stored)
            return UNUSUAL;
    uint64_t cotangents = ((uint64_t)1 << of->settings.cotangents) - 1;
    uint64_t moved = (((uint64_t)1 << of->settings.moved) - 1) << of->settings.cotangents;
    int none = (cotangents && (work->absent & cotangents) == cotangents) || (moved && (work->absent & moved) == moved);
    return none ? UNUSUAL : DONE;
}

// ---- kernels

// The kernels for a call, as binding.h reads them; those that were prepared before, or NULL.
static PyObject *prepared(const struct direction *of, const struct work *work) {
    for (int i = 0; i < of->plans_count; ++i) {
        const struct plan *plan = of->plans + i;
        if (plan->absent == work->absent && plan->stored == work->stored && plan->computed == work->computed)
            return plan->steps;
    }
    return NULL;
}

// Keeps the kernels for calls like this one, a reference that is taken over; NULL with an exception stays that.
static PyObject *prepare(struct direction *of, const struct work *work, PyObject *steps) {
    if (steps && !PyBytes_Check(steps)) {
        PyErr_SetString(PyExc_TypeError, "kernels are not bytes");
        Py_CLEAR(steps);
    }
    if (!steps)
        return NULL;
    // Another thread may add a plan until here, and not between what follows.
    struct plan *plans = PyMem_Realloc(of->plans, (of->plans_count + 1) * sizeof *plans);
    if (!plans) {
        Py_DECREF(steps);
        return PyErr_NoMemory();
    }
    of->plans = plans;
    of->plans[of->plans_count++] = (struct plan){work->absent, work->stored, work->computed, steps};
    return steps;
}

// Division of rows into chunks, as kernels.py has it: their number, the entries of a workspace for all, and whether
// results bypass the cache.
struct cut {
    long long chunks, entries, streams;
};

static struct cut one_chunk(const struct direction *of, const struct work *work) {
    return (struct cut){1, of->settings.feature_entries * work->features + of->settings.other_entries, 0};
}

// Runs kernels on arrays, behind which there is a place for a workspace, and numbers.
static int run_kernels(struct direction *of, const struct work *work, struct cut cut, PyObject *steps, char **arrays,
                       double *numbers, int64_t bytes) {
    void *pointers[MOST + 1];
    double constants[MOST];
    size_t wanted = (size_t)cut.entries * (work->computed == FLOAT64 ? sizeof(double) : sizeof(float));
    void *memory = of->memory;  // ours until it is put back
    size_t memory_size = of->memory_size;
    of->memory = NULL;
    of->memory_size = 0;
    if (memory_size < wanted) {
        PyMem_RawFree(memory);
        memory_size = wanted;
        if (!(memory = PyMem_RawMalloc(wanted))) {
            PyErr_NoMemory();
            return FAILED;
        }
    }
    arrays[of->values + of->results] = memory;
    const char *first = PyBytes_AS_STRING(steps);
    struct steps kernels = {(const int64_t *)first, (const int64_t *)(first + PyBytes_GET_SIZE(steps))};
    long long sizes[] = {work->rows, work->features, cut.chunks, 0, cut.chunks, cut.streams};
    struct values values = {arrays, NULL, numbers, sizes};
    PyThreadState *released = bytes < SMALL ? NULL : PyEval_SaveThread();
    run_steps(kernels, values, 0, pointers, constants);
    if (released)
        PyEval_RestoreThread(released);
    if (of->memory_size < memory_size) {
        void *other = of->memory;
        of->memory = memory;
        of->memory_size = memory_size;
        memory = other;
    }
    PyMem_RawFree(memory);
    return DONE;
}
