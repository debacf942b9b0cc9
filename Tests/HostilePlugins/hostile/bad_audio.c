/* Too much audio, too fast, or in invalid blocks. */
#include "hostile.h"
#include <stdlib.h>
#include <time.h>

enum { rate = 48000, ten_seconds = 10 * rate };

static int16_t silence[2 * ten_seconds];

/* BadBlocks: each invalid block once; then valid ones. */

typedef struct lie {
  const char *name;
  void (*tell)(gr_audio_block *block);
} lie;

static void slow_rate(gr_audio_block *block) { block->sample_rate_hz = 7999; }
static void fast_rate(gr_audio_block *block) { block->sample_rate_hz = 192001; }
static void no_rate(gr_audio_block *block) { block->sample_rate_hz = 0; }
static void no_channels(gr_audio_block *block) { block->channels = 0; }
static void three_channels(gr_audio_block *block) { block->channels = 3; }
static void no_frames(gr_audio_block *block) { block->frame_count = 0; }
static void short_length(gr_audio_block *block) { block->size_bytes -= 1; }
static void no_samples(gr_audio_block *block) { block->samples = NULL; }
static void negative_pts(gr_audio_block *block) { block->pts_ns = -5; }
static void short_struct(gr_audio_block *block) { block->struct_size = 16; }
static void odd_address(gr_audio_block *block) {
  block->samples = (const int16_t *)(const void *)((const char *)silence + 1);
}
static void one_too_many(gr_audio_block *block) {
  block->frame_count = rate / 10 + 1;
  block->size_bytes = 4ull * block->frame_count;
}
static void whole_file(gr_audio_block *block) {
  block->frame_count = ten_seconds;
  block->size_bytes = 4ull * block->frame_count;
}
static void countless_frames(gr_audio_block *block) {
  block->frame_count = UINT32_MAX;
  block->size_bytes = UINT64_MAX;
}

static const lie lies[] = {
    {"slow-rate", slow_rate},       {"fast-rate", fast_rate},
    {"no-rate", no_rate},           {"no-channels", no_channels},
    {"three-channels", three_channels}, {"no-frames", no_frames},
    {"short-length", short_length}, {"no-samples", no_samples},
    {"negative-pts", negative_pts}, {"short-struct", short_struct},
    {"odd-address", odd_address},   {"one-too-many", one_too_many},
    {"whole-file", whole_file},     {"countless-frames", countless_frames},
};

static void send_bad_blocks(instance *me) {
  for (size_t index = 0; index < sizeof lies / sizeof *lies; index++) {
    gr_audio_block block = as_block(silence, rate, 2, rate / 100);
    lies[index].tell(&block);
    report(me, lies[index].name, me->audio->send(me->sender, &block, 0));
  }
  report(me, "null-block", me->audio->send(me->sender, nothing, 0));
  const gr_audio_block block = as_block(silence, rate, 2, rate / 100);
  report(me, "unknown-sender", me->audio->send(me->sender + 1000, &block, 0));
  send_sound_well(me);
}

/* SendAudioBeforeStart */

static gr_status send_in_initialize(instance *me, const gr_initialize *in) {
  (void)in;
  const gr_audio_block block = as_block(silence, rate, 2, rate / 100);
  report(me, "send-in-initialize", me->audio->send(me->sender, &block, -1));
  return GR_STATUS_OK;
}

/* SendAudioAfterStop: in stop_send, and in uninitialize. */

static void stop_and_send(instance *me) {
  const gr_audio_block block = as_block(silence, rate, 2, rate / 100);
  join_thread(me);
  report(me, "send-in-stop", me->audio->send(me->sender, &block, -1));
}

static void uninitialize_and_send(instance *me) {
  const gr_audio_block block = as_block(silence, rate, 2, rate / 100);
  report(me, "send-in-uninitialize", me->audio->send(me->sender, &block, -1));
}

/* ImpatientMic, PatientMic: ten seconds at once from within start_send. */

static gr_status send_all_at_once(instance *me, int64_t timeout_ns) {
  gr_status status = GR_STATUS_OK;
  int sent = 0;
  for (; sent < 100 && status == GR_STATUS_OK; sent++) {
    const gr_audio_block block = as_block(silence + sent * rate / 10 * 2, rate, 2, rate / 10);
    status = me->audio->send(me->sender, &block, timeout_ns);
  }
  report(me, "ten-seconds-at-once", status);
  say(me, GR_LOG_INFO, "blocks %d", sent);
  return start_thread(me);
}

static gr_status start_without_patience(instance *me) { return send_all_at_once(me, 0); }

static gr_status start_with_patience(instance *me) { return send_all_at_once(me, -1); }

/* Overfeeder: 10 ms every 9 ms, without patience. */
static void overfeed(instance *me) {
  const int64_t start = me->host->now_ns(me->handle);
  int16_t samples[rate / 100 * 2];
  gr_status last = -1;
  uint64_t first = 0;
  for (int64_t n = 0;; n++) {
    if (me->host->wait_until_ns(me->handle, start + n * 9000000) != GR_STATUS_OK) return;
    fill_tone(samples, rate, 2, rate / 100, first);
    const gr_audio_block block = as_block(samples, rate, 2, rate / 100);
    const gr_status status = me->audio->send(me->sender, &block, 0);
    if (status == GR_STATUS_OK) first += rate / 100;
    if (status != last && status != GR_STATUS_STOPPED) report(me, "overfeed", status);
    last = status;
  }
}

/* Starving: 10 ms of audio every 30 ms. */
static void starve(instance *me) {
  const int64_t start = me->host->now_ns(me->handle);
  int16_t samples[rate / 100 * 2];
  fill_tone(samples, rate, 2, rate / 100, 0);
  for (int64_t n = 0;; n++) {
    if (me->host->wait_until_ns(me->handle, start + n * 30000000) != GR_STATUS_OK) return;
    const gr_audio_block block = as_block(samples, rate, 2, rate / 100);
    me->audio->send(me->sender, &block, 0);
  }
}

#define MIC .kind = GR_KIND_VIRTUAL_MIC

const behaviour bad_audio[] = {
    {.name = "BadBlocks", MIC, .summary = "Lies about blocks in every way",
     .run = send_bad_blocks},
    {.name = "SendAudioBeforeStart", MIC, .summary = "Sends within initialize",
     .initialize = send_in_initialize},
    {.name = "SendAudioAfterStop", MIC, .summary = "Sends within stop_send and uninitialize",
     .stop = stop_and_send, .uninitialize = uninitialize_and_send},
    {.name = "ImpatientMic", MIC, .summary = "Sends 10 s at once and does not wait",
     .start = start_without_patience},
    {.name = "PatientMic", MIC, .summary = "Sends 10 s within start_send, and waits",
     .start = start_with_patience},
    {.name = "Overfeeder", MIC, .summary = "Sends 11 % too much", .run = overfeed},
    {.name = "Starving", MIC, .summary = "Sends a third of what it should", .run = starve},
    {0},
};
