#include "CWebRTCAudio.h"

#include <cstring>
#include <memory>
#include <new>

#include <webrtc/common.h>
#include <webrtc/modules/audio_processing/include/audio_processing.h>

// The library's headers have only webrtc::Config for this, which finds an option by the address of a variable that a
// plugin hides: its options have no effect.
extern "C" void WebRtcAec_enable_extended_filter(AecCore *core, int enable);

namespace {

constexpr int kFrames = 480;
constexpr int kRate = 48000;

/// Samples as the library takes them: a row for each channel.
struct Rows {
  float samples[2][kFrames];
  float *rows[2] = {samples[0], samples[1]};

  void read(const int16_t *interleaved, int channels) {
    for (int frame = 0; frame < kFrames; ++frame)
      for (int channel = 0; channel < channels; ++channel)
        samples[channel][frame] = float(interleaved[frame * channels + channel]) / 32768;
  }

  void write(int16_t *interleaved, int channels) const {
    for (int frame = 0; frame < kFrames; ++frame)
      for (int channel = 0; channel < channels; ++channel) {
        float sample = samples[channel][frame] * 32768;
        sample = sample < -32768 ? -32768 : sample > 32767 ? 32767 : sample;
        interleaved[frame * channels + channel] = int16_t(sample < 0 ? sample - 0.5f : sample + 0.5f);
      }
  }
};

}  // namespace

struct greenroom_audio {
  std::unique_ptr<webrtc::AudioProcessing> processing;
  webrtc::StreamConfig stream;
  Rows block, reference;
  bool echo;

  bool set(const greenroom_audio_options &options) {
    using webrtc::GainControl;
    using webrtc::NoiseSuppression;
    auto &apm = *processing;
    echo = options.echo;
    apm.echo_cancellation()->enable_drift_compensation(false);
    apm.echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kHighSuppression);
    apm.gain_control()->set_mode(GainControl::kAdaptiveDigital);
    bool done = apm.high_pass_filter()->Enable(options.high_pass) == 0 &&
                apm.gain_control()->Enable(options.gain) == 0 &&
                apm.echo_cancellation()->Enable(options.echo) == 0;
    if (options.noise >= 0)
      done = done && apm.noise_suppression()->set_level(NoiseSuppression::Level(options.noise)) == 0;
    // For echoes of more than 48 ms. Enabling the canceller has turned it off.
    if (auto *core = apm.echo_cancellation()->aec_core()) WebRtcAec_enable_extended_filter(core, 1);
    return done && apm.noise_suppression()->Enable(options.noise >= 0) == 0;
  }
};

greenroom_audio *greenroom_audio_make(greenroom_audio_options options, int32_t channels) {
  auto *audio = new (std::nothrow) greenroom_audio();
  if (!audio) return nullptr;
  audio->processing.reset(webrtc::AudioProcessing::Create());
  audio->stream = webrtc::StreamConfig(kRate, channels);
  webrtc::ProcessingConfig streams = {
      {audio->stream, audio->stream, audio->stream, audio->stream}};
  if (!audio->processing || audio->processing->Initialize(streams) != 0 || !audio->set(options)) {
    delete audio;
    return nullptr;
  }
  return audio;
}

void greenroom_audio_free(greenroom_audio *audio) { delete audio; }

bool greenroom_audio_set(greenroom_audio *audio, greenroom_audio_options options) {
  return audio->set(options);
}

int32_t greenroom_audio_process(greenroom_audio *audio, int16_t *samples,
                                const int16_t *reference) {
  auto &apm = *audio->processing;
  const int channels = audio->stream.num_channels();
  if (audio->echo) {
    if (reference) {
      audio->reference.read(reference, channels);
    } else {
      std::memset(audio->reference.samples, 0, sizeof audio->reference.samples);
    }
    int failed = apm.ProcessReverseStream(audio->reference.rows, audio->stream, audio->stream,
                                          audio->reference.rows);
    if (failed) return failed;
    // The caller has delayed the reference as much as the echo.
    apm.set_stream_delay_ms(0);
  }
  audio->block.read(samples, channels);
  const int failed =
      apm.ProcessStream(audio->block.rows, audio->stream, audio->stream, audio->block.rows);
  if (failed) return failed;
  audio->block.write(samples, channels);
  return 0;
}
