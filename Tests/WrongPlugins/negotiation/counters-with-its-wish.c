/* negotiation.answer-in-offer: counters every offer with 1920x1080 at 60 */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_CHOOSE
#include "../good.h"

static void choose(good *me, const gr_offer *offer, gr_answer *answer) {
  const gr_capability wish = {1920, 1080, 60, 1};
  answer->kind = GR_ANSWER_COUNTER;
  answer->capability = wish;
  take_shape(me, wish, offer->revision);
}
