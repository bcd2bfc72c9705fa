/// The same with a second scheduler, so that one may advance the watermark while the other is about
/// to. HR-I1, LC-I3, WM-I1, WM-I3.
#pragma once

#include "models/runtime/heap_wraps.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class HeapWrapsOnTwoSchedulers : public HeapWraps<P, F, 2> {};

}  // namespace pto2::scenarios
