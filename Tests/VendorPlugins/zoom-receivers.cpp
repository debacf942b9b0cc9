// The receivers of Samples/VendorStyle, which log at the end what they got.
#define GREENROOM_TEST
#include "../../Samples/VendorStyle/cpp/receivers.cpp"

// The vendor's numbers, and a name of <csignal>.
static_assert(ZOOMSDK::AUTHRET_KEYORSECRETEMPTY == 1 && ZOOMSDK::AUTHRET_OVERTIME == 8 &&
              ZOOMSDK::AUTHRET_JWTTOKENWRONG == 11);
static_assert(sizeof(std::sig_atomic_t) >= sizeof(char) && SIGINT == 2);

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
    if (received.anonymous_samples > 0)
      samples += "share " + std::to_string(received.anonymous_samples) + ";";
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
