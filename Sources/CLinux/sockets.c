#define _GNU_SOURCE

#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

long greenroom_send(
    int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * greenroom_descriptor_count_limit)];
        struct cmsghdr header;
    } control;
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor_count > greenroom_descriptor_count_limit) return -EINVAL;
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

void greenroom_do_not_linger(int socket) {
    struct linger linger = {0, 0};
    (void)setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

long greenroom_receive(
    int socket, void *bytes, size_t capacity, int *descriptors, int *descriptor_count, int waits) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * greenroom_descriptor_count_limit)];
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
            if (*descriptor_count < greenroom_descriptor_count_limit)
                descriptors[(*descriptor_count)++] = descriptor;
            else
                close(descriptor);
        }
    }
    if (message.msg_flags & MSG_TRUNC) return -EMSGSIZE;
    return received;
}

static int socket_type(int type) { return type == greenroom_bytes ? SOCK_STREAM : SOCK_SEQPACKET; }

static int socket_address(const char *path, struct sockaddr_un *address) {
    size_t length = strlen(path);
    if (length == 0 || length > greenroom_socket_path_limit) return -ENAMETOOLONG;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    return 0;
}

int greenroom_make_socket_private(const char *path) {
    struct stat about;
    // Another user of the folder may have put a link to another file there.
    int place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0) return -errno;
    int error = fstat(place, &about) == 0 ? 0 : -errno;
    if (error == 0 && (!S_ISSOCK(about.st_mode) || about.st_uid != geteuid())) error = -ENOTSOCK;
    if (error == 0 && (about.st_mode & 07777) != 0600) {
        char name[40];
        snprintf(name, sizeof name, "/proc/self/fd/%d", place);
        if (chmod(name, 0600) != 0) error = -errno;
    }
    close(place);
    return error;
}

int greenroom_listen(const char *path, int type, int backlog) {
    struct sockaddr_un address;
    int error = socket_address(path, &address);
    if (error < 0) return error;
    int descriptor = socket(AF_UNIX, socket_type(type) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -errno;
    // bind() creates the file with this mode, less the umask, which can't be changed because other
    // threads may need it.
    if (fchmod(descriptor, 0600) == 0
        && bind(descriptor, (const struct sockaddr *)&address, sizeof address) == 0) {
        error = greenroom_make_socket_private(path);
        if (error == 0 && listen(descriptor, backlog) == 0) return descriptor;
        if (error == 0) error = -errno;
        unlink(path);
    } else {
        error = -errno;
    }
    close(descriptor);
    return error;
}

int greenroom_connect(const char *path, int type) {
    struct sockaddr_un address;
    int error = socket_address(path, &address);
    if (error < 0) return error;
    int descriptor = socket(AF_UNIX, socket_type(type) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -errno;
    if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0
        && fcntl(descriptor, F_SETFL, 0) == 0)
        return descriptor;
    error = -errno;
    close(descriptor);
    return error;
}

int greenroom_accept(int descriptor) {
    int accepted = accept4(descriptor, NULL, NULL, SOCK_CLOEXEC);
    return accepted < 0 ? -errno : accepted;
}

int greenroom_peer(int descriptor, pid_t *process, uid_t *user) {
    struct ucred peer = {0, 0, 0};
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -errno;
    if (size != sizeof peer) return -EPROTO;
    *process = peer.pid;
    *user = peer.uid;
    return 0;
}

int greenroom_try_lock(int descriptor) {
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}
