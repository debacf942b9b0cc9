/* A microphone that sends a whole WAV file in one call, its header too, once a second. */
#define KIND GR_KIND_VIRTUAL_MIC
#define MEMBERS int16_t file[22 + 48000 * 3]; /* with a header of 44 bytes */
#define OWN_SEND_BLOCK
#include "../WrongPlugins/good.h"

static gr_status send_block(good *me, uint64_t number) {
  memcpy(me->file, "RIFF....WAVEfmt ", 16);
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = 1, .frame_count = sizeof me->file / 2,
                                .samples = me->file,
                                .size_bytes = sizeof me->file, .pts_ns = GR_PTS_UNSTAMPED};
  me->audio->send(me->sender, &block, 0);
  (void)number;
  return me->host->wait_until_ns(me->instance, me->host->now_ns(me->instance) + second_ns);
}
