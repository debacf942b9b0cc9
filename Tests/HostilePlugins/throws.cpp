// A camera, a filter and a microphone that throw where the setting says.
#include <greenroom/plugin.hpp>

namespace {

using greenroom::Parameter;

greenroom::Description describe(const char *id, const char *name) {
  return {id,
          name,
          "1.0.0",
          "Throws",
          {Parameter::choice("place", "Where", {"nowhere", "initialize", "offer", "start", "frame",
                                                "stop", "uninitialize"}),
           Parameter::choice("kind", "What", {"error", "standard", "number"}),
           Parameter::whole("live", "Throws when it is 13", 0, 0, 100).live()}};
}

class Thrower {
 protected:
  void take(const greenroom::Setting &setting) {
    if (setting.name() == "place") place_ = setting.text();
    if (setting.name() == "kind") kind_ = setting.text();
    if (setting.name() == "live" && setting.whole() == 13) throw greenroom::Error("unlucky");
  }

  void at(const char *place) const {
    if (place_ != place) return;
    if (kind_ == "error") throw greenroom::Error("no lens: plug one in", GR_STATUS_UNAVAILABLE);
    if (kind_ == "standard") (void)std::string().at(1);
    if (kind_ == "number") throw 42;
  }

 private:
  std::string place_;
  std::string kind_;
};

class ThrowingCamera : public greenroom::Camera, Thrower {
 public:
  static greenroom::Description description() {
    return describe("org.example.throwing-camera", "ThrowingCamera");
  }
  void set(const greenroom::Setting &setting) override { take(setting); }
  void negotiate(const gr_offer &offer, gr_answer &) override {
    if (offer.revision > 1) at("offer");
  }
  void on_initialize() override { at("initialize"); }
  void on_start() override { at("start"); }
  void fill(greenroom::Frame &frame, const greenroom::FrameTime &time) override {
    if (time.index == 10) at("frame");
    for (std::uint32_t plane = 0; plane < frame.plane_count(); plane++) frame.fill(plane, 128);
  }
  void on_stop() override { at("stop"); }
  void on_uninitialize() override { at("uninitialize"); }
};

class ThrowingFilter : public greenroom::Filter, Thrower {
 public:
  static greenroom::Description description() {
    return describe("org.example.throwing-filter", "ThrowingFilter");
  }
  void set(const greenroom::Setting &setting) override { take(setting); }
  void process(greenroom::Frame &frame) override {
    at("frame");
    for (std::uint32_t plane = 0; plane < frame.plane_count(); plane++) frame.fill(plane, 128);
  }
  void on_property_change(const gr_capability &frames) override {
    at("offer");
    host().log(GR_LOG_INFO, std::to_string(frames.width) + "x" + std::to_string(frames.height));
  }
};

// A bare loop, as call SDKs' samples have it: the host paces it.
class BareLoop : public greenroom::AudioSource, Thrower {
 public:
  static greenroom::Description description() {
    return describe("org.example.bare-loop", "BareLoop");
  }
  void set(const greenroom::Setting &setting) override { take(setting); }
  void run() override {
    std::array<std::int16_t, 441> samples;
    samples.fill(1000);
    for (int n = 0; sender().send(samples.data(), 441, 44100, 1) == GR_STATUS_OK; n++)
      if (n == 10) at("frame");
  }
};

// Throws nothing: it speaks, is interrupted, and logs what its queue says.
class Interrupted : public greenroom::AudioSource {
 public:
  static greenroom::Description description() {
    return describe("org.example.interrupted", "Interrupted");
  }
  void run() override {
    std::array<std::int16_t, 4800> samples;
    samples.fill(1000);
    if (sender().send(samples.data(), 4800, 48000, 1) != GR_STATUS_OK) return;
    log("queued", sender().queued_ns());
    log("cleared", sender().clear());
    log("cleared again", sender().clear());
    (void)host().wait_until_ns(INT64_MAX);
  }

 private:
  void log(const std::string &what, std::optional<std::int64_t> length_ns) {
    host().log(GR_LOG_INFO, what + " " + (length_ns ? std::to_string(*length_ns / 1000000) : "nothing"));
  }
};

// Throws nothing: some of what it plays is damaged, then it ends.
class Damaged : public greenroom::AudioSource {
 public:
  static greenroom::Description description() {
    return describe("org.example.damaged", "Damaged");
  }
  void run() override {
    std::array<std::int16_t, 480> samples;
    samples.fill(1000);
    for (int n = 0; n < 20; n++)
      if (sender().send(samples.data(), 480, 48000, 1) != GR_STATUS_OK) return;
    host().log(GR_LOG_INFO, "damaged " + std::to_string(host().count_damaged()) + " " +
                                std::to_string(host().count_damaged(2)) + ", held " +
                                std::to_string(host().set_held(true)));
    (void)host().wait_until_ns(INT64_MAX);
  }
};

}  // namespace

GREENROOM_PLUGINS(ThrowingCamera, ThrowingFilter, BareLoop, Interrupted, Damaged)
