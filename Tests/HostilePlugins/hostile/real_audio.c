/* Realistic audio sources: too much, too little, all at once, clipped or with an offset. */
#include "hostile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { rate = 48000, block_frames = rate / 100, tenth = rate / 10 };

static void tell(instance *me, const char *what, gr_status status, gr_status *last) {
  if (status != *last && status != GR_STATUS_STOPPED) report(me, what, status);
  *last = status;
}

/* 10 ms of a tone at each interval. Refused blocks are lost: the tone continues. */
static void feed(instance *me, double interval_ns) {
  const int64_t start = me->host->now_ns(me->handle);
  int16_t samples[block_frames * 2];
  gr_status last = -1;
  for (int64_t n = 0;; n++) {
    const int64_t due = start + llround((double)n * interval_ns);
    if (me->host->wait_until_ns(me->handle, due) != GR_STATUS_OK) return;
    fill_tone(samples, rate, 2, block_frames, (uint64_t)n * block_frames);
    const gr_audio_block block = as_block(samples, rate, 2, block_frames);
    tell(me, "feed", me->audio->send(me->sender, &block, 0), &last);
  }
}

/* Overfeeds: 11 % too much. */
static void overfeed(instance *me) { feed(me, 1e7 / 1.11); }

/* Underfeeds: 11 % too little. */
static void underfeed(instance *me) { feed(me, 1e7 / 0.89); }

static void rest(instance *me) { me->host->wait_until_ns(me->handle, INT64_MAX); }

/* WholeFile: two seconds of a WAV file, header and all, in one call. */
static void send_whole_file(instance *me) {
  enum { header_bytes = 44, frames = 2 * rate };
  static const char header[header_bytes] = "RIFF....WAVEfmt ";
  int16_t *file = calloc(header_bytes / 2 + frames, sizeof *file);
  memcpy(file, header, header_bytes);
  fill_tone(file + header_bytes / 2, rate, 1, frames, 0);
  const gr_audio_block block = as_block(file, rate, 1, header_bytes / 2 + frames);
  report(me, "whole-file", me->audio->send(me->sender, &block, 0));
  free(file);
  rest(me);
}

/* TenSecondsAtOnce: from within start_send, in blocks of 100 ms, regardless of the results. */
static gr_status start_with_everything(instance *me) {
  int16_t *samples = calloc(tenth * 2, sizeof *samples);
  gr_status last = -1;
  for (uint64_t n = 0; n < 100; n++) {
    fill_tone(samples, rate, 2, tenth, n * tenth);
    const gr_audio_block block = as_block(samples, rate, 2, tenth);
    tell(me, "at-once", me->audio->send(me->sender, &block, 0), &last);
  }
  free(samples);
  return start_thread(me);
}

/* ShortLast: a second of sound in blocks of 10 ms, and then 7 samples. */
static void end_short(instance *me) {
  int16_t samples[block_frames * 2];
  for (uint64_t n = 0; n <= 100; n++) {
    const uint32_t frames = n < 100 ? block_frames : 7;
    fill_tone(samples, rate, 2, frames, n * block_frames);
    const gr_audio_block block = as_block(samples, rate, 2, frames);
    const gr_status status = me->audio->send(me->sender, &block, -1);
    if (n == 100 || status != GR_STATUS_OK) report(me, "short-last", status);
    if (status != GR_STATUS_OK) return;
  }
  rest(me);
}

/* A tone of 400 Hz with an amplitude and an offset. */
static void send_shaped(instance *me, double amplitude, double offset) {
  int16_t samples[block_frames];
  for (uint64_t first = 0;; first += block_frames) {
    for (uint32_t frame = 0; frame < block_frames; frame++) {
      const double turn = 6.283185307179586 * 400 / rate * (double)((first + frame) % rate);
      const double value = offset + amplitude * sin(turn);
      samples[frame] = (int16_t)lround(fmax(-32768, fmin(32767, value)));
    }
    const gr_audio_block block = as_block(samples, rate, 1, block_frames);
    if (me->audio->send(me->sender, &block, -1) != GR_STATUS_OK) return;
  }
}

/* Loud: half of it is clipped. */
static void send_loud(instance *me) { send_shaped(me, 50000, 0); }

/* Offset: by 5 % of full scale. */
static void send_offset(instance *me) { send_shaped(me, 8000, 0.05 * 32768); }

#define MIC .kind = GR_KIND_VIRTUAL_MIC

const behaviour real_audio[] = {
    {.name = "Overfeeds", MIC, .summary = "Sends 11 % more than time has", .run = overfeed},
    {.name = "Underfeeds", MIC, .summary = "Sends 11 % less than time has", .run = underfeed},
    {.name = "WholeFile", MIC, .summary = "Sends a WAV file in one call", .run = send_whole_file},
    {.name = "TenSecondsAtOnce", MIC, .summary = "Sends 10 s within start_send",
     .start = start_with_everything, .run = rest},
    {.name = "ShortLast", MIC, .summary = "Ends with a block of 7 samples", .run = end_short},
    {.name = "Loud", MIC, .summary = "Clips", .run = send_loud},
    {.name = "Offset", MIC, .summary = "Is 5 % beside the middle", .run = send_offset},
    {0},
};
