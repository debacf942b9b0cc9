// Unix sockets, with and without a name in the file system.

#ifndef GREENROOM_CLINUX_SOCKETS_H
#define GREENROOM_CLINUX_SOCKETS_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

// Limit of descriptors in a message.
enum { greenroom_descriptor_count_limit = 4 };

// Sends a message without waiting. Returns the bytes sent.
long greenroom_send(
    int socket, const void *_Nonnull bytes, size_t count, const int *_Nullable descriptors,
    int descriptor_count);

// Receives a message; descriptors beyond the capacity are closed. Returns its length, 0 at the
// end, and -EMSGSIZE for a message longer than the buffer.
long greenroom_receive(
    int socket, void *_Nonnull bytes, size_t capacity, int *_Nonnull descriptors,
    int *_Nonnull descriptor_count, int waits);

// Makes close() return at once, even with unread data on the other side.
void greenroom_do_not_linger(int socket);

// The longest path of a socket, in bytes without the NUL.
enum { greenroom_socket_path_limit = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };

// The kind of a socket: it passes whole messages, or bytes.
static const int greenroom_messages = 0;
static const int greenroom_bytes = 1;

// Gives the caller's socket at a path the mode 0600, which only its umask may have narrowed. Follows no
// link.
int greenroom_make_socket_private(const char *_Nonnull path);

// Makes a socket of mode 0600 and listens at it; accepting does not wait.
int greenroom_listen(const char *_Nonnull path, int type, int backlog);

// Connects to a socket without waiting; receiving waits.
int greenroom_connect(const char *_Nonnull path, int type);

// Accepts a pending connection.
int greenroom_accept(int descriptor);

// The process and user at the time of connecting. The process is 0 outside this process's PID
// namespace.
int greenroom_peer(int descriptor, pid_t *_Nonnull process, uid_t *_Nonnull user);

// Locks a file or folder until its descriptor is closed, without waiting.
int greenroom_try_lock(int descriptor);

#endif
