// my-plugin: a voice that trembles.
#include <cmath>
#include <greenroom/plugin.hpp>

class MyPlugin : public greenroom::AudioFilter {
 public:
  static greenroom::Description description() {
    return {"com.example.my-plugin",
            "my-plugin",
            "0.1.0",
            "A voice that trembles",
            {greenroom::Parameter::whole("rate", "Rate", 5, 1, 20, "Hz").live()}};
  }

  // The host has checked the value.
  void set(const greenroom::Setting &setting) override {
    if (setting.name() == "rate") rate_hz_ = static_cast<double>(setting.whole());
  }

  // Edits 10 ms of 48 kHz in place.
  void process(const greenroom::AudioBlock &block) override {
    const double turn = 6.283185307179586;
    for (std::uint32_t i = 0; i < block.frame_count; i++) {
      phase_ = std::fmod(phase_ + rate_hz_ / 48000, 1);
      std::int16_t *sample = &block.samples[i * block.channels];
      for (std::uint32_t channel = 0; channel < block.channels; channel++)
        sample[channel] =
            static_cast<std::int16_t>(sample[channel] * (0.6 + 0.4 * std::sin(turn * phase_)));
    }
  }

 private:
  double rate_hz_ = 5;
  double phase_ = 0;  // of the trembling, 0 to 1; it continues when the rate changes
};

GREENROOM_PLUGINS(MyPlugin)
