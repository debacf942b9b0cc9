#define _GNU_SOURCE

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint32_t greenroom_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

void greenroom_store(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

void greenroom_futex_wait_until(uint32_t *word, uint32_t value, int64_t deadline_ns) {
    struct timespec deadline = {deadline_ns / 1000000000, deadline_ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
}

int greenroom_take_until(sem_t *semaphore, int64_t deadline_ns) {
    struct timespec deadline = {deadline_ns / 1000000000, deadline_ns % 1000000000};
    int taken;
    do {
        taken = sem_clockwait(semaphore, CLOCK_MONOTONIC, &deadline);
    } while (taken != 0 && errno == EINTR);
    return taken == 0;
}

int64_t greenroom_monotonic_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void greenroom_futex_wake(uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

enum { size_is_fixed = F_SEAL_SHRINK | F_SEAL_GROW };

int greenroom_memory(const char *name, int64_t byte_count) {
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -errno;
    if (ftruncate(descriptor, byte_count) != 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

// Kernel 5.1.
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

int greenroom_seal(int descriptor, int forbids_writing) {
    int seals = size_is_fixed | F_SEAL_SEAL | (forbids_writing ? F_SEAL_FUTURE_WRITE : 0);
    return fcntl(descriptor, F_ADD_SEALS, seals) == 0 ? 0 : -errno;
}

int greenroom_forbids_writing(int descriptor) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_FUTURE_WRITE) != 0;
}

int greenroom_is_sealed(int descriptor) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & size_is_fixed) == size_is_fixed;
}

int greenroom_memory_file(const char *name) {
    int descriptor = memfd_create(name, MFD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}
