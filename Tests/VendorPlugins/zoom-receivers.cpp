// The receivers of Samples/VendorStyle, which log at the end what they got.
#define GREENROOM_TEST
#include "../../Samples/VendorStyle/cpp/receivers.cpp"

/** A receiver that logs what it got. */
template <class App>
struct Logging : App {
  void on_initialize() override {
    received = {};
    App::on_initialize();
  }
  void on_stop() override {
    App::on_stop();
    std::string frames, samples;
    for (const auto &entry : received.frames)
      frames += entry.first + " " + std::to_string(entry.second) + " of " + received.sizes[entry.first] + ";";
    for (const auto &entry : received.samples)
      samples += entry.first + " " + std::to_string(entry.second) + ";";
    for (const auto &entry : received.shared_samples)
      samples += entry.first + "'s share " + std::to_string(entry.second) + ";";
    log("people: " + received.people);
    log("video: " + received.video);
    log("frames: " + frames);
    log("samples: mixed " + std::to_string(received.mixed_samples) + ";speaker " +
        std::to_string(received.speaker_samples) + ";" + samples);
    log("kept: " + std::to_string(received.luma));
  }

 private:
  void log(const std::string &text) { App::host().log(GR_LOG_INFO, text); }
};

struct VideoApp : Logging<VideoRecorderPlugin> {};
struct MeetingApp : Logging<MeetingRecorderPlugin> {};
GREENROOM_PLUGINS(VideoApp, MeetingApp)
