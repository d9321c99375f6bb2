#define _GNU_SOURCE
#include "CMachine.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

extern char **environ;

// The number of a line of /proc/PID/status, in MiB; 0 once the process has ended.
static double mebibytes(const char *status, const char *name) {
  const char *line = strstr(status, name);
  return line ? (double)strtol(line + strlen(name), NULL, 10) / 1024 : 0;
}

// Looks every two milliseconds at the memory of a process, until it ends.
static int watch(pid_t process, struct machine_cost *cost) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/status", (int)process);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  for (;;) {
    siginfo_t state = {0};
    if (waitid(P_PID, (id_t)process, &state, WEXITED | WNOHANG | WNOWAIT) != 0 || state.si_pid == process) break;
    char status[4096];
    ssize_t length = pread(file, status, sizeof status - 1, 0);
    status[length > 0 ? length : 0] = 0;
    double own = mebibytes(status, "RssAnon:"), peak = mebibytes(status, "VmHWM:");
    if (own > cost->own) cost->own = own;
    if (peak > cost->peak) cost->peak = peak;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  close(file);
  return 0;
}

int machine_run(char *const arguments[], int watches_memory, struct machine_cost *cost) {
  pid_t process;
  double start = now();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  int error = posix_spawn(&process, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  // ru_maxrss is no use here: after exec it still has the memory of the process that this one was forked from.
  cost->own = cost->peak = 0;
  int watched = watches_memory ? watch(process, cost) : 0;
  int status = -1;
  struct rusage use;
  if (wait4(process, &status, 0, &use) != process || watched != 0) return -1;
  cost->wall = now() - start;
  cost->cpu = seconds(use.ru_utime) + seconds(use.ru_stime);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
