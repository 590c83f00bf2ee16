// SPDX-License-Identifier: MIT
// Kernels on a GPU, launched on the library's current stream; nothing is waited for.
#pragma once
#include "tensors.h"

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
static int launch_on_stream(const TensorCall *self, const int64_t *words, const int64_t *end, char *const *arrays,
                            const double *numbers) {
    void *stream;
    int failed = self->exchange->stream(self->device, self->id, &stream);
    if (!failed)
        failed = launch_kernels(self->driver.launch, words, end, arrays, numbers, stream);
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

// The words of a call are the bytes of its workspace, and then those of its launches.
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
    int outcome = launch_on_stream(self, words, end, arrays, numbers);
    Py_XDECREF(workspace);
    Py_DECREF(found);
    return outcome;
}
