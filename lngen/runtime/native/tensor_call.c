// SPDX-License-Identifier: MIT
// A direction of a layer, called with tensors as they usually are: each is looked at, results are made, kernels run or,
// on a GPU, are launched. Tensors are reached by DLPack's table of C functions, so that no header of their library is
// needed. For any other call the answer is None, and nothing was changed.
#include "tensor_conversions.h"
#include "tensor_launches.h"

// ---- what may have a say in a call

static int is_false(PyObject *function) {
    PyObject *found = PyObject_CallNoArgs(function);
    int is = found == Py_False || found == Py_None || (found && PyLong_Check(found) && PyObject_Not(found) == 1);
    Py_XDECREF(found);
    return is;
}

static unsigned long long keys(PyObject *function) {
    PyObject *set = PyObject_CallNoArgs(function), *bits = set ? PyObject_CallMethodNoArgs(set, raw_repr) : NULL;
    unsigned long long found = bits ? PyLong_AsUnsignedLongLongMask(bits) : ~0ull;
    Py_XDECREF(set);
    Py_XDECREF(bits);
    return found;
}

static int is_alone(const TensorCall *self) {
    PyObject *level = PyObject_GetAttr(object(self, LEVEL_OF), current_level);
    int has_tangents = !level || PyLong_AsLong(level) >= 0;
    Py_XDECREF(level);
    if (has_tangents)
        return 0;
    for (Py_ssize_t i = SILENT; i < PyTuple_GET_SIZE(self->objects); ++i)
        if (!is_false(PyTuple_GET_ITEM(self->objects, i)))
            return 0;
    // The usual call has no keys but those of its device, which nothing excludes, and what is excluded need not be asked.
    unsigned long long here = (self->plain | keys(object(self, INCLUDED))) & ~self->ignored;
    return here == self->left || (here & ~keys(object(self, EXCLUDED))) == self->left;
}

static int is_recorded(const TensorCall *self, PyObject *arguments) {
    if (is_false(object(self, RECORDS)))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments); ++i) {
        if (!is_tensor(self, PyTuple_GET_ITEM(arguments, i)))
            continue;
        PyObject *found = PyObject_GetAttr(PyTuple_GET_ITEM(arguments, i), requires_grad);
        Py_XDECREF(found);
        if (found == Py_True)
            return 1;
    }
    return 0;
}

// ---- the call

// The shape of the first rows among the inputs and, of what follows forward, the types of these. An array that was
// looked at has data.
static int take_inputs(TensorCall *self, struct work *work, PyObject *arguments, struct array *arrays) {
    int outcome = UNUSUAL, widest = FLOAT16;
    for (int i = 0; i < self->of.inputs; ++i) {
        PyObject *value = PyTuple_GET_ITEM(arguments, i);
        struct array *array = arrays + i;
        work->inputs[i] = LEFT_OUT;
        array->data = NULL;
        if (value == Py_None || (self->of.settings.is_forward && (outcome == DONE || !self->of.is_row[i])))
            continue;
        work->inputs[i] = array_of(self, value, array);
        if (work->inputs[i] == UNKNOWN)
            return UNUSUAL;
        if (outcome != DONE && self->of.is_row[i] && (outcome = take_shape(work, array->shape, array->dimensions)) != DONE)
            return outcome;
        if (work->inputs[i] < TYPES && self->of.widest[work->inputs[i]] > widest)
            widest = self->of.widest[work->inputs[i]];
    }
    work->computed = widest;
    return outcome == DONE && work->features >= self->of.settings.least_features ? DONE : UNUSUAL;
}

static int take(TensorCall *self, struct work *work, PyObject *arguments, PyObject *row_scalars) {
    self->id = -1;
    if (PyTuple_GET_SIZE(arguments) < self->arguments)
        return UNUSUAL;
    struct array looked_at[MOST];
    int outcome = take_inputs(self, work, arguments, looked_at), is_launched = self->driver.launch != NULL, here;
    if (outcome != DONE)
        return UNUSUAL;
    if (is_launched ? self->driver.current_device(&here) || here != self->id
                    : work->rows * work->features >= self->most_entries)
        return UNUSUAL;
    struct array kept = {0};
    if (row_scalars && (array_of(self, row_scalars, &kept) != work->computed || kept.dimensions != work->dimensions ||
                        memcmp(kept.shape + 1, work->shape, (work->dimensions - 1) * sizeof *work->shape)))
        return UNUSUAL;
    for (int i = 0; i < self->of.values; ++i) {
        int place = self->places[i];
        work->arrays[i].data = NULL;
        if (place >= 0 && place < self->of.inputs)
            work->arrays[i] = looked_at[place];
        work->values[i] = place < 0 ? row_scalars : PyTuple_GET_ITEM(arguments, place);
        if (place >= 0)
            continue;
        int64_t start = (-1 - place) * work->rows * (types[work->computed].bits / 8);
        work->arrays[i] = (struct array){kept.data + start, work->shape, work->dimensions - 1, work->computed, 0};
    }
    outcome = look(&self->of, work, self);
    for (int i = 0; outcome == DONE && i < self->of.values; ++i) {
        if (self->of.given[i].part == CONSTANT) {
            double value = PyFloat_AS_DOUBLE(work->values[i]);
            if (!isfinite(value) || (value < 0 && !self->signs[i]))
                return UNUSUAL;
        }
        int is_array = work->values[i] != Py_None && !PyFloat_CheckExact(work->values[i]);
        struct sides of = sides_of(self, work, i);
        if (!is_launched && is_array && of.outside != of.inside && !is_converted(of.outside, work->arrays[i].whole, of.inside))
            return UNUSUAL;
    }
    return outcome;
}

// Makes results, and for row scalars one tensor if they are to be `kept`.
static int make(TensorCall *self, struct work *work, char **arrays, char *scratch, PyObject **kept) {
    const struct settings *settings = &self->of.settings;
    int64_t size = work->rows * (types[work->computed].bits / 8);
    if (kept && self->of.results > settings->outputs) {
        int64_t shape[MOST_AXES + 1] = {self->of.results - settings->outputs};
        memcpy(shape + 1, work->shape, (work->dimensions - 1) * sizeof *shape);
        if (!(*kept = new_tensor(self, types[work->computed], work->dimensions, shape, &scratch)))
            return FAILED;
    }
    for (int i = 0; i < self->of.results; ++i) {
        const struct result *each = self->of.made + i;
        char **to = arrays + self->of.values + i;
        *to = NULL;
        if (i >= settings->outputs) {
            // On a GPU, kernels that save nothing write none.
            *to = self->driver.launch && !kept ? NULL : scratch + (i - settings->outputs) * size;
            continue;
        }
        struct sides of = sides_of(self, work, self->of.values + i);
        int type = of.outside;
        if (type == LEFT_OUT) {
            work->absent |= (uint64_t)1 << (self->of.values + i);
            continue;
        }
        if (self->driver.launch ? each->is_zero : type != of.inside && !is_converted(type, 0, of.inside))
            return UNUSUAL;
        int is_feature = each->part == FEATURE;
        int dimensions = each->part == ROW ? work->dimensions : each->part == ROW_SCALAR ? work->dimensions - 1 : is_feature;
        int64_t *shape = is_feature ? work->shape + work->dimensions - 1 : work->shape;
        if (!(work->made[i] = new_tensor(self, types[type], dimensions, shape, to)))
            return FAILED;
        if (each->is_zero)
            memset(*to, 0, entries(work, each->part) * (types[type].bits / 8));
    }
    return DONE;
}

// Finds how the rows of a larger call are cut; 0 with an exception.
static int cut_of(TensorCall *self, const struct work *work, struct cut *cut) {
    int64_t words[] = {work->rows, work->features, work->stored};
    PyObject *key = PyBytes_FromStringAndSize((const char *)words, sizeof words);
    PyObject *found = key ? PyDict_GetItemWithError(self->plans, key) : NULL;
    Py_XINCREF(found);
    if (key && !found && !PyErr_Occurred()) {
        found = PyObject_CallFunction(object(self, CUT), "LLi", (long long)work->rows, (long long)work->features, work->stored);
        if (found)
            remember(self, key, &found);
    }
    int is_found = found && PyArg_ParseTuple(found, "LLL", &cut->chunks, &cut->entries, &cut->streams);
    Py_XDECREF(key);
    Py_XDECREF(found);
    return is_found;
}

static int run_here(TensorCall *self, struct work *work, char **arrays, double *numbers) {
    PyObject *steps = prepared(&self->of, work);
    if (!steps) {
        PyObject *list = PyList_New(self->of.values + self->of.results);
        for (int i = 0; list && i < self->of.values + self->of.results; ++i)
            PyList_SET_ITEM(list, i, Py_NewRef(work->absent >> i & 1 ? Py_None : Py_True));
        steps = list ? PyObject_CallFunction(object(self, PREPARE), "Oii", list, work->stored, work->computed) : NULL;
        Py_XDECREF(list);
        if (!(steps = prepare(&self->of, work, steps)))
            return FAILED;
    }
    int64_t bytes = 0;
    for (int i = 0; i < self->of.values; ++i)
        bytes += entries(work, self->of.given[i].part) * sizeof(float);
    struct cut cut = one_chunk(&self->of, work);
    if (work->rows * work->features > self->of.settings.most_entries && !cut_of(self, work, &cut))
        return FAILED;
    return run_kernels(&self->of, work, cut, steps, arrays, numbers, bytes);
}

// Runs kernels here, with memory in place of what has another type than they take.
static int run_converted(TensorCall *self, struct work *work, char **arrays, double *numbers) {
    struct sides of[MOST];
    char *outside[MOST], *memory = NULL;
    int places[MOST], count = 0;
    int64_t bytes = 0;
    for (int i = 0; i < self->of.values + self->of.results; ++i) {
        of[count] = sides_of(self, work, i);
        if (arrays[i] && of[count].outside != of[count].inside) {
            bytes += of[count].entries * (types[of[count].inside].bits / 8);
            places[count++] = i;
        }
    }
    if (count && !(memory = PyMem_RawMalloc(bytes))) {
        PyErr_NoMemory();
        return FAILED;
    }
    char *next = memory;
    for (int i = 0; i < count; ++i) {
        int place = places[i];
        outside[i] = arrays[place];
        arrays[place] = next;
        next += of[i].entries * (types[of[i].inside].bits / 8);
        if (place < self->of.values)
            convert_to_inside(of[i].outside, outside[i], arrays[place], of[i].entries);
        else if (self->of.made[place - self->of.values].is_zero)
            memset(arrays[place], 0, next - arrays[place]);
    }
    int outcome = run_here(self, work, arrays, numbers);
    for (int i = 0; outcome == DONE && i < count; ++i)
        if (places[i] >= self->of.values)
            convert_to_outside(of[i].outside, (const float *)arrays[places[i]], outside[i], of[i].entries);
    PyMem_RawFree(memory);
    return outcome;
}

static int run(TensorCall *self, struct work *work, char **arrays, PyObject *arguments) {
    double numbers[MOST];
    for (int i = 0; i < self->of.values; ++i) {
        PyObject *each = work->values[i];
        arrays[i] = NULL;
        if (PyFloat_CheckExact(each))
            numbers[i] = PyFloat_AS_DOUBLE(each);
        else if (each != Py_None)
            arrays[i] = work->arrays[i].data;
    }
    return self->driver.launch ? launch(self, work, arrays, numbers, arguments) : run_converted(self, work, arrays, numbers);
}

static PyObject *results(const TensorCall *self, const struct work *work) {
    int count = (int)self->of.settings.outputs;
    PyObject *made = PyTuple_New(count);
    for (int i = 0; made && i < count; ++i)
        PyTuple_SET_ITEM(made, i, Py_NewRef(work->made[i] ? work->made[i] : Py_None));
    return made;
}

enum { SCRATCH = 2048 };  // bytes of row scalars that a call without any use for them keeps on the stack

// Computes; `kept` is NULL if row scalars are of no use.
static int compute(TensorCall *self, struct work *work, PyObject *arguments, PyObject **kept) {
    char *arrays[MOST + 1];
    double few[SCRATCH / sizeof(double)];
    memset(work->made, 0, self->of.results * sizeof *work->made);
    int64_t wanted = (self->of.results - self->of.settings.outputs) * work->rows * (int64_t)sizeof(double);
    char *scratch = kept || self->driver.launch || wanted <= SCRATCH ? (char *)few : PyMem_RawMalloc(wanted);
    if (!scratch) {
        PyErr_NoMemory();
        return FAILED;
    }
    int outcome = make(self, work, arrays, scratch, kept);
    if (outcome == DONE)
        outcome = run(self, work, arrays, arguments);
    if (scratch != (char *)few)
        PyMem_RawFree(scratch);
    return outcome;
}

static PyObject *finished(TensorCall *self, struct work *work, int outcome, PyObject *kept, int is_direct) {
    PyObject *returned = NULL;
    if (outcome == DONE && is_direct && self->of.settings.outputs == 1)
        returned = Py_NewRef(work->made[0]);
    else if (outcome == DONE)
        returned = kept ? Py_BuildValue("NO", results(self, work), kept) : results(self, work);
    for (int i = 0; i < self->of.settings.outputs; ++i)
        Py_XDECREF(work->made[i]);
    Py_XDECREF(kept);
    if (outcome == UNUSUAL)
        Py_RETURN_NONE;
    return returned;
}

// Arguments with a float for each whole number, which may stand for a Constant: a new reference, or NULL.
static PyObject *with_floats(PyObject *arguments) {
    Py_ssize_t count = PyTuple_GET_SIZE(arguments), first = 0;
    while (first < count && !PyLong_CheckExact(PyTuple_GET_ITEM(arguments, first)))
        ++first;
    if (first == count)
        return Py_NewRef(arguments);
    PyObject *found = PyTuple_New(count);
    for (Py_ssize_t i = 0; found && i < count; ++i) {
        PyObject *each = PyTuple_GET_ITEM(arguments, i);
        PyObject *own = PyLong_CheckExact(each) ? PyNumber_Float(each) : Py_NewRef(each);
        if (!own)
            Py_CLEAR(found);
        else
            PyTuple_SET_ITEM(found, i, own);
    }
    return found;
}

static PyObject *direct_of_floats(TensorCall *self, PyObject *arguments) {
    struct work work;
    if (take(self, &work, arguments, NULL) != DONE) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    if (is_recorded(self, arguments))
        return PyObject_Call(object(self, APPLY), arguments, NULL);
    return finished(self, &work, compute(self, &work, arguments, NULL), NULL, 1);
}

// Forward as `at_once` of dispatch.py has it: the outputs, or None if the call is not for kernels alone.
static PyObject *direct(TensorCall *self, PyObject *arguments) {
    PyObject *given = PyTuple_CheckExact(arguments) && is_alone(self) ? with_floats(arguments) : NULL;
    if (!given) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    PyObject *found = direct_of_floats(self, given);
    Py_DECREF(given);
    return found;
}

// The outputs of forward and its row scalars, where `direct` has looked at what has a say; or, given those, the results
// of what follows it.
static PyObject *run_call(TensorCall *self, PyObject *const *given, Py_ssize_t count) {
    if (count != 2 || !PyTuple_CheckExact(given[0]))
        return PyErr_Format(PyExc_TypeError, "run takes a tuple of arguments, and row scalars or None");
    struct work work;
    PyObject *kept = NULL;
    int is_usual = self->of.settings.is_forward || (is_alone(self) && is_false(object(self, RECORDS)));
    PyObject *row_scalars = given[1] == Py_None ? NULL : given[1];
    int outcome = is_usual ? take(self, &work, given[0], row_scalars) : UNUSUAL;
    if (outcome != DONE) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    if (self->of.settings.is_forward && self->of.results == self->of.settings.outputs)
        kept = Py_NewRef(Py_None);
    outcome = compute(self, &work, given[0], self->of.settings.is_forward ? &kept : NULL);
    return finished(self, &work, outcome, kept, 0);
}

static int traverse(TensorCall *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->objects);
    Py_VISIT(self->plans);
    return 0;
}

static int clear(TensorCall *self) {
    Py_CLEAR(self->objects);
    Py_CLEAR(self->plans);
    return 0;
}

static void deallocate(TensorCall *self) {
    PyObject_GC_UnTrack(self);
    clear(self);
    Py_XDECREF(self->capsule);
    forget(&self->of);
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {{"direct", (PyCFunction)direct, METH_O, NULL},
                                {"run", (PyCFunction)(void (*)(void))run_call, METH_FASTCALL, NULL},
                                {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_traverse, traverse}, {Py_tp_clear, clear}, {Py_tp_dealloc, deallocate},
                              {Py_tp_methods, methods},   {0, NULL}};

// The direction that objects, the tables of calls.py, places, signs, keys and addresses of the driver describe, for
// tensors of a device and of a table of functions; None if there is no room for so many values and results, or if the
// table is of another version.
static PyObject *make_tensor_call(PyObject *type, PyObject *args) {
    PyObject *objects, *capsule;
    int device;
    Py_buffer given[10];
    if (!PyArg_ParseTuple(args, "O!Oiy*y*y*y*y*y*y*y*y*y*", &PyTuple_Type, &objects, &capsule, &device, given,
                          given + 1, given + 2, given + 3, given + 4, given + 5, given + 6, given + 7, given + 8,
                          given + 9))
        return NULL;
    const struct exchange *exchange = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    TensorCall *self = exchange ? (TensorCall *)((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, 0) : NULL;
    if (self) {
        self->objects = Py_NewRef(objects);
        self->capsule = Py_NewRef(capsule);
        self->exchange = exchange;
        describe(&self->of, given);
        copied(given + 6, self->places, sizeof *self->places, MOST);
        self->arguments = self->of.inputs;
        for (int i = 0; i < self->of.values; ++i)
            if (self->places[i] >= self->arguments)
                self->arguments = self->places[i] + 1;
        copied(given + 7, self->signs, sizeof *self->signs, MOST);
        unsigned long long bits[4] = {0};
        copied(given + 8, bits, sizeof *bits, 4);
        self->most_entries = (long long)bits[3];
        copied(given + 9, &self->driver, sizeof(void *), sizeof self->driver / sizeof(void *));
        self->device = device;
        self->plans = PyDict_New();
        self->plain = bits[0], self->ignored = bits[1], self->left = bits[2];
        if (self->of.values + self->of.results > MOST || exchange->version.major != 1)
            Py_SETREF(self, (TensorCall *)Py_NewRef(Py_None));
    }
    for (int i = 0; i < 10; ++i)
        PyBuffer_Release(given + i);
    return (PyObject *)self;
}

// The function that makes a direction; this itself is called by ctypes, holding the lock of the interpreter.
PyObject *tensor_call(void) {
    static PyMethodDef definition = {"make_tensor_call", make_tensor_call, METH_VARARGS, NULL};
    requires_grad = PyUnicode_InternFromString("requires_grad");
    is_neg = PyUnicode_InternFromString("is_neg");
    raw_repr = PyUnicode_InternFromString("raw_repr");
    current_level = PyUnicode_InternFromString("_current_level");
    return maker(&definition, "lngen.TensorCall", sizeof(TensorCall), slots);
}
