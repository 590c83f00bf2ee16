// SPDX-License-Identifier: MIT
// Addresses of tensors of the processor, for calls that kernels alone have a say in. Tensors are reached by DLPack's
// table of C functions, so that no header of their library is needed. torch/guards.py says what `form` is, and does the
// same without this file.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <ctype.h>
#include <stdint.h>
#include <string.h>

// ---- of dlpack.h 1.3, as far as it is used

struct version {
    uint32_t major, minor;
};
struct data_type {
    uint8_t code, bits;
    uint16_t lanes;
};
struct tensor {
    void *data;
    int32_t device, id, dimensions;
    struct data_type type;
    int64_t *shape, *strides;
    uint64_t offset;
};
struct exchange {
    struct version version;
    void *before, *allocate, *managed_of, *object_of;
    int (*tensor_of)(void *, struct tensor *);
};
enum { PROCESSOR = 1, SIGNED = 0, FLOAT = 2, BFLOAT = 4 };

// Types of rows with one that parameters have beside them, by their names in kernels.
static const struct {
    const char *name;
    struct data_type stored, parameters;
} types[] = {
    {"f32", {FLOAT, 32, 1}, {FLOAT, 32, 1}},
    {"f64", {FLOAT, 64, 1}, {FLOAT, 64, 1}},
    {"f16", {FLOAT, 16, 1}, {FLOAT, 32, 1}},
    {"bf16", {BFLOAT, 16, 1}, {FLOAT, 32, 1}},
    {"f16_f16", {FLOAT, 16, 1}, {FLOAT, 16, 1}},
    {"bf16_bf16", {BFLOAT, 16, 1}, {BFLOAT, 16, 1}},
};
enum { TYPES = 6, MOST_FEATURES = 1 << 30 };
static const struct data_type INT32 = {SIGNED, 32, 1};

// What the function was made with, in this order. From HOOKS on they are functions, which return 0, False or None where
// no mode, cast, profiler or hook has a say in a call; the first one takes False.
enum { EXCHANGE, IGNORED, TENSOR, PARAMETER, FORWARD_AD, RECORDS, INCLUDED, HOOKS, SILENT };

static PyObject *requires_grad, *is_neg, *raw_repr, *current_level, *names[TYPES];

static int is_false(PyObject *found) {  // takes the reference
    int is = found == Py_False || found == Py_None || (found && PyLong_Check(found) && PyObject_Not(found) == 1);
    Py_XDECREF(found);
    return is;
}

static int is_alone(PyObject *self) {
    PyObject *level = PyObject_GetAttr(PyTuple_GET_ITEM(self, FORWARD_AD), current_level);
    int has_tangents = !level || PyLong_AsLong(level) >= 0;
    Py_XDECREF(level);
    if (has_tangents || !is_false(PyObject_CallOneArg(PyTuple_GET_ITEM(self, HOOKS), Py_False)))
        return 0;
    for (Py_ssize_t i = SILENT; i < PyTuple_GET_SIZE(self); ++i)
        if (!is_false(PyObject_CallNoArgs(PyTuple_GET_ITEM(self, i))))
            return 0;
    PyObject *set = PyObject_CallNoArgs(PyTuple_GET_ITEM(self, INCLUDED));
    PyObject *bits = set ? PyObject_CallMethodNoArgs(set, raw_repr) : NULL;
    unsigned long long here = bits ? PyLong_AsUnsignedLongLongMask(bits) : ~0ull;
    Py_XDECREF(set);
    Py_XDECREF(bits);
    return !(here & ~PyLong_AsUnsignedLongLongMask(PyTuple_GET_ITEM(self, IGNORED)));
}

// Looks at a tensor that memory of the processor stands for, and nothing else. One without memory, as transforms have
// them, is refused by the table; one may stand for the negative of its memory.
static int look(PyObject *self, PyObject *value, struct tensor *to) {
    PyObject *type = (PyObject *)Py_TYPE(value);
    if (type != PyTuple_GET_ITEM(self, TENSOR) && type != PyTuple_GET_ITEM(self, PARAMETER))
        return 0;
    const struct exchange *exchange = PyCapsule_GetPointer(PyTuple_GET_ITEM(self, EXCHANGE), "dlpack_exchange_api");
    if (!is_false(PyObject_CallMethodNoArgs(value, is_neg)) || exchange->tensor_of(value, to))
        return 0;
    return to->device == PROCESSOR && to->data;
}

static int is_dense(const struct tensor *of) {
    int64_t step = 1;
    for (int i = of->dimensions; i--; step *= of->shape[i])
        if (of->shape[i] != 1 && of->strides && of->strides[i] != step)
            return 0;
    return 1;
}

static int has_type(const struct tensor *of, struct data_type type) {
    return !memcmp(&of->type, &type, sizeof type);
}

// Tests whether a tensor has the shape and the type that a letter stands for, beside rows of a type.
static int fits(char letter, const struct tensor *of, const struct tensor *rows, int stored) {
    int lead = rows->dimensions - 1, is_integer = strchr("ijkl", letter) != NULL;
    if (!has_type(of, is_integer ? INT32 : strchr("rs", letter) ? types[stored].stored : types[stored].parameters))
        return 0;
    if (strchr("rj", letter))
        return of->dimensions == lead + 1 && !memcmp(of->shape, rows->shape, (lead + 1) * sizeof *of->shape);
    if (strchr("si", letter))
        return of->dimensions == lead && !memcmp(of->shape, rows->shape, lead * sizeof *of->shape);
    if (strchr("fl", letter))
        return of->dimensions == 1 && of->shape[0] == rows->shape[lead];
    return of->dimensions == 0;
}

static int all_fit(const char *form, PyObject *const *given, const struct tensor *tensors, const struct tensor *rows, int stored) {
    for (; *form; ++form, ++given, ++tensors)
        if (*given != Py_None && !(fits(tolower(*form), tensors, rows, stored) && is_dense(tensors)))
            return 0;
    return 1;
}

// The address of each tensor, after whether autograd records the call, the type of the rows, how many there are, and D;
// or None where not kernels alone have a say, or a tensor is not as `form` has it. Of a form of stars the first alone.
static PyObject *addresses_of(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    Py_ssize_t length;
    const char *form = count > 1 ? PyUnicode_AsUTF8AndSize(given[0], &length) : NULL;
    if (!form || length != count - 1 || length > 60)
        return PyErr_Format(PyExc_TypeError, "pass a form, and a tensor or None for each letter of it");
    struct tensor tensors[60], *rows = NULL;
    int is_recorded = 0, stored = 0;
    if (!is_alone(self))
        goto otherwise;
    for (Py_ssize_t i = 0; i < length; ++i) {
        PyObject *value = given[i + 1];
        if (value == Py_None && !isupper(form[i]))
            continue;
        if (!look(self, value, tensors + i))
            goto otherwise;
        if (!rows && tolower(form[i]) == 'r')
            rows = tensors + i;
        if (!is_recorded) {
            PyObject *found = PyObject_GetAttr(value, requires_grad);
            is_recorded = found == Py_True;
            Py_XDECREF(found);
        }
    }
    is_recorded = is_recorded && !is_false(PyObject_CallNoArgs(PyTuple_GET_ITEM(self, RECORDS)));
    if (form[0] == '*')
        return PyBool_FromLong(is_recorded);
    if (!rows || rows->dimensions == 0)
        goto otherwise;
    int64_t features = rows->shape[rows->dimensions - 1], entries = 1;
    for (int i = 0; i < rows->dimensions; ++i)
        entries *= rows->shape[i];
    if (!entries || features > MOST_FEATURES)
        goto otherwise;
    while (stored < TYPES && !all_fit(form, given + 1, tensors, rows, stored))
        ++stored;
    if (stored == TYPES)
        goto otherwise;
    PyObject *found = PyTuple_New(4 + length);
    if (!found)
        return NULL;
    PyTuple_SET_ITEM(found, 0, PyBool_FromLong(is_recorded));
    PyTuple_SET_ITEM(found, 1, Py_NewRef(names[stored]));
    PyTuple_SET_ITEM(found, 2, PyLong_FromLongLong(entries / features));
    PyTuple_SET_ITEM(found, 3, PyLong_FromLongLong(features));
    for (Py_ssize_t i = 0; i < length; ++i) {
        int is_there = given[i + 1] != Py_None;
        PyTuple_SET_ITEM(found, 4 + i, PyLong_FromVoidPtr(is_there ? (char *)tensors[i].data + tensors[i].offset : NULL));
    }
    return found;
otherwise:
    PyErr_Clear();
    Py_RETURN_NONE;
}

static PyObject *prepare(PyObject *self, PyObject *objects) {
    static PyMethodDef definition = {"addresses", (PyCFunction)(void (*)(void))addresses_of, METH_FASTCALL, NULL};
    (void)self;
    const struct exchange *exchange = PyCapsule_GetPointer(PyTuple_GET_ITEM(objects, EXCHANGE), "dlpack_exchange_api");
    if (!exchange)
        return NULL;
    if (exchange->version.major != 1)
        Py_RETURN_NONE;
    return PyCFunction_New(&definition, objects);
}

// The function that makes `addresses`; this itself is called by ctypes, holding the lock of the interpreter.
PyObject *addresses(void) {
    static PyMethodDef definition = {"prepare", prepare, METH_VARARGS, NULL};
    requires_grad = PyUnicode_InternFromString("requires_grad");
    is_neg = PyUnicode_InternFromString("is_neg");
    raw_repr = PyUnicode_InternFromString("raw_repr");
    current_level = PyUnicode_InternFromString("_current_level");
    for (int i = 0; i < TYPES; ++i)
        names[i] = PyUnicode_InternFromString(types[i].name);
    return PyCFunction_New(&definition, NULL);
}
