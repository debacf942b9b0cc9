// libseccomp, and what Swift does not import of it: macros and variadic calls.

#ifndef GREENROOM_CSECCOMP_H
#define GREENROOM_CSECCOMP_H

#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdint.h>

// --- What a filter answers to a call ---

// The call is made.
extern const uint32_t greenroom_seccomp_allow;

// The call is held and a supervisor asked.
extern const uint32_t greenroom_seccomp_notify;

// The process is killed.
extern const uint32_t greenroom_seccomp_kill;

// The call is not made and fails with an error.
uint32_t greenroom_seccomp_error(int error);

// --- What a supervisor answers to a call ---

// The call is made after all.
enum { greenroom_seccomp_continue = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

// A call that opens a file returns a copy of this descriptor. Needs Linux 5.14. Returns -1 and sets
// errno on failure.
int greenroom_seccomp_give(int notify, uint64_t call, int file, int closes_on_exec);

#endif
