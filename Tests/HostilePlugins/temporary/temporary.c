/* A camera that uses the folder for temporary files. DEED says how: uses, fills, hides, maps or digs. */
#define OWN_START_SEND
#include "../../WrongPlugins/good.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef DEED
#define DEED uses
#endif

enum { mebibyte = 1 << 20 };

static const char *folder(void) { return getenv("TMPDIR"); }

static const char *inside(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder(), name);
  return path;
}

static void say(good *me, const char *what, int64_t result) {
  char line[128];
  snprintf(line, sizeof line, "%s: %lld", what, (long long)(result < 0 ? -errno : result));
  me->host->log(me->instance, GR_LOG_INFO, line);
}

/* Writes up to a number of bytes; returns how many. */
static int64_t write_bytes(int file, int64_t count) {
  static const char zeros[mebibyte];
  int64_t sum = 0;
  while (sum < count) {
    const ssize_t written = write(file, zeros, mebibyte);
    if (written <= 0) break;
    sum += written;
  }
  return sum;
}

static int make(const char *name) { return open(inside(name), O_CREAT | O_RDWR | O_CLOEXEC, 0600); }

SPARE static void uses(good *me) {
  struct stat about;
  char from[4096];
  say(me, "mode", stat(folder(), &about) == 0 ? (int64_t)(about.st_mode & 0777) : -1);
  strcpy(from, inside("XXXXXX"));
  const int file = mkstemp(from);
  say(me, "write", write(file, "hello", 5));
  say(me, "mkdir", mkdir(inside("inner"), 0700));
  say(me, "rename", rename(from, inside("inner/file")));
  say(me, "unlink", unlink(inside("inner/file")));
  say(me, "link", symlink("/etc/passwd", inside("link")) == 0);
  say(me, "outside", make("../outside") >= 0);
  say(me, "large", write_bytes(make("large"), 40 * mebibyte));
}

/* 120 MiB in named files. */
SPARE static void fills(good *me) {
  char name[16];
  for (int i = 0; i < 12; i++) {
    snprintf(name, sizeof name, "%d", i);
    const int file = make(name);
    write_bytes(file, 10 * mebibyte);
    close(file);
  }
  (void)me;
}

/* In files without a name, which are open. */
SPARE static void hides(good *me) {
  for (int i = 0; i < 12; i++) {
    const int file = make("hidden");
    write_bytes(file, 10 * mebibyte);
    unlink(inside("hidden"));
  }
  (void)me;
}

/* In files without a name, of each of which a page is mapped. */
SPARE static void maps(good *me) {
  for (int i = 0; i < 12; i++) {
    const int file = make("mapped");
    write_bytes(file, 10 * mebibyte);
    unlink(inside("mapped"));
    mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    close(file);
  }
  (void)me;
}

/* In folders that are too deep to look into. */
SPARE static void digs(good *me) {
  int at = open(folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < 100 && mkdirat(at, "inner", 0700) == 0; i++) {
    const int inner = openat(at, "inner", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close(at);
    at = inner;
  }
  close(at);
  (void)me;
}

static gr_status start_send(void *self) {
  DEED(self);
  return good_start_send(self);
}
