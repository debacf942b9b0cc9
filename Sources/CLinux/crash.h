// What a process that is about to die of a signal still has to say.

#ifndef GREENROOM_CLINUX_CRASH_H
#define GREENROOM_CLINUX_CRASH_H

#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

// Writes what was touched that must not be: "fault: write 0x7f0000000000".
static inline void greenroom_tell_of_fault(const siginfo_t *information, const void *context) {
    char line[48] = "fault: touch 0x0000000000000000\n";
#if defined(__x86_64__)
    // Bit 1 of the page fault's error code, which is register 19 of a context.
    const ucontext_t *state = (const ucontext_t *)context;
    memcpy(line + 7, (state->uc_mcontext.gregs[19] & 2) ? "write" : "read ", 5);
#else
    (void)context;
#endif
    unsigned long address = (unsigned long)information->si_addr;
    for (int place = 30; place > 14; place--, address >>= 4)
        line[place] = "0123456789abcdef"[address & 15];
    (void)!write(2, line, strlen(line));
}

// Writes where the calling thread was to standard error, and lets the signal do its work.
static inline void greenroom_tell_of_crash(
    int signal_number, siginfo_t *information, void *context) {
    void *frames[32];
    static const char heading[] = "greenroom-runner: backtrace:\n";
    (void)!write(2, heading, sizeof heading - 1);
    if (signal_number == SIGSEGV || signal_number == SIGBUS)
        greenroom_tell_of_fault(information, context);
    int count = backtrace(frames, 32);
    // The first two are this function and the kernel's.
    backtrace_symbols_fd(frames + (count > 2 ? 2 : 0), count > 2 ? count - 2 : count, 2);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

// The handler runs on a stack of its own: a stack that has overflowed has no room for it. Threads
// of the plugin that overflow theirs die without a word.
static inline void greenroom_tell_of_crashes(void) {
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
    // The first call loads what the later ones need: in a handler it is too late for that.
    void *frame;
    (void)backtrace(&frame, 1);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = greenroom_tell_of_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | (int)SA_RESETHAND;
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++)
        sigaction(signals[index], &action, NULL);
}

#endif
