#define _GNU_SOURCE
#include "greenroom/meter.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

/* The C library's own functions. Not found by dlsym, which may allocate. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

/* Allocated with the thread, so that the first access allocates nothing. */
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))

OF_THREAD greenroom_meter_counts counts;
OF_THREAD int is_counting;

void greenroom_meter_begin(void) {
  counts = (greenroom_meter_counts){0};
  is_counting = 1;
}

void greenroom_meter_end(greenroom_meter_counts *result) {
  is_counting = 0;
  *result = counts;
}

static void count(size_t bytes) {
  if (!is_counting) return;
  counts.allocations++;
  counts.bytes += bytes;
}

void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(number * size);
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count(size);
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

void free(void *memory) {
  if (is_counting && memory != NULL) counts.frees++;
  __libc_free(memory);
}

typedef int (*locking)(pthread_mutex_t *);

/* Set by the first caller: at the latest, by the library's constructor. */
static locking own_lock;

__attribute__((constructor)) static void find_lock(void) {
  if (__atomic_load_n(&own_lock, __ATOMIC_RELAXED) != NULL) return;
  union {
    void *address;
    locking function;
  } found = {.address = dlsym(RTLD_NEXT, "pthread_mutex_lock")};
  __atomic_store_n(&own_lock, found.function, __ATOMIC_RELAXED);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (is_counting) counts.locks++;
  locking lock = __atomic_load_n(&own_lock, __ATOMIC_RELAXED);
  if (lock == NULL) {
    find_lock();
    lock = __atomic_load_n(&own_lock, __ATOMIC_RELAXED);
  }
  return lock(mutex);
}
