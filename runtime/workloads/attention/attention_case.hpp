#pragma once

#include "runtime/workloads/attention/attention_spec.hpp"
#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// Paged attention, sixteen sequences per task.
const Workload& paged_attention();
/// Paged attention, one sequence per task.
const Workload& paged_attention_seq();

/// Makes a case of any parameters, also unpublished ones. Throws like Workload::make_case().
std::unique_ptr<CaseData> make_attention_case(AttentionSpec spec, const CaseOptions& options);

}  // namespace pto2::workloads
