/* Callbacks that never return, or return late. */
#include "hostile.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Hang: in the callback that the setting `where` names. */

static void hang_in(instance *me, const char *place) {
  if (!setting_is(me, "where", place)) return;
  hang_here(me);
}

static gr_status hang_in_create(instance *me) {
  hang_in(me, "create");
  return GR_STATUS_OK;
}

static gr_status hang_in_initialize(instance *me, const gr_initialize *in) {
  (void)in;
  hang_in(me, "initialize");
  return GR_STATUS_OK;
}

static gr_status hang_in_start(instance *me) {
  hang_in(me, "start-send");
  return start_thread(me);
}

static void hang_in_stop(instance *me) {
  hang_in(me, "stop-send");
  join_thread(me);
}

static void hang_in_uninitialize(instance *me) { hang_in(me, "uninitialize"); }

static void hang_in_destroy(instance *me) { hang_in(me, "destroy"); }

/* FailsThenHangs: fails to start, and then does not return from uninitialize either. */

static gr_status fail_to_start(instance *me) {
  me->host->set_error(me->handle, "no light");
  return GR_STATUS_FAILED;
}

static void hang_always(instance *me) { hang_here(me); }

/* PumpInStart: sends good frames from within start_send; ends when a frame is refused, or if
   it is deaf, never. */

static gr_status pump_in_start(instance *me) {
  const bool deaf = setting_integer(me, "deaf") == 1;
  gr_mutable_frame image = make_image(me, GR_FORMAT_I420, 320, 180, 0);
  const struct timespec interval = {0, 33000000};
  gr_status last = -1;
  for (;;) {
    const gr_video_frame frame = as_frame(me, &image);
    const gr_status status = me->video->send(me->sender, &frame);
    if (status != last) report(me, "pump-in-start", status);
    last = status;
    if (status != GR_STATUS_OK && !deaf) break;
    nanosleep(&interval, NULL);
  }
  free_image(&image);
  return GR_STATUS_OK;
}

/* GiveUpThenHang: gives up as soon as it starts, then every callback hangs. */

static gr_status give_up(instance *me) {
  me->host->give_up(me->handle, GR_STATUS_FAILED, "no more light");
  return GR_STATUS_OK;
}

static void stop_nothing(instance *me) { (void)me; }

/* PumpsThenFails: sends `frames` frames from within start_send, and then fails in it. */

static gr_status pump_then_fail(instance *me) {
  gr_mutable_frame image = make_image(me, GR_FORMAT_I420, 320, 180, 0);
  const struct timespec interval = {0, 33000000};
  for (int64_t n = 0; n < setting_integer(me, "frames"); n++) {
    const gr_video_frame frame = as_frame(me, &image);
    me->video->send(me->sender, &frame);
    nanosleep(&interval, NULL);
  }
  free_image(&image);
  me->host->set_error(me->handle, "the film is over");
  return GR_STATUS_FAILED;
}

/* HangsAtSecondStart: sends well once started, and hangs in the next start_send. */
static gr_status start_once(instance *me) {
  static bool has_started; /* of the process: one instance lives in it */
  if (has_started) hang_here(me);
  has_started = true;
  return start_thread(me);
}

/* SlowStart: takes a second in start_send, which is within the deadline. */
static gr_status start_slowly(instance *me) {
  const struct timespec second = {1, 0};
  nanosleep(&second, NULL);
  return start_thread(me);
}

/* WaitInCallback: waits on the session clock in a callback, which is not allowed. */
static gr_status wait_in_start(instance *me) {
  const int64_t now = me->host->now_ns(me->handle);
  report(me, "wait-in-callback", me->host->wait_until_ns(me->handle, now + 10000000));
  return start_thread(me);
}

#define CAMERA .kind = GR_KIND_VIDEO_SOURCE
#define HANG                                                                                    \
  .summary = "Never returns from the callback that `where` names", .create = hang_in_create,   \
  .initialize = hang_in_initialize, .start = hang_in_start, .stop = hang_in_stop,              \
  .uninitialize = hang_in_uninitialize, .destroy = hang_in_destroy

const behaviour bad_timing[] = {
    {.name = "Hang", CAMERA, HANG},
    {.name = "HangMic", .kind = GR_KIND_VIRTUAL_MIC, HANG},
    {.name = "HangShare", .kind = GR_KIND_SHARE_SOURCE, HANG},
    {.name = "FailsThenHangs", CAMERA, .summary = "Fails to start, and hangs in uninitialize",
     .start = fail_to_start, .uninitialize = hang_always},
    {.name = "PumpInStart", CAMERA, .summary = "Sends from within start_send and does not return",
     .start = pump_in_start, .stop = stop_nothing},
    {.name = "GiveUpThenHang", CAMERA, .summary = "Gives up, and hangs in stop_send",
     .start = give_up, .stop = hang_always, .uninitialize = hang_always, .destroy = hang_always},
    {.name = "PumpsThenFails", CAMERA, .summary = "Sends from within start_send, and then fails",
     .start = pump_then_fail, .stop = stop_nothing},
    {.name = "HangsAtSecondStart", CAMERA, .summary = "Hangs in its second start_send",
     .start = start_once},
    {.name = "SlowStart", CAMERA, .summary = "Takes a second to start", .start = start_slowly},
    {.name = "WaitInCallback", CAMERA, .summary = "Calls wait_until_ns in start_send",
     .start = wait_in_start},
    {0},
};
