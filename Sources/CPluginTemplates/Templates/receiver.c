/* my-plugin: the brightness of every n-th frame of each participant's camera, as lines of CSV. */
#include <errno.h>
#include <greenroom/base.h>
#include <greenroom/output.h>
#include <stdio.h>

#define MOST 64 /* participants at a time */

/* A camera that the plugin has subscribed to. */
typedef struct camera {
  uint32_t track; /* zero: none */
  char name[48];
  int is_on;
} camera;

typedef struct csv_log {
  gr_plugin plugin;
  const gr_host *host;
  const gr_output_host *requests; /* NULL: the host has none */
  gr_instance instance;
  int64_t every; /* atomic: the host changes it between frames and during one */
  char *path;    /* "": only the report */
  FILE *file;
  camera cameras[MOST]; /* calls of track, video and gone never overlap */
} csv_log;

/* ---- What the plugin wants of the session's tracks ---- */

static camera *camera_of(csv_log *output, uint32_t track) {
  for (int i = 0; i < MOST; i++)
    if (output->cameras[i].track == track) return &output->cameras[i];
  return NULL;
}

/* Small frames of each participant's camera. Participants' tracks come while the session runs; the
 * session's own have no participant. */
static gr_status track(void *self, const gr_track *track, gr_want *want) {
  csv_log *const output = (csv_log *)self;
  camera *entry = camera_of(output, track->id);
  if (track->kind != GR_TRACK_CAMERA || track->participant == 0) return GR_STATUS_OK;
  if (entry == NULL) entry = camera_of(output, 0);
  if (entry == NULL) return GR_STATUS_OK; /* no place is left: it wants nothing of this one */
  memset(entry, 0, sizeof *entry);
  entry->track = track->id;
  snprintf(entry->name, sizeof entry->name, "%s", track->name);
  want->is_wanted = 1;
  want->format = GR_FORMAT_I420;
  want->capability.width = 320;
  want->capability.height = 180;
  want->pace = GR_PACE_COMPLETE;
  return GR_STATUS_OK;
}

/* A camera is on while its frames are its source's: not muted, not lost, not ended. */
static void set_on(csv_log *output, camera *entry, int is_on) {
  char text[64];
  if (entry->is_on == is_on) return;
  entry->is_on = is_on;
  snprintf(text, sizeof text, "%s is %s", entry->name, is_on ? "on" : "off");
  output->host->log(output->instance, GR_LOG_INFO, text);
}

/* A participant's track has ended. */
static void gone(void *self, uint32_t track) {
  camera *const entry = camera_of((csv_log *)self, track);
  if (entry == NULL) return;
  set_on((csv_log *)self, entry, 0);
  entry->track = 0;
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
  camera *const entry = camera_of(output, frame->track);
  const int64_t every = __atomic_load_n(&output->every, __ATOMIC_RELAXED);
  const int is_on =
      frame->content == GR_CONTENT_NEW || frame->content == GR_CONTENT_REPEATED;
  char line[128];
  uint64_t mean;
  if (entry == NULL) return GR_STATUS_OK;
  set_on(output, entry, is_on);
  if (frame->content != GR_CONTENT_NEW || frame->index % every != 0) return GR_STATUS_OK;
  mean = mean_luma(&frame->frame);
  if (output->requests != NULL)
    output->requests->report(output->instance, "brightness", (double)mean);
  snprintf(line, sizeof line, "%s,%lld,%llu\n", entry->name, (long long)frame->index,
           (unsigned long long)mean);
  return write_line(output, line);
}

/* The plugin wants no audio, and so gets none. */
static gr_status audio(void *self, const gr_output_block *block) {
  (void)self, (void)block;
  return GR_STATUS_OK;
}

/* ---- What the host reads ---- */

/* The default of the setting. */
enum { USUAL_EVERY = 15 };
static const char first_line[] = "track,frame,brightness\n";
static const gr_output media = {sizeof(gr_output), 0, track, video, audio, gone};

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("every", "Take every n-th frame", NULL, USUAL_EVERY, 1, 1000),
    {sizeof(gr_parameter), GR_TYPE_PATH, 0, 0, "file", "The CSV file; none: only the report", NULL,
     NULL, {GR_TYPE_PATH, 0, 0, 0, ""}, 0, 0},
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_OUTPUT, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "The brightness of participants' cameras as lines of CSV", parameters);

#include "csv-plugin.h"
