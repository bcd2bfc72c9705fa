// Programs of any size whose number of executions is known.
#pragma once

#include <functional>

namespace pto2::model::litmus {

using Body = std::function<void()>;

/// n threads, one relaxed fetch_add each on one location: n!.
Body adds(int n);
/// n threads, one relaxed store each to one location: n!.
Body writers(int n);
/// One release store and n acquire loads of it, a thread each: 2^n.
Body readers(int n);
/// a[0..n] = 0; thread j of 1..n sets a[j] to a[j-1] + 1; one more scans down from a[n] while it
/// reads non-zero (acquire, release).
Body last_zero(int n);
/// x = 0; thread i of 1..n exchanges i-1 for i, relaxed.
Body cas_rotation(int n);
/// x = y = 1; two threads of n rounds load x, then y, and store the sum to x, or to y; a third
/// loads x, and y unless x is above 144 already (acquire, release).
Body fibonacci(int n);
/// n threads insert four values each into a hash table of 128 slots by compare-exchange from 0,
/// probing onward, relaxed; thread t's i-th value is 11 i + t, at 7 times itself.
Body indexer(int n);
/// n threads that store to a location of their own and read the next one's, seq_cst: 2^n - 1.
Body ring_of_buffers(int n);
/// n threads that each add to a location of their own: 1.
Body independent(int n);

}  // namespace pto2::model::litmus
