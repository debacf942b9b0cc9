// The output of a process before a signal or a call of exit() ends it.

#define _GNU_SOURCE

#include "processes.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// --- Text, without memory or locks ---

static void say(const char *text) { (void)!write(2, text, strlen(text)); }

static void say_number(long number) {
    char digits[24];
    size_t place = sizeof digits;
    digits[--place] = '\0';
    unsigned long rest = number < 0 ? 0UL - (unsigned long)number : (unsigned long)number;
    do {
        digits[--place] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) digits[--place] = '-';
    say(digits + place);
}

static const struct {
    int number;
    const char *name;
} fatal_signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"},
    {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},
};
enum { fatal_signal_count = sizeof fatal_signals / sizeof *fatal_signals };

static const char *name_of(int signal_number) {
    for (size_t index = 0; index < fatal_signal_count; index++)
        if (fatal_signals[index].number == signal_number) return fatal_signals[index].name;
    return "a signal";
}

// Writes the accessed address: "fault: write 0x00007f0000000000".
static void say_fault(const siginfo_t *information, const void *context) {
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
    say(line);
}

// --- Plugins of this process ---

static struct {
    const void *library;
    const char *name;
} plugins[256];
static atomic_size_t plugin_count;

// The library at an address; nil if none. Takes no lock.
static const void *library_at(const void *address) {
    struct dl_find_object found;
    return _dl_find_object((void *)(uintptr_t)address, &found) == 0 ? found.dlfo_link_map : NULL;
}

void greenroom_name_plugin(const void *code, const char *name) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    const void *library = library_at(code);
    pthread_mutex_lock(&one_at_a_time);
    size_t count = atomic_load(&plugin_count);
    int is_known = 0;
    for (size_t index = 0; index < count; index++)
        if (plugins[index].library == library && strcmp(plugins[index].name, name) == 0) is_known = 1;
    char *copy = is_known || count == sizeof plugins / sizeof *plugins ? NULL : strdup(name);
    if (copy != NULL) {
        plugins[count].library = library;
        plugins[count].name = copy;
        atomic_store(&plugin_count, count + 1);
    }
    pthread_mutex_unlock(&one_at_a_time);
}

// The innermost plugin's library of a backtrace; nil if no plugin is in it.
static const void *plugin_in(void *const *frames, int count) {
    size_t known = atomic_load(&plugin_count);
    for (int frame = 0; frame < count; frame++) {
        const void *library = library_at(frames[frame]);
        for (size_t index = 0; library != NULL && index < known; index++)
            if (plugins[index].library == library) return library;
    }
    return NULL;
}

// Writes "camera (ColorBars), share (ColorBars)".
static void say_plugins_of(const void *library) {
    size_t known = atomic_load(&plugin_count);
    const char *separator = "";
    for (size_t index = 0; index < known; index++) {
        if (plugins[index].library != library) continue;
        say(separator);
        say(plugins[index].name);
        separator = ", ";
    }
}

static const char cure[] =
    " and ends the program. Set isolation: process to limit a failure to its plugin\n";

// --- Signals ---

// The program's name in its output.
static const char *program = "greenroom-runner";

// The host's process once it reports crashes; 0 in other processes.
static pid_t host;

// The handlers before: Swift's finds files and lines, and returns.
static struct sigaction former[fatal_signal_count];

static void end_by(int signal_number) {
    signal(signal_number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(signal_number);
}

// The status of a host that a plugin ends by a call.
static int status_of_failure;

// The signal that the host is reporting; 0 for a call of exit().
static volatile sig_atomic_t reported_signal;

static void end_report(int alarm_number) {
    (void)alarm_number;
    int signal_number = reported_signal;
    if (signal_number == 0) syscall(SYS_exit_group, status_of_failure);
    signal(signal_number, SIG_DFL);
    kill(getpid(), signal_number);
}

// A report can wait forever for a lock of the thread that it interrupts: the host then ends without it.
static void limit_report(int signal_number) {
    reported_signal = signal_number;
    signal(SIGALRM, end_report);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    alarm(15);
}

static int is_sent_by_other(const siginfo_t *information) {
    return information->si_code <= 0 && information->si_pid != getpid();
}

// Writes "greenroom: camera (ColorBars): crashed (SIGSEGV) and ends the program. ...".
static void say_cause(
    int signal_number, const siginfo_t *information, void *const *frames, int count) {
    say(program);
    say(": ");
    if (is_sent_by_other(information)) {
        say("killed by ");
        say(name_of(signal_number));
        say(" from process ");
        say_number(information->si_pid);
        say("\n");
        return;
    }
    const void *library = plugin_in(frames, count);
    if (library != NULL) {
        say_plugins_of(library);
        say(": ");
    }
    if (signal_number == SIGABRT) {
        say("called abort()");
    } else {
        say("crashed (");
        say(name_of(signal_number));
        say(")");
    }
    say(library != NULL ? cure : "\n");
}

static void say_backtrace(void *const *frames, int count) {
    backtrace_symbols_fd(frames, count, 2);
}

static void say_heading(void) {
    say(program);
    say(": backtrace:\n");
}

// Writes the calling thread's backtrace, then lets the signal kill the process.
static void report_crash(int signal_number, siginfo_t *information, void *context) {
    void *frames[64];
    if (host != 0) {
        limit_report(signal_number);
        say_cause(signal_number, information, frames, backtrace(frames, 64));
        for (size_t index = 0; index < fatal_signal_count; index++) {
            const struct sigaction *swift = &former[index];
            if (fatal_signals[index].number != signal_number || is_sent_by_other(information)
                || !(swift->sa_flags & SA_SIGINFO))
                continue;
            swift->sa_sigaction(signal_number, information, context);
            end_by(signal_number);
        }
    }
    say_heading();
    int is_access = signal_number == SIGSEGV || signal_number == SIGBUS;
    if (is_access && information->si_code > 0) say_fault(information, context);
    int count = backtrace(frames, 64);
    // The first two frames are this function and the kernel's.
    say_backtrace(frames + (count > 2 ? 2 : 0), count > 2 ? count - 2 : count);
    end_by(signal_number);
}

// The handler has its own stack, because an overflowed stack has no room. CExit gives one to each thread
// of the host's process; in greenroom-runner only this thread has one.
void greenroom_report_crashes(void) {
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
    for (size_t index = 0; index < fatal_signal_count; index++)
        sigaction(fatal_signals[index].number, &action, &former[index]);
}

// --- Calls that end the host ---

static const void *main_program;

// Whether a call ends the host: a child that a plugin forks may end as it likes.
static int ends_host(void) { return host != 0 && getpid() == host; }

// Writes "greenroom: camera (ColorBars): called exit(3) and ends the program. ...", and ends it.
static void report_exit(const char *call, const int *status, void *const *frames, int count) {
    limit_report(0);
    const void *library = plugin_in(frames, count);
    say(program);
    say(": ");
    if (library != NULL) {
        say_plugins_of(library);
    } else {
        say("a plugin's library");
    }
    say(": called ");
    say(call);
    say("(");
    if (status != NULL) say_number(*status);
    say(")");
    say(cure);
    say_heading();
    say_backtrace(frames, count);
    syscall(SYS_exit_group, status_of_failure);
}

static void at_exit_of_host(int status, void *unused) {
    (void)unused;
    if (!ends_host()) return;
    void *frames[64];
    int count = backtrace(frames, 64);
    // The program itself exits on its first thread, where no plugin runs.
    if (syscall(SYS_gettid) == host && plugin_in(frames, count) == NULL) return;
    report_exit("exit", &status, frames, count);
}

// The program itself never calls quick_exit().
static void at_quick_exit_of_host(void) {
    if (!ends_host()) return;
    void *frames[64];
    report_exit("quick_exit", NULL, frames, backtrace(frames, 64));
}

void greenroom_report_immediate_exit(int status, const void *caller) {
    if (!ends_host() || library_at(caller) == main_program) return;
    void *frames[64];
    report_exit("_exit", &status, frames, backtrace(frames, 64));
}

void greenroom_report_ends_of_host(int failure) {
    program = "greenroom";
    host = getpid();
    status_of_failure = failure;
    main_program = library_at((const void *)(uintptr_t)&greenroom_report_ends_of_host);
    greenroom_report_crashes();
    on_exit(at_exit_of_host, NULL);
    at_quick_exit(at_quick_exit_of_host);
}
