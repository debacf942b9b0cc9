// my-plugin: the brightness of every n-th frame of each participant's camera, as lines of CSV.
#include <cstdio>
#include <greenroom/plugin.hpp>
#include <map>

class MyPlugin : public greenroom::Output {
 public:
  static greenroom::Description description() {
    return {"com.example.my-plugin",
            "my-plugin",
            "0.1.0",
            "The brightness of participants' cameras as lines of CSV",
            {greenroom::Parameter::whole("every", "Take every n-th frame", 15, 1, 1000).live(),
             greenroom::Parameter::path("file", "The CSV file; none: only the report", "")}};
  }

  // The host has checked the value.
  void set(const greenroom::Setting &setting) override {
    if (setting.name() == "every") every_ = setting.whole();
    if (setting.name() == "file") path_ = setting.text();
  }

  // Small frames of each participant's camera. Participants' tracks come while the session runs.
  // The session's tracks have no participant.
  void on_track(const gr_track &track, gr_want &want) override {
    if (track.kind != GR_TRACK_CAMERA || track.participant == 0) return;
    names_[track.id] = track.name;
    want.is_wanted = 1;
    want.format = GR_FORMAT_I420;
    want.capability.width = 320;
    want.capability.height = 180;
    want.pace = GR_PACE_COMPLETE;
  }

  // A participant's track has ended.
  void on_track_ended(std::uint32_t track) override { names_.erase(track); }

  void on_start() override {
    if (path_.empty()) return;
    file_.reset(std::fopen(path_.c_str(), "w"));
    if (!file_) throw greenroom::Error(path_ + ": cannot be opened", GR_STATUS_UNAVAILABLE);
    write("track,frame,brightness\n");
  }

  // Takes one frame, which is valid until the return.
  void on_video(const gr_output_frame &frame) override {
    // Repeated frames, black and slates are not the camera's.
    if (frame.content != GR_CONTENT_NEW || frame.index % every_ != 0) return;
    std::uint64_t sum = 0;
    const gr_plane &luma = frame.frame.planes[0];
    for (std::uint32_t y = 0; y < frame.frame.height; y++) {
      const std::uint8_t *row = luma.data + static_cast<std::uint64_t>(y) * luma.stride_bytes;
      for (std::uint32_t x = 0; x < frame.frame.width; x++) sum += row[x];
    }
    const std::uint64_t mean =
        sum / (static_cast<std::uint64_t>(frame.frame.width) * frame.frame.height);
    report("brightness", static_cast<double>(mean));
    write(names_[frame.track] + "," + std::to_string(frame.index) + "," + std::to_string(mean) +
          "\n");
  }

  // Every frame was delivered.
  void on_stop() override { file_.reset(); }

 private:
  // Flushed, so that a full disk shows now and not at the end.
  void write(const std::string &line) {
    if (file_ && (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0))
      throw greenroom::Error(path_ + ": cannot be written");
  }

  struct Closer {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  std::int64_t every_ = 15;
  std::map<std::uint32_t, std::string> names_;  // of the tracks
  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

GREENROOM_PLUGINS(MyPlugin)
