// SPDX-License-Identifier: MIT
// Tensors of a library that has DLPack's table of C functions, as arguments and results of a call: no header of the
// library is needed.
#pragma once
#include "call_arguments.h"
#include "launches.h"

// ---- of dlpack.h 1.3, as far as it is used

struct version {
    uint32_t major, minor;
};
struct device {
    int32_t type, id;
};
struct data_type {
    uint8_t code, bits;
    uint16_t lanes;
};
struct tensor {
    void *data;
    struct device device;
    int32_t dimensions;
    struct data_type type;
    int64_t *shape, *strides;
    uint64_t offset;
};
struct managed {
    struct version version;
    void *manager;
    void (*deleter)(struct managed *);
    uint64_t flags;
    struct tensor tensor;
};
typedef void (*refused)(void *, const char *kind, const char *message);
struct exchange {
    struct version version;
    void *before;
    int (*allocate)(struct tensor *like, struct managed **, void *, refused);
    int (*managed_of)(void *, struct managed **);
    int (*object_of)(struct managed *, void **);
    int (*tensor_of)(void *, struct tensor *);
    int (*stream)(int32_t type, int32_t id, void **);
};
enum { PROCESSOR = 1, SIGNED = 0, UNSIGNED = 1, FLOAT = 2, BFLOAT = 4, BOOLEAN = 6 };

// ---- the driver

// Functions of the driver in the order of `DRIVER` in torch/calls.py.
struct driver {
    int (*current_device)(int *);
    int (*current_context)(void **);
    launch_function launch;
};

// ---- the object

// Arguments of the constructor, in this order. APPLY records a call for autograd. The functions from INCLUDED on say what
// else may have a say in a call; torch/dispatch.py lists them.
enum object { PREPARE, CUT, TENSOR, PARAMETER, APPLY, RECORDS, INCLUDED, EXCLUDED, LEVEL_OF, SILENT };

typedef struct {
    PyObject_HEAD
    PyObject *objects;
    struct direction of;
    const struct exchange *exchange;
    PyObject *capsule;
    int device;           // as DLPack has it
    int id;               // of the device of the tensors of a call, or -1
    struct driver driver;  // without functions for the processor
    PyObject *plans;       // by the bytes of a key: how rows are cut, and launches
    long long most_entries;  // of a call that one thread computes
    int places[MOST];  // of each value among the arguments; of a row scalar -1 less its number
    int arguments;     // that a call has at the least
    int signs[MOST];   // whether each value, if it is a Constant, may be negative; by plan, each argument
    // Keys of a plain tensor, those that decide nothing, and what is left of a call's that kernels alone have a say in.
    unsigned long long plain, ignored, left;
} TensorCall;

static PyObject *requires_grad, *is_neg, *raw_repr, *current_level;

static PyObject *object(const TensorCall *self, enum object which) {
    return PyTuple_GET_ITEM(self->objects, which);
}

enum { MOST_PLANS = 1024 };

// Keeps a plan for calls of a key; clears it if it cannot.
static void remember(TensorCall *self, PyObject *key, PyObject **plan) {
    if (PyDict_GET_SIZE(self->plans) >= MOST_PLANS)
        PyDict_Clear(self->plans);
    if (PyDict_SetItem(self->plans, key, *plan))
        Py_CLEAR(*plan);
}

// ---- tensors

static const struct data_type types[] = {
    [FLOAT16] = {FLOAT, 16, 1}, [BFLOAT16] = {BFLOAT, 16, 1}, [FLOAT32] = {FLOAT, 32, 1}, [FLOAT64] = {FLOAT, 64, 1},
    [INT32] = {SIGNED, 32, 1},
};

static int type_of(struct data_type given) {
    for (int type = 0; type <= INT32; ++type)
        if (!memcmp(&given, types + type, sizeof given))
            return type;
    int is_integer = given.code == SIGNED || given.code == UNSIGNED || given.code == BOOLEAN;
    return is_integer && given.lanes == 1 ? INTEGER : UNKNOWN;
}

static int is_tensor(const TensorCall *self, PyObject *object_) {
    return (PyObject *)Py_TYPE(object_) == object(self, TENSOR) || (PyObject *)Py_TYPE(object_) == object(self, PARAMETER);
}

static int is_dense(const struct tensor *of) {
    int64_t step = 1;
    for (int i = of->dimensions; i--; step *= of->shape[i])
        if (of->shape[i] != 1 && of->strides && of->strides[i] != step)
            return 0;
    return 1;
}

// Looks at an object: whether it is a tensor that memory of the call's device stands for, and for nothing else.
static int is_plain_tensor(TensorCall *self, PyObject *value, struct tensor *to) {
    if (!is_tensor(self, value))
        return 0;
    // A tensor without memory, as transforms have them, is refused; one may stand for the negative of its memory.
    PyObject *negative = PyObject_CallMethodNoArgs(value, is_neg);
    int is_usual = negative == Py_False && !self->exchange->tensor_of(value, to);
    Py_XDECREF(negative);
    PyErr_Clear();
    if (!is_usual || to->device.type != self->device || !to->data || (self->id >= 0 && to->device.id != self->id))
        return 0;
    self->id = to->device.id;
    return 1;
}

static int array_of(void *given, PyObject *value, struct array *to) {
    struct tensor found;
    if (!is_plain_tensor(given, value, &found) || !is_dense(&found))
        return UNKNOWN;
    int whole = found.type.code << 8 | found.type.bits;
    *to = (struct array){(char *)found.data + found.offset, found.shape, found.dimensions, type_of(found.type), whole};
    return to->type;
}

static void refuse(void *context, const char *kind, const char *message) {
    (void)context;
    PyErr_Format(PyExc_RuntimeError, "%s: %s", kind, message);
}

// A new tensor, and where it lies.
static PyObject *new_tensor(const TensorCall *self, struct data_type type, int dimensions, int64_t *shape, char **data) {
    struct tensor like = {.device = {self->device, self->id}, .dimensions = dimensions, .type = type, .shape = shape};
    struct managed *managed = NULL;
    void *made = NULL;
    if (self->exchange->allocate(&like, &managed, NULL, refuse))
        return NULL;
    *data = (char *)managed->tensor.data + managed->tensor.offset;
    return self->exchange->object_of(managed, &made) ? NULL : made;
}

static int64_t entries(const struct work *work, int part) {
    return part == ROW ? work->rows * work->features : part == ROW_SCALAR ? work->rows : part == FEATURE ? work->features : 1;
}
