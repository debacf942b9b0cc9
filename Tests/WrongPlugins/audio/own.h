/* What plugins of this folder have besides ../good.h, which comes before this: sound that is another
 * one in each block, sent without waiting. */

/* Sends block number `number` of 10 ms, if there is room. */
SPARE static gr_status try_block(good *me, uint64_t number) {
  int16_t samples[wave_frames * wave_channels];
  good_tune(me, samples, number);
  samples[0] = (int16_t)(number & 0x7ff); /* no two blocks are alike */
  samples[1] = (int16_t)(number >> 11);
  const gr_audio_block block = {.struct_size = sizeof block, .sample_rate_hz = 48000,
                                .channels = wave_channels, .frame_count = wave_frames,
                                .samples = samples, .size_bytes = sizeof samples,
                                .pts_ns = GR_PTS_UNSTAMPED};
  return me->audio->send(me->sender, &block, 0);
}

/* Waits for a number of milliseconds. */
SPARE static gr_status pause_ms(good *me, int64_t milliseconds) {
  return me->host->wait_until_ns(
      me->instance, me->host->now_ns(me->instance) + milliseconds * (second_ns / 1000));
}

/* Whether it continues after a block. */
SPARE static int goes_on(gr_status status) {
  return status == GR_STATUS_OK || status == GR_STATUS_QUEUE_FULL;
}
