// The process that kernels run in: what they break is this, and not the process that launched them.
//
// It maps the file that its parent passes by number, reads requests from its input, a line of words each, and answers
// on its output with a line `<word> <count>` and that many lines. Names and paths come as hexadecimal digits.
//
//     load PATH                                   -> kernels N; N lines `name signature`
//     memory BYTES                                -> memory 0; the shared file has grown to so much
//     symbol MODULE NAME                          -> symbol 1; a line of its bytes, or symbol 0
//     launch MODULE KERNEL gx gy gz bx by bz SHARED CLUSTER SCHEDULE SEED FIRST BLOCKS SECONDS ARGUMENTS REGIONS
//            then for each argument `v BYTES` a value, `p OFFSET` a pointer into the memory, `n` a null pointer;
//            then for each region OFFSET BYTES CELL WRITTEN NAME, with WRITTEN an offset or -1
//                                                 -> done 0 | findings N | refused N; lines of a report
//
// A signal that ends the process is answered too: `crash N`, with a line of what it was and where, then the report.
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "../include/simt/abi.h"

namespace {

struct Module {
  decltype(&simt_kernel_at) kernel_at;
  decltype(&simt_symbol) symbol;
  decltype(&simt_launch) launch;
  decltype(&simt_report) report;
  decltype(&simt_where) where;
  decltype(&simt_offset) offset;
};

std::vector<Module> modules;
const Module* running;
char* memory;
size_t memory_bytes;
int memory_file;
int answers;  // where they are written; what a kernel prints goes to the error output

void answer(const std::string& word, const std::string& lines) {
  size_t count = 0;
  for (const char c : lines) count += c == '\n';
  const std::string all = word + ' ' + std::to_string(count) + '\n' + lines;
  for (size_t sent = 0; sent < all.size();) {
    const ssize_t more = write(answers, all.data() + sent, all.size() - sent);
    if (more <= 0) _exit(1);
    sent += size_t(more);
  }
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) bytes += char(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string to_hex(const void* bytes, size_t count) {
  std::string digits;
  char two[3];
  for (size_t i = 0; i < count; ++i) {
    snprintf(two, sizeof two, "%02x", static_cast<const unsigned char*>(bytes)[i]);
    digits += two;
  }
  return digits;
}

void* code_of(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void*>(registers.gregs[REG_RIP]);
#else
  return reinterpret_cast<void*>(registers.pc);
#endif
}

// The process is lost, so what a signal handler may not do matters less than saying what happened; should it fail, the
// signal comes again with its usual effect.
void on_signal(int number, siginfo_t* info, void* context) {
  signal(SIGALRM, SIG_IGN);
  std::string where = "-";
  std::string report;
  char line[128];
  size_t code = 0;
  if (running) {
    unsigned at[6];
    if (running->where(at)) {
      snprintf(line, sizeof line, "%u,%u,%u:%u,%u,%u", at[0], at[1], at[2], at[3], at[4], at[5]);
      where = line;
    }
    code = running->offset(code_of(context));
    report = running->report();
  }
  const bool has_address = number == SIGSEGV || number == SIGBUS;
  long long offset = has_address ? static_cast<char*>(info->si_addr) - memory : -1;
  if (offset < 0 || size_t(offset) >= memory_bytes) offset = -1;
  snprintf(line, sizeof line, "%d %s %zx %lld\n", number, where.c_str(), code, offset);
  answer("crash", line + report);
  _exit(1);
}

void catch_signals() {
  static char stack[64 * 1024];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGALRM}) sigaction(number, &action, nullptr);
}

void limit(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = long(seconds);
  timer.it_value.tv_usec = long((seconds - double(long(seconds))) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

template <class F> bool find(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

// As many stacks as there are threads, or null. Each that can be used is two mappings, of which a process has 65530.
char* stacks_for(unsigned long long threads) {
  static char* stacks = nullptr;
  static size_t usable = 0, most = 0;
  if (!stacks || (threads > most && most == SIMT_MOST_THREADS)) {
    // Few launches have clusters, whose threads take more.
    if (stacks) munmap(stacks, most * SIMT_STACK_BYTES);
    usable = 0, most = threads > SIMT_MOST_THREADS ? SIMT_MOST_THREADS * SIMT_MOST_BLOCKS : SIMT_MOST_THREADS;
    void* reserved = mmap(nullptr, most * SIMT_STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return stacks = nullptr;
    stacks = static_cast<char*>(reserved);
  }
  for (; usable < threads && usable < most; ++usable) {
    char* stack = stacks + usable * SIMT_STACK_BYTES + SIMT_GUARD_BYTES;
    if (mprotect(stack, SIMT_STACK_BYTES - SIMT_GUARD_BYTES, PROT_READ | PROT_WRITE)) return nullptr;
  }
  return stacks;
}

void load(std::istream& words) {
  std::string path;
  words >> path;
  void* handle = dlopen(from_hex(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return answer("refused", std::string(dlerror()) + '\n');
  Module module{};
  decltype(&simt_abi) abi;
  const bool whole = find(handle, "simt_abi", abi) && find(handle, "simt_kernel_at", module.kernel_at) &&
                     find(handle, "simt_symbol", module.symbol) && find(handle, "simt_launch", module.launch) &&
                     find(handle, "simt_report", module.report) && find(handle, "simt_where", module.where) &&
                     find(handle, "simt_offset", module.offset);
  if (!whole || abi() != SIMT_ABI) return answer("refused", "not a module of this version of the emulator\n");
  modules.push_back(module);
  std::string lines;
  for (size_t i = 0; const simt_kernel* kernel = module.kernel_at(i); ++i)
    lines += std::string(kernel->name) + ' ' + kernel->signature + '\n';
  answer("kernels", lines);
}

void map_memory(std::istream& words) {
  if (memory) munmap(memory, memory_bytes);
  words >> memory_bytes;
  void* mapped = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_file, 0);
  memory = mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
  if (memory) answer("memory", "");
  else answer("refused", "the shared memory cannot be mapped\n");
}

void symbol(std::istream& words) {
  size_t module, bytes;
  std::string name;
  void* address;
  words >> module >> name;
  if (!modules.at(module).symbol(from_hex(name).c_str(), &address, &bytes)) return answer("symbol", "");
  answer("symbol", to_hex(address, bytes) + '\n');
}

void launch(std::istream& words) {
  size_t module, shared_bytes, argument_count, region_count;
  std::string kernel;
  unsigned grid_and_block[6];
  double seconds;
  simt_options options{};
  words >> module >> kernel;
  for (unsigned& number : grid_and_block) words >> number;
  words >> shared_bytes >> options.cluster >> options.schedule >> options.seed >> options.first_block >> options.blocks >> seconds;
  words >> argument_count >> region_count;

  // Pointers into them stay valid: a deque moves nothing.
  std::deque<std::string> values, names;
  std::deque<char*> pointers;
  std::vector<void*> arguments;
  for (size_t i = 0; i < argument_count; ++i) {
    std::string kind, word;
    words >> kind;
    if (kind != "n") words >> word;
    if (kind == "v") {
      values.push_back(from_hex(word));
      arguments.push_back(values.back().data());
    } else {
      pointers.push_back(kind == "n" ? nullptr : memory + std::stoll(word));
      arguments.push_back(&pointers.back());
    }
  }
  std::vector<simt_region> regions;
  for (size_t i = 0; i < region_count; ++i) {
    size_t offset, bytes, cell;
    long long written;
    std::string name;
    words >> offset >> bytes >> cell >> written >> name;
    names.push_back(from_hex(name));
    unsigned char* flags = written < 0 ? nullptr : reinterpret_cast<unsigned char*>(memory) + written;
    regions.push_back({memory + offset, bytes, cell, flags, names.back().c_str()});
  }
  options.regions = regions.data();
  options.region_count = regions.size();
  if (!words) return answer("refused", "the request cannot be read\n");
  const unsigned* block = grid_and_block + 3;
  options.stacks = stacks_for(1ull * block[0] * block[1] * block[2] * (options.cluster > 1 ? options.cluster : 1));
  if (!options.stacks) return answer("refused", "there is no memory for the threads' stacks\n");

  running = &modules.at(module);
  limit(seconds);
  const int outcome = running->launch(from_hex(kernel).c_str(), grid_and_block, shared_bytes, arguments.data(), &options);
  limit(0);
  answer(outcome == SIMT_DONE ? "done" : outcome == SIMT_FINDINGS ? "findings" : "refused", running->report());
  running = nullptr;
}

}  // namespace

int main(int, char** arguments) {
  memory_file = atoi(arguments[1]);
  answers = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  catch_signals();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string request;
    words >> request;
    if (request == "load") load(words);
    else if (request == "memory") map_memory(words);
    else if (request == "symbol") symbol(words);
    else if (request == "launch") launch(words);
    else answer("refused", "unknown request\n");
  }
  return 0;
}
