#define _GNU_SOURCE

#include "processes.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

int64_t greenroom_processor_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? count : 1;
}

ssize_t greenroom_attribute(const char *path, const char *name, void *value, size_t size) {
    ssize_t length = getxattr(path, name, value, size);
    return length < 0 ? -errno : length;
}

int greenroom_pidfd(pid_t process) {
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    return descriptor < 0 ? -errno : descriptor;
}

int greenroom_pidfd_kill(int pidfd, int signal) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0 ? 0 : -errno;
}

int greenroom_spawn_in(void *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

const int greenroom_code_exited = CLD_EXITED;
const int greenroom_code_killed = CLD_KILLED;

static int reap(pid_t process, int options, int *code, int *status) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    while (waitid(P_PID, (id_t)process, &info, WEXITED | options) != 0)
        if (errno != EINTR) return -errno;
    if (info.si_pid == 0) return 0;
    *code = info.si_code;
    *status = info.si_status;
    return 1;
}

int greenroom_reap(pid_t process, int *code, int *status) {
    return reap(process, WNOHANG, code, status);
}

int greenroom_wait(pid_t process, int *code, int *status) {
    return reap(process, 0, code, status);
}

pid_t greenroom_fork(void) { return fork(); }

const char *greenroom_loaded_library(const char *name) {
    void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *map = NULL;
    if (!library) return NULL;
    const char *path = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : NULL;
    dlclose(library);
    return path;
}

int greenroom_thread_number(void) { return (int)syscall(SYS_gettid); }

void greenroom_name_thread(const char *name) {
    prctl(PR_SET_NAME, (unsigned long)name, 0UL, 0UL, 0UL);
}

int greenroom_pipe(int *ends) {
    if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? 0 : -errno;
}

void greenroom_grow_pipe(int end, int bytes) { fcntl(end, F_SETPIPE_SZ, bytes); }

void greenroom_close_from(int first) { syscall(SYS_close_range, (unsigned)first, ~0u, 0u); }

int greenroom_limit_descriptors(pid_t process, uint64_t count) {
    struct rlimit limit;
    if (prlimit(process, RLIMIT_NOFILE, NULL, &limit) != 0) return -errno;
    limit.rlim_cur = count < limit.rlim_max ? count : limit.rlim_max;
    return prlimit(process, RLIMIT_NOFILE, &limit, NULL) == 0 ? 0 : -errno;
}

int64_t greenroom_descriptor_limit(pid_t process) {
    struct rlimit limit;
    if (prlimit(process, RLIMIT_NOFILE, NULL, &limit) != 0) return -errno;
    return (int64_t)limit.rlim_cur;
}
