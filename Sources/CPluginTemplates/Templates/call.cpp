// my-plugin: a call with one participant, who has a camera and a microphone. A call over a network
// receives these, and sends what it takes.
#include <cmath>
#include <greenroom/plugin.hpp>

class MyPlugin : public greenroom::Call {
 public:
  static greenroom::Description description() {
    return {"com.example.my-plugin",
            "my-plugin",
            "0.1.0",
            "A call with one participant",
            {greenroom::Parameter::whole("frequency", "Participant's tone", 440, 20, 20000, "Hz")
                 .live()}};
  }

  // The host has checked the value.
  void set(const greenroom::Setting &setting) override {
    if (setting.name() == "frequency") frequency_hz_ = setting.whole();
  }

  // The plugin uses the audio that each participant is to hear. A call over a network uses the
  // session's camera and share as well.
  void on_track(const gr_track &track, gr_want &want) override {
    want.is_wanted = track.kind == GR_TRACK_MIX_MINUS;
  }

  // Takes 10 ms of it: 48000 Hz stereo.
  void on_audio(const gr_output_block &block) override {
    const std::uint32_t count = block.block.frame_count * block.block.channels;
    for (std::uint32_t i = 0; i < count; i++)
      if (block.block.samples[i] > peak_) peak_ = block.block.samples[i];
    report("peak", peak_);
  }

  // The session begins: the participant joins, and sends.
  void on_start() override {
    const std::uint32_t guest = join("Guest");
    camera_ = open_video(guest, GR_TRACK_CAMERA, {width, height, 25, 1});
    microphone_ = open_audio(guest, GR_TRACK_MICROPHONE);
    has_watchers_ = has_listeners_ = true;
    thread_ = greenroom::Thread(host(), [this] { send_media(); });
  }

  // The session's needs change: send nothing that no output wants.
  void on_demand(const gr_demand &demand) override {
    if (demand.sender == camera_.id) has_watchers_ = demand.is_wanted != 0;
    if (demand.sender == microphone_.id) has_listeners_ = demand.is_wanted != 0;
  }

  // The session ends. The host closes the tracks, and the participant leaves.
  void on_stop() override { thread_.join(); }

 private:
  static constexpr std::uint32_t rate_hz = 48000, width = 640, height = 360;

  // Runs from on_start to on_stop: a block every 10 ms, a frame every 40 ms.
  void send_media() {
    const std::int64_t start_ns = host().now_ns();
    double phase = 0;
    for (std::int64_t number = 0;; number++) {
      const std::int64_t due_ns = start_ns + number * 10000000;
      if (host().wait_until_ns(due_ns) != GR_STATUS_OK) return;
      if (number % 4 == 0 && has_watchers_) send_frame(number / 4, due_ns);
      if (has_listeners_ && send_block(phase, due_ns) == GR_STATUS_STOPPED) return;
    }
  }

  // Sends a frame: a bar that moves.
  void send_frame(std::int64_t number, std::int64_t pts_ns) {
    auto lease = camera_.video.acquire(GR_FORMAT_I420, width, height);
    if (!lease) return;  // the host has no room
    greenroom::Frame &frame = lease->frame();
    frame.fill(0, 60);
    frame.fill(1, 110);
    frame.fill(2, 150);
    const auto left = static_cast<std::size_t>(number % 75) * 8;
    for (std::uint32_t y = 0; y < height; y++) {
      const greenroom::Row row = frame.row(y);
      for (std::size_t x = left; x < left + 40; x++) row[x] = 200;
    }
    gr_frame_info info = frame.info();
    info.offer_revision = camera_.video.revision();
    info.pts_ns = pts_ns;
    (void)std::move(*lease).commit(info);  // the host counts what it refuses
  }

  // Sends 10 ms of a sine. It continues from its phase, 0 to 1, when the frequency changes, so that
  // nothing clicks.
  gr_status send_block(double &phase, std::int64_t pts_ns) {
    std::array<std::int16_t, rate_hz / 100> samples;
    const double step = static_cast<double>(frequency_hz_) / rate_hz;
    for (std::int16_t &sample : samples) {
      sample = static_cast<std::int16_t>(6000 * std::sin(6.283185307179586 * phase));
      phase = std::fmod(phase + step, 1);
    }
    return microphone_.audio.send(samples.data(), samples.size(), rate_hz, 1, pts_ns);
  }

  std::atomic<std::int64_t> frequency_hz_{440};
  std::atomic<bool> has_watchers_{false}, has_listeners_{false};
  OpenTrack camera_;
  OpenTrack microphone_;
  greenroom::Thread thread_;
  std::int16_t peak_ = 0;
};

GREENROOM_PLUGINS(MyPlugin)
