/* my-plugin: a sine of any frequency. */
#include <greenroom/base.h>
#include <math.h>

#define RATE_HZ 48000
#define BLOCK (RATE_HZ / 100) /* samples in 10 ms */

typedef struct microphone {
  gr_source source;     /* first */
  int64_t frequency_hz; /* atomic: the host changes it while the thread sends */
} microphone;

/* Makes the next samples. The wave continues from its phase, 0 to 1, when the frequency
 * changes, so that nothing clicks. */
static void fill(int16_t *samples, double *phase, int64_t frequency_hz) {
  const double turn = 6.283185307179586;
  for (int i = 0; i < BLOCK; i++) {
    samples[i] = (int16_t)(6000 * sin(turn * *phase));
    *phase = fmod(*phase + (double)frequency_hz / RATE_HZ, 1);
  }
}

/* Runs on a separate thread from start_send to stop_send. */
static void send_sound(gr_source *source) {
  microphone *me = (microphone *)source;
  int16_t samples[BLOCK];
  double phase = 0;
  gr_status status = GR_STATUS_OK;
  while (status == GR_STATUS_OK) {
    fill(samples, &phase, __atomic_load_n(&me->frequency_hz, __ATOMIC_RELAXED));
    status = gr_send_block(source, samples, BLOCK, RATE_HZ, 1);
  }
}

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "frequency") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((microphone *)self)->frequency_hz, setting->value.integer,
                   __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("frequency", "Frequency", "Hz", 440, 20, 20000),
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_VIRTUAL_MIC, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "A sine of any frequency", parameters);

GR_EXPORT_SOURCE(microphone, description, send_sound, set)
