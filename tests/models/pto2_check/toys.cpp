// A catalogue of small scenarios, for the program around it.
#include <cstdlib>

#include "models/pto2_check/catalogue.hpp"
#include "models/support/model_policy.hpp"

namespace pto2::scenarios {
namespace {

struct ToyOrders {
  static constexpr OrderSite publish{"toy.publish", Operation::store, std::memory_order_release};
  static constexpr OrderSite observe{"toy.observe", Operation::load, std::memory_order_acquire};
};
struct LongOrders {
  static constexpr OrderSite publish{"long.publish", Operation::store, std::memory_order_release};
  static constexpr OrderSite observe{"long.observe", Operation::load, std::memory_order_acquire};
};

/// One message, seen or not: two executions. It is never right where the environment says so.
template <class Orders>
void pass_message() {
  Model::cell<int> data;
  Model::atomic<int> flag{0};
  model::thread sender([&] {
    data.write(1);
    flag.store(1, Model::order(Orders::publish));
  });
  if (flag.load(Model::order(Orders::observe)) == 1) {
    model::check(data.read() == 1, "the message is whole");
  }
  sender.join();
  model::check(std::getenv("TOYS_ARE_BROKEN") == nullptr, "the toy is broken");
}

}  // namespace

std::vector<Entry> catalogue() {
  return {{"toy/message", pass_message<ToyOrders>, {2}, {}},
          {"toy/message_again", pass_message<ToyOrders>, {2}, {}},
          {"toy/long", pass_message<LongOrders>, {2, Effort::many}, {}}};
}

}  // namespace pto2::scenarios
