/* negotiation.answer-in-offer: writes its wish into the answer and leaves the kind ACCEPT */
/* outcome: warning */
/* says: set kind to GR_ANSWER_COUNTER */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_CHOOSE
#include "../good.h"

static void choose(good *me, const gr_offer *offer, gr_answer *answer) {
  gr_capability wish = offer->suggested;
  for (uint32_t row = 0; row < offer->row_count; row++)
    if (offer->rows[row].height == 360) wish = offer->rows[row];
  answer->capability = wish;
  take_shape(me, wish, offer->revision);
}
