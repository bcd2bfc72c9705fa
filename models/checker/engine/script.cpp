#include "models/checker/engine/script.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "models/checker/engine/coherence.hpp"

namespace pto2::model::engine {

namespace {

constexpr std::string_view version = "pto2.2";

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  // FNV-1a, a byte at a time.
  for (int i = 0; i < 8; ++i) {
    hash = (hash ^ (value & 0xff)) * 0x100000001b3;
    value >>= 8;
  }
  return hash;
}

std::uint64_t mix(std::uint64_t hash, const Event& event, const Step& step) {
  hash = mix(hash, static_cast<std::uint64_t>(event.kind));
  hash = mix(hash, static_cast<std::uint64_t>(event.order));
  hash = mix(hash, static_cast<std::uint64_t>(step.thread));
  hash = mix(hash, static_cast<std::uint64_t>(step.rank));
  return mix(hash, step.spurious);
}

constexpr std::uint64_t empty_hash = 0xcbf29ce484222325;

/// Of all that the script says, and of what its steps are: `event_at(i)` is that of step i.
template <class EventAt>
std::uint64_t fingerprint_of(const Script& script, EventAt&& event_at) {
  std::uint64_t hash = empty_hash;
  for (std::size_t i = 0; i < script.steps.size(); ++i) {
    hash = mix(hash, event_at(i), script.steps[i]);
  }
  for (const Script::SilentRun& run : script.silent_runs) {
    hash = mix(mix(hash, run.before), static_cast<std::uint64_t>(run.thread));
  }
  for (const Script::Start& start : script.starts) {
    hash = mix(hash, static_cast<std::uint64_t>(start.thread));
    hash = mix(hash, static_cast<std::uint64_t>(start.origin.creator));
    hash = mix(hash, static_cast<std::uint64_t>(start.origin.ordinal));
  }
  return hash;
}

void put(std::string& text, std::uint64_t number, int base) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number, base);
  text.append(digits, end);
}

void put(std::string& text, Step step, std::size_t repeats) {
  put(text, static_cast<std::uint64_t>(step.thread), 10);
  text += '.';
  put(text, static_cast<std::uint64_t>(step.rank), 10);
  if (step.spurious) text += '~';
  text += 'x';
  put(text, repeats, 10);
  text += ',';
}

void put(std::string& text, const Script::Start& start) {
  put(text, static_cast<std::uint64_t>(start.thread), 10);
  text += 's';
  put(text, static_cast<std::uint64_t>(start.origin.creator), 10);
  text += '.';
  put(text, static_cast<std::uint64_t>(start.origin.ordinal), 10);
  text += ',';
}

[[noreturn]] void refuse_number() {
  throw std::invalid_argument("replay token is damaged: a number is missing or out of range");
}

bool skip(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

std::uint64_t take(std::string_view& text, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) refuse_number();
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::uint64_t take(std::string_view& text, char terminator, int base) {
  const std::uint64_t number = take(text, base);
  if (!skip(text, terminator)) refuse_number();
  return number;
}

[[noreturn]] void refuse_range() {
  throw std::invalid_argument("replay token is damaged: a number is out of range");
}

ThreadId to_thread(std::uint64_t number) {
  if (number >= static_cast<std::uint64_t>(max_threads)) refuse_range();
  return static_cast<ThreadId>(number);
}

std::int32_t to_count(std::uint64_t number) {
  if (number > INT32_MAX) refuse_range();
  return static_cast<std::int32_t>(number);
}

/// The rest of a start.
Script::Start take_start(std::string_view& text, ThreadId thread) {
  Script::Start start{thread, {}};
  start.origin.creator = to_thread(take(text, '.', 10));
  start.origin.ordinal = to_count(take(text, ',', 10));
  if (thread == 0) refuse_range();
  return start;
}

}  // namespace

// pto2.2:<fingerprint>:<steps>:<thread>.<rank>x<repeats>,... with no repeats for a silent run, and
// "~" behind the rank of a compare-exchange that fails spuriously. The starts come first:
// <thread>s<creator>.<ordinal>,...
std::string Script::to_token() const {
  std::string text(version);
  text += ':';
  put(text, fingerprint, 16);
  text += ':';
  put(text, steps.size(), 10);
  text += ':';
  for (const Start& start : starts) put(text, start);
  auto silent = silent_runs.begin();
  for (std::size_t i = 0; i < steps.size() || silent != silent_runs.end();) {
    if (silent != silent_runs.end() && silent->before == i) {
      put(text, {.thread = silent->thread}, 0);
      ++silent;
      continue;
    }
    const std::size_t end = silent == silent_runs.end() ? steps.size() : silent->before;
    std::size_t same = i;
    while (same < end && steps[same] == steps[i]) ++same;
    put(text, steps[i], same - i);
    i = same;
  }
  return text;
}

Script Script::from_token(std::string_view token) {
  const auto colon = token.find(':');
  if (colon == std::string_view::npos || token.substr(0, colon) != version) {
    throw std::invalid_argument("replay token is not of version " + std::string(version) +
                                "; tokens only fit the checker that printed them");
  }
  token.remove_prefix(colon + 1);
  Script script;
  script.fingerprint = take(token, ':', 16);
  const std::uint64_t size = take(token, ':', 10);
  constexpr std::uint64_t most = 10'000'000;  // 80 MB; a graph has no room for more events
  if (size > most) throw std::invalid_argument("replay token is damaged: too many steps");
  while (!token.empty()) {
    Step step;
    step.thread = to_thread(take(token, 10));
    if (skip(token, 's')) {
      script.starts.push_back(take_start(token, step.thread));
      continue;
    }
    if (!skip(token, '.')) refuse_number();
    step.rank = to_count(take(token, 10));
    step.spurious = skip(token, '~');
    if (!skip(token, 'x')) refuse_number();
    const std::uint64_t repeats = take(token, ',', 10);
    if (repeats > size - script.steps.size()) refuse_range();
    if (repeats == 0) {
      if (step.rank != 0 || step.spurious) refuse_range();
      script.silent_runs.push_back({script.steps.size(), step.thread});
    }
    script.steps.insert(script.steps.end(), repeats, step);
  }
  if (script.steps.size() != size) {
    throw std::invalid_argument("replay token is damaged: it ends too early");
  }
  return script;
}

std::shared_ptr<Ids> Script::ids() const {
  auto ids = std::make_shared<Ids>();
  for (const Start& start : starts) {
    if (!ids->set_thread(start.origin, start.thread)) {
      throw std::invalid_argument("replay token is damaged: a thread is started twice");
    }
  }
  if (!starts.empty()) return ids;
  // Others may be met before them now.
  const ThreadId last = *threads().rbegin();
  for (ThreadId thread = 1; thread <= last; ++thread) ids->set_thread({0, thread - 1}, thread);
  return ids;
}

std::set<ThreadId> Script::threads() const {
  std::set<ThreadId> threads = {0};
  for (const Start& start : starts) threads.insert(start.thread);
  for (const Step& step : steps) threads.insert(step.thread);
  for (const SilentRun& run : silent_runs) threads.insert(run.thread);
  return threads;
}

Script to_script(const EventGraph& graph, const std::vector<EventId>& order) {
  Script script;
  std::vector<bool> placed(static_cast<std::size_t>(graph.size()), false);
  std::vector<std::int32_t> started(static_cast<std::size_t>(graph.thread_count()), 0);
  for (EventId id : order) {
    const Event& event = graph[id];
    if (event.kind == Kind::spawn) {
      std::int32_t& ordinal = started[static_cast<std::size_t>(event.thread)];
      script.starts.push_back({event.location, {event.thread, ordinal++}});
    }
    Step step{.thread = event.thread, .spurious = event.spurious};
    if (is_read(event.kind) || event.kind == Kind::write) {
      for (EventId w = graph.mo_next(is_read(event.kind) ? event.rf : id); w != no_event;
           w = graph.mo_next(w)) {
        step.rank += placed[static_cast<std::size_t>(w)];
      }
    }
    placed[static_cast<std::size_t>(id)] = true;
    script.steps.push_back(step);
  }
  if (std::all_of(script.starts.begin(), script.starts.end(),
                  [](const Script::Start& start) { return start.by_main_in_order(); })) {
    script.starts.clear();
  }
  return script;
}

void Script::seal(const EventGraph& graph, const std::vector<EventId>& order) {
  fingerprint =
      fingerprint_of(*this, [&](std::size_t i) -> const Event& { return graph[order[i]]; });
}

/// Of the newest event of the graph, or the one that would be next.
void Scripted::forbid(EventId event, const char* what) {
  if (static_cast<std::size_t>(event) >= script_.steps.size() || !mismatch_.empty()) return;
  mismatch_ = "the model forbids what step " + std::to_string(event) + " " + what;
}

/// A walk leaves turns of a loop that spins in its graph when others have made steps in between.
bool Scripted::goes_on(const EventGraph& graph, ThreadId thread) const {
  for (std::size_t i = static_cast<std::size_t>(graph.size()); i < script_.steps.size(); ++i) {
    if (script_.steps[i].thread == thread) return true;
  }
  return false;
}

/// The newest one of the graph.
Step Scripted::step(const EventGraph& graph, ThreadId thread) {
  const std::size_t step = static_cast<std::size_t>(graph.size()) - 1;
  if (step >= script_.steps.size()) return {.thread = thread};
  if (script_.steps[step].thread != thread && mismatch_.empty()) {
    mismatch_ = "another thread makes step " + std::to_string(step);
  }
  return script_.steps[step];
}

void Scripted::place_read(EventGraph& graph, EventId read) {
  const Step scripted = step(graph, graph[read].thread);
  std::int32_t rest = scripted.rank;
  EventId source = no_event;
  const Event& event = graph[read];
  for_each_readable(graph, event.location, graph.clock_before(event.thread, event.index),
                    [&](EventId write) {
                      source = write;
                      return rest-- > 0;
                    });
  if (rest >= 0 && mismatch_.empty()) mismatch_ = "a read has fewer values to choose from";
  const bool may_fail =
      event.kind == Kind::rmw_read && graph.update(read).may_fail_on(graph.value_of(source));
  if (scripted.spurious && !may_fail && mismatch_.empty()) {
    mismatch_ = "a step cannot fail spuriously";
  }
  if (event.kind == Kind::rmw_read) {
    graph.set_update_reads_from(read, source, scripted.spurious && may_fail);
  } else {
    graph.set_reads_from(read, source, event.order);
  }
  if (source != graph.last_write(event.location) &&
      !sequential_consistency_.holds_with(graph, {read})) {
    forbid(read, "reads");
  }
}

void Scripted::place_write(EventGraph& graph, EventId write) {
  const Event& event = graph[write];
  if (event.kind == Kind::rmw_write) {
    step(graph, event.thread);
    return;
  }
  std::int32_t rest = step(graph, event.thread).rank;
  EventId predecessor = no_event;
  for_each_readable(graph, event.location, graph.clock_before(event.thread, event.index),
                    [&](EventId other) {
                      predecessor = other;
                      return rest-- > 0;
                    });
  if (rest >= 0 && mismatch_.empty()) mismatch_ = "a write has fewer positions to choose from";
  if (graph.update_of(predecessor) != no_event) forbid(write, "writes");
  const bool newest = predecessor == graph.last_write(event.location);
  graph.link_after(write, predecessor);
  if (!newest && !sequential_consistency_.holds_with(graph, {write})) forbid(write, "writes");
}

void Scripted::add_conflicting_update(EventGraph& graph, EventId) {
  forbid(graph.size(), "updates");
}

ThreadId Scripted::pick(const std::vector<ThreadId>& ready) {
  const std::size_t step = static_cast<std::size_t>(next_step);
  const auto is_ready = [&](ThreadId thread) {
    return std::find(ready.begin(), ready.end(), thread) != ready.end();
  };
  const std::vector<Script::SilentRun>& silent = script_.silent_runs;
  silent_ = -1;
  while (next_silent_ < silent.size() && silent[next_silent_].before <= step) {
    const ThreadId thread = silent[next_silent_++].thread;
    if (!is_ready(thread)) continue;
    if (next_silent_ < silent.size()) silent_ = thread;
    return thread;
  }
  if (step >= script_.steps.size()) return ready.front();
  const ThreadId wanted = script_.steps[step].thread;
  if (is_ready(wanted)) return wanted;
  // A thread that has made its last step may have to end yet before another one can join it.
  for (const ThreadId thread : ready) {
    const bool done = std::none_of(script_.steps.begin() + next_step, script_.steps.end(),
                                   [&](const Step& later) { return later.thread == thread; });
    if (done) return thread;
  }
  if (mismatch_.empty()) {
    mismatch_ = "thread " + std::to_string(wanted) + " cannot make step " + std::to_string(step);
  }
  return ready.front();
}

std::string Scripted::mismatch(const EventGraph& graph) const {
  if (!mismatch_.empty()) return mismatch_;
  const std::int32_t steps = static_cast<std::int32_t>(script_.steps.size());
  if (graph.size() < steps) return "the program ends before the script does";
  for (const ThreadId thread : script_.threads()) {
    if (thread == 0) continue;
    const bool known = thread < graph.thread_count();
    const EventId spawn = known ? graph.spawn_of(thread) : no_event;
    if (spawn < 0 || spawn >= steps) return "thread " + std::to_string(thread) + " never starts";
  }
  const auto event_at = [&](std::size_t i) -> const Event& {
    return graph[static_cast<EventId>(i)];
  };
  if (fingerprint_of(script_, event_at) != script_.fingerprint)
    return "the program makes other steps";
  return {};
}

}  // namespace pto2::model::engine
