/* A microphone that only sends, as samples of call SDKs do: no sleep, no time, no look at a clock. */
#define KIND GR_KIND_VIRTUAL_MIC
#define MEMBERS int32_t height;
#define OWN_SEND_BLOCK
#include "../WrongPlugins/good.h"
#include <greenroom/send.h>

static gr_status send_block(good *me, uint64_t number) {
  int16_t samples[441]; /* a saw tooth that continues from block to block */
  for (int i = 0; i < 441; i++) {
    me->height = (me->height + 211) % 12000;
    samples[i] = (int16_t)(me->height - 6000);
  }
  (void)number;
  return gr_send_samples(me->audio, me->sender, samples, 441, 44100, 1);
}
