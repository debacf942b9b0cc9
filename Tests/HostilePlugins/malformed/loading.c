/*
 * A plugin that does something while it is loaded. The compiler is told where,
 * -DIN_CONSTRUCTOR, -DIN_ENTRY or -DIN_DESCRIPTOR, and what, -DDO=crash and so on.
 */
#include <fcntl.h>
#include <greenroom/plugin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef IN_CONSTRUCTOR
#define CONSTRUCTOR(action) action()
#else
#define CONSTRUCTOR(action) (void)0
#endif
#ifdef IN_ENTRY
#define ENTRY(action) action()
#else
#define ENTRY(action) (void)0
#endif
#ifdef IN_DESCRIPTOR
#define DESCRIPTOR(action) action()
#else
#define DESCRIPTOR(action) (void)0
#endif
#ifndef DO
#define DO nothing
#endif
#ifndef NAME
#define NAME "Loading"
#endif

static inline void nothing(void) {}

static inline void crash(void) { *(volatile int *)16 = 1; }

static inline void give_up(void) {
  fputs("I have no camera\n", stderr);
  abort();
}

static inline void print(void) {
  puts("I have a camera");
  fflush(stdout);
}

static inline void leave(void) { _exit(0); }

static inline void hang(void) {
  for (;;) pause();
}

static inline void spin(void) {
  for (volatile int turns = 0;; turns++) {}
}

static inline void overflow(void) {
  static void (*volatile again)(void) = overflow;
  volatile char room[4096];
  room[0] = 1;
  again();
  room[1] = room[0];
}

static inline void stop(void) { raise(SIGSTOP); }

static inline void kill_parent(void) {
  kill(getppid(), SIGKILL);
  kill(-getppid(), SIGKILL);
}

/* Creates a file where its process may write. */
__attribute__((constructor)) static void mark(void) {
  const char *path = getenv("GREENROOM_TEST_MARK");
  if (path) {
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file >= 0) {
      dprintf(file, "%d\n", (int)getpid());
      close(file);
    }
  }
  CONSTRUCTOR(DO);
}

/* Says in which process it is, and of which one that is the child. */
static char summary[100];

static gr_descriptor described = {
    .struct_size = sizeof(gr_descriptor), .kind = GR_KIND_VIDEO_SOURCE,
    .id = "org.example.loading", .name = NAME, .version = "1.0.0", .summary = summary};

static const gr_descriptor *descriptor(uint32_t index) {
  (void)index;
  snprintf(summary, sizeof summary, "in process %d, child of %d", (int)getpid(), (int)getppid());
  DESCRIPTOR(DO);
  return &described;
}

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index;
  (void)in;
  (void)plugin;
  return GR_STATUS_FAILED;
}

static const gr_entry entry = {
    .struct_size = sizeof(gr_entry), .abi_major = GR_ABI_MAJOR, .abi_minor = GR_ABI_MINOR,
    .plugin_count = 1, .descriptor = descriptor, .create = create};

GR_EXPORT const gr_entry *greenroom_plugin_entry(void);

const gr_entry *greenroom_plugin_entry(void) {
  ENTRY(DO);
  return &entry;
}
