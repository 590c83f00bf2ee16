// SPDX-License-Identifier: MIT
// Launches of kernels on a GPU, as words that Python writes once (cuda/words.py). PyTorch's calls, in C, launch by it.
#pragma once
#include <stdint.h>
#include <string.h>

// ---- of cuda.h, as far as it is used

struct attribute {
    int id;
    char filled[4];
    union {
        unsigned cluster[3];
        char bytes[64];
    } value;
};
struct configuration {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    struct attribute *attributes;
    unsigned attributes_count;
};
enum { CLUSTER_DIMENSION = 4 };
enum { BUFFER = 1, BUFFER_SIZE = 2 };  // what `extra` of a launch begins with

typedef int (*launch_function)(const struct configuration *, void *function, void **arguments, void **extra);

// ---- words

// Words of a kernel, and then two for each of its arguments: the place of an array and 0, WHOLE_NUMBER and a number of 64
// bits, SHORT_NUMBER and one of 32, or SINGLE or DOUBLE and the place of a Constant.
struct launch {
    int64_t function, blocks, threads, shared_bytes, cluster, arguments;
};
enum passed { WHOLE_NUMBER = -1, SINGLE = -2, DOUBLE = -3, SHORT_NUMBER = -4 };
enum { WORDS_OF_LAUNCH = sizeof(struct launch) / sizeof(int64_t), WORDS_OF_ARGUMENT = 2 };

// Parameters of a kernel lie behind each other, each at a multiple of its size; several may be members of one structure.
// No kernel has more: a call of PyTorch's has an array for each value and result, and its sizes.
enum { MOST_PARAMETERS = 512 };
struct parameters {
    char bytes[8 * MOST_PARAMETERS];
    size_t size;
};

static inline void pass(struct parameters *to, const void *from, size_t size) {
    to->size = (to->size + size - 1) / size * size;
    memcpy(to->bytes + to->size, from, size);
    to->size += size;
}

static inline void pass_argument(struct parameters *to, int64_t place, int64_t number, char *const *arrays,
                                 const double *numbers) {
    int32_t short_number = (int32_t)number;
    float single = place == SINGLE ? (float)numbers[number] : 0;
    if (place >= 0)
        pass(to, arrays + place, sizeof *arrays);
    else if (place == SINGLE)
        pass(to, &single, sizeof single);
    else if (place == DOUBLE)
        pass(to, numbers + number, sizeof *numbers);
    else if (place == SHORT_NUMBER)
        pass(to, &short_number, sizeof short_number);
    else
        pass(to, &number, sizeof number);
}

// Launches the kernels of some words on a stream; returns 0, or the driver's error.
static inline int launch_kernels(launch_function launch, const int64_t *words, const int64_t *end, char *const *arrays,
                                 const double *numbers, void *stream) {
    int failed = 0;
    while (!failed && words < end) {
        struct launch next;
        memcpy(&next, words, sizeof next);
        words += WORDS_OF_LAUNCH;
        struct parameters parameters;
        parameters.size = 0;
        for (int i = 0; i < next.arguments; ++i, words += WORDS_OF_ARGUMENT)
            pass_argument(&parameters, words[0], words[1], arrays, numbers);
        void *extra[] = {(void *)BUFFER, parameters.bytes, (void *)BUFFER_SIZE, &parameters.size, NULL};
        struct attribute attribute;
        memset(&attribute, 0, sizeof attribute);
        attribute.id = CLUSTER_DIMENSION;
        attribute.value.cluster[0] = (unsigned)next.cluster;
        attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
        struct configuration how = {{(unsigned)next.blocks, 1, 1}, {(unsigned)next.threads, 1, 1},
                                    (unsigned)next.shared_bytes, stream, &attribute, next.cluster > 1};
        failed = launch(&how, (void *)(intptr_t)next.function, NULL, extra);
    }
    return failed;
}
