// VR-I13 to VR-I16, VR-I31, VR-I32.
#include <functional>

#include "tests/runtime/judge/edited_trace.hpp"

namespace pto2::test {
namespace {

TEST(MemoryRules, I13SlotsAreReclaimedFirst) {
  expect_header_refused("VR-I13", Kit::few_slots,
                        [](EditedTrace& trace) { trace.header()["rings"][1]["window"] = 4; });
  // One slot too many is in use.
  expect_header_refused("VR-I13", Kit::few_slots,
                        [](EditedTrace& trace) { trace.header()["rings"][1]["window"] = 7; });
}

TEST(MemoryRules, I13NobodyUsesASlotThatIsTaken) {
  // A reader of the slot's former task that started late: it finishes after the next one's start.
  expect_refused("VR-I13", Kit::few_slots, [](EditedTrace& trace, Json& task) {
    const uint64_t number = task["task"];
    if (number < 7) return false;
    const Json former = {{"ring", task["ring"]}, {"task", number - 7}};
    task["t"] = trace.before(trace.of("reclaim", former))->at("t").get<uint64_t>() - 1;
    return true;
  });
}

TEST(MemoryRules, I14HeapBytesAreFree) {
  expect_header_refused("VR-I14", Kit::small_heap,
                        [](EditedTrace& trace) { trace.header()["rings"][1]["heap"] = 4096; });
  // More bytes than it asked for: those of the next one, which has them while it runs.
  expect_refused("VR-I14", Kit::roomy, [](EditedTrace&, Json& task) {
    if (task["heap"][1] == 0) return false;
    task["heap"][1] = task["heap"][1].get<uint64_t>() + 1;
    return true;
  });
  // None of its own: those of whoever holds them.
  expect_refused("VR-I14", Kit::roomy, [](EditedTrace&, Json& task) {
    if (task["heap"][1] != 0 || task["heap"][0] == 0) return false;
    task["heap"] = {task["heap"][0].get<uint64_t>() - 1024, 1024};
    return true;
  });
}

/// The last task, which has no bytes, gets some; nobody comes behind it.
TEST(MemoryRules, I14HeapRangesEndInTheHeap) {
  expect_header_refused("VR-I14", Kit::roomy, [](EditedTrace& trace) {
    Json& heap = (*trace.events("submit").back())["heap"];
    heap[1] = 65536 + 1 - heap[0].get<uint64_t>();
  });
}

/// Somewhere else there is room as well, or a larger heap would have had it.
TEST(MemoryRules, I14HeapBytesAreTakenInOrder) {
  for (const uint64_t heap : {8192 + 1024, 16384}) {
    expect_header_refused("VR-I14", Kit::small_heap, [heap](EditedTrace& trace) {
      trace.header()["rings"][1]["heap"] = heap;
      // Those who wait had more room, too.
      trace.header()["weak_memory"] = true;
    });
  }
}

TEST(MemoryRules, I15NodesAreTakenInOrder) {
  for (const uint64_t nodes : {17, 64}) {
    expect_header_refused("VR-I15", Kit::few_nodes, [nodes](EditedTrace& trace) {
      trace.header()["rings"][1]["dep_pool"] = nodes;
      trace.header()["weak_memory"] = true;
    });
  }
  // Those of the last task are nobody else's, wherever they are.
  expect_header_refused("VR-I15", Kit::roomy, [](EditedTrace& trace) {
    Json& nodes = (*trace.events("submit").back())["nodes"];
    nodes[0] = nodes[0].get<uint64_t>() + 7;
  });
}

TEST(MemoryRules, I31EntriesHaveRoom) {
  for (const Kit kit : {Kit::roomy, Kit::pipes}) {
    expect_header_refused("VR-I31", kit,
                          [](EditedTrace& trace) { trace.header()["tensormap_pool"] = 2; });
  }
}

TEST(MemoryRules, I15NodesAreFree) {
  expect_refused("VR-I15", Kit::few_nodes, [](EditedTrace&, Json& task) {
    if (task["nodes"][0] == 1 || task["nodes"][1] == 0) return false;
    task["nodes"][0] = task["nodes"][0].get<uint64_t>() - 1;
    return true;
  });
  expect_refused("VR-I15", Kit::roomy, [](EditedTrace&, Json& task) {
    task["nodes"][1] = task["nodes"][1].get<uint64_t>() + 1;
    return true;
  });
  expect_refused("VR-I15", Kit::roomy, [](EditedTrace&, Json& task) {
    task["nodes"][0] = 0;
    return true;
  });
  expect_header_refused("VR-I15", Kit::few_nodes,
                        [](EditedTrace& trace) { trace.header()["rings"][1]["dep_pool"] = 12; });
}

TEST(MemoryRules, I15NodesAreThoseOfTheEdges) {
  // Nobody else has the node that the last task has too many.
  expect_header_refused("VR-I15", Kit::roomy, [](EditedTrace& trace) {
    Json& nodes = (*trace.events("submit").back())["nodes"];
    nodes[1] = nodes[1].get<uint64_t>() + 1;
  });
}

TEST(MemoryRules, I16MemoryIsNumberedByFirstUse) {
  expect_header_refused("VR-I16", Kit::roomy, [](EditedTrace& trace) {
    for (Json* task : trace.events("submit")) {
      for (Json& param : (*task)["params"]) {
        if (param.contains("external")) param["external"] = 1;
      }
    }
  });
}

/// Half of it is the buffer's.
TEST(MemoryRules, I16BuffersBeginWithTheirOwners) {
  expect_refused("VR-I16", Kit::roomy, [](EditedTrace&, Json& task) {
    for (Json& param : task["params"]) {
      if (!param.contains("owner") || param["base"] == 0) continue;
      param["base"] = param["base"].get<uint64_t>() - 512;
      return true;
    }
    return false;
  });
}

TEST(MemoryRules, I16BuffersAreTheirOwners) {
  expect_refused("VR-I16", Kit::roomy, [](EditedTrace&, Json& task) {
    for (Json& param : task["params"]) {
      if (!param.contains("owner")) continue;
      param["base"] = param["base"].get<uint64_t>() + 1024;
      return true;
    }
    return false;
  });
  expect_refused("VR-I16", Kit::roomy, [](EditedTrace&, Json& task) {
    for (Json& param : task["params"]) {
      if (!param.contains("owner") || param["owner"][1] == task["task"]) continue;
      param["owner"][1] = task["task"].get<uint64_t>() + 1;
      return true;
    }
    return false;
  });
}

/// Where the numbers wrap, both ends of a region may seem to be in the owner's range.
TEST(MemoryRules, I16RegionsThatBeginBeforeTheHeap) {
  const auto edit_buffer = [](const std::function<void(Json&, uint64_t)>& edit) -> Edit {
    return [=](EditedTrace&, Json& task) {
      for (Json& param : task["params"]) {
        if (!param.contains("owner")) continue;
        edit(param, param["base"].get<uint64_t>());
        return true;
      }
      return false;
    };
  };
  expect_refused("VR-I16", Kit::roomy, edit_buffer([](Json& param, uint64_t base) {
                   param["base"] = base + 64;
                   param["origin"] = -uint64_t{64};
                 }));
  expect_refused("VR-I16", Kit::roomy, edit_buffer([](Json& param, uint64_t base) {
                   param["base"] = -uint64_t{64};
                   param["extent"] = {(base + 64) / 8 + 1};
                 }));
}

/// Memory of the caller has no owner, and no end but that of the numbers.
TEST(MemoryRules, I16RegionsThatDoNotFitTheNumbers) {
  const std::pair<const char*, Json> edits[] = {{"base", -uint64_t{8}},
                                                {"origin", -uint64_t{8}},
                                                {"element", uint64_t{1} << 61},
                                                {"start", {-uint64_t{1}}},
                                                {"extent", {-uint64_t{1}}}};
  for (const auto& [field, value] : edits) {
    expect_refused(
        "VR-I16", Kit::roomy,
        [&](EditedTrace&, Json& task) {
          for (Json& param : task["params"]) {
            if (!param.contains("external")) continue;
            param[field] = value;
            return true;
          }
          return false;
        },
        true);
  }
}

/// An `out` that became an `in`.
bool read_what_is_written(Json& task, bool own) {
  for (Json& param : task["params"]) {
    if (param["dir"] != "out" || !param.contains("owner")) continue;
    if ((param["owner"] == Json({task["ring"], task["task"]})) != own) continue;
    param["dir"] = "in";
    return true;
  }
  return false;
}

TEST(MemoryRules, I16NobodyReadsWhatNobodyHasWritten) {
  expect_refused("VR-I16", Kit::odd_buffers,
                 [](EditedTrace&, Json& task) { return read_what_is_written(task, true); });
}

TEST(MemoryRules, I16WhoReadsABufferWaitsForItsOwner) {
  expect_refused("VR-I16", Kit::roomy,
                 [](EditedTrace&, Json& task) { return read_what_is_written(task, false); });
}

/// What its consumer reads nobody has written then.
TEST(MemoryRules, I32ProducersWriteWhatIsRead) {
  expect_refused("VR-I32", Kit::roomy, [](EditedTrace&, Json& task) {
    for (Json& param : task["params"]) {
      if (!param.contains("external") || param["dir"] == "in") continue;
      param["dir"] = "in";
      return true;
    }
    return false;
  });
  expect_refused("VR-I32", Kit::roomy, [](EditedTrace&, Json& task) {
    // Beside a producer there is another one.
    if (task["producers"].empty() || task["producers"][0][1] == 0) return false;
    task["producers"][0] = {task["producers"][0][0], 0, "linked"};
    return true;
  });
}

TEST(MemoryRules, I32TasksOfOnePipeFollowEachOther) {
  expect_refused("VR-I32", Kit::pipes, [](EditedTrace&, Json& task) {
    if (task["producers"].empty() || task["producers"][0][1] == 0) return false;
    // The task before, which has another pipe.
    task["producers"][0][1] = task["task"].get<uint64_t>() - 1;
    task["producers"][0][2] = "linked";
    return true;
  });
}

/// Six tasks before there is the one that does the same in the group before.
TEST(MemoryRules, I32APipeIsOfItsGroup) {
  expect_refused("VR-I32", Kit::pipes, [](EditedTrace&, Json& task) {
    if (task["producers"].empty() || task["producers"][0][1] < 6) return false;
    task["producers"][0][1] = task["producers"][0][1].get<uint64_t>() - 6;
    task["producers"][0][2] = "none";
    return true;
  });
}

TEST(MemoryRules, I16WhoNamesABufferHoldsItsOwner) {
  // The task that writes a buffer again holds its owner; here it holds another one.
  expect_refused("VR-I16", Kit::roomy, [](EditedTrace&, Json& task) {
    if (task["holds"].empty()) return false;
    task["holds"][0][1] = task["holds"][0][1].get<uint64_t>() + 1;
    return true;
  });
}

}  // namespace
}  // namespace pto2::test
