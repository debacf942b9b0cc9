/* my-plugin: the loudness of the session's audio, as lines of CSV. */
#include <errno.h>
#include <greenroom/base.h>
#include <greenroom/output.h>
#include <math.h>
#include <stdio.h>

typedef struct csv_log {
  gr_plugin plugin;
  const gr_host *host;
  const gr_output_host *requests; /* NULL: the host has none */
  gr_instance instance;
  int64_t every; /* atomic: the host changes it between blocks and during one */
  char *path;    /* "": only the report */
  FILE *file;
  int64_t blocks;
} csv_log;

/* ---- What the plugin wants of the session's tracks ---- */

/* The mix, at 16000 Hz mono in blocks of 20 ms. Other tracks of audio are the microphone, the audio
 * of the share, each participant's, and what comes in with a call. */
static gr_status track(void *self, const gr_track *track, gr_want *want) {
  (void)self;
  want->is_wanted = track->kind == GR_TRACK_MIX;
  want->sample_rate_hz = 16000;
  want->channels = 1;
  want->block_frames = 320;
  return GR_STATUS_OK;
}

/* ---- Media ---- */

#include "csv-file.h"

/* The root of the mean square. */
static int loudness(const gr_audio_block *block) {
  const uint32_t count = block->frame_count * block->channels;
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += block->samples[i] * block->samples[i];
  return (int)sqrt((double)(sum / count));
}

/* Takes one block. It is valid until the function returns. */
static gr_status audio(void *self, const gr_output_block *block) {
  csv_log *const output = (csv_log *)self;
  const int64_t every = __atomic_load_n(&output->every, __ATOMIC_RELAXED);
  char line[64];
  int root;
  if (output->blocks++ % every != 0) return GR_STATUS_OK;
  root = loudness(&block->block);
  if (output->requests != NULL) output->requests->report(output->instance, "loudness", root);
  snprintf(line, sizeof line, "%lld,%d\n", (long long)block->index, root);
  return write_line(output, line);
}

/* The plugin wants no video, and so gets none. */
static gr_status video(void *self, const gr_output_frame *frame) {
  (void)self, (void)frame;
  return GR_STATUS_OK;
}

/* ---- What the host reads ---- */

/* The default of the setting. */
enum { USUAL_EVERY = 10 };
static const char first_line[] = "sample,loudness\n";
static const gr_output media = {sizeof(gr_output), 0, track, video, audio, NULL};

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("every", "Take every n-th block", NULL, USUAL_EVERY, 1, 1000),
    {sizeof(gr_parameter), GR_TYPE_PATH, 0, 0, "file", "The CSV file; none: only the report", NULL,
     NULL, {GR_TYPE_PATH, 0, 0, 0, ""}, 0, 0},
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_OUTPUT, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "The loudness of the session's audio as lines of CSV", parameters);

#include "csv-plugin.h"
