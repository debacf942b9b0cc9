// Calls that remove rights from this process. They return -1 and set errno if the kernel refuses;
// ENOSYS means that it lacks the call.

#ifndef GREENROOM_CLINUX_SANDBOX_H
#define GREENROOM_CLINUX_SANDBOX_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h> // for its constants
#include <sys/resource.h>

// Names that the C library hides in strict C mode, which Swift's importer uses.
enum {
    greenroom_open_path = __O_PATH,
    greenroom_limit_threads = __RLIMIT_NPROC,
    greenroom_limit_signals = __RLIMIT_SIGPENDING,
};

// --- Opening files for another process ---

// Opens a path as openat2 does, but follows no link of /proc to an open file, a root or a current
// folder; with links == 0, no link at all.
int greenroom_open_plain(const char *path, int flags, int links);

// Whether this process can open files for another one: the calls that it takes are there (Linux 5.9),
// and may read the memory of its children.
int greenroom_opens_for_others(void);

// renameat2, which the C library hides in strict C mode.
int greenroom_rename(
    int folder, const char *name, int new_folder, const char *new_name, unsigned flags);

// Binds a socket of another process to a copy of an address. Returns 0 or an errno: EAFNOSUPPORT for a
// Unix socket, and ENOSYS where the kernel does not let this process look at the socket.
int greenroom_bind_for(int process, int socket, const void *address, unsigned length);

// Takes the calling thread's capabilities out of effect. Returns the effective ones before.
uint64_t greenroom_suspend_capabilities(void);

// Puts them into effect again.
void greenroom_resume_capabilities(uint64_t effective);

// --- Landlock ---
// The kernel headers of Debian 12 only know version 1. These definitions are part of the kernel's
// stable binary interface.

// The accesses that a ruleset forbids unless a rule allows them. An older kernel, which knows fewer members,
// accepts the struct if the unknown ones are zero.
struct greenroom_landlock_ruleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net; // since version 4
    uint64_t scoped;             // since version 6
};

// The version of Landlock's interface, from 1.
int greenroom_landlock_version(void);

// Makes a ruleset; returns its descriptor.
int greenroom_landlock_create(struct greenroom_landlock_ruleset ruleset);

// Adds a rule for a file or folder, by descriptor.
int greenroom_landlock_allow(int ruleset, int path, uint64_t access);

// Restricts the calling thread, and everything that it starts, permanently.
int greenroom_landlock_restrict(int ruleset);

// --- prctl, which is variadic ---

// Programs that this process starts get no more rights than it has.
int greenroom_set_no_new_privileges(void);

// 1 if set, 0 if not.
int greenroom_no_new_privileges(void);

// The signal that this process gets when its parent thread ends.
int greenroom_set_parent_death_signal(int signal);

// Hides this process's memory and descriptors from every other process without CAP_SYS_PTRACE: they can't
// trace it, nor open its files in /proc. It leaves no core dump either.
int greenroom_hide_from_processes(void);

// The current parent death signal; 0 for none.
int greenroom_parent_death_signal(void);

// --- Capabilities ---

// Whether the process has a capability, or could get one by starting a program: 1 or 0.
int greenroom_has_capabilities(void);

// Drops all capabilities of the process and of programs that it starts.
int greenroom_drop_capabilities(void);

// --- seccomp ---

// Whether the kernel supports a filter's action: 0 if it does.
int greenroom_seccomp_knows(uint32_t action);

// Whether a child of this process can ask it about system calls. Tries: a supervisor that the process has
// already, or a container's own filter, can prevent it.
int greenroom_seccomp_notifies(void);

#endif
