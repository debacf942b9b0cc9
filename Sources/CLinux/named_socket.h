// Unix sockets that have a name in the file system. Functions return -errno on failure.

#ifndef GREENROOM_CLINUX_NAMED_SOCKET_H
#define GREENROOM_CLINUX_NAMED_SOCKET_H

#include "shim.h"

#include <sys/file.h>
#include <sys/stat.h>

// The longest path of a socket, in bytes without the NUL.
enum { greenroom_longest_socket_path = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };

static inline int greenroom_socket_address(
    const char *_Nonnull path, struct sockaddr_un *_Nonnull address) {
    size_t length = strlen(path);
    if (length == 0 || length > greenroom_longest_socket_path) return -ENAMETOOLONG;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    return 0;
}

// Makes a socket of mode 0600 and listens at it; accepting does not wait.
static inline int greenroom_listen(const char *_Nonnull path, int backlog) {
    struct sockaddr_un address;
    int error = greenroom_socket_address(path, &address);
    if (error < 0) return error;
    int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -errno;
    // The mode that bind() gives to the file, less the umask, which other threads may need as it
    // is; and again afterwards, for a umask that takes the owner's rights away.
    if (fchmod(descriptor, 0600) == 0
        && bind(descriptor, (const struct sockaddr *)&address, sizeof address) == 0) {
        if (chmod(path, 0600) == 0 && listen(descriptor, backlog) == 0) return descriptor;
        error = -errno;
        unlink(path);
    } else {
        error = -errno;
    }
    close(descriptor);
    return error;
}

// Connects to a socket without waiting; receiving waits.
static inline int greenroom_connect(const char *_Nonnull path) {
    struct sockaddr_un address;
    int error = greenroom_socket_address(path, &address);
    if (error < 0) return error;
    int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -errno;
    if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0
        && fcntl(descriptor, F_SETFL, 0) == 0)
        return descriptor;
    error = -errno;
    close(descriptor);
    return error;
}

// Takes a connection that waits, if there is one.
static inline int greenroom_accept(int descriptor) {
    int accepted = accept(descriptor, NULL, NULL);
    if (accepted < 0) return -errno;
    if (fcntl(accepted, F_SETFD, FD_CLOEXEC) == 0) return accepted;
    int error = -errno;
    close(accepted);
    return error;
}

// Who connected, as the kernel saw it then; the process is 0 if it can't be named here.
static inline int greenroom_peer(
    int descriptor, pid_t *_Nonnull process, uid_t *_Nonnull user) {
    // The kernel's struct ucred, which the C library shows to GNU programs alone.
    struct { pid_t process; uid_t user; gid_t group; } peer = {0, 0, 0};
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, 17 /* SO_PEERCRED */, &peer, &size) != 0) return -errno;
    if (size != sizeof peer) return -EPROTO;
    *process = peer.process;
    *user = peer.user;
    return 0;
}

// Locks a file or folder until its descriptor is closed, without waiting.
static inline int greenroom_try_lock(int descriptor) {
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}

#endif
