#define _GNU_SOURCE

#include "CExit.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

// pthread_create of the host's program, which plugins call, too. It gives each thread a stack for signal
// handlers: an overflowed stack has no room for the report of the crash.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
// The sanitizer has its own.
#define GREENROOM_KEEPS_PTHREAD_CREATE
#endif
#endif

#ifndef GREENROOM_KEEPS_PTHREAD_CREATE

typedef int creator(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

// Address space: the kernel gives memory where a handler touches it.
enum { handler_stack_size = 128 * 1024 };

struct start {
    void *(*run)(void *);
    void *argument;
    void *handler_stack;
};

static void remove_handler_stack(void *memory) {
    stack_t current, none = {.ss_flags = SS_DISABLE};
    // Leave a stack that the thread has set itself.
    if (sigaltstack(NULL, &current) == 0 && current.ss_sp == memory) sigaltstack(&none, NULL);
    munmap(memory, handler_stack_size);
}

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    stack_t stack = {.ss_sp = start.handler_stack, .ss_size = handler_stack_size};
    sigaltstack(&stack, NULL);
    void *result = NULL;
    pthread_cleanup_push(remove_handler_stack, start.handler_stack);
    result = start.run(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    static _Atomic(creator *) system_creator;
    creator *create = atomic_load(&system_creator);
    if (create == NULL) {
        create = (creator *)dlsym(RTLD_NEXT, "pthread_create");
        if (create == NULL) return ENOSYS;
        atomic_store(&system_creator, create);
    }
    struct start *start = malloc(sizeof *start);
    void *memory = mmap(
        NULL, handler_stack_size, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    int result;
    if (start != NULL && memory != MAP_FAILED) {
        *start = (struct start){body, argument, memory};
        result = create(thread, attributes, run, start);
        if (result == 0) return 0;
    } else {
        // Without memory the thread itself may still start.
        result = create(thread, attributes, body, argument);
    }
    free(start);
    if (memory != MAP_FAILED) munmap(memory, handler_stack_size);
    return result;
}

#endif
