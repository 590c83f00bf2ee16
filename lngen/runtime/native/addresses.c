// SPDX-License-Identifier: MIT
// Calls of kernels on tensors of the processor that kernels alone have a say in, reached by DLPack's table of C functions,
// so that no header of their library is needed. torch/guards.py says what `run` takes, and does the same without this file.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <ctype.h>
#include <stdint.h>
#include <string.h>

// ---- of dlpack.h 1.3, as far as it is used

struct data_type { uint8_t code, bits; uint16_t lanes; };
struct tensor { void *data; int32_t device, id, dimensions; struct data_type type; int64_t *shape, *strides; uint64_t offset; };
struct managed { uint32_t version[2]; void *manager, *deleter; uint64_t flags; struct tensor tensor; };
struct exchange {
    uint32_t major, minor;
    void *before;
    int (*allocate)(struct tensor *, struct managed **, void *, void (*)(void *, const char *, const char *));
    void *managed_of;
    int (*object_of)(struct managed *, PyObject **);
    int (*tensor_of)(PyObject *, struct tensor *);
};

// Types of rows with those of parameters and of row scalars beside them, by their names in kernels.
#define F32 {2, 32, 1}
static const struct { const char *name; struct data_type stored, parameters, computed; } types[] = {
    {"f32", F32, F32, F32}, {"f64", {2, 64, 1}, {2, 64, 1}, {2, 64, 1}},
    {"f16", {2, 16, 1}, F32, F32}, {"bf16", {4, 16, 1}, F32, F32},
    {"f16_f16", {2, 16, 1}, {2, 16, 1}, F32}, {"bf16_bf16", {4, 16, 1}, {4, 16, 1}, F32},
};
static const struct data_type INT32 = {0, 32, 1};
enum { PROCESSOR = 1, TYPES = 6, MOST = 60 };
static int64_t limits[2];  // of compiled.py and guards.py
enum { MOST_FEATURES, SHARED };
struct kernels {  // `CompiledKernels.native`
    void (*of_rows)(void **, const double *, const long long *), (*of_sums)(void **, const double *, const long long *);
    int64_t has_sums, columns, scalars, computed, chunks, few_chunks, chunk_rows, chunk_entries, held_entries, line;
};
struct argument { PyObject *value; struct tensor tensor; const int64_t *table; char letter, is_made, kernel; };
// Rows, which are counted by entries alone, and the values that stand for so many columns of a run.
struct rows { struct argument *first; int64_t count, D, runs, run; int are_counted, is_recorded; };

// What `run` was made with. From SILENT on they are functions, which return 0, False or None where no mode, cast, profiler
// or hook has a say in a call.
enum { EXCHANGE, LIMITS, IGNORED, TENSOR, PARAMETER, OTHERWISE, FORWARD_AD, RECORDS, INCLUDED, SILENT };
enum { KERNELS, FORM, LEAST, ABSENT, NUMBERS, KEPT, GIVEN };  // what `run` takes

static PyObject *requires_grad, *is_neg, *raw_repr, *current_level, *native, *names[TYPES];

static int is_false(PyObject *found) {  // takes the reference
    int is = found == Py_False || found == Py_None || (found && PyLong_Check(found) && PyObject_Not(found) == 1);
    Py_XDECREF(found);
    return is;
}

static int is_alone(PyObject *self) {
    PyObject *level = PyObject_GetAttr(PyTuple_GET_ITEM(self, FORWARD_AD), current_level);
    int is_seen = !level || PyLong_AsLong(level) >= 0;
    Py_XDECREF(level);
    for (Py_ssize_t i = SILENT; i < PyTuple_GET_SIZE(self) && !is_seen; ++i)
        is_seen = !is_false(PyObject_CallNoArgs(PyTuple_GET_ITEM(self, i)));
    if (is_seen)
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
static int look(PyObject *self, const struct exchange *by, PyObject *value, struct tensor *to) {
    PyObject *type = (PyObject *)Py_TYPE(value);
    return (type == PyTuple_GET_ITEM(self, TENSOR) || type == PyTuple_GET_ITEM(self, PARAMETER)) &&
           is_false(PyObject_CallMethodNoArgs(value, is_neg)) && !by->tensor_of(value, to) &&
           to->device == PROCESSOR && to->data;
}

// Row scalars are numbered from 0 on, in the characters of ASCII before its letters.
static int is_scalar(char letter) { return letter >= '0' && letter <= '@'; }

static int is_type(struct data_type one, struct data_type other) { return !memcmp(&one, &other, sizeof one); }

// A tensor of the shape that a letter stands for beside rows.
static struct tensor shaped(char letter, const struct rows *rows, struct data_type type) {
    struct tensor like = rows->first->tensor;
    int lead = rows->are_counted ? 1 : like.dimensions - 1, is_feature = strchr("fl", letter) != NULL;
    if (rows->are_counted && !strchr("rj", letter))
        like.shape = (int64_t *)&rows->count;  // and D, and runs
    if (!strchr("rj", letter))
        like.dimensions = strchr("sic", letter) ? lead : is_feature;
    like.shape += letter == 'c' ? 2 : is_feature ? lead : 0, like.strides = NULL, like.type = type;
    return like;
}

static int64_t entries_of(struct tensor of) {
    int64_t count = 1;
    for (int i = 0; i < of.dimensions; ++i)
        count *= of.shape[i];
    return count;
}

// Tests whether a tensor has no gaps, and the shape, or the entries, and the type that its letter stands for.
static int fits(const struct argument *own, const struct rows *rows, int stored) {
    struct data_type type = strchr("rsc", own->letter) ? types[stored].stored : types[stored].parameters;
    struct tensor of = own->tensor, wanted = shaped(own->letter, rows, strchr("ijkl", own->letter) ? INT32 : type);
    int64_t step = 1;
    for (int i = of.dimensions; i--; step *= of.shape[i])
        if (of.shape[i] != 1 && of.strides && of.strides[i] != step)
            return 0;
    return is_type(of.type, wanted.type) && (own->table || (rows->are_counted ? step == entries_of(wanted) :
           of.dimensions == wanted.dimensions && !memcmp(of.shape, wanted.shape, of.dimensions * sizeof *of.shape)));
}

static void refuse(void *Py_UNUSED(self), const char *Py_UNUSED(kind), const char *problem) {
    PyErr_SetString(PyExc_MemoryError, problem);
}

static PyObject *allocated(const struct exchange *by, struct tensor like, void **data) {
    struct managed *managed;
    PyObject *object = NULL;
    if (!by->allocate(&like, &managed, NULL, refuse))
        *data = managed->tensor.data, by->object_of(managed, &object);
    return object;
}

// A result, of the shape of its tensor if that has as many entries.
static PyObject *made(const struct exchange *by, const struct argument *own, const struct rows *rows, void **data) {
    struct tensor like = shaped(own->letter, rows, own->tensor.type);
    if (rows->are_counted && entries_of(like) == entries_of(own->tensor))
        like.dimensions = own->tensor.dimensions, like.shape = own->tensor.shape;
    return allocated(by, like, data);
}

static int64_t in_lines(int64_t entries, int64_t line) { return (entries + line - 1) / line * line; }

// Runs the kernels of a call on one thread. Returns the results in a tuple, or alone if there is one.
static PyObject *computed(const struct exchange *by, PyObject *const *call, const struct argument *all, int count,
                          const struct rows *rows, int stored) {
    int64_t D = rows->D, entries = rows->count * D, shape[] = {0, rows->count}, counts[] = {0, 1};
    long long sizes[] = {shape[1], D, 1, 0, 1, 0, rows->run};
    PyObject *key = PyTuple_New(1 + PyTuple_GET_SIZE(call[ABSENT])), *results = PyList_New(0), *found = NULL, *kernel;
    PyObject *bits = NULL, *room = NULL, *saved = NULL;
    struct tensor scalars = {.device = PROCESSOR, .dimensions = 2, .shape = shape, .type = types[stored].computed};
    void *at[2][2 * MOST + 2] = {{NULL}}, *kept;
    double constants[MOST];
    PyTuple_SET_ITEM(key, 0, Py_NewRef(names[stored]));
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(key); ++i)
        PyTuple_SET_ITEM(key, i, Py_NewRef(PyTuple_GET_ITEM(call[ABSENT], i - 1)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call[NUMBERS]) && i < MOST; ++i)
        constants[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(call[NUMBERS], i));
    for (int i = 0; i < count; ++i)
        shape[0] = is_scalar(all[i].letter) ? Py_MAX(shape[0], all[i].letter - '0' + 1) : shape[0];
    kernel = PyObject_GetItem(call[KERNELS], key);
    if (!kernel || !(bits = PyObject_GetAttr(kernel, native)))
        goto end;
    const struct kernels *kernels = (void *)PyBytes_AS_STRING(bits);
    int64_t most = kernels->has_sums ? Py_MAX(kernels->few_chunks, sizes[0] / kernels->chunk_rows) : kernels->chunks;
    most = Py_MIN(most, Py_MIN(kernels->chunks, entries / kernels->chunk_entries));
    sizes[2] = sizes[4] = Py_MAX(Py_MIN(most, sizes[0]), 1);
    int64_t line = kernels->line, step = sizes[0] * kernels->computed;
    int64_t columns = kernels->columns * (in_lines(D, line) + line) + in_lines(kernels->scalars, line);
    int64_t work = kernels->of_sums ? (sizes[2] * columns + line) * kernels->computed : 0;
    if (!(room = PyBytes_FromStringAndSize(NULL, work + shape[0] * step)))
        goto end;
    kept = PyBytes_AS_STRING(room) + work;
    if (call[KEPT] == Py_None || (call[KEPT] == Py_True && rows->is_recorded))
        saved = shape[0] ? allocated(by, scalars, &kept) : Py_NewRef(Py_False);
    else if (call[KEPT] == Py_True)
        saved = Py_NewRef(Py_None);
    else if (call[KEPT] != Py_False && shape[0]) {
        if (by->tensor_of(call[KEPT], &scalars) || scalars.shape[1] != shape[1] ||
            !is_type(scalars.type, types[stored].computed)) {
            found = Py_NewRef(Py_None);  // other rows than forward saw, which Python has words for
            goto end;
        }
        kept = (char *)scalars.data + scalars.offset;
    }
    for (int i = 0; i < count; ++i) {
        void *place = is_scalar(all[i].letter) ? (char *)kept + (all[i].letter - '0') * step : NULL;
        if (all[i].is_made) {
            PyObject *one = all[i].value == Py_None ? Py_NewRef(Py_None) : made(by, all + i, rows, &place);
            int is_wrong = !one || PyList_Append(results, one);
            Py_XDECREF(one);
            if (is_wrong)
                goto end;
        } else if (all[i].value != Py_None)
            place = (char *)all[i].tensor.data + all[i].tensor.offset;
        if (all[i].kernel < 2)
            at[(int)all[i].kernel][counts[(int)all[i].kernel]++] = place;
    }
    if (PyErr_Occurred() || (saved && PyList_Append(results, saved)))
        goto end;
    at[0][counts[0]] = at[1][0] = PyBytes_AS_STRING(room);
    int64_t tables = counts[0] + kernels->has_sums;
    for (int i = 0; i < counts[0]; ++i)
        at[0][tables + i] = (void *)all[i].table;
    PyThreadState *thread = entries > kernels->held_entries ? PyEval_SaveThread() : NULL;
    kernels->of_rows(at[0], constants, sizes);
    if (kernels->of_sums)
        kernels->of_sums(at[1], constants, sizes);
    if (thread)
        PyEval_RestoreThread(thread);
    found = PyList_GET_SIZE(results) == 1 ? Py_NewRef(PyList_GET_ITEM(results, 0)) : PyList_AsTuple(results);
end:
    for (int i = 0; i < 6; ++i)
        Py_XDECREF(((PyObject *[]){key, results, kernel, bits, room, saved})[i]);
    return found;
}

static PyObject *run(PyObject *self, PyObject *const *call, Py_ssize_t given) {
    const struct exchange *by = PyCapsule_GetPointer(PyTuple_GET_ITEM(self, EXCHANGE), "dlpack_exchange_api");
    const char *form = given > GIVEN && given < MOST ? PyUnicode_AsUTF8(call[FORM]) : NULL;
    struct argument all[MOST];
    struct rows rows = {.are_counted = form && *form == '='};
    PyObject *large[MOST + 1];
    int count = 0, stored = 0, kernel = 0;
    int64_t entries, least;
    Py_ssize_t next = GIVEN;
    if (!is_alone(self))
        goto otherwise;
    form += rows.are_counted;
    for (; form && *form && count < MOST; ++form) {
        if (*form == '|') {
            ++kernel;
            continue;
        }
        struct argument *own = all + count++, *same = all;
        int is_apart = *form == '*';
        own->is_made = *form == '+', form += own->is_made + is_apart, own->letter = tolower(*form), own->kernel = kernel;
        own->value = is_scalar(*form) || next == given ? Py_None : call[next];
        next += !is_scalar(*form);
        own->table = is_apart && next < given ? (const int64_t *)PyBytes_AS_STRING(call[next]) + 1 : NULL;
        next += is_apart;
        if (own->value == Py_None && (!isupper(*form) || next > given))
            continue;
        for (; same->value != own->value; ++same)  // one that is passed again is looked at once
            ;
        own->tensor = same->tensor;
        if (same == own && !look(self, by, own->value, &own->tensor))
            goto otherwise;
        rows.is_recorded = rows.is_recorded || !is_false(PyObject_GetAttr(own->value, requires_grad));
        rows.first = !rows.first && own->letter == 'r' && !own->is_made && !own->table ? own : rows.first;
        rows.run = own->table ? Py_MAX(rows.run, own->table[-1]) : rows.run;
    }
    if (count == MOST || given >= MOST)
        goto otherwise;
    if (next != given)
        return PyErr_Format(PyExc_TypeError, "pass a tensor or None for each letter of a form");
    if (!rows.first || rows.first->tensor.dimensions == 0)
        goto otherwise;
    entries = entries_of(rows.first->tensor), least = PyLong_AsLongLong(call[LEAST]);
    rows.D = rows.are_counted ? least : rows.first->tensor.shape[rows.first->tensor.dimensions - 1];
    if (!entries || rows.D > limits[MOST_FEATURES] || rows.D < least || rows.D < 1 || entries % rows.D)
        goto otherwise;
    rows.count = entries / rows.D, rows.run = rows.run ? rows.run : rows.D, rows.runs = entries / rows.run;
    for (int i = 0; i < count && stored < TYPES; ++i)
        if (all[i].value != Py_None && !all[i].is_made && !fits(all + i, &rows, stored))
            ++stored, i = -1;
    if (stored == TYPES)
        goto otherwise;
    rows.is_recorded = rows.is_recorded && !is_false(PyObject_CallNoArgs(PyTuple_GET_ITEM(self, RECORDS)));
    if (rows.is_recorded && call[KEPT] != Py_True && call[KEPT] != Py_None)
        Py_RETURN_TRUE;
    if (entries < limits[SHARED])
        return computed(by, call, all, count, &rows, stored);
    large[0] = names[stored], memcpy(large + 1, call, given * sizeof *call);
    large[1 + KEPT] = call[KEPT] == Py_True && rows.is_recorded ? Py_None : call[KEPT];
    return PyObject_Vectorcall(PyTuple_GET_ITEM(self, OTHERWISE), large, given + 1, NULL);
otherwise:
    PyErr_Clear();
    Py_RETURN_NONE;
}

static PyObject *prepare(PyObject *Py_UNUSED(self), PyObject *objects) {
    static PyMethodDef definition = {"run", (PyCFunction)(void (*)(void))run, METH_FASTCALL, NULL};
    const struct exchange *by = PyCapsule_GetPointer(PyTuple_GET_ITEM(objects, EXCHANGE), "dlpack_exchange_api");
    memcpy(limits, PyBytes_AS_STRING(PyTuple_GET_ITEM(objects, LIMITS)), sizeof limits);
    return !by ? NULL : by->major != 1 ? Py_NewRef(Py_None) : PyCFunction_New(&definition, objects);
}

// The function that makes `run`; this itself is called by ctypes, holding the lock of the interpreter.
PyObject *addresses(void) {
    static PyMethodDef definition = {"prepare", prepare, METH_VARARGS, NULL};
    PyObject **words[] = {&requires_grad, &is_neg, &raw_repr, &current_level, &native};
    const char *texts[] = {"requires_grad", "is_neg", "raw_repr", "_current_level", "native"};
    for (int i = 0; i < 5; ++i)
        *words[i] = PyUnicode_InternFromString(texts[i]);
    for (int i = 0; i < TYPES; ++i)
        names[i] = PyUnicode_InternFromString(types[i].name);
    return PyCFunction_New(&definition, NULL);
}
