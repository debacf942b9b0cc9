/* my-plugin: a voice that trembles. */
#include <greenroom/base.h>
#include <math.h>

typedef struct tremolo {
  gr_filter filter; /* first */
  int64_t rate_hz;  /* atomic: the host changes it while blocks are edited */
  double phase;     /* of the trembling, 0 to 1; it continues when the rate changes */
} tremolo;

/* Edits 10 ms of 48 kHz in place. */
static gr_status process(void *self, gr_audio_edit *block) {
  tremolo *me = (tremolo *)self;
  const double turn = 6.283185307179586;
  const double rate_hz = (double)__atomic_load_n(&me->rate_hz, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < block->frame_count; i++) {
    me->phase = fmod(me->phase + rate_hz / 48000, 1);
    int16_t *sample = &block->samples[i * block->channels];
    for (uint32_t channel = 0; channel < block->channels; channel++)
      sample[channel] = (int16_t)(sample[channel] * (0.6 + 0.4 * sin(turn * me->phase)));
  }
  return GR_STATUS_OK;
}

/* The host has checked the value. */
static gr_status set(void *self, const gr_setting *setting) {
  if (strcmp(setting->name, "rate") != 0) return GR_STATUS_BAD_SETTING;
  __atomic_store_n(&((tremolo *)self)->rate_hz, setting->value.integer, __ATOMIC_RELAXED);
  return GR_STATUS_OK;
}

static const gr_parameter parameters[] = {
    GR_LIVE_INTEGER("rate", "Rate", "Hz", 5, 1, 20),
};

static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_AUDIO_PRE_PROCESSOR, "com.example.my-plugin", "my-plugin", "0.1.0",
                   "A voice that trembles", parameters);

GR_EXPORT_AUDIO_FILTER(tremolo, description, 2, 0, process, set)
