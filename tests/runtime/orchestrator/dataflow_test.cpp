#include "runtime/orchestrator/dataflow.hpp"

#include <gtest/gtest.h>

namespace pto2 {
namespace {

/// However many buffers of the caller a run names: it remembers those that it may meet again.
TEST(Dataflow, ForgetsExternalBuffersOfEndedScopes) {
  DeviceConfig config;
  config.window = 16;
  Dataflow dataflow(config, 1);
  constexpr uint64_t shape[] = {2};
  std::size_t most = 0;
  dataflow.scope_begin(1);
  for (uint64_t i = 0; i < 100'000; ++i) {
    dataflow.scope_begin(1);
    ASSERT_TRUE(dataflow.tensors().make(0x1000 + 64 * i, shape, 1, DataType::FLOAT32).ok());
    dataflow.scope_end();
    most = std::max(most, dataflow.tensors().external_buffers());
  }
  EXPECT_GT(most, 1U);
  EXPECT_LT(most, 10'000U);
}

}  // namespace
}  // namespace pto2
