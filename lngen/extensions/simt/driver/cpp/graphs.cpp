// Graphs: what a stream was asked to do while it was captured, to be done again by one launch.
#include "streams.h"

namespace driver {

namespace {
struct Executable {
  std::vector<Work> work;
};
std::set<Stream*>& captured = lasting<std::set<Stream*>>();
std::set<Graph*>& graphs = lasting<std::set<Graph*>>();
std::set<Executable*>& executables = lasting<std::set<Executable*>>();

// The numbers of CUstreamCaptureMode and CUstreamCaptureStatus.
constexpr int RELAXED = 2;
enum { NOT_CAPTURED = 0, CAPTURED = 1, INVALIDATED = 2 };

Result invalidate(Result code, const std::string& text) {
  for (Stream* stream : captured) stream->is_invalid = true;
  return fail(code, text);
}
}  // namespace

// 0 and 1 name the stream that waits for all others; 2 is none that the emulator captures.
bool is_captured(Stream* stream) { return uintptr_t(stream) > 2 && captured.count(stream); }

Result allowed(const char* what) {
  for (const Stream* stream : captured)
    if (stream->mode != RELAXED) return invalidate(CAPTURE_UNSUPPORTED, std::string(what) + " while a stream is captured");
  return SUCCESS;
}

Result allowed_on(Stream* stream, const char* what) {
  if (is_captured(stream)) return invalidate(CAPTURE_UNSUPPORTED, std::string(what) + " of a stream that is captured");
  return SUCCESS;
}

Result perform(Stream* stream, Work work) {
  {
    Lock lock(one_call);
    NEED(known(stream));
    if (is_captured(stream)) {
      stream->graph->work.push_back(std::move(work));
      return SUCCESS;
    }
    if (uintptr_t(stream) <= 1 && !captured.empty())
      return invalidate(CAPTURE_IMPLICIT, "the default stream would wait for one that is captured");
  }
  return work();
}

}  // namespace driver

using namespace driver;

API cuStreamBeginCapture_v2(Stream* stream, int mode) {
  Lock lock(one_call);
  NEED(known(stream));
  if (uintptr_t(stream) <= 2) return fail(CAPTURE_UNSUPPORTED, "a default stream cannot be captured");
  if (is_captured(stream)) return fail(INVALID_VALUE, "the stream is captured already");
  *stream = {*graphs.insert(new Graph).first, mode, false};
  captured.insert(stream);
  return SUCCESS;
}
API cuStreamEndCapture(Stream* stream, Graph** graph) {
  Lock lock(one_call);
  NEED(known(stream));
  *graph = nullptr;
  if (!is_captured(stream)) return fail(INVALID_VALUE, "the stream is not captured");
  captured.erase(stream);
  if (stream->is_invalid) {
    NEED(destroy(graphs, stream->graph, "graph"));
    return fail(CAPTURE_INVALIDATED, "an earlier call was not allowed");
  }
  *graph = stream->graph;
  return SUCCESS;
}
API cuStreamIsCapturing(Stream* stream, int* status) {
  Lock lock(one_call);
  NEED(known(stream));
  *status = !is_captured(stream) ? NOT_CAPTURED : stream->is_invalid ? INVALIDATED : CAPTURED;
  return SUCCESS;
}
// Number of nodes; the nodes themselves have no handles here.
API cuGraphGetNodes(Graph* graph, void* nodes, size_t* count) {
  Lock lock(one_call);
  if (!graphs.count(graph)) return fail(INVALID_HANDLE, "no such graph");
  if (nodes) return fail(NOT_SUPPORTED, "the nodes of a graph");
  *count = graph->work.size();
  return SUCCESS;
}
API cuGraphInstantiateWithFlags(Executable** executable, Graph* graph, unsigned long long) {
  Lock lock(one_call);
  if (!graphs.count(graph)) return fail(INVALID_HANDLE, "no such graph");
  *executable = *executables.insert(new Executable{graph->work}).first;
  return SUCCESS;
}
API cuGraphLaunch(Executable* executable, Stream* stream) {
  std::vector<Work> work;
  {
    Lock lock(one_call);
    NEED(known(stream));
    if (!executables.count(executable)) return fail(INVALID_HANDLE, "no such executable graph");
    work = executable->work;
  }
  for (const Work& each : work) NEED(perform(stream, each));
  return SUCCESS;
}
API cuGraphExecDestroy(Executable* executable) { return destroy(executables, executable, "executable graph"); }
API cuGraphDestroy(Graph* graph) { return destroy(graphs, graph, "graph"); }
