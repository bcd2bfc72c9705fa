extern "C" void defined_nowhere();

extern "C" void kernel_entry(long*) {
  defined_nowhere();
}
