#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own main loop, from the compiler's runtime (see LLVM's FuzzerInterface.h). */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
