#define _GNU_SOURCE

#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The numbers are the same on every architecture.
enum {
    sys_landlock_create_ruleset = 444,
    sys_landlock_add_rule = 445,
    sys_landlock_restrict_self = 446,
};

enum { landlock_create_ruleset_version = 1, landlock_rule_path_beneath = 1 };

struct landlock_path {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));

int greenroom_open_plain(const char *path, int flags, int links) {
    struct open_how how = {
        .flags = (uint64_t)(unsigned)flags,
        .resolve = RESOLVE_NO_MAGICLINKS | (links ? 0 : RESOLVE_NO_SYMLINKS)};
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

int greenroom_opens_for_others(void) {
    // Test a call of Linux 5.9, which also introduced passing descriptors to a held call.
    if (syscall(SYS_close_range, ~0U, ~0U, 0U) != 0) return 0;
    int root = greenroom_open_plain("/", O_PATH | O_CLOEXEC, 1);
    if (root < 0) return 0;
    close(root);
    char scope = '0';
    int file = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, &scope, 1) != 1) scope = '0';
        close(file);
    }
    return scope < '2';
}

int greenroom_rename(
    int folder, const char *name, int new_folder, const char *new_name, unsigned flags) {
    return (int)syscall(SYS_renameat2, folder, name, new_folder, new_name, flags);
}

int greenroom_bind_for(int process, int socket, const void *address, unsigned length) {
    int pidfd = (int)syscall(SYS_pidfd_open, process, 0);
    if (pidfd < 0) return errno;
    // The plugin may give the number to another socket at any time: this is a copy of one socket.
    int copy = (int)syscall(SYS_pidfd_getfd, pidfd, socket, 0);
    int error = copy >= 0 ? 0 : errno == EPERM ? ENOSYS : errno;
    close(pidfd);
    if (copy < 0) return error;
    int family = AF_UNIX;
    socklen_t size = sizeof family;
    if (getsockopt(copy, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0) {
        error = errno;
    } else if (family == AF_UNIX) {
        error = EAFNOSUPPORT;
    } else if (bind(copy, address, length) != 0) {
        error = errno;
    }
    close(copy);
    return error;
}

int greenroom_hide_from_processes(void) { return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }

int greenroom_landlock_version(void) {
    return (int)syscall(
        sys_landlock_create_ruleset, NULL, (size_t)0, landlock_create_ruleset_version);
}

int greenroom_landlock_create(struct greenroom_landlock_ruleset ruleset) {
    return (int)syscall(sys_landlock_create_ruleset, &ruleset, sizeof ruleset, 0U);
}

int greenroom_landlock_allow(int ruleset, int path, uint64_t access) {
    struct landlock_path rule = {access, path};
    return (int)syscall(sys_landlock_add_rule, ruleset, landlock_rule_path_beneath, &rule, 0U);
}

int greenroom_landlock_restrict(int ruleset) {
    return (int)syscall(sys_landlock_restrict_self, ruleset, 0U);
}

int greenroom_set_no_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

int greenroom_no_new_privileges(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL); }

int greenroom_set_parent_death_signal(int signal) {
    return prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0UL, 0UL, 0UL);
}

int greenroom_parent_death_signal(void) {
    int signal = 0;
    return prctl(PR_GET_PDEATHSIG, &signal, 0UL, 0UL, 0UL) == 0 ? signal : -1;
}

int greenroom_has_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
    if (syscall(SYS_capget, &header, data) != 0) return -1;
    return data[0].effective || data[1].effective || data[0].permitted || data[1].permitted
           || data[0].inheritable || data[1].inheritable;
}

int greenroom_drop_capabilities(void) {
    // Dropping from the bounding set needs a capability, so do it first. EINVAL: the kernel has no
    // capability of this number or above.
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

static int set_effective(const uint64_t *new, uint64_t *old) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    memset(data, 0, sizeof data);
    if (syscall(SYS_capget, &header, data) != 0) return -1;
    if (old != NULL) *old = data[0].effective | (uint64_t)data[1].effective << 32;
    data[0].effective = (uint32_t)*new;
    data[1].effective = (uint32_t)(*new >> 32);
    return (int)syscall(SYS_capset, &header, data);
}

uint64_t greenroom_suspend_capabilities(void) {
    uint64_t none = 0, former = 0;
    set_effective(&none, &former);
    return former;
}

void greenroom_resume_capabilities(uint64_t effective) {
    if (effective != 0) set_effective(&effective, NULL);
}

int greenroom_seccomp_notifies(void) {
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {1, &allow};
    // The child shares this memory until it ends: it makes system calls only, and handles no signal.
    volatile int can = 0;
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &former);
    pid_t child = vfork();
    if (child == 0) {
        can = prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0
              && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                         &filter) >= 0;
        syscall(SYS_exit_group, 0);
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    return can;
}

int greenroom_seccomp_knows(uint32_t action) {
    return (int)syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action);
}
