/* Pre-processors that fail, hang, or write to memory that is not theirs. */
#include "hostile.h"
#include <string.h>
#include <unistd.h>

/* FilterFails: every second frame. */
static gr_status fail_sometimes(instance *me, gr_mutable_frame *frame) {
  (void)frame;
  if (me->count++ % 2 == 0) return GR_STATUS_OK;
  return GR_STATUS_FAILED;
}

/* FilterHangs: at frame number `frames`. */
static gr_status hang_at_frame(instance *me, gr_mutable_frame *frame) {
  (void)frame;
  if (me->count++ < (uint64_t)setting_integer(me, "frames")) return GR_STATUS_OK;
  for (;;) pause();
}

/* FilterScribbles: overwrites the description of the frame, which is read-only. */
static gr_status scribble(instance *me, gr_mutable_frame *frame) {
  (void)me;
  memset(frame, 0xff, sizeof *frame);
  return GR_STATUS_OK;
}

#define FILTER .kind = GR_KIND_PRE_PROCESSOR

const behaviour bad_filters[] = {
    {.name = "FilterFails", FILTER, .summary = "Fails with every second frame",
     .process = fail_sometimes},
    {.name = "FilterHangs", FILTER, .summary = "Never returns from frame `frames`",
     .process = hang_at_frame},
    {.name = "FilterScribbles", FILTER, .summary = "Overwrites the frame's description",
     .process = scribble},
    {0},
};
