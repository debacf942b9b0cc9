/* negotiation.empty-table: reads the first row even if there is none */
#define KIND GR_KIND_VIDEO_SOURCE
#define OWN_CHOOSE
#include "../good.h"

static void choose(good *me, const gr_offer *offer, gr_answer *answer) {
  if (offer->rows[0].width >= offer->suggested.width) good_choose(me, offer, answer);
}
