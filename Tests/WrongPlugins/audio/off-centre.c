/* audio.level: adds a twentieth of full scale to each sample */
/* outcome: warning */
#define KIND GR_KIND_SHARE_AUDIO_SOURCE
#define OWN_TUNE
#include "../good.h"

static void tune(good *me, int16_t *samples, uint64_t number) {
  good_tune(me, samples, number);
  for (int i = 0; i < wave_frames * wave_channels; i++) samples[i] += INT16_MAX / 20;
}
