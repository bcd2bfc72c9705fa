/// What is to become of a logical thread that runs in steps, after one.
#pragma once

#include <cstdint>

namespace pto2::executors {

enum class AfterStep : uint8_t {
  rung,   ///< the next step comes once it was rung since this one began
  yield,  ///< the next step comes when others that can run have had their turn
  end,    ///< that was the last
};

}  // namespace pto2::executors
