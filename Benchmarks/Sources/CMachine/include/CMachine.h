// What the measurements need of the system and Swift's Glibc does not offer.
#ifndef CMACHINE_H
#define CMACHINE_H

#include <stddef.h>

/// What is taken from the heap now, in all arenas of malloc, in bytes.
size_t machine_heap_in_use(void);

/// Gives back what was freed and kept, so that what is taken from now on is seen to be.
void machine_trim_heap(void);

#endif
