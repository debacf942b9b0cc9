// What Linux has and Swift's Glibc does not import: variadic calls, macros, atomics on memory that
// two processes share. Functions return -errno on failure.

#ifndef GREENROOM_CLINUX_H
#define GREENROOM_CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/memfd.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Memory that another process may write to at any time.

static inline uint32_t greenroom_load(const uint32_t *_Nonnull word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void greenroom_store(uint32_t *_Nonnull word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

// Waits for as long as a word has a value, timeout_ns at the most; may end early.
static inline void greenroom_futex_wait(
    uint32_t *_Nonnull word, uint32_t value, int64_t timeout_ns) {
    struct timespec timeout = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

static inline void greenroom_futex_wake(uint32_t *_Nonnull word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

// A file in memory, of a size that nobody can change any more.
static inline int greenroom_sealed_memory(const char *_Nonnull name, int64_t byte_count) {
    int descriptor = (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -errno;
    if (ftruncate(descriptor, byte_count) != 0
        || syscall(SYS_fcntl, descriptor, 1033 /* F_ADD_SEALS */,
                   1 | 2 | 4 /* F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW */) != 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

// Whether a file is memory whose size can't change any more.
static inline int greenroom_is_sealed(int descriptor) {
    long seals = syscall(SYS_fcntl, descriptor, 1034 /* F_GET_SEALS */);
    return seals >= 0 && (seals & (1 | 2 | 4)) == (1 | 2 | 4);
}

// Processors that are online, at least 1. `_SC_NPROCESSORS_ONLN` belongs to the first Clang module
// that includes its header, so Swift files that import Glibc do not always see it.
static inline int64_t greenroom_processor_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? count : 1;
}

// Processes.

static inline int greenroom_pidfd(pid_t process) {
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    return descriptor < 0 ? -errno : descriptor;
}

static inline int greenroom_pidfd_kill(int pidfd, int signal) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0 ? 0 : -errno;
}

// A file in memory that has no name. Returns its descriptor, or -1.
static inline int greenroom_memory_file(const char *_Nonnull name) {
    return (int)syscall(SYS_memfd_create, name, 1U /* MFD_CLOEXEC */);
}

// The code of a process that has exited by itself.
static const int greenroom_code_exited = CLD_EXITED;

// Reaps a child. Returns 1 and its end, 0 while it lives, -errno.
static inline int greenroom_reap(pid_t process, int *_Nonnull code, int *_Nonnull status) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG) != 0) return -errno;
    if (info.si_pid == 0) return 0;
    *code = info.si_code;
    *status = info.si_status;
    return 1;
}

// A pipe whose reading end does not wait.
static inline int greenroom_pipe(int *_Nonnull ends) {
    if (syscall(SYS_pipe2, ends, O_CLOEXEC) != 0) return -1;
    return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

// Closes all descriptors from one on.
static inline void greenroom_close_from(int first) {
    syscall(SYS_close_range, (unsigned)first, ~0u, 0u);
}

// Sockets: messages of up to 64 bytes with up to 4 descriptors.

enum { greenroom_most_descriptors = 4 };

static inline long greenroom_send(
    int socket, const void *_Nonnull bytes, size_t count, const int *_Nullable descriptors,
    int descriptor_count) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * greenroom_most_descriptors)];
        struct cmsghdr header;
    } control;
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor_count > greenroom_most_descriptors) return -EINVAL;
    if (descriptor_count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)descriptor_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)descriptor_count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * (size_t)descriptor_count);
    }
    long sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? -errno : sent;
}

static inline void greenroom_do_not_linger(int socket) {
    struct linger linger = {0, 0};
    (void)setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

// Receives a message; descriptors beyond the capacity are closed. Returns its length, 0 at the end,
// -errno, and -EMSGSIZE for one that is longer than the buffer.
static inline long greenroom_receive(
    int socket, void *_Nonnull bytes, size_t capacity, int *_Nonnull descriptors,
    int *_Nonnull descriptor_count, int waits) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * greenroom_most_descriptors)];
        struct cmsghdr header;
    } control;
    struct iovec part = {bytes, capacity};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes};
    *descriptor_count = 0;
    long received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
    if (received < 0) return -errno;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int index = 0; index < count; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + (size_t)index * sizeof(int), sizeof(int));
            if (*descriptor_count < greenroom_most_descriptors)
                descriptors[(*descriptor_count)++] = descriptor;
            else
                close(descriptor);
        }
    }
    if (message.msg_flags & MSG_TRUNC) return -EMSGSIZE;
    return received;
}

#include "crash.h"
#include "sandbox.h"

// How many descriptors another process may have: sets the soft limit.
static inline int greenroom_limit_descriptors(pid_t process, uint64_t count) {
    uint64_t limits[2];
    if (syscall(SYS_prlimit64, process, RLIMIT_NOFILE, NULL, limits) != 0) return -errno;
    limits[0] = count < limits[1] ? count : limits[1];
    return syscall(SYS_prlimit64, process, RLIMIT_NOFILE, limits, NULL) != 0 ? -errno : 0;
}

static inline int64_t greenroom_descriptor_limit(pid_t process) {
    uint64_t limits[2];
    if (syscall(SYS_prlimit64, process, RLIMIT_NOFILE, NULL, limits) != 0) return -errno;
    return (int64_t)limits[0];
}

#endif
