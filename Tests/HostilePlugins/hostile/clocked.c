/*
 * A camera and a microphone that capture the same scene, each with a clock of its own.
 *
 * At each full second of the session clock the scene flashes for three periods of the camera and
 * beeps at 1 kHz for 50 ms. What a device captures depends on the true time; when it captures
 * depends on its crystal, which is `ppm` too fast; its timestamps are as in `stamps`. The
 * brightness of a frame is the fraction of its period, centred on its time, during which the flash
 * was on: the centroid of brightness over frames is the centre of the flash, wherever they are.
 */
#include "hostile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct device {
  int64_t start;   /* the true time of frame or sample 0 */
  double nominal;  /* the rate that it says, a second */
  double true_rate;
} device;

static device open_device(instance *me, double nominal) {
  const double ppm = (double)setting_integer(me, "ppm");
  return (device){me->host->now_ns(me->handle), nominal, nominal * (1 + ppm * 1e-6)};
}

static int64_t true_time(const device *of, int64_t n) {
  return of->start + llround((double)n * 1e9 / of->true_rate);
}

/* The timestamp that the device gives to the block or frame that begins with n. */
static int64_t stamp(instance *me, const device *of, int64_t n, int64_t unit) {
  const int64_t time = true_time(of, n);
  if (setting_is(me, "stamps", "session")) return time;
  if (setting_is(me, "stamps", "missing")) return GR_PTS_UNSTAMPED;
  if (setting_is(me, "stamps", "wall")) return time + 1700000000000000000LL;
  if (setting_is(me, "stamps", "zero")) return time - of->start;
  if (setting_is(me, "stamps", "own"))
    return of->start + llround((double)n * 1e9 / of->nominal);
  if (setting_is(me, "stamps", "milliseconds")) return time / 1000000;
  return time - (unit % 10 == 9 ? 50000000 : 0);
}

static double overlap(double begin, double end, double from, double to) {
  const double least = fmax(begin, from), most = fmin(end, to);
  return most > least ? most - least : 0;
}

static double light(int64_t time, double period) {
  const double phase = (double)(time % NANOSECONDS), begin = phase - period / 2;
  const double end = begin + period;
  return (overlap(begin, end, 0, 3 * period) + overlap(begin, end, 1e9, 1e9 + 3 * period)) / period;
}

static void watch_flashes(instance *me) {
  const int64_t fps = setting_integer(me, "fps");
  const device camera = open_device(
      me, fps > 0 ? (double)fps : (double)me->agreed.fps_numerator / me->agreed.fps_denominator);
  gr_mutable_frame image =
      make_image(me, GR_FORMAT_I420, me->agreed.width, me->agreed.height, 0);
  for (uint32_t plane = 1; plane < 3; plane++)
    memset(image.planes[plane].data, 128, image.planes[plane].size_bytes);
  for (int64_t n = 0;; n++) {
    const int64_t time = true_time(&camera, n);
    if (me->host->wait_until_ns(me->handle, time) != GR_STATUS_OK) break;
    const double luma = 16 + 219 * light(time, 1e9 / camera.nominal);
    memset(image.planes[0].data, (int)lround(luma), image.planes[0].size_bytes);
    gr_video_frame frame = as_frame(me, &image);
    frame.info.pts_ns = stamp(me, &camera, n, n);
    me->video->send(me->sender, &frame);
  }
  free_image(&image);
}

static int16_t sound(int64_t time) {
  const int64_t phase = time % NANOSECONDS;
  if (phase >= 50000000) return 0;
  return (int16_t)lround(16000 * sin(6.283185307179586 * 1e-6 * (double)phase));
}

static void hear_beeps(instance *me) {
  const int64_t rate = setting_integer(me, "rate"), block = setting_integer(me, "block");
  const int64_t frames = block > 0 ? block : rate / 100;
  const device microphone = open_device(me, (double)rate);
  int16_t *samples = calloc((size_t)frames, sizeof *samples);
  gr_status last = GR_STATUS_OK;
  for (int64_t n = 0;; n++) {
    const int64_t first = n * frames;
    /* A block is complete after its last sample. */
    const int64_t end = true_time(&microphone, first + frames);
    if (me->host->wait_until_ns(me->handle, end) != GR_STATUS_OK) break;
    for (int64_t frame = 0; frame < frames; frame++)
      samples[frame] = sound(true_time(&microphone, first + frame));
    gr_audio_block message = as_block(samples, (uint32_t)rate, 1, (uint32_t)frames);
    message.pts_ns = stamp(me, &microphone, first, n);
    const gr_status status = me->audio->send(me->sender, &message, 0);
    if (status != last && status != GR_STATUS_STOPPED) report(me, "beep", status);
    last = status;
  }
  free(samples);
}

/* Three sines at once, without an end: what `Chord` in the tests computes anew. */
static int16_t chord(int64_t time) {
  const double turn = 6.283185307179586e-9 * (double)(time % NANOSECONDS);
  return (int16_t)lround(
      7000 * sin(300 * turn) + 5000 * sin(1700 * turn) + 3000 * sin(7300 * turn));
}

/* Hears the chord in blocks of all lengths up to a part of a second. A live one has a block when
   its last sample is captured; a paced one sends ahead, and waits for room. */
static void hear_chord(instance *me, bool is_live, int64_t part) {
  const int64_t rate = setting_integer(me, "rate"), longest = rate / part;
  const device microphone = open_device(me, (double)rate);
  int16_t *samples = calloc((size_t)longest, sizeof *samples);
  gr_status status = GR_STATUS_OK;
  int64_t first = 0;
  for (int64_t n = 0; status == GR_STATUS_OK; n++) {
    const int64_t frames = 1 + n * 7919 % longest, end = true_time(&microphone, first + frames);
    if (is_live && me->host->wait_until_ns(me->handle, end) != GR_STATUS_OK) break;
    for (int64_t frame = 0; frame < frames; frame++)
      samples[frame] = chord(true_time(&microphone, first + frame));
    gr_audio_block message = as_block(samples, (uint32_t)rate, 1, (uint32_t)frames);
    message.pts_ns = is_live ? stamp(me, &microphone, first, n) : GR_PTS_UNSTAMPED;
    status = me->audio->send(me->sender, &message, is_live ? 0 : -1);
    first += frames;
  }
  if (status != GR_STATUS_OK && status != GR_STATUS_STOPPED) report(me, "chord", status);
  free(samples);
}

static void hear_live_chord(instance *me) { hear_chord(me, true, 20); }
static void hear_paced_chord(instance *me) { hear_chord(me, false, 10); }

const behaviour clocked[] = {
    {.name = "FlashCamera", .kind = GR_KIND_VIDEO_SOURCE, .summary = "Sees the world flash",
     .run = watch_flashes},
    {.name = "FlashShare", .kind = GR_KIND_SHARE_SOURCE, .summary = "The same as a share",
     .run = watch_flashes},
    {.name = "BeepMic", .kind = GR_KIND_VIRTUAL_MIC, .summary = "Hears the world beep",
     .run = hear_beeps},
    {.name = "BeepShareAudio", .kind = GR_KIND_SHARE_AUDIO_SOURCE,
     .summary = "The same as a share", .run = hear_beeps},
    {.name = "ChordMic", .kind = GR_KIND_VIRTUAL_MIC, .summary = "Hears a chord, live",
     .run = hear_live_chord},
    {.name = "PacedChordMic", .kind = GR_KIND_VIRTUAL_MIC,
     .summary = "Hears a chord, paced by the host", .run = hear_paced_chord},
    {0},
};
