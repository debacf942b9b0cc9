// Files that have no name any more.

#ifndef GREENROOM_CLINUX_FILES_H
#define GREENROOM_CLINUX_FILES_H

#include <stdint.h>
#include <sys/types.h>

// The bytes of files without a name that a process has open, besides memory files, and a number of bytes for each one
// of a folder that it has only mapped. Allocates nothing. A negative error number if the kernel does not tell.
int64_t greenroom_nameless_bytes(pid_t process, const char *_Nonnull folder, int64_t mapped);

#endif
