/* audio.level: sends nothing but zeros */
/* outcome: warning */
#define KIND GR_KIND_VIRTUAL_MIC
#define OWN_TUNE
#include "../good.h"

static void tune(good *me, int16_t *samples, uint64_t number) {
  (void)me;
  (void)number;
  memset(samples, 0, wave_frames * wave_channels * sizeof *samples);
}
