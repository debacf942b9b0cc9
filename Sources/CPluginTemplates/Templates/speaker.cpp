// my-plugin: the loudness of the session's audio, as lines of CSV.
#include <cmath>
#include <cstdio>
#include <greenroom/plugin.hpp>

class MyPlugin : public greenroom::Output {
 public:
  static greenroom::Description description() {
    return {"com.example.my-plugin",
            "my-plugin",
            "0.1.0",
            "The loudness of the session's audio as lines of CSV",
            {greenroom::Parameter::whole("every", "Take every n-th block", 10, 1, 1000).live(),
             greenroom::Parameter::path("file", "The CSV file; none: only the report", "")}};
  }

  // The host has checked the value.
  void set(const greenroom::Setting &setting) override {
    if (setting.name() == "every") every_ = setting.whole();
    if (setting.name() == "file") path_ = setting.text();
  }

  // The mix, at 16000 Hz mono in blocks of 20 ms. Other tracks of audio are the microphone, the
  // share's audio, each participant's, and the audio that comes in with a call.
  void on_track(const gr_track &track, gr_want &want) override {
    want.is_wanted = track.kind == GR_TRACK_MIX;
    want.sample_rate_hz = 16000;
    want.channels = 1;
    want.block_frames = 320;
  }

  void on_start() override {
    if (path_.empty()) return;
    file_.reset(std::fopen(path_.c_str(), "w"));
    if (!file_) throw greenroom::Error(path_ + ": cannot be opened", GR_STATUS_UNAVAILABLE);
    write("sample,loudness\n");
  }

  // Takes one block, which is valid until the return.
  void on_audio(const gr_output_block &block) override {
    if (blocks_++ % every_ != 0) return;
    const std::uint32_t count = block.block.frame_count * block.block.channels;
    double sum = 0;
    for (std::uint32_t i = 0; i < count; i++)
      sum += static_cast<double>(block.block.samples[i]) * block.block.samples[i];
    const auto root = static_cast<int>(std::sqrt(sum / count));
    report("loudness", root);
    write(std::to_string(block.index) + "," + std::to_string(root) + "\n");
  }

  // Every block was delivered.
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

  std::int64_t every_ = 10;
  std::int64_t blocks_ = 0;
  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

GREENROOM_PLUGINS(MyPlugin)
