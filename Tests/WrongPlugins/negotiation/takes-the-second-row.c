/* negotiation.one-row: answers with the second row even if there is none */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_CHOOSE
#include "../good.h"

static void choose(good *me, const gr_offer *offer, gr_answer *answer) {
  if (offer->row_count == 0) {
    good_choose(me, offer, answer);
    return;
  }
  const gr_capability second = offer->rows[1];
  if (offer->suggested.width * offer->suggested.height > second.width * second.height ||
      offer->row_count == 1) {
    answer->kind = GR_ANSWER_COUNTER;
    answer->capability = second;
    take_shape(me, second, offer->revision);
  } else {
    good_choose(me, offer, answer);
  }
}
