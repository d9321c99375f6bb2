#define _GNU_SOURCE
#include "CMachine.h"

#include <spawn.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

extern char **environ;

int machine_run(char *const arguments[], struct machine_cost *cost) {
  pid_t process;
  double start = now();
  if (posix_spawn(&process, arguments[0], NULL, NULL, arguments, environ) != 0) return -1;
  int status = -1;
  struct rusage use;
  if (wait4(process, &status, 0, &use) != process) return -1;
  cost->wall = now() - start;
  cost->cpu = seconds(use.ru_utime) + seconds(use.ru_stime);
  cost->peak = (double)use.ru_maxrss / 1024;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
