// The output of a process before a signal kills it.

#define _GNU_SOURCE

#include "processes.h"

#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

// Writes the accessed address: "fault: write 0x00007f0000000000".
static void write_fault(const siginfo_t *information, const void *context) {
    char line[48] = "fault: touch 0x0000000000000000\n";
#if defined(__x86_64__)
    // Bit 1 of the page fault's error code is set for a write.
    const ucontext_t *state = context;
    memcpy(line + 7, (state->uc_mcontext.gregs[REG_ERR] & 2) ? "write" : "read ", 5);
#else
    (void)context;
#endif
    unsigned long address = (unsigned long)information->si_addr;
    for (int place = 30; place > 14; place--, address >>= 4)
        line[place] = "0123456789abcdef"[address & 15];
    (void)!write(2, line, strlen(line));
}

// Writes the calling thread's backtrace, then lets the signal kill the process.
static void report_crash(int signal_number, siginfo_t *information, void *context) {
    void *frames[32];
    static const char heading[] = "greenroom-runner: backtrace:\n";
    (void)!write(2, heading, sizeof heading - 1);
    if (signal_number == SIGSEGV || signal_number == SIGBUS) write_fault(information, context);
    int count = backtrace(frames, 32);
    // The first two frames are this function and the kernel's.
    backtrace_symbols_fd(frames + (count > 2 ? 2 : 0), count > 2 ? count - 2 : count, 2);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

// The handler has its own stack, because an overflowed stack has no room. Threads of the plugin
// have no such stack: if theirs overflows, they write nothing.
void greenroom_report_crashes(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    size_t size = 256 * 1024;
    stack_t stack = {0};
    void *memory = mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        stack.ss_sp = memory;
        stack.ss_size = size;
        sigaltstack(&stack, NULL);
    }
    // The first call loads a library, which a handler must not do.
    void *frame;
    (void)backtrace(&frame, 1);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = report_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | (int)SA_RESETHAND;
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++)
        sigaction(signals[index], &action, NULL);
}
