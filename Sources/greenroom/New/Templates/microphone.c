/* my-plugin: a sine of any frequency. */
#include <greenroom/plugin.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define RATE_HZ 48000
#define BLOCK (RATE_HZ / 100) /* samples in 10 ms */
#define BLOCK_NS INT64_C(10000000)

typedef struct source {
  gr_plugin functions;
  const gr_host *host;
  gr_instance instance;
  gr_sender sender;
  const gr_audio_functions *audio;
  pthread_t thread;
  int64_t frequency_hz; /* atomic: the host changes it while the thread sends */
} source;

/* Makes the next samples. The wave goes on from its phase, 0 to 1, when the frequency
 * changes, so that nothing clicks. */
static void fill(int16_t *samples, double *phase, int64_t frequency_hz) {
  const double turn = 6.283185307179586;
  for (int i = 0; i < BLOCK; i++) {
    samples[i] = (int16_t)(6000 * sin(turn * *phase));
    *phase = fmod(*phase + (double)frequency_hz / RATE_HZ, 1);
  }
}

static void *send_sound(void *self) {
  source *me = self;
  const int64_t start_ns = me->host->now_ns(me->instance);
  double phase = 0;
  for (int64_t n = 0;; n++) {
    /* Later than the host's queue is long: that sound would come too late. */
    const int64_t late_ns = me->host->now_ns(me->instance) - (start_ns + n * BLOCK_NS);
    if (late_ns > GR_AUDIO_QUEUE_MS * INT64_C(1000000)) n += late_ns / BLOCK_NS;
    /* Counted from the start, so that no rounding and no late block adds up. */
    const int64_t due_ns = start_ns + n * BLOCK_NS;
    if (me->host->wait_until_ns(me->instance, due_ns) != GR_STATUS_OK)
      return NULL; /* stop_send has begun */
    int16_t samples[BLOCK];
    fill(samples, &phase, __atomic_load_n(&me->frequency_hz, __ATOMIC_RELAXED));
    const gr_audio_block block = {
        .struct_size = sizeof block, .sample_rate_hz = RATE_HZ, .channels = 1,
        .frame_count = BLOCK, .samples = samples, .size_bytes = sizeof samples,
        .pts_ns = due_ns};
    if (me->audio->send(me->sender, &block, -1) != GR_STATUS_OK) return NULL;
  }
}

static gr_status initialize(void *self, const gr_initialize *in) {
  source *me = self;
  me->sender = in->sender;
  me->audio = in->audio;
  return GR_STATUS_OK;
}

static gr_status start_send(void *self) {
  source *me = self;
  if (pthread_create(&me->thread, NULL, send_sound, me) == 0) return GR_STATUS_OK;
  me->host->set_error(me->instance, "no thread could be made; raise the limit on threads");
  return GR_STATUS_FAILED;
}

static void stop_send(void *self) { pthread_join(((source *)self)->thread, NULL); }

static void uninitialize(void *self) { ((source *)self)->sender = 0; }

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  source *me = self;
  if (strcmp(setting->name, "frequency") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&me->frequency_hz, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const void *get_extension(void *self, const char *id) {
  static const gr_live_parameters live = {.struct_size = sizeof live, .set = set};
  (void)self;
  return strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 ? &live : NULL;
}

static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **plugin) {
  (void)index; /* there is one plugin in here */
  source *me = calloc(1, sizeof *me);
  if (me == NULL) return GR_STATUS_FAILED;
  me->functions = (gr_plugin){
      .struct_size = sizeof me->functions, .self = me, .destroy = free,
      .initialize = initialize, .start_send = start_send, .stop_send = stop_send,
      .uninitialize = uninitialize, .get_extension = get_extension};
  me->host = in->host;
  me->instance = in->instance;
  for (uint32_t i = 0; i < in->setting_count; i++) set(me, &in->settings[i]);
  *plugin = &me->functions;
  return GR_STATUS_OK;
}

static const gr_descriptor *descriptor(uint32_t index) {
  static const gr_parameter frequency = {
      .struct_size = sizeof frequency, .type = GR_TYPE_INTEGER,
      .flags = GR_PARAMETER_LIVE | GR_PARAMETER_BOUNDED, .name = "frequency",
      .title = "Frequency", .unit = "Hz",
      .default_value = {.type = GR_TYPE_INTEGER, .integer = 440},
      .minimum = 20, .maximum = 20000};
  static const gr_descriptor only = {
      .struct_size = sizeof only, .kind = GR_KIND_VIRTUAL_MIC, .id = "com.example.my-plugin",
      .name = "my-plugin", .version = "0.1.0",
      .summary = "A sine of any frequency",
      .parameters = &frequency, .parameter_count = 1};
  return index == 0 ? &only : NULL;
}

GR_EXPORT const gr_entry *greenroom_plugin_entry(void) {
  static const gr_entry entry = {.struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR,
                                 .abi_minor = GR_ABI_MINOR, .plugin_count = 1,
                                 .descriptor = descriptor, .create = create};
  return &entry;
}
