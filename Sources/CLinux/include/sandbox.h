// What a process does to take rights from itself. Functions return -1 and set errno where the
// kernel refuses; ENOSYS says that it has no such call.

#ifndef GREENROOM_CLINUX_SANDBOX_H
#define GREENROOM_CLINUX_SANDBOX_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h> // for its constants
#include <sys/resource.h>

// Names that the C library keeps from programs in plain C, which Swift's importer is.
enum {
    greenroom_open_path = __O_PATH,
    greenroom_limit_threads = __RLIMIT_NPROC,
};

// --- Landlock ---
// The kernel's headers of Debian 12 know only its first version. What stands here instead is part
// of the kernel's binary interface and never changes.

// What a ruleset forbids unless a rule allows it. An older kernel, which knows fewer members,
// accepts it if those that it does not know are zero.
struct greenroom_landlock_ruleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net; // since version 4
    uint64_t scoped;             // since version 6
};

// The version of Landlock's interface, from 1.
int greenroom_landlock_version(void);

// Makes a ruleset; returns its descriptor.
int greenroom_landlock_create(struct greenroom_landlock_ruleset ruleset);

// Adds a rule for the file or folder behind a descriptor.
int greenroom_landlock_allow(int ruleset, int path, uint64_t access);

// Puts the calling thread, and all that it starts, under a ruleset for good.
int greenroom_landlock_restrict(int ruleset);

// --- prctl, which is variadic ---

// No program that this process starts gets more rights than it has.
int greenroom_set_no_new_privileges(void);

// 1 if that is so, 0 if not.
int greenroom_no_new_privileges(void);

// The signal that this process gets when the thread that started it ends.
int greenroom_set_parent_death_signal(int signal);

// That signal; 0 for none.
int greenroom_parent_death_signal(void);

// --- Capabilities ---

// Whether the process holds a capability, or could get one by starting a program: 1 or 0.
int greenroom_has_capabilities(void);

// Takes all capabilities from the process, and from programs that it could start.
int greenroom_drop_capabilities(void);

// --- seccomp ---

// Whether the kernel knows an action of a filter: 0 if it does.
int greenroom_seccomp_knows(uint32_t action);

#endif
