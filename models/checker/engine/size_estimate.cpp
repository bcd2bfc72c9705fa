#include "models/checker/engine/size_estimate.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace pto2::model::engine {

namespace {

constexpr std::size_t max_width = 8192;
/// Of the graphs of one level; two levels exist at a time.
constexpr std::size_t max_sample_bytes = std::size_t{64} << 20;
/// Estimates take one part in so many of the elapsed time.
constexpr int time_share = 20;
constexpr double max_relative_error = 0.25;

}  // namespace

void TreeSample::list_children(std::size_t parent) {
  const EventGraph& graph = *level_[parent].graph;
  EventId owner = graph.size() - 1;
  for (std::int32_t i = static_cast<std::int32_t>(graph.choices().size()) - 1; i >= 0; --i) {
    while (graph[owner].choices > i) --owner;
    children_.push_back({parent, owner, graph.choices()[static_cast<std::size_t>(i)]});
  }
}

double TreeSample::run_level() {
  children_.clear();
  double complete = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < level_.size(); ++i) {
    for (bool runs = level_[i].runs; runs; runs = search_.take_again()) {
      const ExecutionEnd end = execution_.run(*level_[i].graph, search_, level_[i].first);
      if (end == ExecutionEnd::failed || end == ExecutionEnd::limited) return -1;
      if (stop_.stop_requested()) return -1;
      if (end == ExecutionEnd::complete) ++complete;
      // The run went on in another graph; what is open in both belongs to this level.
      if (auto other = search_.take_held_back()) {
        level_.push_back({std::move(other), -1, search_.take_again()});
      }
    }
    list_children(i);
    bytes += level_[i].graph->memory();
  }
  memory_ = std::max(memory_, bytes);
  return complete;
}

/// Keeps `width` children at even distances, and returns how many each of them stands for. As
/// neighbours are relatives, the sample takes its share of every family.
double TreeSample::thin_out(std::size_t width) {
  if (children_.size() <= width) return 1;
  const double share = static_cast<double>(children_.size()) / static_cast<double>(width);
  const double offset = std::generate_canonical<double, 53>(random_);
  for (std::size_t i = 0; i < width; ++i) {
    children_[i] = children_[static_cast<std::size_t>((static_cast<double>(i) + offset) * share)];
  }
  children_.resize(width);
  return share;
}

double TreeSample::take(std::size_t width) {
  level_.clear();
  level_.push_back({std::make_unique<EventGraph>(), -1, true});
  memory_ = 0;
  double total = 0;
  for (double scale = 1; !level_.empty(); std::swap(level_, next_)) {
    const double complete = run_level();
    if (complete < 0) return -1;
    total += scale * complete;
    scale *= thin_out(width);
    next_.clear();
    for (const Child& child : children_) {
      next_.push_back(search_.branch(*level_[child.parent].graph, child.event, child.choice));
    }
  }
  return total;
}

void WeightedMean::add(double value, double weight) {
  weights_ += weight;
  weighted_ += weight * value;
  squares_ += weight * weight;
  linear_ += weight * weight * value;
  quadratic_ += weight * weight * value * value;
}

double WeightedMean::relative_error() const {
  // As many values of equal weight would be worth the same.
  const double count = squares_ > 0 ? weights_ * weights_ / squares_ : 0;
  if (count < 4 || mean() <= 0) return std::numeric_limits<double>::infinity();
  const double m = mean();
  const double deviation = std::max(0.0, quadratic_ - 2 * m * linear_ + m * m * squares_);
  return std::sqrt(deviation * count / (count - 1)) / (weights_ * m);
}

SizeEstimate::SizeEstimate(const Options& options, const std::function<void()>& body)
    : sample_(options.progress ? std::make_unique<TreeSample>(options, body) : nullptr) {}

void SizeEstimate::improve() {
  const Clock::time_point begin = Clock::now();
  if (begin - start_ < std::chrono::milliseconds(250) || spent_ * time_share > begin - start_) {
    return;
  }
  const double estimate = sample_->take(width_);
  if (estimate < 0) {
    sample_.reset();
    total_.store(0, std::memory_order_relaxed);
    return;
  }
  estimates_.add(estimate, static_cast<double>(width_));
  total_.store(estimates_.relative_error() < max_relative_error ? estimates_.mean() : 0,
               std::memory_order_relaxed);
  const Clock::duration took = Clock::now() - begin;
  spent_ += took;
  // A wider sample is worth more than several narrow ones, which tend to miss what is rare.
  if (width_ < max_width && 2 * sample_->memory() <= max_sample_bytes &&
      2 * took * time_share <= begin - start_) {
    width_ *= 2;
  }
}

}  // namespace pto2::model::engine
