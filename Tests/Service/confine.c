/* Runs a program as a container does under RuntimeDefault: as an ordinary user, without capabilities and new
 * privileges, below the seccomp filter that containerd, CRI-O and Docker have by default, and without user
 * namespaces.
 *
 *   confine USER FOLDER PROGRAM ARGUMENT...
 *
 * REFUSE="NAME ..." refuses more calls, as older profiles do.
 *
 * The filter has only the part that an ordinary user would have without it: the default profiles refuse
 * these calls to processes without CAP_SYS_ADMIN. */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void fail(const char *what) {
  fprintf(stderr, "confine: %s: %s\n", what, strerror(errno));
  exit(125);
}

/* Calls that the profiles allow only with a capability, or never, with EPERM. */
static const char *const refused[] = {
    "add_key",       "bpf",          "delete_module", "fanotify_init",  "finit_module", "fsconfig",
    "fsmount",       "fsopen",       "fspick",        "init_module",    "kexec_load",   "keyctl",
    "lookup_dcookie", "mount",       "mount_setattr", "move_mount",     "move_pages",   "open_tree",
    "perf_event_open", "pivot_root", "quotactl",      "quotactl_fd",    "reboot",       "request_key",
    "setdomainname", "sethostname",  "setns",         "swapoff",        "swapon",       "umount2",
    "unshare",       "userfaultfd",  "vhangup",       "io_uring_setup", "io_uring_enter", "io_uring_register",
};

int main(int count, char **arguments) {
  if (count < 4) {
    fprintf(stderr, "usage: confine USER FOLDER PROGRAM ARGUMENT...\n");
    return 125;
  }
  uid_t user = (uid_t)strtoul(arguments[1], NULL, 10);
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability += 1)
    if (prctl(PR_CAPBSET_DROP, capability)) fail("the bounding set");
  if (setgroups(0, NULL) || setresgid(user, user, user) || setresuid(user, user, user)) fail("the user");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail("no new privileges");
  if (chdir(arguments[2])) fail(arguments[2]);

  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (!filter) fail("the filter");
  for (size_t index = 0; index < sizeof refused / sizeof *refused; index += 1) {
    int call = seccomp_syscall_resolve_name(refused[index]);
    if (call != __NR_SCMP_ERROR) seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
  }
  char *more = getenv("REFUSE") ? strdup(getenv("REFUSE")) : NULL;
  for (char *name = more ? strtok(more, " ") : NULL; name; name = strtok(NULL, " ")) {
    int call = seccomp_syscall_resolve_name(name);
    if (call == __NR_SCMP_ERROR) fail(name);
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
  }
  /* clone with a new namespace, by the flags; clone3, whose flags a filter cannot read, is unknown. */
  unsigned long namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                             CLONE_NEWPID | CLONE_NEWNET;
  for (unsigned long flag = 1; flag <= namespaces; flag <<= 1)
    if (namespaces & flag)
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                       SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
  seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  if (seccomp_load(filter)) fail("the filter");
  seccomp_release(filter);

  clearenv();
  setenv("PATH", "/usr/bin:/bin", 1);
  setenv("LANG", "C.UTF-8", 1);
  execvp(arguments[3], arguments + 3);
  fail(arguments[3]);
}
