// The parts of Linux that Swift's Glibc does not import: variadic calls, macros, atomics on memory shared by
// two processes, and system calls without a function in the C library.
//
// Functions return -errno on failure unless they say otherwise.

#ifndef GREENROOM_CLINUX_H
#define GREENROOM_CLINUX_H

#include "files.h"
#include "memory.h"
#include "processes.h"
#include "sandbox.h"
#include "sockets.h"

#endif
