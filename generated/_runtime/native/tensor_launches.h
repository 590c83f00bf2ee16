// SPDX-License-Identifier: MIT
// Kernels on a GPU, launched on the library's current stream; nothing is waited for.
#pragma once
#include "tensors.h"

// Launches of a call, as torch/calls.py writes them: bytes of workspace, then for each kernel what is here, and for each
// of its arguments a place among values, results and the workspace, or WHOLE_NUMBER and a number of 64 bits, SHORT_NUMBER
// and one of 32, or the place of a Constant behind SINGLE or DOUBLE.
struct launch {
    int64_t function, blocks, threads, shared_bytes, is_early, cluster, arguments;
};
enum passed { WHOLE_NUMBER = -1, SINGLE = -2, DOUBLE = -3, SHORT_NUMBER = -4 };

// Parameters of a kernel lie behind each other, each at a multiple of its size; several may be members of one structure.
// axes_calls.py makes no plan of more; a call without one has an array for each value and result, and its sizes.
enum { MOST_PARAMETERS = 512 };
struct parameters {
    char bytes[8 * MOST_PARAMETERS];
    size_t size;
};

static void pass(struct parameters *to, const void *from, size_t size) {
    to->size = (to->size + size - 1) / size * size;
    memcpy(to->bytes + to->size, from, size);
    to->size += size;
}

// The launches of calls like this one, a new reference; None if they are not as usual, or NULL with an exception.
static PyObject *launches_of(TensorCall *self, struct work *work, char **arrays, PyObject *arguments) {
    int64_t key[3 * MOST + MOST_AXES];
    int count = 0, all = self->of.values + self->of.results;
    // What saves nothing has no row scalars.
    int saves = arrays[all - 1] != NULL;
    void *context;
    if (self->driver.current_context(&context))
        Py_RETURN_NONE;
    key[count++] = self->id;
    // Kernels are of the context that they were loaded in.
    key[count++] = (int64_t)(intptr_t)context;
    key[count++] = (int64_t)work->absent;
    key[count++] = saves;
    for (int i = 0; i < all; ++i)
        key[count++] = ((int64_t)arrays[i] & 15) << 16 | (i < self->of.values && arrays[i] ? work->arrays[i].whole : 0);
    for (int i = 0; i < self->of.inputs; ++i)
        key[count++] = work->inputs[i];
    for (int i = 0; i < work->dimensions; ++i)
        key[count++] = work->shape[i];
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)key, count * sizeof *key);
    PyObject *found = bytes ? PyDict_GetItemWithError(self->plans, bytes) : NULL;
    if (bytes && !found && !PyErr_Occurred()) {
        PyObject *list = PyList_New(all);
        for (int i = 0; list && i < all; ++i) {
            int result = i - self->of.values;
            PyObject *each = result < 0 ? work->values[i] : result < self->of.settings.outputs ? work->made[result] : NULL;
            PyList_SET_ITEM(list, i, Py_NewRef(each ? each : Py_None));
        }
        found = list ? PyObject_CallFunctionObjArgs(object(self, PREPARE), list, arguments,
                                                    saves ? Py_True : Py_False, NULL)
                     : NULL;
        Py_XDECREF(list);
        self->id = (int)key[0];  // another thread may have had a call meanwhile
        if (found)
            remember(self, bytes, &found);
    } else {
        Py_XINCREF(found);
    }
    Py_XDECREF(bytes);
    return found;
}

// Launches kernels, each as words of a plan say, on the library's current stream.
static int launch_kernels(const TensorCall *self, const int64_t *words, const int64_t *end, char *const *arrays,
                          const double *numbers) {
    void *stream;
    int failed = self->exchange->stream(self->device, self->id, &stream);
    while (!failed && words < end) {
        struct launch next;
        memcpy(&next, words, sizeof next);
        words += sizeof next / sizeof *words;
        struct parameters parameters;
        parameters.size = 0;
        for (int i = 0; i < next.arguments; ++i, words += 2) {
            int64_t place = words[0], number = words[1];
            int32_t short_number = (int32_t)number;
            float single = place == SINGLE ? (float)numbers[number] : 0;
            if (place >= 0)
                pass(&parameters, arrays + place, sizeof *arrays);
            else if (place == SINGLE)
                pass(&parameters, &single, sizeof single);
            else if (place == DOUBLE)
                pass(&parameters, numbers + number, sizeof *numbers);
            else if (place == SHORT_NUMBER)
                pass(&parameters, &short_number, sizeof short_number);
            else
                pass(&parameters, &number, sizeof number);
        }
        void *extra[] = {(void *)BUFFER, parameters.bytes, (void *)BUFFER_SIZE, &parameters.size, NULL};
        struct attribute attributes[2];
        unsigned count = 0;
        if (next.is_early)
            attributes[count++] = (struct attribute){.id = PROGRAMMATIC_STREAM_SERIALIZATION, .value.is_allowed = 1};
        if (next.cluster > 1)
            attributes[count++] = (struct attribute){.id = CLUSTER_DIMENSION, .value.cluster = {(unsigned)next.cluster, 1, 1}};
        struct configuration how = {{(unsigned)next.blocks, 1, 1}, {(unsigned)next.threads, 1, 1},
                                    (unsigned)next.shared_bytes, stream, attributes, count};
        failed = self->driver.launch(&how, (void *)(intptr_t)next.function, NULL, extra);
    }
    if (!failed)
        return DONE;
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_RuntimeError, "the driver refused a launch with error %d", failed);
    return FAILED;
}

// Memory for partial sums. What is launched has it after the reference has gone: the library gives it to work behind
// this on the same stream alone.
static PyObject *new_workspace(const TensorCall *self, int64_t size, char **start) {
    return new_tensor(self, (struct data_type){UNSIGNED, 8, 1}, 1, &size, start);
}

static int launch(TensorCall *self, struct work *work, char **arrays, const double *numbers, PyObject *arguments) {
    PyObject *found = launches_of(self, work, arrays, arguments);
    if (!found || found == Py_None) {
        Py_XDECREF(found);
        return found ? UNUSUAL : FAILED;
    }
    PyObject *bytes = PyTuple_GET_ITEM(found, 0), *workspace = NULL;
    const int64_t *words = (const int64_t *)PyBytes_AS_STRING(bytes), *end = words + PyBytes_GET_SIZE(bytes) / 8;
    int64_t size = *words++;
    if (size && !(workspace = new_workspace(self, size, arrays + self->of.values + self->of.results))) {
        Py_DECREF(found);
        return FAILED;
    }
    int outcome = launch_kernels(self, words, end, arrays, numbers);
    Py_XDECREF(workspace);
    Py_DECREF(found);
    return outcome;
}
