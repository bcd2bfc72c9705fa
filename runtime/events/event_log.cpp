#include "runtime/events/event_log.hpp"

namespace pto2 {

const char* event_name(EventKind kind) {
  switch (kind) {
    case EventKind::submit:
      return "submit";
    case EventKind::ready:
      return "ready";
    case EventKind::dispatch:
      return "dispatch";
    case EventKind::ack:
      return "ack";
    case EventKind::fin:
      return "fin";
    case EventKind::consume:
      return "consume";
    case EventKind::reclaim:
      return "reclaim";
    case EventKind::wait:
      return "wait";
    case EventKind::exit:
      return "exit";
    case EventKind::allocate:
      return "allocate";
    case EventKind::close:
      return "close";
    case EventKind::join:
      return "join";
    case EventKind::give_back:
      return "give_back";
    case EventKind::scope_begin:
      return "scope_begin";
    case EventKind::scope_end:
      return "scope_end";
    case EventKind::pipe:
      return "pipe";
    case EventKind::leftover:
      return "leftover";
  }
  return "unknown";
}

}  // namespace pto2
