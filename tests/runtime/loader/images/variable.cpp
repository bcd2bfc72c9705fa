/// Has the name of what is called, and is no code.
extern "C" long kernel_entry;
long kernel_entry = 1;
