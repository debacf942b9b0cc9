#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/ioctl.h>

/* What a filter answers; the library's names are macros that Swift does not see. */

/** The call is made. */
static inline uint32_t greenroom_seccomp_allow(void) { return SCMP_ACT_ALLOW; }

/** The call is held, and a supervisor asked. */
static inline uint32_t greenroom_seccomp_notify(void) { return SCMP_ACT_NOTIFY; }

/** The call is not made, and fails with this error. */
static inline uint32_t greenroom_seccomp_error(int error) {
  return SCMP_ACT_ERRNO((uint32_t)error);
}

/** The process ends. */
static inline uint32_t greenroom_seccomp_kill(void) { return SCMP_ACT_KILL_PROCESS; }

/** A supervisor's answer: make the call after all. */
enum { greenroom_seccomp_continue = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

/** A supervisor's answer to a call that opens a file: here it is. The caller gets a descriptor of
 * its own. Needs Linux 5.14. */
static inline int greenroom_seccomp_give(int notify, uint64_t call, int file, int closes_on_exec) {
  struct seccomp_notif_addfd gift = {
      .id = call,
      .flags = SECCOMP_ADDFD_FLAG_SEND,
      .srcfd = (uint32_t)file,
      .newfd_flags = closes_on_exec ? O_CLOEXEC : 0};
  return ioctl(notify, SECCOMP_IOCTL_NOTIF_ADDFD, &gift);
}
