// SPDX-License-Identifier: MIT
// Kernels of a direction, run on one sample after the other: arrays lie at a distance from sample to sample.
#include "binding.h"
#include <stdint.h>
#include <string.h>

// Values that all samples share. Pointers are those of the first sample, in the order of places, the workspace last.
struct samples {
    const int64_t *addresses, *strides, *steps, *steps_end, *zeros, *zeros_end;
    const long long *sizes;
    const double *numbers;
};

// steps: of each kernel its address, how many pointers it takes and which, and how many numbers and which. zeros: places
// of results that have to be 0 before, and the bytes of one sample. `pointers` has room for those of a kernel, `numbers`
// for its numbers.
static void run(const struct samples *of, long long first, long long end, void **pointers, double *numbers) {
    for (long long sample = first; sample < end; ++sample) {
        for (const int64_t *zero = of->zeros; zero < of->zeros_end; zero += 2)
            memset((char *)(intptr_t)of->addresses[zero[0]] + sample * of->strides[zero[0]], 0, zero[1]);
        for (const int64_t *step = of->steps; step < of->steps_end;) {
            kernel function = (kernel)(intptr_t)*step++;
            int64_t count = *step++;
            for (int64_t i = 0; i < count; ++i) {
                int64_t place = *step++;
                char *start = (char *)(intptr_t)of->addresses[place];
                pointers[i] = start ? start + sample * of->strides[place] : NULL;
            }
            count = *step++;
            for (int64_t i = 0; i < count; ++i)
                numbers[i] = of->numbers[*step++];
            function(pointers, numbers, of->sizes);
        }
    }
}

// Arrays as host_samples.py has them, and the range of samples.
static PyObject *call(PyObject *module, PyObject *args) {
    (void)module;
    enum { ADDRESSES, STRIDES, STEPS, ZEROS, SIZES, NUMBERS, ARRAYS };
    Py_buffer given[ARRAYS];
    long long first, end;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*LL", given, given + 1, given + 2, given + 3, given + 4, given + 5, &first,
                          &end))
        return NULL;
    struct samples of = {
        given[ADDRESSES].buf,
        given[STRIDES].buf,
        given[STEPS].buf,
        (const int64_t *)given[STEPS].buf + given[STEPS].len / sizeof(int64_t),
        given[ZEROS].buf,
        (const int64_t *)given[ZEROS].buf + given[ZEROS].len / sizeof(int64_t),
        given[SIZES].buf,
        given[NUMBERS].buf,
    };
    // No kernel takes more than there is.
    void **pointers = PyMem_Malloc(given[ADDRESSES].len);
    double *numbers = PyMem_Malloc(given[NUMBERS].len);
    if (pointers && numbers) {
        Py_BEGIN_ALLOW_THREADS
        run(&of, first, end, pointers, numbers);
        Py_END_ALLOW_THREADS
    }
    PyObject *done = pointers && numbers ? Py_NewRef(Py_None) : PyErr_NoMemory();
    PyMem_Free(pointers);
    PyMem_Free(numbers);
    for (int i = 0; i < ARRAYS; ++i)
        PyBuffer_Release(given + i);
    return done;
}

// The function for Python; this itself is called by ctypes, holding the lock of the interpreter.
PyObject *host_samples(void) {
    static PyMethodDef definition = {"call", call, METH_VARARGS, NULL};
    return PyCFunction_New(&definition, NULL);
}
