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
  void on_stop() override {
    App::on_stop();
    // Not in on_initialize, which a refused app calls as well, while the other one receives.
    const Received got = std::exchange(received, {});
    std::string frames, samples;
    for (const auto &entry : got.frames)
      frames += entry.first + " " + std::to_string(entry.second) + " of " + got.sizes.at(entry.first) + ";";
    for (const auto &entry : got.samples)
      samples += entry.first + " " + std::to_string(entry.second) + ";";
    for (const auto &entry : got.shared_samples)
      samples += entry.first + "'s share " + std::to_string(entry.second) + ";";
    if (got.anonymous_samples > 0)
      samples += "share " + std::to_string(got.anonymous_samples) + ";";
    log("people: " + got.people);
    log("video: " + got.video);
    log("frames: " + frames);
    log("samples: mixed " + std::to_string(got.mixed_samples) + ";speaker " +
        std::to_string(got.speaker_samples) + ";" + samples);
    log("kept: " + std::to_string(got.luma));
  }

 private:
  void log(const std::string &text) { App::host().log(GR_LOG_INFO, text); }
};

struct VideoApp : Logging<VideoRecorderPlugin> {};
struct MeetingApp : Logging<MeetingRecorderPlugin> {};
GREENROOM_PLUGINS(VideoApp, MeetingApp)
