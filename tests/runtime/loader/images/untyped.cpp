// A function whose author has not told the assembler that it is one: a label, of no type.
#if defined(__x86_64__)
asm(".text\n.globl kernel_entry\nkernel_entry: movq $8, (%rdi)\nret\n");
#elif defined(__aarch64__)
asm(".text\n.globl kernel_entry\nkernel_entry: mov x1, #8\nstr x1, [x0]\nret\n");
#endif
