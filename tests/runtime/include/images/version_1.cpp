/// An orchestration as an image of version 1 of the interface carries it: the structures and the
/// calls are those of that version, written out, so that they do not follow the header. It uses
/// every function of the table once at least.
#include <cstdint>

namespace {

struct Runtime;

struct Param {
  int32_t type;  // 0 input, 1 output, 2 in-out, 3 scalar
  uint64_t tensor;
  uint64_t scalar;
};

struct Ops {
  uint32_t abi;
  void (*submit_task)(Runtime*, int32_t kernel, int32_t worker, const Param*, uint32_t count);
  void (*scope_begin)(Runtime*);
  void (*scope_end)(Runtime*);
  void (*orchestration_done)(Runtime*);
  uint64_t (*make_tensor)(Runtime*, uint64_t address, const uint64_t* shapes, uint32_t ndims,
                          int32_t dtype);
  uint64_t (*view)(Runtime*, uint64_t tensor, const uint64_t* shapes, const uint64_t* offsets);
  uint64_t (*reshape)(Runtime*, uint64_t tensor, const uint64_t* shapes, uint32_t ndims);
  uint64_t (*transpose)(Runtime*, uint64_t tensor, uint32_t x, uint32_t y);
  uint32_t (*ndims)(Runtime*, uint64_t tensor);
  uint64_t (*numel)(Runtime*, uint64_t tensor);
  bool (*is_contiguous)(Runtime*, uint64_t tensor);
  void (*dump)(Runtime*, uint64_t tensor);
  void (*log)(Runtime*, int32_t level, const char* format, ...);
};

struct Runtime {
  const Ops* ops;
};

Runtime* bound = nullptr;

}  // namespace

extern "C" {

uint32_t pto2_bind_runtime(Runtime* rt) {
  bound = rt;
  return 1;
}

int aicpu_orchestration_config(uint64_t*, int) {
  return 1;
}

/// Fills a tensor of 2 x 3 in a scope with the factor 5 and writes its lower row, seen through a
/// reshape and two transpositions, to the argument, 3 floats.
void aicpu_orchestration_entry(Runtime* rt, uint64_t* args, int) {
  const Ops& ops = *rt->ops;
  const uint64_t row[] = {3};
  const uint64_t out = ops.make_tensor(bound, args[0], row, 1, 0);
  ops.scope_begin(rt);
  const uint64_t shape[] = {2, 3};
  const uint64_t made = ops.make_tensor(bound, 0, shape, 2, 0);
  const Param hub[] = {{1, made, 0}};
  ops.submit_task(rt, 0, 1, hub, 1);
  const Param scale[] = {{0, made, 0}, {2, made, 0}, {3, 0, 5}};
  ops.submit_task(rt, 1, 0, scale, 3);
  const uint64_t turned = ops.transpose(bound, made, 0, 1);
  ops.log(rt, 2, "turned: %u dimensions, %s", ops.ndims(bound, turned),
          ops.is_contiguous(bound, turned) ? "contiguous" : "not contiguous");
  const uint64_t lower_shape[] = {1, 3};
  const uint64_t lower_offsets[] = {1, 0};
  const uint64_t back = ops.transpose(bound, turned, 0, 1);
  const uint64_t lower = ops.view(bound, back, lower_shape, lower_offsets);
  const uint64_t flat = ops.reshape(bound, lower, row, 1);
  ops.log(rt, 2, "flat: %llu elements", static_cast<unsigned long long>(ops.numel(bound, flat)));
  ops.dump(bound, flat);
  const Param copy[] = {{0, flat, 0}, {1, out, 0}};
  ops.submit_task(rt, 3, 1, copy, 2);
  ops.scope_end(rt);
  ops.orchestration_done(rt);
}

}  // extern "C"
