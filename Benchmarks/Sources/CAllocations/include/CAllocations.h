// The allocations of a process that links this: its malloc takes the place of the system's, so no program that a sanitizer
// watches may link it.
#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

/// Counts the allocations of all threads from now on.
void machine_count_allocations(void);

/// How many there were since then; they are no longer counted.
long machine_allocations(void);

#endif
