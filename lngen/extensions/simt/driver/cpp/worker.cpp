#include "worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <sstream>

#include "memory.h"

extern char** environ;

namespace driver {

namespace {
pid_t running;
int connection = -1;
std::string& unread = lasting<std::string>();

struct Loaded {
  size_t number;
  std::vector<std::string> kernels;
};
std::map<std::string, Loaded>& loaded = lasting<std::map<std::string, Loaded>>();

bool start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
  // A number that nothing has: what is duplicated there stays open in the worker.
  const int shared = 3 + std::max({ends[0], ends[1], memory_file()});
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, memory_file(), shared);
  std::string number = std::to_string(shared);
  char* arguments[] = {const_cast<char*>(settings.worker.c_str()), const_cast<char*>(number.c_str()), nullptr};
  const int failed = posix_spawn(&running, settings.worker.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  connection = ends[0];
  if (failed) {
    running = 0;
    end_worker();
    return false;
  }
  return ask("memory " + std::to_string(memory_bytes()), 60).word == "memory";
}

bool send_all(const std::string& text) {
  for (size_t sent = 0; sent < text.size();) {
    // A worker that is gone is an answer, not a signal that ends this process.
    const ssize_t more = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    sent += size_t(more);
  }
  return true;
}

using Clock = std::chrono::steady_clock;

bool read_line(std::string* line, Clock::time_point deadline) {
  size_t end;
  while ((end = unread.find('\n')) == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{connection, POLLIN, 0};
    const int count = left > 0 ? poll(&ready, 1, int(std::min<long long>(left, 1 << 30))) : 0;
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    char some[4096];
    const ssize_t more = read(connection, some, sizeof some);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    unread.append(some, size_t(more));
  }
  *line = unread.substr(0, end);
  unread.erase(0, end + 1);
  return true;
}

Answer read_answer(Clock::time_point deadline) {
  Answer answer{"lost", {}};
  std::string head, line;
  if (!read_line(&head, deadline)) return answer;
  std::istringstream words(head);
  std::string word;
  size_t count = 0;
  words >> word >> count;
  while (count-- && read_line(&line, deadline)) answer.lines.push_back(line);
  answer.word = word;
  return answer;
}
}  // namespace

Answer ask(const std::string& request, double seconds) {
  if (!running && !start()) return {"lost", {}};
  const auto deadline = Clock::now() + std::chrono::milliseconds(long(seconds * 1000));
  Answer answer = send_all(request + '\n') ? read_answer(deadline) : Answer{"lost", {}};
  if (answer.word == "crash" || answer.word == "lost") end_worker();
  return answer;
}

void end_worker() {
  loaded.clear();
  unread.clear();
  if (connection >= 0) close(connection);
  connection = -1;
  if (!running) return;
  kill(running, SIGKILL);
  waitpid(running, nullptr, 0);
  running = 0;
}

Result load(const std::string& path, size_t* number, std::vector<std::string>* kernels) {
  auto known = loaded.find(path);
  if (known == loaded.end()) {
    if (!running && !start()) return fail(INVALID_IMAGE, "the emulator's worker " + settings.worker + " cannot be started");
    const Answer answer = ask("load " + to_hex(path), 60);
    if (answer.word != "kernels")
      return fail(INVALID_IMAGE, path + ": " + (answer.lines.empty() ? answer.word : answer.lines[0]));
    known = loaded.insert({path, {loaded.size(), answer.lines}}).first;
  }
  *number = known->second.number;
  if (kernels) *kernels = known->second.kernels;
  return SUCCESS;
}

std::string to_hex(const void* bytes, size_t count) {
  static const char* digits = "0123456789abcdef";
  std::string text(2 * count, '0');
  for (size_t i = 0; i < count; ++i) {
    const unsigned char byte = static_cast<const unsigned char*>(bytes)[i];
    text[2 * i] = digits[byte >> 4];
    text[2 * i + 1] = digits[byte & 15];
  }
  return text;
}

std::string to_hex(const std::string& text) { return to_hex(text.data(), text.size()); }

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) bytes += char(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

}  // namespace driver

// The worker ends by itself when its input does, but a process that waits for its children would wait for it.
__attribute__((destructor)) static void at_exit() {
  if (driver::ready() == driver::SUCCESS) driver::end_worker();
}
