/* The least that handing a frame to another process takes: a word in shared memory and the wake-up of the
   process that waits for it, without its answer, at the pace of a camera. Tests/Benchmarks/isolation.sh runs
   it beside plugins.

     futex FPS SECONDS */
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_calls = 1 << 16 };

static int64_t durations[most_calls];

static int64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int ascending(const void *one, const void *other) {
  const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
  return (a > b) - (a < b);
}

static void hand_to(uint32_t *turn, uint32_t side) {
  __atomic_store_n(turn, side, __ATOMIC_RELEASE);
  syscall(SYS_futex, turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void wait_for(uint32_t *turn, uint32_t side) {
  for (uint32_t now; (now = __atomic_load_n(turn, __ATOMIC_ACQUIRE)) != side;)
    syscall(SYS_futex, turn, FUTEX_WAIT, now, NULL, NULL, 0);
}

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "usage: futex FPS SECONDS\n"), 2;
  const int64_t interval = (int64_t)(1e9 / atof(arguments[1]));
  const int64_t calls = (int64_t)(atof(arguments[1]) * atof(arguments[2]));
  uint32_t *turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (turn == MAP_FAILED) return perror("mmap"), 1;
  const pid_t other = fork();
  if (other < 0) return perror("fork"), 1;
  if (other == 0)
    for (;;) wait_for(turn, 1), hand_to(turn, 0);
  const int64_t start = clock_ns();
  int64_t n = 0;
  for (; n < calls && n < most_calls; n++) {
    const int64_t due = start + n * interval;
    const struct timespec at = {due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    const int64_t begun = clock_ns();
    hand_to(turn, 1);
    durations[n] = clock_ns() - begun;
    wait_for(turn, 0);
  }
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  qsort(durations, (size_t)n, sizeof *durations, ascending);
  printf("%.1f %.1f\n", (double)durations[n / 2] / 1e3, (double)durations[n * 99 / 100] / 1e3);
  return 0;
}
