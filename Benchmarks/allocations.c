// A library that counts the allocations of a process into which it is preloaded: glibc's functions under the names that
// programs and libraries call. Scripts/bench compiles it, and `bench` preloads it into the one child process that counts.
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool is_counting;
static atomic_long allocations;

static void note(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}

// Swift allocates with it what `UnsafeMutablePointer.allocate` makes of a generic type.
int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  note();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

/// Counts the allocations of all threads from now on.
void machine_count_allocations(void) {
  atomic_store(&allocations, 0);
  atomic_store(&is_counting, true);
}

/// How many there were since then; they are no longer counted.
long machine_allocations(void) {
  atomic_store(&is_counting, false);
  return atomic_load(&allocations);
}
