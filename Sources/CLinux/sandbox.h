#ifndef GREENROOM_LINUX_SANDBOX_H
#define GREENROOM_LINUX_SANDBOX_H

/* What a process does to take rights from itself. The kernel's headers of Debian 12 know the
 * first version of Landlock only, so its constants and structures stand here; they are part of
 * the kernel's binary interface and never change. All functions return -1 and set errno where
 * the kernel refuses, and ENOSYS is its answer where it has no such call. */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Names that the C library keeps from programs in plain C, which Swift's importer is. */
enum {
  greenroom_open_path = __O_PATH,
  greenroom_limit_threads = __RLIMIT_NPROC,
};

/* --- Landlock --- */

/* The same numbers on every architecture. */
enum {
  greenroom_sys_landlock_create_ruleset = 444,
  greenroom_sys_landlock_add_rule = 445,
  greenroom_sys_landlock_restrict_self = 446,
};

/** What a ruleset forbids unless a rule allows it. An older kernel, which knows fewer members,
 * takes it as long as those that it does not know are zero. */
struct greenroom_landlock_ruleset {
  uint64_t handled_access_fs;
  uint64_t handled_access_net; /**< since version 4 */
  uint64_t scoped;             /**< since version 6 */
};

/** A rule: this is allowed for this file, or for all that is below this folder. */
struct greenroom_landlock_path {
  uint64_t allowed_access;
  int32_t parent_fd;
} __attribute__((packed));

/** The version of Landlock's interface, from 1. */
static inline int greenroom_landlock_version(void) {
  return (int)syscall(greenroom_sys_landlock_create_ruleset, NULL, (size_t)0, 1U);
}

/** Makes a ruleset; returns its descriptor. */
static inline int greenroom_landlock_create(struct greenroom_landlock_ruleset ruleset) {
  return (int)syscall(greenroom_sys_landlock_create_ruleset, &ruleset, sizeof ruleset, 0U);
}

/** Adds a rule for the file or folder behind a descriptor. */
static inline int greenroom_landlock_allow(int ruleset, int path, uint64_t access) {
  struct greenroom_landlock_path rule = {access, path};
  return (int)syscall(greenroom_sys_landlock_add_rule, ruleset, 1, &rule, 0U);
}

/** Puts the calling thread, and all that it starts, under a ruleset for good. */
static inline int greenroom_landlock_restrict(int ruleset) {
  return (int)syscall(greenroom_sys_landlock_restrict_self, ruleset, 0U);
}

/* --- Threads --- */

/** The calling thread's number. */
static inline int greenroom_thread_number(void) { return (int)syscall(SYS_gettid); }

/** Names the calling thread, in up to 15 bytes. */
static inline void greenroom_name_thread(const char *name) {
  prctl(PR_SET_NAME, (unsigned long)name, 0UL, 0UL, 0UL);
}

/* --- prctl, which is variadic --- */

/** No program that this process starts gets more rights than it has. */
static inline int greenroom_set_no_new_privileges(void) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

/** 1 if that is so, 0 if not. */
static inline int greenroom_no_new_privileges(void) {
  return prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL);
}

/** The signal that this process gets when the thread that started it ends. */
static inline int greenroom_set_parent_death_signal(int signal) {
  return prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0UL, 0UL, 0UL);
}

/** That signal; 0 for none. */
static inline int greenroom_parent_death_signal(void) {
  int signal = 0;
  return prctl(PR_GET_PDEATHSIG, &signal, 0UL, 0UL, 0UL) == 0 ? signal : -1;
}

/* --- Capabilities --- */

/** Whether the process holds a capability, or could get one by starting a program: 1 or 0. */
static inline int greenroom_has_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capget, &header, data) != 0) return -1;
  return data[0].effective || data[1].effective || data[0].permitted || data[1].permitted
         || data[0].inheritable || data[1].inheritable;
}

/** Takes all capabilities from the process, and from programs that it could start. */
static inline int greenroom_drop_capabilities(void) {
  /* Taking from the bounding set needs a capability itself, so it comes first; EINVAL says that
   * the kernel knows no capability of this number, nor of any after it. */
  for (unsigned long capability = 0; capability < 64; capability++) {
    if (prctl(PR_CAPBSET_DROP, capability, 0UL, 0UL, 0UL) == 0) continue;
    if (errno == EINVAL) break;
    if (errno != EPERM) return -1;
  }
  prctl(PR_CAP_AMBIENT, (unsigned long)PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL);
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
  return (int)syscall(SYS_capset, &header, data);
}

/* --- seccomp --- */

/** Whether the kernel knows an action of a filter: 0 if it does. */
static inline int greenroom_seccomp_knows(uint32_t action) {
  return (int)syscall(SYS_seccomp, 2U /* SECCOMP_GET_ACTION_AVAIL */, 0U, &action);
}

#endif
