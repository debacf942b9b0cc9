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

// Kernel 5.16.
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

struct waited_word {
    uint64_t value;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};

enum { is_32_bits_and_shared = 2 };

static long wait_for_either(const uint32_t *one, uint32_t one_value, const uint32_t *other,
                            uint32_t other_value, int64_t deadline_ns) {
    struct waited_word words[] = {
        {one_value, (uintptr_t)one, is_32_bits_and_shared, 0},
        {other_value, (uintptr_t)other, is_32_bits_and_shared, 0},
    };
    // With 64 bits for the seconds on every machine.
    struct {
        int64_t seconds, nanoseconds;
    } deadline = {deadline_ns / 1000000000, deadline_ns % 1000000000};
    return syscall(SYS_futex_waitv, words, 2, 0, &deadline, CLOCK_MONOTONIC);
}

void greenroom_futex_wait_for_either(uint32_t *one, uint32_t one_value, uint32_t *other,
                                     uint32_t other_value, int64_t deadline_ns) {
    wait_for_either(one, one_value, other, other_value, deadline_ns);
}

int greenroom_can_wait_for_either(void) {
    static const uint32_t word = 0;
    return wait_for_either(&word, 1, &word, 1, 0) < 0 && errno == EAGAIN;
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

void greenroom_ring(uint32_t *word) {
    __atomic_fetch_add(word, 1, __ATOMIC_RELEASE);
    greenroom_futex_wake(word);
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

int greenroom_seal(int descriptor, int forbids_writing, int is_last) {
    int seals = size_is_fixed | (forbids_writing ? F_SEAL_FUTURE_WRITE : 0)
                | (is_last ? F_SEAL_SEAL : 0);
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
