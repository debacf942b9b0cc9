/* my-plugin: the loudness of the session's audio, as lines of CSV. */
#include <errno.h>
#include <greenroom/base.h>
#include <greenroom/output.h>
#include <math.h>
#include <stdio.h>

typedef struct loudness_log {
  gr_plugin plugin;
  const gr_host *host;
  const gr_output_host *requests; /* NULL: the host has none */
  gr_instance instance;
  int64_t every; /* atomic: the host changes it between blocks and during one */
  char *path;    /* "": only the report */
  FILE *file;
  int64_t blocks;
} loudness_log;

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

/* The reason why the file can't be written. */
static const char *reason(const loudness_log *output, char *text, size_t size) {
  snprintf(text, size, "%s: %s", output->path, strerror(errno));
  return text;
}

static gr_status write_line(loudness_log *output, const char *line) {
  char text[512];
  if (output->file == NULL) return GR_STATUS_OK;
  /* Flushed, so that a full disk shows now and not at the end. */
  if (fputs(line, output->file) >= 0 && fflush(output->file) == 0) return GR_STATUS_OK;
  output->host->log(output->instance, GR_LOG_ERROR, reason(output, text, sizeof text));
  return GR_STATUS_FAILED;
}

/* The root of the mean square. */
static int loudness(const gr_audio_block *block) {
  const uint32_t count = block->frame_count * block->channels;
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += block->samples[i] * block->samples[i];
  return (int)sqrt((double)(sum / count));
}

/* Takes one block. It is valid until the function returns. */
static gr_status audio(void *self, const gr_output_block *block) {
  loudness_log *const output = (loudness_log *)self;
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

/* ---- Lifecycle ---- */

static gr_status initialize(void *self, const gr_initialize *in) {
  (void)self, (void)in;
  return GR_STATUS_OK;
}

/* The session begins. */
static gr_status start_send(void *self) {
  loudness_log *const output = (loudness_log *)self;
  char text[512];
  if (output->path[0] == 0) return GR_STATUS_OK;
  output->file = fopen(output->path, "w");
  if (output->file == NULL) {
    output->host->set_error(output->instance, reason(output, text, sizeof text));
    return GR_STATUS_UNAVAILABLE;
  }
  return write_line(output, "sample,loudness\n");
}

/* Every block was delivered. */
static void stop_send(void *self) {
  loudness_log *const output = (loudness_log *)self;
  if (output->file != NULL) fclose(output->file);
  output->file = NULL;
}

static void uninitialize(void *self) { (void)self; }

static void destroy(void *self) {
  free(((loudness_log *)self)->path);
  free(self);
}

/* ---- What the library exports ---- */

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "every") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((loudness_log *)self)->every, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static char *copy(const char *text) {
  const size_t size = strlen(text) + 1;
  char *const copied = (char *)malloc(size);
  return copied == NULL ? NULL : (char *)memcpy(copied, text, size);
}

static const void *get_extension(void *self, const char *id) {
  static const gr_output media = {sizeof(gr_output), 0, track, video, audio, NULL};
  static const gr_live_parameters live = {sizeof(gr_live_parameters), 0, set};
  (void)self;
  if (strcmp(id, GR_EXT_OUTPUT) == 0) return &media;
  return strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 ? &live : NULL;
}

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("every", "Take every n-th block", NULL, 10, 1, 1000),
    {sizeof(gr_parameter), GR_TYPE_PATH, 0, 0, "file", "The CSV file; none: only the report", NULL,
     NULL, {GR_TYPE_PATH, 0, 0, 0, ""}, 0, 0},
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_OUTPUT, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "The loudness of the session's audio as lines of CSV", parameters);

static gr_status gr_exported_create(uint32_t index, const gr_create *in,
                                    const gr_plugin **plugin) {
  static const gr_plugin functions = {sizeof(gr_plugin), 0, NULL, destroy, initialize, NULL,
                                      start_send, stop_send, uninitialize, get_extension};
  loudness_log *const made = (loudness_log *)calloc(1, sizeof *made);
  (void)index; /* there is one plugin in here */
  if (made == NULL) return GR_STATUS_FAILED;
  made->host = in->host;
  made->instance = in->instance;
  made->requests =
      (const gr_output_host *)in->host->get_extension(in->instance, GR_EXT_OUTPUT_HOST);
  made->every = 10;
  for (uint32_t i = 0; i < in->setting_count; i++) {
    const gr_setting *const setting = &in->settings[i];
    if (strcmp(setting->name, "file") == 0 && made->path == NULL)
      made->path = copy(setting->value.string);
    else
      set(made, setting);
  }
  if (made->path == NULL) {
    free(made);
    return GR_STATUS_FAILED;
  }
  made->plugin = functions;
  made->plugin.self = made;
  *plugin = &made->plugin;
  return GR_STATUS_OK;
}

GR_EXPORT_ONE(description)
