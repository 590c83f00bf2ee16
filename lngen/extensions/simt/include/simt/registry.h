// The table of a module's kernels: name, types of the arguments, and a call from pointers to their values.
#pragma once
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "abi.h"

namespace simt {

template <class T> std::string word() {
  if constexpr (std::is_pointer<T>::value) {
    using Pointee = std::remove_pointer_t<T>;
    return std::string(std::is_const<Pointee>::value ? "*c" : "*") + word<std::remove_cv_t<Pointee>>();
  } else if constexpr (std::is_void<T>::value) {
    return "v0";
  } else {
    const char kind = std::is_same<T, __half>::value          ? 'h'
                      : std::is_same<T, __nv_bfloat16>::value ? 'b'
                      : std::is_floating_point<T>::value      ? 'f'
                      : std::is_same<T, bool>::value          ? '?'
                      : !std::is_integral<T>::value           ? 's'
                      : std::is_signed<T>::value              ? 'i'
                                                              : 'u';
    const std::string found = kind + std::to_string(sizeof(T));
    return kind == 's' ? found + "/" + std::to_string(alignof(T)) : found;
  }
}

template <auto KERNEL> struct Entry;
template <class... A, void (*KERNEL)(A...)> struct Entry<KERNEL> {
  static const char* signature() {
    static const std::string words = ((word<A>() + " ") + ... + "");
    return words.c_str();
  }
  template <size_t... I>
  __attribute__((no_sanitize("thread", "undefined"))) static void call(void** arguments, std::index_sequence<I...>) {
    KERNEL(*static_cast<std::remove_cv_t<std::remove_reference_t<A>>*>(arguments[I])...);
  }
  __attribute__((no_sanitize("thread", "undefined"))) static void call(void** arguments) {
    call(arguments, std::index_sequence_for<A...>());
  }
};

template <class... A> constexpr unsigned arguments_of(void (*)(A...)) { return sizeof...(A); }

}  // namespace simt

#define SIMT_KERNEL(name)                                                                                      \
  {#name, simt::Entry<&name>::signature(), simt::arguments_of(&name), \
   static_cast<void (*)(void**)>(&simt::Entry<&name>::call)}
