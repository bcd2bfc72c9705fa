/// An image that exports nothing.
namespace {
[[maybe_unused]] int nothing() {
  return 0;
}
}  // namespace
