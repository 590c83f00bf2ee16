#include "fibre.h"

#include <cstdint>

// The registers that a called function must leave as they were, and nothing else: to the compiler it is a call.
#if defined(__x86_64__)

asm(R"(
    .text
    .globl simt_switch
    .hidden simt_switch
    .type simt_switch, @function
simt_switch:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size simt_switch, . - simt_switch
)");

static void* prepare(char* top, void (*start)()) {
  void** stack = reinterpret_cast<void**>(top);
  *--stack = nullptr;  // where a caller's return address would be
  *--stack = reinterpret_cast<void*>(start);
  for (int saved = 0; saved < 6; ++saved) *--stack = nullptr;
  return stack;
}

#elif defined(__aarch64__)

asm(R"(
    .text
    .globl simt_switch
    .hidden simt_switch
    .type simt_switch, %function
simt_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size simt_switch, . - simt_switch
)");

static void* prepare(char* top, void (*start)()) {
  void** stack = reinterpret_cast<void**>(top) - 20;
  for (int saved = 0; saved < 20; ++saved) stack[saved] = nullptr;
  stack[11] = reinterpret_cast<void*>(start);  // x30, the link register
  return stack;
}

#else
#error "lngen's emulator runs on x86-64 and aarch64; another processor needs its context switch here"
#endif

namespace simt {

void* Stacks::fresh(size_t index, void (*start)()) { return prepare(first_ + (index + 1) * SIMT_STACK_BYTES, start); }

bool Stacks::holds(size_t index, const void* address) const {
  const char* at = static_cast<const char*>(address);
  const char* bottom = first_ + index * SIMT_STACK_BYTES;
  return at >= bottom + SIMT_GUARD_BYTES && at < bottom + SIMT_STACK_BYTES;
}

}  // namespace simt
