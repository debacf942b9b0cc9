/*
 * Counts what one thread does between two moments that a good media path does not do: allocating and
 * locking. `greenroom validate` has the library loaded into a plugin's process before all others
 * (LD_PRELOAD), where it stands in for the C library's functions; nothing is linked with it.
 */
#ifndef GREENROOM_METER_H
#define GREENROOM_METER_H

#include <stdint.h>

/* What a thread did. */
typedef struct greenroom_meter_counts {
  uint64_t allocations; /* malloc, calloc, realloc and those that align */
  uint64_t bytes;       /* asked for by them */
  uint64_t frees;
  uint64_t locks; /* pthread_mutex_lock */
} greenroom_meter_counts;

/* Begins to count what the calling thread does, from zero. */
void greenroom_meter_begin(void);

/* Ends that, and tells the counts. */
void greenroom_meter_end(greenroom_meter_counts *counts);

#endif
