/// oneTBB's flow graph: a node per task, and each edge handed to it, before the first task starts.
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <deque>

#include "bench/peers/peer.hpp"

namespace pto2::bench {
namespace {

class FlowGraph : public Peer {
 public:
  explicit FlowGraph(uint32_t threads)
      : limit_(tbb::global_control::max_allowed_parallelism, threads),
        arena_(static_cast<int>(threads)) {}

  void run(Pattern pattern, uint32_t tasks) override {
    arena_.execute([=] {
      using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
      tbb::flow::graph graph;
      std::deque<Node> nodes;
      std::deque<Node*> sources;
      for (uint32_t task = 0; task < tasks; ++task) {
        nodes.emplace_back(graph, [task](const tbb::flow::continue_msg&) { run_kernel(task); });
        const Predecessors before = predecessors(pattern, task);
        for (const uint32_t other : before) tbb::flow::make_edge(nodes[other], nodes[task]);
        if (before.count == 0) sources.push_back(&nodes.back());
      }
      for (Node* node : sources) node->try_put({});
      graph.wait_for_all();
    });
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Peer> make_peer(uint32_t threads) {
  return std::make_unique<FlowGraph>(threads);
}

}  // namespace pto2::bench
