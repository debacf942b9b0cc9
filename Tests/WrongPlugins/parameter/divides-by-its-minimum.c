/* parameter.bounds: divides by a value that may be zero */
#define OWN_TUNE
#define KIND GR_KIND_VIRTUAL_MIC
#include "../good.h"

static void tune(good *me, int16_t *samples, uint64_t number) {
  const int32_t gain = __atomic_load_n(&me->gain_percent, __ATOMIC_RELAXED);
  good_tune(me, samples, number);
  samples[0] = (int16_t)(samples[0] / (100 * 100 / gain));
}
