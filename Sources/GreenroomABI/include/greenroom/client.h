/*
 * greenroom/client.h - plugins in a program that the host did not load (since minor 3)
 *
 * A plugin library is loaded by the host. A program is a process with plugins of any kind that connects
 * to the host. Link it with -lgreenroom-client. Its plugins are ordinary ones, as greenroom/plugin.h
 * describes them: an entry with descriptors and create.
 *
 *   PROGRAMS THAT CONNECT
 *
 *   A host whose session file says
 *
 *     camera: { connect: /run/user/1000/bot.sock }
 *     microphone: { connect: /run/user/1000/bot.sock }
 *
 *   creates that Unix socket and waits. Your program calls greenroom_client_run, and is the session's
 *   camera and microphone until its plugins finish or it ends. Then another program may connect, or the
 *   same one again. A program that crashes or stops answering is a lost plugin: the session continues.
 *
 *   Only the host's user may connect (mode 0600). The host asks the kernel for the user of each
 *   connection and rejects others, except root. A socket serves one program at a time.
 *
 *   INSTANCES AND THREADS
 *
 *   The session starts an instance for each of its plugins that names the socket, if the entry has a
 *   plugin of that kind. Each instance has a control thread of this library, on which the host takes it
 *   through its lifecycle. Frames are in memory that both processes share: leased frames reach the host
 *   without a copy. The plugins of a program end together: when one fails or finishes, the host ends
 *   the others, and the call returns.
 *
 *   PROGRAMS THAT THE HOST STARTS
 *
 *   For a script, the host starts the interpreter in the plugin's sandbox, with descriptors 3 and 4. The
 *   program calls greenroom_client_serve, which calls load with the script that the session file names.
 */
#ifndef GREENROOM_CLIENT_H
#define GREENROOM_CLIENT_H

#include "plugin.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * Offers the plugins of an entry to the host at a socket, and returns when they have ended.
 *
 * Waits while the session does not want a plugin yet.
 *
 * socket_path    at most 107 bytes, as in the host's session file
 * entry          what greenroom_plugin_entry() of a plugin library would return. Parameters have
 *                their defaults, so none may be required.
 * text, capacity a buffer for a text that says how the plugins ended, with a NUL; cut to fit.
 *                NULL and 0 for none
 *
 * Returns
 *   GR_STATUS_OK            the plugins have finished, or the session has ended
 *   GR_STATUS_UNAVAILABLE   no host is there, or it has no room now: try again later
 *   GR_STATUS_GONE          the host disappeared: it was killed
 *   GR_STATUS_UNSUPPORTED   the host has another version of the protocol
 *   GR_STATUS_BAD_ARGUMENT  the path or the entry breaks a rule, or the process is connected already
 *   else                    what create, initialize or start_send of a plugin returned
 *
 * The program decides when to try again. A process may call it any number of times, one call after the
 * other.
 *
 * [any thread except in a callback; one call at a time]
 */
gr_status greenroom_client_run(const char *GR_NONNULL socket_path,
                               const gr_entry *GR_NONNULL entry, char *GR_NULLABLE text,
                               uint64_t capacity);

/** Asks the host to end every plugin of this process, so that greenroom_client_run returns. Without a
 *  plugin, or without a connection, the call returns at once. [any] */
void greenroom_client_finish(void);

/** Keeps the memory of frames mapped until the process ends, so that a language binding whose user still
 *  holds a view of a frame after its callback reads old pixels and does not crash. [any] */
void greenroom_client_keep_memory(void);

/** Loads what a session file names, such as a script, and returns its entry. Returns NULL after a
 *  failure, with the reason in text. [any] */
typedef const gr_entry *GR_NULLABLE (*gr_client_load)(void *GR_NULLABLE context,
                                                      const char *GR_NONNULL path,
                                                      char *GR_NONNULL text, uint64_t capacity);

/**
 * Serves the host that has started this process, on the calling thread. The process ends with its host
 * or with its last plugin; the call returns only if no host has started the process.
 */
gr_status greenroom_client_serve(gr_client_load GR_NONNULL load, void *GR_NULLABLE context,
                                 char *GR_NULLABLE text, uint64_t capacity);

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
