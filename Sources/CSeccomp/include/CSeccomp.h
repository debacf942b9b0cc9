// libseccomp, and what Swift does not import of it: macros and variadic calls.

#ifndef GREENROOM_CSECCOMP_H
#define GREENROOM_CSECCOMP_H

#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdint.h>

// --- A filter's actions ---

// Allow the call.
extern const uint32_t greenroom_seccomp_allow;

// Hold the call and notify the supervisor.
extern const uint32_t greenroom_seccomp_notify;

// Kill the process.
extern const uint32_t greenroom_seccomp_kill;

// Fail the call with an errno.
uint32_t greenroom_seccomp_error(int error);

// --- A supervisor's answers ---

// Let the kernel execute the call.
enum { greenroom_seccomp_continue = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

// Makes a held call return a copy of this descriptor. Needs Linux 5.14. Returns -1 and sets errno
// on failure.
int greenroom_seccomp_give(int notify, uint64_t call, int file, int closes_on_exec);

// Gives the caller of a held call a copy of this descriptor, and returns its number there; the call is
// still held. Needs Linux 5.9. Returns -1 and sets errno on failure.
int greenroom_seccomp_install(int notify, uint64_t call, int file, int closes_on_exec);

#endif
