// A library that lets valgrind run a program with libdispatch: valgrind writes to the mask that `sigsuspend` is given, and
// libdispatch's is a constant. Scripts/bench compiles it, and `bench` preloads it into the processes that count instructions.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  // The kernel's mask is shorter than glibc's.
  return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}
