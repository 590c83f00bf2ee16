// Arithmetic and accesses that C++ leaves undefined, as -fsanitize=alignment,bounds,... makes g++ report them.
#include "findings.h"
#include "scheduler.h"

namespace {

// Head of every record that g++ passes.
struct Source {
  const char* file;
  uint32_t line, column;
};
struct Mismatch {
  Source source;
  const void* type;
  unsigned char log_alignment, kind;
};

simt::Finding finding(const char* kind, const void* code) {
  simt::Finding made{kind};
  made.code = simt::offset_of_call(code);
  return made;
}

}  // namespace

#define HOOK extern "C" __attribute__((visibility("hidden")))
#define CODE __builtin_return_address(0)

HOOK void __ubsan_handle_type_mismatch_v1(Mismatch* mismatch, void* address) {
  if (!simt_current) return;
  const unsigned alignment = 1u << mismatch->log_alignment;
  simt::Finding made = finding("misaligned access", CODE);
  made.text = "an address that is " + std::to_string(uintptr_t(address) % alignment) + " past a multiple of " +
              std::to_string(alignment) + " bytes";
  simt::report(made);
  simt::abandon();
}

HOOK void __ubsan_handle_out_of_bounds(Source*, void* index) {
  if (!simt_current) return;
  simt::Finding made = finding("out of bounds", CODE);
  made.text = "index " + std::to_string(intptr_t(index)) + " of an array";
  simt::report(made);
  simt::abandon();
}

#define ARITHMETIC(name, what, ...)                                        \
  HOOK void __ubsan_handle_##name(Source*, ##__VA_ARGS__) {                \
    if (!simt_current) return;                                             \
    simt::Finding made = finding("undefined arithmetic", CODE);            \
    made.text = what;                                                      \
    simt::report(made);                                                    \
  }
ARITHMETIC(add_overflow, "a sum of integers overflows", void*, void*)
ARITHMETIC(sub_overflow, "a difference of integers overflows", void*, void*)
ARITHMETIC(mul_overflow, "a product of integers overflows", void*, void*)
ARITHMETIC(negate_overflow, "the negative of an integer overflows", void*)
ARITHMETIC(divrem_overflow, "an integer is divided by zero, or the quotient overflows", void*, void*)
ARITHMETIC(shift_out_of_bounds, "a shift by more bits than there are, or of a negative number", void*, void*)
