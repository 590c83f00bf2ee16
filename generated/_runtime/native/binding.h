// SPDX-License-Identifier: MIT
// What every call of compiled kernels has in common.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

// Pointers to arrays, Constants, and sizes; host_rows.h says which.
typedef void (*kernel)(void *const *, const double *, const long long *);

// Below so many bytes of arrays a kernel is done before another thread could have begun, and to release the lock of the
// interpreter may cost a wait of milliseconds until the others give it back.
enum { SMALL = 64 * 1024 };

// The kernels of a direction, as kernels.py writes them: of each its address, how many arrays it takes and the places of
// those, and how many numbers and the places of those.
struct steps {
    const int64_t *first, *end;
};

// Values by their places. Without `strides` they are of one sample, else arrays lie so many bytes apart from sample to
// sample.
struct values {
    char *const *arrays;
    const long long *strides;
    const double *numbers;
    const long long *sizes;
};

// Runs kernels on a sample; `pointers` and `constants` have room for all arrays and numbers.
static inline void run_steps(struct steps steps, struct values of, long long sample, void **pointers,
                             double *constants) {
    for (const int64_t *step = steps.first; step < steps.end;) {
        kernel function = (kernel)(intptr_t)*step++;
        int64_t count = *step++;
        for (int64_t i = 0; i < count; ++i, ++step) {
            char *start = of.arrays[*step];
            pointers[i] = start && of.strides ? start + sample * of.strides[*step] : start;
        }
        count = *step++;
        for (int64_t i = 0; i < count; ++i)
            constants[i] = of.numbers[*step++];
        function(pointers, constants, of.sizes);
    }
}
