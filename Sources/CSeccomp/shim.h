#include <seccomp.h>

/* What a filter answers; the library's names are macros that Swift does not see. */

/** The call is made. */
static inline uint32_t greenroom_seccomp_allow(void) { return SCMP_ACT_ALLOW; }

/** The call is held, and a supervisor asked. */
static inline uint32_t greenroom_seccomp_notify(void) { return SCMP_ACT_NOTIFY; }

/** The call is not made, and fails with this error. */
static inline uint32_t greenroom_seccomp_error(int error) {
  return SCMP_ACT_ERRNO((uint32_t)error);
}

/** A supervisor's answer: make the call after all. */
enum { greenroom_seccomp_continue = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
