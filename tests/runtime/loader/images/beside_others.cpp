extern "C" long beside();

extern "C" void kernel_entry(long* args) {
  args[0] = beside();
}
