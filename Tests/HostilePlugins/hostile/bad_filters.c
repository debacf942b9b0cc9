/* Pre-processors that fail, hang, talk, or write to memory that is not theirs. */
#include "hostile.h"
#include <stdio.h>
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
  hang_here(me);
}

/* FilterScribbles: overwrites the description of the frame, which is read-only. */
static gr_status scribble(instance *me, gr_mutable_frame *frame) {
  (void)me;
  memset(frame, 0xff, sizeof *frame);
  return GR_STATUS_OK;
}

/* FilterTalks: inverts luma, and calls the host before that. */
static gr_status talk(instance *me, gr_mutable_frame *frame) {
  char text[128];
  snprintf(text, sizeof text, "frame %llu: range %u, matrix %u, rotation %u, %s, %s",
           (unsigned long long)me->count++, frame->info.range, frame->info.matrix,
           frame->info.rotation, frame->info.offer_revision > 0 ? "agreed" : "not agreed",
           frame->info.pts_ns >= 0 ? "stamped" : "not stamped");
  me->host->log(me->handle, GR_LOG_INFO, text);
  return invert(me, frame);
}

#define FILTER .kind = GR_KIND_PRE_PROCESSOR

const behaviour bad_filters[] = {
    {.name = "FilterFails", FILTER, .summary = "Fails with every second frame",
     .process = fail_sometimes},
    {.name = "FilterHangs", FILTER, .summary = "Never returns from frame `frames`",
     .process = hang_at_frame},
    {.name = "FilterScribbles", FILTER, .summary = "Overwrites the frame's description",
     .process = scribble},
    {.name = "FilterTalks", FILTER, .summary = "Inverts luma, and logs every frame",
     .process = talk},
    {0},
};
