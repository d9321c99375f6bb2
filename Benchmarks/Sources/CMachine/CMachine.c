#define _GNU_SOURCE
#include "CMachine.h"

#include <malloc.h>
#include <sched.h>

size_t machine_heap_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void machine_trim_heap(void) { malloc_trim(0); }

int machine_core_above(int core) {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return -1;
  for (int next = core + 1; next < CPU_SETSIZE; next++) {
    if (CPU_ISSET(next, &cores)) return next;
  }
  return -1;
}

int machine_is_pinned(void) {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) == 1;
}

int machine_pin(pid_t process, int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  return sched_setaffinity(process, sizeof cores, &cores);
}
