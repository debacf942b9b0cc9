#define _GNU_SOURCE
#include "CDecoderCrash.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALS = 5 };
static const int signals[SIGNALS] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
static struct sigaction earlier[SIGNALS];
static atomic_flag is_set = ATOMIC_FLAG_INIT;
static char name[400];
static atomic_long milliseconds;

// The time after which a decoder hangs: before the host ends its process for it.
enum { PATIENCE_SECONDS = 1, PATIENCE_NANOSECONDS = 500000000 };
static struct {
  timer_t timer;
  atomic_bool is_made;
  atomic_bool has_told;
  atomic_long milliseconds;
} watches[DECODER_CRASH_TRACKS];

// Nothing here allocates or locks.
static void crashed(int number, siginfo_t *info, void *context) {
  char text[480];
  size_t length = strlen(name);
  memcpy(text, name, length);
  memcpy(text + length, " at ", 4);
  length += 4;
  char digits[24];
  size_t count = 0;
  for (long rest = atomic_load(&milliseconds); rest > 0 || count < 5; rest /= 10) {
    digits[count++] = (char)('0' + rest % 10);
    if (count == 3) digits[count++] = '.';
  }
  while (count > 0) text[length++] = digits[--count];
  memcpy(text + length, " s\n", 3);
  length += 3;
  ssize_t written = write(STDERR_FILENO, text, length);
  (void)written;
  for (int i = 0; i < SIGNALS; i++) {
    if (signals[i] != number) continue;
    if (earlier[i].sa_flags & SA_SIGINFO) {
      earlier[i].sa_sigaction(number, info, context);
    } else {
      // The signal comes again when this handler returns.
      sigaction(number, &earlier[i], NULL);
      raise(number);
    }
  }
}

static void hangs(union sigval value) {
  int track = value.sival_int;
  if (atomic_exchange(&watches[track].has_told, true)) return;
  long time = atomic_load(&watches[track].milliseconds);
  dprintf(STDERR_FILENO, "%s: the decoder hangs at %ld.%03ld s\n", name, time / 1000, time % 1000);
}

void decoder_crash_tell(const char *file) {
  if (strcmp(program_invocation_short_name, "greenroom-runner") != 0) return;
  if (atomic_flag_test_and_set(&is_set)) return;
  snprintf(name, sizeof name, "playing %s", file);
  for (int i = 0; i < SIGNALS; i++) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = crashed;
    sigaction(signals[i], &action, &earlier[i]);
  }
  for (int i = 0; i < DECODER_CRASH_TRACKS; i++) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD};
    event.sigev_notify_function = hangs;
    event.sigev_value.sival_int = i;
    if (timer_create(CLOCK_MONOTONIC, &event, &watches[i].timer) == 0) {
      atomic_store(&watches[i].is_made, true);
    }
  }
}

static void set(int track, time_t seconds, long nanoseconds) {
  if (!atomic_load(&watches[track].is_made)) return;
  struct itimerspec time = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
  timer_settime(watches[track].timer, 0, &time, NULL);
}

void decoder_crash_begin(int track, long time) {
  atomic_store(&milliseconds, time < 0 ? 0 : time);
  atomic_store(&watches[track].milliseconds, time < 0 ? 0 : time);
  set(track, PATIENCE_SECONDS, PATIENCE_NANOSECONDS);
}

void decoder_crash_end(int track) { set(track, 0, 0); }
