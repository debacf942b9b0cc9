// Memory that processes share.

#ifndef GREENROOM_CLINUX_MEMORY_H
#define GREENROOM_CLINUX_MEMORY_H

#include <semaphore.h>
#include <stdint.h>

// Reads a word that another process may write at any time, with acquire ordering.
uint32_t greenroom_load(const uint32_t *_Nonnull word);

// Writes a word that another process may read at any time, with release ordering.
void greenroom_store(uint32_t *_Nonnull word, uint32_t value);

// Waits while a word has a value, up to a time on the monotonic clock; may return early.
void greenroom_futex_wait_until(uint32_t *_Nonnull word, uint32_t value, int64_t deadline_ns);

// Waits up to a time on the monotonic clock until the semaphore is above 0, and decreases it. Returns whether
// it did.
int greenroom_take_until(sem_t *_Nonnull semaphore, int64_t deadline_ns);

// The time on the monotonic clock, in nanoseconds.
int64_t greenroom_monotonic_now(void);

// Wakes all threads that wait for a word.
void greenroom_futex_wake(uint32_t *_Nonnull word);

// Makes a memory file, to be sealed. Returns its descriptor.
int greenroom_memory(const char *_Nonnull name, int64_t byte_count);

// Seals the size of a memory file and, if forbids_writing, its content against everything but the
// mappings that exist already. It can't be sealed further. Returns 0, or a negative errno.
int greenroom_seal(int descriptor, int forbids_writing);

// Whether a memory file can be written by existing mappings alone.
int greenroom_forbids_writing(int descriptor);

// Whether a file is a memory file with a sealed size.
int greenroom_is_sealed(int descriptor);

// Makes a memory file without a name in the file system. Returns its descriptor.
int greenroom_memory_file(const char *_Nonnull name);

#endif
