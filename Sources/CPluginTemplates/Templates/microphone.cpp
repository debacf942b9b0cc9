// my-plugin: a sine of any frequency.
#include <greenroom/plugin.hpp>

#include <cmath>

class MyPlugin : public greenroom::Microphone {
 public:
  static greenroom::Description description() {
    return {"com.example.my-plugin",
            "my-plugin",
            "0.1.0",
            "A sine of any frequency",
            {greenroom::Parameter::real("frequency", "Frequency", 440, 20, 20000, "Hz").live()}};
  }

  // The host has checked the value.
  void set(const greenroom::Setting &setting) override {
    if (setting.name() == "frequency") frequency_ = setting.real();
  }

  // Makes the next samples, 10 ms of them.
  void fill(const greenroom::Block &block) override {
    const double turn = 6.283185307179586;
    for (std::uint32_t i = 0; i < block.frame_count; i++) {
      block.samples[i] = static_cast<std::int16_t>(6000 * std::sin(turn * phase_));
      phase_ = std::fmod(phase_ + frequency_ / block.sample_rate_hz, 1);
    }
  }

 private:
  double frequency_ = 440;
  // The phase of the wave, 0 to 1. It continues from here when the frequency changes, so that
  // nothing clicks.
  double phase_ = 0;
};

GREENROOM_PLUGINS(MyPlugin)
