// Streams and events. Work is done when it is asked for: a stream has nothing to wait for. While it is captured, the
// work is kept for a graph instead.
#pragma once
#include <functional>
#include <set>
#include <vector>

#include "driver.h"

namespace driver {

using Work = std::function<Result()>;

struct Graph {
  std::vector<Work> work;
};

struct Stream {
  Graph* graph = nullptr;  // what it is captured in
  int mode = 0;
  bool is_invalid = false;
};

// SUCCESS for the default streams and those that were made and not destroyed, in a context.
Result known(Stream* stream);

// Does what a stream is asked to do, or keeps it where the stream is captured. Not to be called with the lock held.
Result perform(Stream* stream, Work work);

// SUCCESS unless a stream is captured in a mode that does not let memory be made, freed or waited for; or this one is.
Result allowed(const char* what);
Result allowed_on(Stream* stream, const char* what);

// Ends what a handle stands for.
template <class T> Result destroy(std::set<T*>& all, T* one, const char* what) {
  Lock lock(one_call);
  NEED(ready());
  if (!all.erase(one)) return fail(INVALID_HANDLE, std::string("no such ") + what);
  delete one;
  return SUCCESS;
}

}  // namespace driver
