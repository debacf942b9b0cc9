/* audio.level: is so loud that it is clipped */
/* outcome: warning */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_TUNE
#include "../good.h"

static void tune(good *me, int16_t *samples, uint64_t number) {
  good_tune(me, samples, number);
  for (int i = 0; i < wave_frames * wave_channels; i++) {
    const int32_t loud = samples[i] * 10;
    samples[i] = (int16_t)(loud > INT16_MAX ? INT16_MAX : loud < INT16_MIN ? INT16_MIN : loud);
  }
}
