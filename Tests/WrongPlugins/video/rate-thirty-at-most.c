/* video.rate: agrees to any rate, and sends 30 frames a second where more were agreed */
#define OWN_CHOOSE
#include "../good.h"

static void choose(good *me, const gr_offer *offer, gr_answer *answer) {
  good_choose(me, offer, answer);
  pthread_mutex_lock(&me->lock);
  gr_capability *size = &me->shape.size;
  if (size->fps_numerator > (uint64_t)30 * size->fps_denominator) {
    size->fps_numerator = 30;
    size->fps_denominator = 1;
  }
  pthread_mutex_unlock(&me->lock);
}
