// A library beside an image that needs it.
extern "C" long beside() {
  return 1;
}
