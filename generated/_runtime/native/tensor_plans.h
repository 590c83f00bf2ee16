// SPDX-License-Identifier: MIT
// Calls of a layer whose axes have names. Python plans the first of calls that are alike: the results, and where each
// pointer of its kernels lies. torch/axes_calls.py writes the plan, and the others run it here.
#pragma once
#include "tensor_launches.h"
#include <math.h>

// Words of a plan, in this order: for each result its type, or NO_RESULT, and its shape; the same for the row scalars,
// which are one tensor; bytes that are moved, and those of scratch memory; for each pointer its memory, which of it, and
// how many bytes behind its start; for each number its argument; the sizes of the call; its kernels, as binding.h or
// launches.h have them. A list begins with its length.
enum memory { NOTHING, ARGUMENT, RESULT, ROW_SCALARS, SCRATCH_MEMORY, FIXED };
enum { NO_RESULT = -1, MOST_POINTERS = 4 * MOST, MOST_SIZES = 16, MOST_KEY = 1024 };

// Kinds of arguments in a key, besides the types of tensors.
enum { IS_NONE = -1, IS_NUMBER = -2, IS_SIZES = -3 };

struct planned {
    PyObject *plan;  // a reference
    char *starts[MOST + 1];
    double numbers[MOST];
};

struct key {
    int64_t words[MOST_KEY];
    int count;
};

// The tensor of an argument, whose start is put behind the `starts` of those before it.
static int add_tensor(TensorCall *self, struct key *key, PyObject *value, char **starts, int argument) {
    struct tensor found;
    if (!is_plain_tensor(self, value, &found) || key->count + 3 + 2 * found.dimensions > MOST_KEY)
        return UNUSUAL;
    key->words[key->count++] = (int64_t)found.type.lanes << 16 | found.type.code << 8 | found.type.bits;
    key->words[key->count++] = found.dimensions;
    int64_t step = 1;
    for (int i = found.dimensions; i--; step *= found.shape[i]) {
        if (!found.shape[i])
            return UNUSUAL;
        key->words[key->count + 2 * i] = found.shape[i];
        key->words[key->count + 2 * i + 1] = found.strides ? found.strides[i] : step;
    }
    key->count += 2 * found.dimensions;
    starts[argument] = (char *)found.data + found.offset;
    int first = 0;
    while (starts[first] != starts[argument])
        ++first;
    // Kernels of a GPU are chosen by the alignment of what they read, too.
    key->words[key->count++] = (int64_t)first << 4 | (self->driver.launch ? (int64_t)starts[argument] & 15 : 0);
    return DONE;
}

static int add_sizes(struct key *key, PyObject *value) {
    Py_ssize_t count = PyTuple_GET_SIZE(value);
    if (key->count + 2 + count > MOST_KEY)
        return UNUSUAL;
    key->words[key->count++] = IS_SIZES;
    key->words[key->count++] = count;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *each = PyTuple_GET_ITEM(value, i);
        int64_t size = PyLong_CheckExact(each) ? PyLong_AsLongLong(each) : -1;
        if (size < 0)
            return UNUSUAL;
        key->words[key->count++] = size;
    }
    return DONE;
}

// Looks at arguments, behind which row scalars may be one more.
static int take_values(TensorCall *self, struct planned *call, struct key *key, PyObject *arguments, PyObject *row_scalars) {
    int count = (int)PyTuple_GET_SIZE(arguments), outcome = DONE, here;
    key->count = 0;
    self->id = -1;
    if (count > MOST)
        return UNUSUAL;
    // Kernels are of the device and the context that they were loaded in.
    if (self->driver.launch) {
        void *context;
        if (self->driver.current_device(&here) || self->driver.current_context(&context))
            return UNUSUAL;
        key->words[key->count++] = self->id = here;
        key->words[key->count++] = (int64_t)(intptr_t)context;
    }
    for (int i = 0; outcome == DONE && i <= count; ++i) {
        PyObject *value = i < count ? PyTuple_GET_ITEM(arguments, i) : row_scalars;
        call->starts[i] = NULL;
        if (key->count == MOST_KEY)
            return UNUSUAL;
        if (value == Py_None) {
            key->words[key->count++] = IS_NONE;
        } else if (PyFloat_CheckExact(value)) {
            call->numbers[i] = PyFloat_AS_DOUBLE(value);
            if (!isfinite(call->numbers[i]) || (call->numbers[i] < 0 && !self->signs[i]))
                return UNUSUAL;
            key->words[key->count++] = IS_NUMBER;
        } else {
            outcome = PyTuple_CheckExact(value) ? add_sizes(key, value) : add_tensor(self, key, value, call->starts, i);
        }
    }
    return outcome;
}

// The plan of calls like this one, which Python makes for the first.
static int take_planned(TensorCall *self, struct planned *call, PyObject *arguments, PyObject *row_scalars) {
    struct key key;
    int outcome = take_values(self, call, &key, arguments, row_scalars);
    if (outcome != DONE)
        return outcome;
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)key.words, key.count * sizeof *key.words);
    call->plan = bytes ? PyDict_GetItemWithError(self->plans, bytes) : NULL;
    Py_XINCREF(call->plan);
    if (bytes && !call->plan && !PyErr_Occurred()) {
        int id = self->id;  // another thread may have a call meanwhile
        call->plan = PyObject_CallFunctionObjArgs(object(self, PREPARE), arguments, row_scalars, NULL);
        self->id = id;
        if (call->plan)
            remember(self, bytes, &call->plan);
    }
    Py_XDECREF(bytes);
    if (!call->plan)
        return FAILED;
    if (call->plan != Py_None)
        return DONE;
    Py_CLEAR(call->plan);
    return UNUSUAL;
}

// A tensor as words say, which it is behind; NULL and no exception where there is none.
static PyObject *planned_tensor(const TensorCall *self, const int64_t **words, char **start) {
    int64_t type = *(*words)++, dimensions = 0, *shape = NULL;
    *start = NULL;
    if (type == NO_RESULT)
        return NULL;
    dimensions = *(*words)++;
    shape = (int64_t *)*words;
    *words += dimensions;
    return new_tensor(self, (struct data_type){type >> 8 & 255, type & 255, 1}, (int)dimensions, shape, start);
}

static int run_planned_here(const int64_t *kernels, int64_t count, char **arrays, const double *numbers,
                            const long long *sizes, int64_t bytes) {
    double constants[MOST];
    void *pointers[MOST_POINTERS];
    struct steps steps = {kernels, kernels + count};
    struct values values = {arrays, NULL, numbers, sizes};
    PyThreadState *released = bytes < SMALL ? NULL : PyEval_SaveThread();
    run_steps(steps, values, 0, pointers, constants);
    if (released)
        PyEval_RestoreThread(released);
    return DONE;
}

// Scratch memory of a call: a tensor where kernels are launched, which do not wait for it to be freed.
static int take_scratch(const TensorCall *self, int64_t size, char **start, PyObject **owner) {
    *start = NULL, *owner = NULL;
    if (!size)
        return DONE;
    if (self->driver.launch)
        return (*owner = new_workspace(self, size, start)) ? DONE : FAILED;
    if ((*start = PyMem_RawMalloc(size)))
        return DONE;
    PyErr_NoMemory();
    return FAILED;
}

// Runs the kernels of a plan behind the words of its results.
static int run_planned(const TensorCall *self, const struct planned *call, const int64_t *words, char *const *made,
                       char *row_scalars) {
    char *arrays[MOST_POINTERS], *scratch;
    double numbers[MOST];
    long long sizes[MOST_SIZES];
    PyObject *owner;
    int64_t bytes = *words++, size = *words++, count = *words++;
    if (take_scratch(self, size, &scratch, &owner) != DONE)
        return FAILED;
    for (int i = 0; i < count; ++i, words += 3) {
        char *start = words[0] == ARGUMENT         ? call->starts[words[1]]
                      : words[0] == RESULT         ? made[words[1]]
                      : words[0] == ROW_SCALARS    ? row_scalars
                      : words[0] == SCRATCH_MEMORY ? scratch
                                                   : NULL;
        arrays[i] = words[0] == FIXED ? (char *)(intptr_t)words[2] : start ? start + words[2] : NULL;
    }
    count = *words++;
    for (int i = 0; i < count; ++i, ++words)
        numbers[i] = *words < 0 ? 0 : call->numbers[*words];
    count = *words++;
    for (int i = 0; i < count; ++i)
        sizes[i] = *words++;
    count = *words++;
    int outcome = self->driver.launch ? launch_on_stream(self, words, words + count, arrays, numbers)
                                      : run_planned_here(words, count, arrays, numbers, sizes, bytes);
    if (owner)
        Py_DECREF(owner);
    else
        PyMem_RawFree(scratch);
    return outcome;
}

// The results of a call: of forward a pair with the row scalars if these are kept, without them one output by itself.
static PyObject *planned_results(const TensorCall *self, struct planned *call, int is_kept) {
    const int64_t *words = (const int64_t *)PyBytes_AS_STRING(PyTuple_GET_ITEM(call->plan, 0));
    int count = (int)*words++, is_direct = self->of.settings.is_forward && !is_kept;
    char *made[MOST], *saved = NULL;
    PyObject *results = PyTuple_New(count), *both = NULL;
    int outcome = results ? DONE : FAILED;
    for (int i = 0; outcome == DONE && i < count; ++i) {
        PyObject *each = planned_tensor(self, &words, made + i);
        outcome = !each && PyErr_Occurred() ? FAILED : DONE;
        PyTuple_SET_ITEM(results, i, each ? each : Py_NewRef(Py_None));
    }
    PyObject *all = outcome == DONE ? planned_tensor(self, &words, &saved) : NULL;
    if (outcome == DONE && !PyErr_Occurred())
        outcome = run_planned(self, call, words, made, saved);
    else
        outcome = FAILED;
    Py_CLEAR(call->plan);
    if (outcome == DONE && is_kept)
        both = PyTuple_Pack(2, results, all ? all : Py_None);
    else if (outcome == DONE)
        both = Py_NewRef(is_direct && count == 1 ? PyTuple_GET_ITEM(results, 0) : results);
    Py_XDECREF(results);
    Py_XDECREF(all);
    return both;
}

// Runs a plan, its arguments and row scalars or None: Python tries it so before it is used.
static PyObject *try_plan(TensorCall *self, PyObject *const *given, Py_ssize_t count) {
    struct planned call;
    struct key key;
    if (count != 3 || !PyTuple_CheckExact(given[0]) || !PyTuple_CheckExact(given[1]))
        return PyErr_Format(PyExc_TypeError, "try_plan takes a plan, a tuple of arguments, and row scalars or None");
    if (take_values(self, &call, &key, given[1], given[2]) != DONE) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    call.plan = Py_NewRef(given[0]);
    return planned_results(self, &call, (int)self->of.settings.is_forward);
}
