/*
 * Counts what a good media path does not do: allocations and locks of a thread between two calls.
 * `greenroom validate` loads the library into a plugin's process before all others (LD_PRELOAD); it
 * replaces functions of the C library, and nothing is linked with it.
 */
#ifndef GREENROOM_METER_H
#define GREENROOM_METER_H

#include <stdint.h>

/* Counts of a thread. */
typedef struct greenroom_meter_counts {
  uint64_t allocations; /* malloc, calloc, realloc and the aligned variants */
  uint64_t bytes;       /* requested by them */
  uint64_t frees;
  uint64_t locks; /* pthread_mutex_lock */
} greenroom_meter_counts;

/* Starts to count on the calling thread, from zero. */
void greenroom_meter_begin(void);

/* Stops counting and returns the counts. */
void greenroom_meter_end(greenroom_meter_counts *counts);

#endif
