/* Invalid frames, leaked leases, and sends at the wrong time. */
#include "hostile.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void pause_ms(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static gr_mutable_frame small_image(instance *me) {
  return make_image(me, GR_FORMAT_I420, 64, 48, 0);
}

static gr_status send_small(instance *me) {
  gr_mutable_frame image = small_image(me);
  const gr_video_frame frame = as_frame(me, &image);
  const gr_status status = me->video->send(me->sender, &frame);
  free_image(&image);
  return status;
}

/* Makes every call that a state can refuse. */
static void report_all_calls(instance *me, const char *when) {
  char what[64];
  gr_lease lease = {.struct_size = sizeof lease};
  snprintf(what, sizeof what, "send-%s", when);
  report(me, what, send_small(me));
  snprintf(what, sizeof what, "acquire-%s", when);
  report(me, what, me->video->acquire(me->sender, GR_FORMAT_I420, 64, 48, &lease));
  snprintf(what, sizeof what, "wait-%s", when);
  report(me, what, me->host->wait_until_ns(me->handle, me->host->now_ns(me->handle)));
}

/* SendBeforeStart */

static gr_status send_in_initialize(instance *me, const gr_initialize *in) {
  (void)in;
  report_all_calls(me, "in-initialize");
  return GR_STATUS_OK;
}

/* SendAfterStop: stop_send returns at once, and the thread continues until uninitialize. */

static atomic_bool was_stopped;

static void send_without_asking(instance *me) {
  gr_status last = -1;
  while (!atomic_load(&me->ending)) {
    const gr_status status = send_small(me);
    if (status != last) report(me, "send-all-the-time", status);
    if (status == GR_STATUS_STOPPED) atomic_store(&was_stopped, true);
    last = status;
    pause_ms(5);
  }
}

static gr_status start_once(instance *me) {
  return me->count++ == 0 ? start_thread(me) : GR_STATUS_OK;
}

static void stop_and_tell(instance *me) {
  report_all_calls(me, "in-stop");
  /* The thread is refused at least once, unless it does not run for seconds. */
  for (int n = 0; n < 800 && !atomic_load(&was_stopped); n++) pause_ms(5);
}

static void join_if_started(instance *me) {
  if (me->count > 0) join_thread(me);
}

/* SendWhenGone: gives up after a few frames, so that the session continues without it, and then
   calls every function from other threads, with destroyed handles. */

static void give_up_early(instance *me) {
  for (int n = 0; n < 10; n++) {
    if (me->host->wait_until_ns(me->handle, me->host->now_ns(me->handle) + 10000000)) return;
    send_small(me);
  }
  me->host->give_up(me->handle, GR_STATUS_FAILED, "that was all");
}

static void *send_in_uninitialize(void *self) {
  report_all_calls(self, "in-uninitialize");
  return NULL;
}

static void uninitialize_from_thread(instance *me) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, send_in_uninitialize, me) == 0) pthread_join(thread, NULL);
}

/* Reports to standard error: the host drops log lines of a destroyed instance. */
static void *haunt(void *self) {
  instance *me = self;
  pause_ms(500); /* destroy has returned by now */
  const gr_status first = send_small(me);
  char text[512] = "";
  me->host->refusal_text(text, sizeof text);
  int same = 0;
  for (int n = 0; n < 1000; n++) {
    gr_lease lease = {.struct_size = sizeof lease};
    same += send_small(me) == first;
    same += me->video->acquire(me->sender, GR_FORMAT_I420, 64, 48, &lease) == first;
    same += me->video->abandon(me->sender, 1) == first;
    same += me->host->wait_until_ns(me->handle, INT64_MAX) == first;
    same += me->host->now_ns(me->handle) == 0;
    me->host->log(me->handle, GR_LOG_INFO, "from the dead");
    me->host->set_error(me->handle, "from the dead");
    me->host->give_up(me->handle, GR_STATUS_FAILED, "from the dead");
  }
  fprintf(stderr, "status send-after-destroy %d %s\nstatus same-answers %d\n", first, text, same);
  free(me);
  return NULL;
}

/* The image needs the settings, which go with the instance: the ghost has none to read. */
static void leave_a_ghost(instance *me) {
  instance *ghost = calloc(1, sizeof *ghost);
  *ghost = *me;
  ghost->settings = calloc(me->setting_count, sizeof *ghost->settings);
  for (uint32_t index = 0; index < me->setting_count; index++) {
    ghost->settings[index] = me->settings[index];
    ghost->settings[index].name = strdup(me->settings[index].name);
    if (me->settings[index].value.string != NULL)
      ghost->settings[index].value.string = strdup(me->settings[index].value.string);
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, haunt, ghost) == 0) pthread_detach(thread);
}

/* BadFrames: each invalid frame once; then valid ones. */

typedef struct lie {
  const char *name;
  void (*tell)(gr_video_frame *frame);
} lie;

static void short_luma(gr_video_frame *frame) { frame->planes[0].size_bytes -= 1; }
static void short_chroma(gr_video_frame *frame) { frame->planes[2].size_bytes -= 1; }
static void no_length(gr_video_frame *frame) { frame->planes[0].size_bytes = 0; }
static void short_stride(gr_video_frame *frame) { frame->planes[0].stride_bytes -= 1; }
static void no_stride(gr_video_frame *frame) { frame->planes[1].stride_bytes = 0; }
static void huge_stride(gr_video_frame *frame) { frame->planes[0].stride_bytes = UINT32_MAX; }
static void long_stride(gr_video_frame *frame) { frame->planes[0].stride_bytes = 1u << 30; }
static void no_width(gr_video_frame *frame) { frame->width = 0; }
static void no_height(gr_video_frame *frame) { frame->height = 0; }
static void huge_width(gr_video_frame *frame) { frame->width = GR_MAX_DIMENSION + 1; }
static void huge_height(gr_video_frame *frame) { frame->height = UINT32_MAX; }
static void larger_width(gr_video_frame *frame) { frame->width += 2; }
static void larger_height(gr_video_frame *frame) { frame->height += 2; }
static void null_luma(gr_video_frame *frame) { frame->planes[0].data = NULL; }
static void null_chroma(gr_video_frame *frame) { frame->planes[1].data = NULL; }
static void no_planes(gr_video_frame *frame) { frame->plane_count = 0; }
static void two_planes(gr_video_frame *frame) { frame->plane_count = 2; }
static void many_planes(gr_video_frame *frame) { frame->plane_count = UINT32_MAX; }
static void no_format(gr_video_frame *frame) { frame->format = 0; }
static void unknown_format(gr_video_frame *frame) { frame->format = 99; }
static void rotation_45(gr_video_frame *frame) { frame->info.rotation = 45; }
static void rotation_360(gr_video_frame *frame) { frame->info.rotation = 360; }
static void no_range(gr_video_frame *frame) { frame->info.range = 0; }
static void unknown_range(gr_video_frame *frame) { frame->info.range = 3; }
static void unknown_matrix(gr_video_frame *frame) { frame->info.matrix = 9; }
static void no_revision(gr_video_frame *frame) { frame->info.offer_revision = 0; }
static void future_revision(gr_video_frame *frame) { frame->info.offer_revision += 1000; }
static void negative_pts(gr_video_frame *frame) { frame->info.pts_ns = -5; }
static void short_struct(gr_video_frame *frame) { frame->struct_size = 64; }
static void no_struct_size(gr_video_frame *frame) { frame->struct_size = 0; }
static void short_info(gr_video_frame *frame) { frame->info.struct_size = 16; }

/* 853x480 in width * height * 3 / 2 bytes: the chroma planes are 120 bytes short each. */
static void three_halves(gr_video_frame *frame) {
  frame->width = 853;
  frame->height = 480;
  for (int plane = 0; plane < 3; plane++) {
    frame->planes[plane].stride_bytes = plane == 0 ? 853 : 427;
    frame->planes[plane].size_bytes = plane == 0 ? 853 * 480 : 853 * 480 / 4;
  }
}

static const lie lies[] = {
    {"short-luma", short_luma},         {"short-chroma", short_chroma},
    {"no-length", no_length},           {"short-stride", short_stride},
    {"no-stride", no_stride},           {"huge-stride", huge_stride},
    {"long-stride", long_stride},
    {"no-width", no_width},             {"no-height", no_height},
    {"huge-width", huge_width},         {"huge-height", huge_height},
    {"larger-width", larger_width},     {"larger-height", larger_height},
    {"null-luma", null_luma},           {"null-chroma", null_chroma},
    {"no-planes", no_planes},           {"two-planes", two_planes},
    {"many-planes", many_planes},       {"no-format", no_format},
    {"unknown-format", unknown_format}, {"rotation-45", rotation_45},
    {"rotation-360", rotation_360},     {"no-range", no_range},
    {"unknown-range", unknown_range},   {"unknown-matrix", unknown_matrix},
    {"no-revision", no_revision},       {"future-revision", future_revision},
    {"negative-pts", negative_pts},     {"short-struct", short_struct},
    {"no-struct-size", no_struct_size}, {"short-info", short_info},
    {"three-halves", three_halves},
};

static void send_jpeg(instance *me, const char *what, const uint8_t *bytes, uint64_t size) {
  gr_video_frame frame = {.struct_size = sizeof frame, .format = GR_FORMAT_MJPEG, .width = 640,
                          .height = 480, .plane_count = 1, .info = describe(me)};
  frame.planes[0].data = bytes;
  frame.planes[0].size_bytes = size;
  report(me, what, me->video->send(me->sender, &frame));
}

static void send_bad_frames(instance *me) {
  for (size_t index = 0; index < sizeof lies / sizeof *lies; index++) {
    gr_mutable_frame image = small_image(me);
    gr_video_frame frame = as_frame(me, &image);
    lies[index].tell(&frame);
    report(me, lies[index].name, me->video->send(me->sender, &frame));
    free_image(&image);
  }
  report(me, "null-frame", me->video->send(me->sender, nothing));
  gr_mutable_frame image = small_image(me);
  const gr_video_frame frame = as_frame(me, &image);
  report(me, "unknown-sender", me->video->send(me->sender + 1000, &frame));
  report(me, "sender-zero", me->video->send(0, &frame));
  free_image(&image);

  static uint8_t noise[5000];
  for (size_t index = 0; index < sizeof noise; index++) noise[index] = (uint8_t)(index * 7919 >> 3);
  /* A start, a baseline frame header of 16x16 pixels, and an end: no image data. */
  static const uint8_t header_only[] = {0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 16, 0, 16, 1, 1,
                                        0x11, 0,    0xff, 0xd9};
  static const uint8_t markers_only[] = {0xff, 0xd8, 0xff, 0xd9};
  send_jpeg(me, "jpeg-empty", noise, 0);
  send_jpeg(me, "jpeg-noise", noise, sizeof noise);
  send_jpeg(me, "jpeg-markers-only", markers_only, sizeof markers_only);
  send_jpeg(me, "jpeg-of-another-size", header_only, sizeof header_only);
  send_video_well(me);
}

/* BadLeases */

static gr_status acquire(instance *me, gr_lease *lease) {
  *lease = (gr_lease){.struct_size = sizeof *lease};
  return me->video->acquire(me->sender, GR_FORMAT_I420, 64, 48, lease);
}

static void misuse_leases(instance *me) {
  gr_lease lease;
  const gr_frame_info info = describe(me);
  report(me, "commit-unknown", me->video->commit(me->sender, 123456789, &info));
  report(me, "commit-zero", me->video->commit(me->sender, 0, &info));
  report(me, "abandon-unknown", me->video->abandon(me->sender, 123456789));

  report(me, "acquire", acquire(me, &lease));
  report(me, "commit", me->video->commit(me->sender, lease.id, &info));
  report(me, "commit-twice", me->video->commit(me->sender, lease.id, &info));
  report(me, "abandon-after-commit", me->video->abandon(me->sender, lease.id));

  acquire(me, &lease);
  report(me, "abandon", me->video->abandon(me->sender, lease.id));
  report(me, "commit-after-abandon", me->video->commit(me->sender, lease.id, &info));

  acquire(me, &lease);
  gr_frame_info turned = info;
  turned.rotation = 45;
  report(me, "commit-rotation-45", me->video->commit(me->sender, lease.id, &turned));
  report(me, "commit-after-refusal", me->video->commit(me->sender, lease.id, &info));

  acquire(me, &lease);
  report(me, "commit-null-info", me->video->commit(me->sender, lease.id, nothing));

  report(me, "acquire-null", me->video->acquire(me->sender, GR_FORMAT_I420, 64, 48, nothing));
  lease = (gr_lease){.struct_size = 8};
  report(me, "acquire-short", me->video->acquire(me->sender, GR_FORMAT_I420, 64, 48, &lease));
  lease.struct_size = sizeof lease;
  report(me, "acquire-mjpeg", me->video->acquire(me->sender, GR_FORMAT_MJPEG, 64, 48, &lease));
  report(me, "acquire-unknown", me->video->acquire(me->sender, 99, 64, 48, &lease));
  report(me, "acquire-no-width", me->video->acquire(me->sender, GR_FORMAT_I420, 0, 48, &lease));
  report(me, "acquire-huge",
         me->video->acquire(me->sender, GR_FORMAT_I420, UINT32_MAX, UINT32_MAX, &lease));
}

enum { many_leases = 1000 };

static uint32_t acquire_until_refused(instance *me, uint64_t *ids) {
  gr_lease lease;
  gr_status status = GR_STATUS_OK;
  uint32_t count = 0;
  while (count < many_leases && (status = acquire(me, &lease)) == GR_STATUS_OK)
    ids[count++] = lease.id;
  report(me, "lease-flood", status);
  say(me, GR_LOG_INFO, "leases %u", count);
  return count;
}

static void send_bad_leases(instance *me) {
  uint64_t ids[many_leases];
  gr_lease lease;
  misuse_leases(me);
  const uint32_t count = acquire_until_refused(me, ids);
  for (uint32_t index = 0; index < count; index++) me->video->abandon(me->sender, ids[index]);
  report(me, "acquire-after-flood", acquire(me, &lease));
  me->video->abandon(me->sender, lease.id);
  send_video_well(me);
}

/* LeaseLeak: keeps all leases, then sends from its own memory. */
static void leak_leases(instance *me) {
  uint64_t ids[many_leases];
  acquire_until_refused(me, ids);
  send_video_well(me);
}

/* LeaseAcrossStop: commits a lease after stop and after the next start. */
static void keep_a_lease(instance *me) {
  gr_lease lease;
  if (me->count == 0 && acquire(me, &lease) == GR_STATUS_OK) me->count = lease.id;
  send_video_well(me);
}

static void stop_then_commit(instance *me) {
  const gr_frame_info info = describe(me);
  join_thread(me);
  report(me, "commit-in-stop", me->video->commit(me->sender, me->count, &info));
}

/* ShapeShifter: another format, size and rotation with each frame. */
static void shift_shape(instance *me) {
  const int64_t start = me->host->now_ns(me->handle);
  for (int64_t n = 0;; n++) {
    if (me->host->wait_until_ns(me->handle, start + n * NANOSECONDS / 30) != GR_STATUS_OK) return;
    uint32_t format = GR_FORMAT_I420 + (uint32_t)(n % 13);
    if (format == GR_FORMAT_MJPEG) format = GR_FORMAT_I420;
    gr_mutable_frame image = make_image(me, format, 1 + (uint32_t)(n * 37 % 700),
                                            1 + (uint32_t)(n * 23 % 500), (uint32_t)(n % 5));
    gr_video_frame frame = as_frame(me, &image);
    frame.info.rotation = (uint32_t)(n % 4 * 90);
    const gr_status status = me->video->send(me->sender, &frame);
    if (status != GR_STATUS_OK && status != GR_STATUS_STOPPED) report(me, "shape", status);
    free_image(&image);
  }
}

/* Crowd: four threads use one sender at full speed, with send and with leases. */
static void *push_in(void *self) {
  instance *me = self;
  gr_status status;
  do {
    gr_lease lease;
    status = send_small(me);
    const gr_frame_info info = describe(me);
    if (acquire(me, &lease) == GR_STATUS_OK) me->video->commit(me->sender, lease.id, &info);
  } while (status != GR_STATUS_STOPPED);
  report(me, "crowd-end", status);
  return NULL;
}

static void crowd(instance *me) {
  pthread_t threads[4];
  for (int index = 0; index < 4; index++) pthread_create(&threads[index], NULL, push_in, me);
  for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
}

/* Silent: reports success, and sends nothing. */
static void send_nothing(instance *me) { (void)me; }

#define CAMERA .kind = GR_KIND_VIDEO_SOURCE

const behaviour bad_senders[] = {
    {.name = "SendBeforeStart", CAMERA, .summary = "Sends within initialize",
     .initialize = send_in_initialize},
    {.name = "SendAfterStop", CAMERA, .summary = "Continues to send after stop_send",
     .start = start_once, .run = send_without_asking, .stop = stop_and_tell,
     .uninitialize = join_if_started},
    {.name = "SendWhenGone", CAMERA, .summary = "Calls the host with dead handles",
     .run = give_up_early, .uninitialize = uninitialize_from_thread, .destroy = leave_a_ghost},
    {.name = "BadFrames", CAMERA, .summary = "Lies about frames in every way",
     .run = send_bad_frames},
    {.name = "BadLeases", CAMERA, .summary = "Misuses leases in every way",
     .run = send_bad_leases},
    {.name = "LeaseLeak", CAMERA, .summary = "Never gives a lease back", .run = leak_leases},
    {.name = "LeaseAcrossStop", CAMERA, .summary = "Commits a lease after stop_send",
     .run = keep_a_lease, .stop = stop_then_commit},
    {.name = "ShapeShifter", CAMERA, .summary = "Changes format, size and rotation all the time",
     .run = shift_shape},
    {.name = "Crowd", CAMERA, .summary = "Sends from four threads at once", .run = crowd},
    {.name = "Silent", CAMERA, .summary = "Never sends", .run = send_nothing},
    {0},
};
