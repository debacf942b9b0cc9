/* my-plugin: the brightness of every n-th frame of the camera, as lines of CSV. */
#include <errno.h>
#include <greenroom/base.h>
#include <greenroom/output.h>
#include <stdio.h>

typedef struct csv_log {
  gr_plugin plugin;
  const gr_host *host;
  const gr_output_host *requests; /* NULL: the host has none */
  gr_instance instance;
  int64_t every; /* atomic: the host changes it between frames and during one */
  char *path;    /* "": only the report */
  FILE *file;
  int64_t frames;
} csv_log;

/* ---- What the plugin wants of the session's tracks ---- */

/* Small frames of the camera, nothing of the others. */
static gr_status track(void *self, const gr_track *track, gr_want *want) {
  (void)self;
  want->is_wanted = track->kind == GR_TRACK_CAMERA && track->participant == 0;
  want->format = GR_FORMAT_I420;
  want->capability.width = 320;
  want->capability.height = 180;
  want->pace = GR_PACE_COMPLETE;
  return GR_STATUS_OK;
}

/* ---- Media ---- */

#include "csv-file.h"

/* The mean of luma: the first plane. */
static uint64_t mean_luma(const gr_video_frame *frame) {
  uint64_t sum = 0;
  for (uint32_t y = 0; y < frame->height; y++) {
    const uint8_t *row = frame->planes[0].data + (uint64_t)y * frame->planes[0].stride_bytes;
    for (uint32_t x = 0; x < frame->width; x++) sum += row[x];
  }
  return sum / ((uint64_t)frame->width * frame->height);
}

/* Takes one frame: I420, in the wanted size. It is valid until the function returns. */
static gr_status video(void *self, const gr_output_frame *frame) {
  csv_log *const output = (csv_log *)self;
  const int64_t every = __atomic_load_n(&output->every, __ATOMIC_RELAXED);
  char line[64];
  uint64_t mean;
  /* Repeated frames, black and slates are not the camera's. */
  if (frame->content != GR_CONTENT_NEW || output->frames++ % every != 0) return GR_STATUS_OK;
  mean = mean_luma(&frame->frame);
  if (output->requests != NULL)
    output->requests->report(output->instance, "brightness", (double)mean);
  snprintf(line, sizeof line, "%lld,%llu\n", (long long)frame->index, (unsigned long long)mean);
  return write_line(output, line);
}

/* The plugin wants no audio, and so gets none. */
static gr_status audio(void *self, const gr_output_block *block) {
  (void)self, (void)block;
  return GR_STATUS_OK;
}

/* ---- What the host reads ---- */

/* The default of the setting. */
enum { USUAL_EVERY = 30 };
static const char first_line[] = "frame,brightness\n";
static const gr_output media = {sizeof(gr_output), 0, track, video, audio, NULL};

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("every", "Take every n-th frame", NULL, USUAL_EVERY, 1, 1000),
    {sizeof(gr_parameter), GR_TYPE_PATH, 0, 0, "file", "The CSV file; none: only the report", NULL,
     NULL, {GR_TYPE_PATH, 0, 0, 0, ""}, 0, 0},
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_OUTPUT, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "The brightness of the camera as lines of CSV", parameters);

#include "csv-plugin.h"
