// XLA's processor as if it were a GPU: a handler for CUDA is called with operands that were copied to the device, and
// with a stream, and its results are copied back. Memory for results has no zero in it before.
#include <cstring>
#include <vector>

#include <xla/ffi/api/ffi.h>

namespace {

using Address = uint64_t;

struct Given {
  XLA_FFI_Handler* handler;
  void* context;
  void* stream;
  int (*push)(void* context);
  int (*pop)(void** context);
  int (*allocate)(Address* start, size_t size);
  int (*release)(Address start);
  int (*to_device)(Address to, const void* from, size_t size);
  int (*from_device)(void* to, Address from, size_t size);
};

Given given;

XLA_FFI_Error* stream_of(XLA_FFI_Stream_Get_Args* args) {
  args->stream = given.stream;
  return nullptr;
}

// Buffers like some of the processor's, there.
class Copies {
 public:
  Copies(void** originals, int64_t count, bool are_results) {
    for (int64_t i = 0; i < count; ++i) {
      originals_.push_back(static_cast<XLA_FFI_Buffer*>(originals[i]));
      copies_.push_back(*originals_[i]);
      const std::vector<char> none(size(i), char(0xff));
      Address start = 0;
      if (size(i)) given.allocate(&start, size(i));
      if (size(i)) given.to_device(start, are_results ? none.data() : originals_[i]->data, size(i));
      copies_[i].data = reinterpret_cast<void*>(start);
    }
    for (XLA_FFI_Buffer& each : copies_) pointers_.push_back(&each);
  }
  void fetch() {
    for (size_t i = 0; i < copies_.size(); ++i)
      if (size(i)) given.from_device(originals_[i]->data, start(i), size(i));
  }
  ~Copies() {
    for (size_t i = 0; i < copies_.size(); ++i)
      if (size(i)) given.release(start(i));
  }
  void** pointers() { return pointers_.data(); }

 private:
  Address start(size_t i) { return reinterpret_cast<Address>(copies_[i].data); }
  size_t size(size_t i) {
    size_t bytes = xla::ffi::ByteWidth(static_cast<xla::ffi::DataType>(originals_[i]->dtype));
    for (int64_t axis = 0; axis < originals_[i]->rank; ++axis) bytes *= originals_[i]->dims[axis];
    return bytes;
  }
  std::vector<XLA_FFI_Buffer*> originals_;
  std::vector<XLA_FFI_Buffer> copies_;
  std::vector<void*> pointers_;
};

}  // namespace

extern "C" void jax_device_uses(const Given* found) { given = *found; }

extern "C" XLA_FFI_Error* jax_device(XLA_FFI_CallFrame* frame) {
  const XLA_FFI_Extension_Base* asked = frame->extension_start;
  if (asked && asked->type == XLA_FFI_Extension_Metadata) return given.handler(frame);
  given.push(given.context);
  XLA_FFI_Api api = *frame->api;
  api.XLA_FFI_Stream_Get = stream_of;
  XLA_FFI_CallFrame there = *frame;
  XLA_FFI_Error* error = nullptr;
  {
    Copies operands(frame->args.args, frame->args.size, false), results(frame->rets.rets, frame->rets.size, true);
    there.api = &api;
    there.args.args = operands.pointers();
    there.rets.rets = results.pointers();
    error = given.handler(&there);
    if (!error) results.fetch();
  }
  given.pop(&given.context);
  return error;
}
