/*
 * Realistic video sources: they differ in their timing, and in how they follow a change of the
 * agreement.
 *
 * Each frame encodes its identity. Its upper half is flat: luma is 40 and the number of the frame,
 * modulo 160; U is 64 and eight times the offer's revision; V is 64 and eight times the live
 * setting `tag`. Its lower half has the same colour, and stripes a pixel wide of luma 40 and 200,
 * which become 120 when the frame is scaled down.
 */
#include "hostile.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MILLISECONDS 1000000LL

typedef struct agreement {
  gr_capability capability;
  uint32_t revision;
} agreement;

static agreement agreed_now(instance *me) {
  pthread_mutex_lock(&me->lock);
  const agreement now = {me->wanted, me->wanted_revision};
  pthread_mutex_unlock(&me->lock);
  return now;
}

static void mark(gr_mutable_frame *image, uint64_t number, uint32_t revision, int64_t tag) {
  for (uint32_t row = 0; row < image->height; row++) {
    uint8_t *luma = image->planes[0].data + (size_t)row * image->planes[0].stride_bytes;
    if (row < image->height / 2)
      memset(luma, (int)(40 + number % 160), image->width);
    else
      for (uint32_t x = 0; x < image->width; x++) luma[x] = x % 2 == 0 ? 40 : 200;
  }
  memset(image->planes[1].data, (int)(64 + 8 * (revision % 16)), image->planes[1].size_bytes);
  memset(image->planes[2].data, (int)(64 + 8 * (tag % 16)), image->planes[2].size_bytes);
}

static gr_status send_marked_lease(instance *me, const agreement *of, uint32_t columns,
                                   uint32_t rows) {
  gr_lease lease = {.struct_size = sizeof lease};
  const gr_status status =
      me->video->acquire(me->sender, GR_FORMAT_I420, columns, rows, &lease);
  if (status != GR_STATUS_OK) return status;
  mark(&lease.frame, me->count++, of->revision, atomic_load(&me->tag));
  gr_frame_info info = describe(me);
  info.offer_revision = of->revision;
  return me->video->commit(me->sender, lease.id, &info);
}

/* Sends the next frame for an agreement, stamped now. */
static gr_status send_marked(instance *me, const agreement *of) {
  const int64_t width = setting_integer(me, "width"), height = setting_integer(me, "height");
  const uint32_t columns = width > 0 ? (uint32_t)width : of->capability.width;
  const uint32_t rows = height > 0 ? (uint32_t)height : of->capability.height;
  if (setting_is(me, "way", "leased")) return send_marked_lease(me, of, columns, rows);
  gr_mutable_frame image = make_image(me, GR_FORMAT_I420, columns, rows, 0);
  mark(&image, me->count++, of->revision, atomic_load(&me->tag));
  gr_video_frame frame = as_frame(me, &image);
  frame.info.offer_revision = of->revision;
  const gr_status status = me->video->send(me->sender, &frame);
  if (status != GR_STATUS_OK && status != GR_STATUS_STOPPED) report(me, "marked", status);
  free_image(&image);
  return status;
}

static bool waits(instance *me, int64_t deadline) {
  return me->host->wait_until_ns(me->handle, deadline) == GR_STATUS_OK;
}

/* When frame n is due at a rate, from the first. */
static int64_t due(instance *me, const agreement *of, int64_t n) {
  const int64_t fps = setting_integer(me, "fps");
  const int64_t frames = fps > 0 ? fps : of->capability.fps_numerator;
  const int64_t seconds = fps > 0 ? 1 : of->capability.fps_denominator;
  return n / frames * seconds * NANOSECONDS + n % frames * seconds * NANOSECONDS / frames;
}

/* Sends on an absolute schedule; follows a change after `patience` frames. */
static void send_on_schedule(instance *me, int64_t patience) {
  agreement now = agreed_now(me);
  int64_t start = me->host->now_ns(me->handle), left = patience;
  for (int64_t n = 0; waits(me, start + due(me, &now, n)); n++) {
    const agreement wanted = agreed_now(me);
    if (wanted.revision != now.revision && left-- == 0) {
      start += due(me, &now, n);
      n = 0;
      left = patience;
      now = wanted;
    }
    send_marked(me, &now);
  }
}

/* Steady, Follows and those that do not: on an absolute schedule. */
static void send_steadily(instance *me) { send_on_schedule(me, 0); }

void send_marks_and(instance *me, void (*after_each)(instance *me)) {
  const int64_t start = me->host->now_ns(me->handle);
  const agreement first = agreed_now(me);
  for (int64_t n = 0; waits(me, start + due(me, &first, n)); n++) {
    const agreement now = agreed_now(me);
    send_marked(me, &now);
    after_each(me);
  }
}

/* TurningShare: what was agreed, and on its side in every other second. */
static void turn(instance *me) {
  const int64_t start = me->host->now_ns(me->handle);
  const agreement first = agreed_now(me);
  agreement turned = first;
  turned.capability.width = first.capability.height;
  turned.capability.height = first.capability.width;
  for (int64_t n = 0; waits(me, start + n * NANOSECONDS / 10); n++)
    send_marked(me, n / 10 % 2 == 0 ? &first : &turned);
}

/* FollowsLate: the old size and revision for `frames` frames more. */
static void follow_late(instance *me) { send_on_schedule(me, setting_integer(me, "frames")); }

gr_status follow_offer(instance *me, const gr_offer *offer, gr_answer *answer) {
  (void)answer;
  pthread_mutex_lock(&me->lock);
  me->wanted = offer->suggested;
  me->wanted_revision = offer->revision;
  pthread_mutex_unlock(&me->lock);
  return GR_STATUS_OK;
}

/* CountersOutside: a size that was not offered. */
static gr_status counter_outside(instance *me, const gr_offer *offer, gr_answer *answer) {
  (void)me;
  (void)offer;
  answer->kind = GR_ANSWER_COUNTER;
  answer->capability = (gr_capability){.width = 123, .height = 45, .fps_numerator = 7,
                                       .fps_denominator = 1};
  return GR_STATUS_OK;
}

/* RefusesChange */
static gr_status refuse_change(instance *me, const gr_offer *offer, gr_answer *answer) {
  (void)offer;
  (void)answer;
  me->host->set_error(me->handle, "the lens is glued on");
  return GR_STATUS_FAILED;
}

/* HangsInChange */
static gr_status hang_in_change(instance *me, const gr_offer *offer, gr_answer *answer) {
  (void)me;
  (void)offer;
  (void)answer;
  for (;;) pause();
  return GR_STATUS_OK;
}

/* Limited: two sizes, one of which is never offered, at most at 20 frames a second. */
static const gr_capability limited_rows[] = {{160, 90, 20, 1}, {123, 45, 20, 1}};
static const gr_video_capabilities limited = {.struct_size = sizeof limited, .count = 2,
                                              .rows = limited_rows};

/* Sleeper: 4 ms of work, and then 33 ms of sleep. */
static void sleep_relatively(instance *me) {
  const agreement now = agreed_now(me);
  do {
    send_marked(me, &now);
  } while (waits(me, me->host->now_ns(me->handle) + 37 * MILLISECONDS));
}

/* Burst: ten frames at once, every 333 ms. */
static void send_bursts(instance *me) {
  const agreement now = agreed_now(me);
  const int64_t start = me->host->now_ns(me->handle);
  for (int64_t n = 0; waits(me, start + n * 333 * MILLISECONDS); n++)
    for (int frame = 0; frame < 10; frame++) send_marked(me, &now);
}

/* Stall: two seconds of 30 frames a second, then none for 0.8 s. */
static void stall(instance *me) {
  const agreement now = agreed_now(me);
  const int64_t start = me->host->now_ns(me->handle);
  for (int64_t n = 0; waits(me, start + n * NANOSECONDS / 30); n++)
    if (n % 84 < 60) send_marked(me, &now);
}

/* Still: one frame. */
static void send_one(instance *me) {
  const agreement now = agreed_now(me);
  send_marked(me, &now);
  waits(me, INT64_MAX);
}

/* SleepsReally: on a clock that is not the session's. */
static void sleep_really(instance *me) {
  const agreement now = agreed_now(me);
  const struct timespec interval = {0, 20000000};
  while (!atomic_load(&me->ending)) {
    send_marked(me, &now);
    nanosleep(&interval, NULL);
  }
}

#define CAMERA .kind = GR_KIND_VIDEO_SOURCE

const behaviour real_frames[] = {
    {.name = "Steady", CAMERA, .summary = "Numbers its frames; takes no changes",
     .run = send_steadily},
    {.name = "SteadyShare", .kind = GR_KIND_SHARE_SOURCE, .summary = "The same as a share",
     .run = send_steadily},
    {.name = "Follows", CAMERA, .summary = "Follows each change with the next frame",
     .run = send_steadily, .change = follow_offer},
    {.name = "FollowsShare", .kind = GR_KIND_SHARE_SOURCE, .summary = "The same as a share",
     .run = send_steadily, .change = follow_offer},
    {.name = "TurningShare", .kind = GR_KIND_SHARE_SOURCE,
     .summary = "Turns its image each second", .run = turn},
    {.name = "FollowsLate", CAMERA, .summary = "Follows a change after `frames` frames",
     .run = follow_late, .change = follow_offer},
    {.name = "CountersOutside", CAMERA, .summary = "Answers a change with what was not offered",
     .run = send_steadily, .change = counter_outside},
    {.name = "RefusesChange", CAMERA, .summary = "Fails in property_change",
     .run = send_steadily, .change = refuse_change},
    {.name = "HangsInChange", CAMERA, .summary = "Never returns from property_change",
     .run = send_steadily, .change = hang_in_change},
    {.name = "Limited", CAMERA, .summary = "Makes 160x90 at 20 and says so",
     .run = send_steadily, .change = follow_offer, .capabilities = &limited},
    {.name = "Sleeper", CAMERA, .summary = "Sleeps 33 ms after 4 ms of work",
     .run = sleep_relatively},
    {.name = "Burst", CAMERA, .summary = "Sends ten frames at once", .run = send_bursts},
    {.name = "Stall", CAMERA, .summary = "Sends for 2 s, and not for 0.8 s", .run = stall},
    {.name = "Still", CAMERA, .summary = "Sends one frame", .run = send_one},
    {.name = "StillShare", .kind = GR_KIND_SHARE_SOURCE, .summary = "The same as a share",
     .run = send_one},
    {.name = "SleepsReally", CAMERA, .summary = "Sleeps on the machine's clock",
     .run = sleep_really},
    {0},
};
