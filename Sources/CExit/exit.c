#define _GNU_SOURCE

#include "CExit.h"

#include "processes.h"

#include <sys/syscall.h>
#include <unistd.h>

// The linker exports these two, since the C library has them; so they come first for all libraries
// but the C library.

void _exit(int status) {
    greenroom_report_immediate_exit(status, __builtin_return_address(0));
    for (;;) syscall(SYS_exit_group, status);
}

void _Exit(int status) {
    greenroom_report_immediate_exit(status, __builtin_return_address(0));
    for (;;) syscall(SYS_exit_group, status);
}
