// Processes, their threads and their descriptors.

#ifndef GREENROOM_CLINUX_PROCESSES_H
#define GREENROOM_CLINUX_PROCESSES_H

#include <stdint.h>
#include <sys/types.h>

// Online processors, at least 1. `_SC_NPROCESSORS_ONLN` belongs to the first Clang module that
// includes its header, so Swift files that import Glibc do not always see it.
int64_t greenroom_processor_count(void);

// The scheduling class of idle work, which the C library hides in strict C mode.
enum { greenroom_sched_idle = 5 };

// Reads an extended attribute of a file; its length, or a negative error number. Glibc's module lacks it.
ssize_t greenroom_attribute(const char *_Nonnull path, const char *_Nonnull name,
                            void *_Nonnull value, size_t size);

// Opens a process's pidfd.
int greenroom_pidfd(pid_t process);

// Sends a signal to the process of a pidfd.
int greenroom_pidfd_kill(int pidfd, int signal);

// The code of a process that called exit(), and the code of a process that a signal killed.
extern const int greenroom_code_exited;
extern const int greenroom_code_killed;

// Reaps a child. Returns 1 with its code and status, 0 while it runs.
int greenroom_reap(pid_t process, int *_Nonnull code, int *_Nonnull status);

// Waits for the end of a child, and reaps it. Returns 1 with its code and status.
int greenroom_wait(pid_t process, int *_Nonnull code, int *_Nonnull status);

// fork(), which Swift's Glibc hides. Only for a process with one thread.
pid_t greenroom_fork(void);

// Has a process that is spawned with posix_spawn_file_actions_t begin in a folder. The C library hides it in
// strict C mode.
int greenroom_spawn_in(void *_Nonnull actions, const char *_Nonnull folder);

// The file of a library that this process has loaded; NULL if it has not.
const char *_Nullable greenroom_loaded_library(const char *_Nonnull name);

// The calling thread's id.
int greenroom_thread_number(void);

// Names the calling thread, up to 15 bytes.
void greenroom_name_thread(const char *_Nonnull name);

// Makes a pipe: ends[0] is non-blocking for reading, ends[1] for writing. Both close on exec.
int greenroom_pipe(int *_Nonnull ends);

// Has a pipe hold this many bytes, if the system lets it.
void greenroom_grow_pipe(int end, int bytes);

// Closes all descriptors from this one on.
void greenroom_close_from(int first);

// Sets the soft limit of a process's descriptors.
int greenroom_limit_descriptors(pid_t process, uint64_t count);

// The soft limit of a process's descriptors.
int64_t greenroom_descriptor_limit(pid_t process);

// Makes this process write a backtrace to standard error if a signal kills it.
void greenroom_report_crashes(void);

// Makes this process, the host's, also write which plugin crashed, or called exit(), _exit() or
// quick_exit(): the process then ends with the given status. A signal of another process kills it.
void greenroom_report_ends_of_host(int failure);

// Says whose code a library of this process is, such as "camera (ColorBars)".
void greenroom_name_plugin(const void *_Nonnull code, const char *_Nonnull name);

// Reports _exit(), and ends the process, if a library called it.
void greenroom_report_immediate_exit(int status, const void *_Nullable caller);

#endif
