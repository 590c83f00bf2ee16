// In place of PyCUDA's header of this name, which all of its element-wise kernels include: a C++ compiler for CPUs lacks
// functions that its complex arithmetic needs. Kernels of real numbers do without.
#pragma once

namespace pycuda {
template <class T> struct complex {
  T real_, imaginary_;
};
}  // namespace pycuda
