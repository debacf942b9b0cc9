/* Preloaded into the host: counts what a frame may cost, and writes the numbers at the end to the
   file that COUNT_FRAME_PATH names, one `name number` a line:

   allocations  calls of malloc and its kin
   locks        mutexes taken: each lock of the host that threads can wait on (Monitor). Swift's
                Mutex is inlined to one atomic exchange and can't be seen from here.
   wakeups      times that a thread slept until another one woke it */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ulong allocations, locks, wakeups;

/* The function behind one of this file. Of two versions of a name the newer one is wanted, and
   dlsym may give the other. */
static void *next(const char *name, _Atomic(void *) *found) {
  void *function = atomic_load(found);
  if (function == NULL) {
    function = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (function == NULL) function = dlsym(RTLD_NEXT, name);
    atomic_store(found, function);
  }
  return function;
}

void *malloc(size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  atomic_fetch_add(&allocations, 1);
  *memory = __libc_memalign(alignment, size);
  return *memory == NULL ? ENOMEM : 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static _Atomic(void *) found;
  int (*real)(pthread_mutex_t *) =
      (int (*)(pthread_mutex_t *))next("pthread_mutex_lock", &found);
  atomic_fetch_add(&locks, 1);
  return real(mutex);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  static _Atomic(void *) found;
  int (*real)(pthread_cond_t *, pthread_mutex_t *) =
      (int (*)(pthread_cond_t *, pthread_mutex_t *))next("pthread_cond_wait", &found);
  const int status = real(condition, mutex);
  atomic_fetch_add(&wakeups, 1);
  return status;
}

int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  static _Atomic(void *) found;
  int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) =
      (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))next(
          "pthread_cond_timedwait", &found);
  const int status = real(condition, mutex, until);
  if (status == 0) atomic_fetch_add(&wakeups, 1);
  return status;
}

static void write_counts(void) {
  const char *path = getenv("COUNT_FRAME_PATH");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "allocations %lu\nlocks %lu\nwakeups %lu\n", atomic_load(&allocations),
          atomic_load(&locks), atomic_load(&wakeups));
  fclose(file);
}

/* Futexes of the host: the turns of a channel between two processes. The host has an _exit of its own, which
   runs no destructor and ends with this call. */
long syscall(long number, ...) {
  static _Atomic(void *) found;
  long (*real)(long, ...) = (long (*)(long, ...))next("syscall", &found);
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_exit_group) write_counts();
  const long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const long operation = a[1] & FUTEX_CMD_MASK;
  if (number == SYS_futex && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && result == 0)
    atomic_fetch_add(&wakeups, 1);
  return result;
}
