// SPDX-License-Identifier: MIT
// A direction of a layer, called from Python with arguments as they usually are: each is looked at, results are made,
// parameters of another type converted, kernels run. All else goes to `otherwise`, a function of Python's, which says
// what is wrong with it or makes it fit.
#include "host_arguments.h"

// ---- what is made

static int disjoint(PyArrayObject *a, PyObject *other) {
    if (!other || !Py_IS_TYPE(other, &PyArray_Type))
        return 1;
    PyArrayObject *b = (PyArrayObject *)other;
    const char *first = PyArray_BYTES(a), *second = PyArray_BYTES(b);
    return first + PyArray_NBYTES(a) <= second || second + PyArray_NBYTES(b) <= first;
}

// Tests whether the caller's array can hold a result; the result is then computed into it.
static int accepted(Call *self, const struct work *work, int place, int type, PyObject *own) {
    struct array array;
    if (array_of(self, own, &array) != type || !same_shape(work, self->of.made[place].part, &array) ||
        !PyArray_ISWRITEABLE((PyArrayObject *)own))
        return 0;
    for (int i = 0; i < self->of.values; ++i)
        if (!disjoint((PyArrayObject *)own, work->values[i]))
            return 0;
    for (int i = 0; i < place; ++i)
        if (!disjoint((PyArrayObject *)own, work->made[i]))
            return 0;
    return 1;
}

static PyObject *new_array(Call *self, const struct work *work, int part, PyArray_Descr *descr) {
    int dimensions = part == ROW ? work->dimensions : part == ROW_SCALAR ? work->dimensions - 1 : part == FEATURE;
    const npy_intp *shape = part == FEATURE ? work->shape + work->dimensions - 1 : work->shape;
    npy_intp size = part == FEATURE ? work->features : part == NUMBER ? 1 : work->rows;
    if (part == ROW)
        size *= work->features;
    if (size * PyDataType_ELSIZE(descr) >= self->of.settings.large) {
        PyObject *sizes = PyArray_IntTupleFromIntp(dimensions, shape);
        if (!sizes)
            return NULL;
        PyObject *made = PyObject_CallFunctionObjArgs(object(self, EMPTY), sizes, (PyObject *)descr, NULL);
        Py_DECREF(sizes);
        return made;
    }
    Py_INCREF(descr);
    return PyArray_NewFromDescr(&PyArray_Type, descr, dimensions, shape, NULL, NULL, 0, NULL);
}

// The type of a result, or NULL where there is none.
static PyArray_Descr *type_of_result(Call *self, const struct work *work, const struct result *each) {
    if (each->of < 0)
        return descr(self, each->element == COMPUTED ? work->computed : work->stored);
    if (each->of < self->of.inputs)
        return work->inputs[each->of] == LEFT_OUT ? NULL : descr(self, work->inputs[each->of]);
    PyObject *argument = work->values[each->of - self->of.inputs];
    return argument == Py_None ? NULL : PyArray_DESCR((PyArrayObject *)argument);
}

static int make(Call *self, struct work *work, PyObject *out) {
    int single = self->of.settings.outputs == 1 && (self->of.settings.is_forward || self->of.made[0].of < 0);
    if (out != Py_None && !single &&
        (!(PyTuple_Check(out) || PyList_Check(out)) || PySequence_Fast_GET_SIZE(out) != self->of.settings.outputs))
        return UNUSUAL;
    for (int i = 0; i < self->of.results; ++i) {
        const struct result *each = self->of.made + i;
        PyArray_Descr *wanted = type_of_result(self, work, each);
        PyObject *own = out == Py_None || i >= self->of.settings.outputs ? Py_None
                        : single                             ? out
                                                             : PySequence_Fast_GET_ITEM(out, i);
        if (!wanted) {
            if (own != Py_None)
                return UNUSUAL;
            work->absent |= (uint64_t)1 << (self->of.values + i);
            continue;
        }
        int type = type_of(self, wanted);
        if (each->element == STORED && type != work->stored)
            return UNUSUAL;
        if (own != Py_None) {
            if (!accepted(self, work, i, type, own))
                return UNUSUAL;
            Py_INCREF(own);
        } else if (!(own = new_array(self, work, each->part, wanted))) {
            return FAILED;
        }
        work->made[i] = own;
    }
    return DONE;
}

// Returns the object that kernels are passed at a place: a value, a result, or a stand-in. It is NULL or None if
// absent.
static PyObject *passed(const Call *self, const struct work *work, int place) {
    if (work->own[place])
        return work->own[place];
    return place < self->of.values ? work->values[place] : work->made[place - self->of.values];
}

// Arrays of the type that is computed in for values and results of another type, which kernels do not take; and integers
// of 32 bits for others.
static int convert(Call *self, struct work *work) {
    PyArray_Descr *computed = descr(self, work->computed);
    for (int i = 0; i < self->of.values + self->of.results; ++i) {
        int is_value = i < self->of.values, of = i - self->of.values;
        PyObject *value = passed(self, work, i);
        int part = is_value ? self->of.given[i].part : self->of.made[of].part;
        int element = is_value ? self->of.given[i].element : self->of.made[of].element;
        if (element == WHOLE && value && value != Py_None && type_of(self, PyArray_DESCR((PyArrayObject *)value)) != INT32) {
            if (!(work->own[i] = PyObject_CallOneArg(object(self, WHOLE_OF), value)))
                return FAILED;
            continue;
        }
        if (element != CONVERTED || part == CONSTANT || !value || value == Py_None)
            continue;
        int is_array = Py_IS_TYPE(value, &PyArray_Type);
        if (is_array && type_of(self, PyArray_DESCR((PyArrayObject *)value)) == work->computed)
            continue;
        if (is_value && is_array) {
            Py_INCREF(computed);
            work->own[i] = PyArray_FromArray((PyArrayObject *)value, computed, NPY_ARRAY_CARRAY | NPY_ARRAY_FORCECAST);
        } else {
            work->own[i] = new_array(self, work, part, computed);
        }
        if (!work->own[i])
            return FAILED;
        if (is_value && !is_array && PyArray_SETITEM((PyArrayObject *)work->own[i],
                                                     PyArray_BYTES((PyArrayObject *)work->own[i]), value))
            return FAILED;
    }
    return DONE;
}

// ---- kernels

// Returns the objects that kernels are passed, as a Python list.
static PyObject *listed(Call *self, const struct work *work) {
    PyObject *list = PyList_New(self->of.values + self->of.results);
    for (int i = 0; list && i < self->of.values + self->of.results; ++i) {
        PyObject *each = passed(self, work, i);
        PyList_SET_ITEM(list, i, Py_NewRef(each ? each : Py_None));
    }
    return list;
}

static PyObject *planned(Call *self, const struct work *work) {
    PyObject *found = prepared(&self->of, work);
    if (found)
        return found;
    PyObject *list = listed(self, work);
    PyObject *steps = list ? PyObject_CallFunctionObjArgs(object(self, PREPARE), list, descr(self, work->stored),
                                                          descr(self, work->computed), NULL)
                           : NULL;
    Py_XDECREF(list);
    return prepare(&self->of, work, steps);
}

static int run_here(Call *self, struct work *work) {
    PyObject *steps = planned(self, work);
    if (!steps)
        return FAILED;
    int all = self->of.values + self->of.results;
    char *arrays[MOST + 1];
    double numbers[MOST];
    npy_intp bytes = 0;
    for (int i = 0; i < all; ++i) {
        PyObject *each = passed(self, work, i);
        arrays[i] = NULL;
        if (!each || each == Py_None)
            continue;
        if (PyFloat_CheckExact(each)) {
            numbers[i] = PyFloat_AS_DOUBLE(each);
            continue;
        }
        arrays[i] = PyArray_BYTES((PyArrayObject *)each);
        bytes += PyArray_NBYTES((PyArrayObject *)each);
        if (i >= self->of.values && self->of.made[i - self->of.values].is_zero)
            memset(arrays[i], 0, PyArray_NBYTES((PyArrayObject *)each));
    }
    return run_kernels(&self->of, work, one_chunk(&self->of, work), steps, arrays, numbers, bytes);
}

static int run(Call *self, struct work *work, PyObject *threads) {
    int outcome = FAILED;
    if (work->rows * work->features <= self->of.settings.most_entries) {
        outcome = run_here(self, work);
    } else {
        PyObject *list = listed(self, work), *shape = PyArray_IntTupleFromIntp(work->dimensions, work->shape);
        PyArray_Descr *stored = descr(self, work->stored), *computed = descr(self, work->computed);
        PyObject *done = NULL;
        if (list && shape)
            done = PyObject_CallFunctionObjArgs(object(self, RUN), list, shape, stored, computed, threads, NULL);
        outcome = done ? DONE : FAILED;
        Py_XDECREF(list);
        Py_XDECREF(shape);
        Py_XDECREF(done);
    }
    for (int i = 0; outcome == DONE && i < self->of.results; ++i) {
        PyObject *own = work->own[self->of.values + i];
        if (!own)
            continue;
        PyObject *done = PyObject_CallFunctionObjArgs(object(self, ROUND), work->made[i], Py_Ellipsis, own, NULL);
        outcome = done ? DONE : FAILED;
        Py_XDECREF(done);
    }
    return outcome;
}

// ---- what is returned

// A NamedTuple; its items are taken over, and NULL is None.
static PyObject *named(PyObject *type, PyObject *const *items, int count) {
    PyObject *made = ((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, count);
    for (int i = 0; made && i < count; ++i)
        PyTuple_SET_ITEM(made, i, Py_NewRef(items[i] ? items[i] : Py_None));
    return made;
}

static PyObject *results(Call *self, const struct work *work) {
    if (object(self, RESULT) == Py_None)
        return Py_NewRef(work->made[0]);
    return named(object(self, RESULT), work->made, (int)self->of.settings.outputs);
}

static PyObject *type_of_input(const Call *self, PyObject *value) {
    if (value == Py_None)
        return Py_None;
    return PyFloat_CheckExact(value) ? (PyObject *)descr(self, FLOAT64) : (PyObject *)PyArray_DESCR((PyArrayObject *)value);
}

static PyObject *saved(Call *self, const struct work *work) {
    PyObject *fields[MOST + 3], *types = PyTuple_New(self->of.inputs);
    PyObject *shape = PyArray_IntTupleFromIntp(work->dimensions, work->shape), *made = NULL;
    if (types && shape) {
        for (int i = 0; i < self->of.inputs; ++i)
            PyTuple_SET_ITEM(types, i, Py_NewRef(type_of_input(self, work->values[i])));
        fields[0] = shape;
        fields[1] = (PyObject *)descr(self, work->computed);
        fields[2] = types;
        for (int i = 0; i < self->of.fields; ++i) {
            int place = self->of.kept[i];
            fields[3 + i] = place < self->of.values ? work->values[place] : work->made[place - self->of.values];
        }
        made = named(object(self, SAVED), fields, 3 + self->of.fields);
    }
    Py_XDECREF(types);
    Py_XDECREF(shape);
    return made;
}

static PyObject *forward_result(Call *self, const struct work *work, int save) {
    PyObject *first = results(self, work), *second = save ? saved(self, work) : Py_NewRef(Py_None);
    PyObject *both = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return both;
}

// ---- the call

// values, save, out, threads of forward; saved, arguments, out, threads of what follows it.
static int take(Call *self, struct work *work, PyObject *const *given) {
    PyObject *own = self->of.settings.is_forward ? given[0] : given[1], *out = given[2], *threads = given[3];
    if (!PyLong_CheckExact(threads) || !PyTuple_CheckExact(own))
        return UNUSUAL;
    int several;
    if (PyLong_AsLongAndOverflow(threads, &several) < 1)
        return UNUSUAL;
    int count = (int)PyTuple_GET_SIZE(own), fields = self->of.settings.is_forward ? 0 : self->of.values - count;
    for (int i = 0; i < count && i < self->of.values; ++i)
        work->values[i] = PyTuple_GET_ITEM(own, i);
    int outcome;
    if (self->of.settings.is_forward) {
        if (count != self->of.values)
            return UNUSUAL;
        outcome = shape_of_rows(self, work);
        if (outcome == DONE && work->features < self->of.settings.least_features)
            outcome = UNUSUAL;
    } else {
        PyObject *kept = given[0];
        if (count != self->of.settings.cotangents + self->of.settings.moved)
            return UNUSUAL;
        if (!Py_IS_TYPE(kept, (PyTypeObject *)object(self, SAVED)) || PyTuple_GET_SIZE(kept) != fields + 3)
            return UNUSUAL;
        for (int i = 0; i < fields; ++i)
            work->values[count + i] = PyTuple_GET_ITEM(kept, 3 + i);
        outcome = take_saved(self, work, kept);
    }
    if (outcome == DONE)
        outcome = look(&self->of, work, self);
    if (outcome == DONE)
        outcome = make(self, work, out);
    if (outcome == DONE)
        outcome = convert(self, work);
    return outcome == DONE ? run(self, work, threads) : outcome;
}

static PyObject *call(Call *self, PyObject *const *given, Py_ssize_t count) {
    if (count != 4)
        return PyErr_Format(PyExc_TypeError, "call takes 4 arguments, not %zd", count);
    struct work work;
    int all = self->of.values + self->of.results;
    memset(work.arrays, 0, self->of.values * sizeof *work.arrays);
    memset(work.made, 0, self->of.results * sizeof *work.made);
    memset(work.own, 0, all * sizeof *work.own);
    int outcome = take(self, &work, given);
    PyObject *returned = NULL;
    if (outcome == DONE) {
        int save = self->of.settings.is_forward ? PyObject_IsTrue(given[1]) : 0;
        if (save >= 0)
            returned = self->of.settings.is_forward ? forward_result(self, &work, save) : results(self, &work);
    }
    for (int i = 0; i < self->of.results; ++i)
        Py_XDECREF(work.made[i]);
    for (int i = 0; i < all; ++i)
        Py_XDECREF(work.own[i]);
    return outcome == UNUSUAL ? PyObject_Vectorcall(object(self, OTHERWISE), given, 4, NULL) : returned;
}

// ---- the object

static int traverse(Call *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->objects);
    return 0;
}

static int clear(Call *self) {
    Py_CLEAR(self->objects);
    return 0;
}

static void deallocate(Call *self) {
    PyObject_GC_UnTrack(self);
    clear(self);
    for (int i = 0; i < SEEN; ++i)
        Py_XDECREF(self->seen[i].descr);
    forget(&self->of);
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {{"call", (PyCFunction)(void (*)(void))call, METH_FASTCALL, NULL},
                                {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_traverse, traverse}, {Py_tp_clear, clear}, {Py_tp_dealloc, deallocate},
                              {Py_tp_methods, methods},   {0, NULL}};

// The direction that objects, values, results, kept, is_row, widest and settings describe, as calls.py has them; None if
// there is no room for so many values and results.
static PyObject *make_call(PyObject *type, PyObject *args) {
    PyObject *objects;
    Py_buffer given[6];
    if (!PyArg_ParseTuple(args, "O!y*y*y*y*y*y*", &PyTuple_Type, &objects, given, given + 1, given + 2, given + 3,
                          given + 4, given + 5))
        return NULL;
    Call *self = (Call *)((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, 0);
    if (self) {
        self->objects = Py_NewRef(objects);
        describe(&self->of, given);
        PyObject *known = PyTuple_GET_ITEM(objects, DTYPES);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(known); ++i)
            type_of(self, (PyArray_Descr *)PyTuple_GET_ITEM(known, i));
        if (self->of.values + self->of.results > MOST)
            Py_SETREF(self, (Call *)Py_NewRef(Py_None));
    }
    for (int i = 0; i < 6; ++i)
        PyBuffer_Release(given + i);
    return (PyObject *)self;
}

// The function that makes a direction; this itself is called by ctypes, holding the lock of the interpreter.
PyObject *host_call(void) {
    static PyMethodDef definition = {"make_call", make_call, METH_VARARGS, NULL};
    if (PyArray_ImportNumPyAPI() < 0)
        return NULL;
    return maker(&definition, "lngen.HostCall", sizeof(Call), slots);
}
