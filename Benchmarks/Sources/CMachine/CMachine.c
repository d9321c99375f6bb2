#include "CMachine.h"

#include <malloc.h>

size_t machine_heap_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void machine_trim_heap(void) { malloc_trim(0); }
