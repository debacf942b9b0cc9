// my-plugin: all cameras and shares side by side.
#include <greenroom/plugin.hpp>
#include <map>

class MyPlugin : public greenroom::Composer {
 public:
  static greenroom::Description description() {
    return {"com.example.my-plugin",
            "my-plugin",
            "0.1.0",
            "All cameras and shares side by side",
            {greenroom::Parameter::whole("brightness", "The pictures' brightness", 100, 0, 100, "%")
                 .live()}};
  }

  // The host has checked the value.
  void set(const greenroom::Setting &setting) override {
    if (setting.name() == "brightness") brightness_ = setting.whole();
  }

  // Small frames of all video, at once; the host scales.
  void on_track(const gr_track &track, gr_want &want) override {
    if (track.capability.width == 0) return;  // audio
    tiles_[track.id].assign(width * height, 16);
    want.is_wanted = 1;
    want.format = GR_FORMAT_I420;
    want.fit = GR_FIT_CROP;
    want.capability.width = width;
    want.capability.height = height;
    want.pace = GR_PACE_COMPLETE;
  }

  // A participant's track has ended.
  void on_track_ended(std::uint32_t track) override { tiles_.erase(track); }

  // Copies a frame: it is valid until the return.
  void on_video(const gr_output_frame &frame) override {
    const auto tile = tiles_.find(frame.track);
    if (tile == tiles_.end()) return;
    const gr_plane &luma = frame.frame.planes[0];
    for (std::uint32_t y = 0; y < height; y++)
      std::memcpy(&tile->second[y * width],
                  luma.data + static_cast<std::uint64_t>(y) * luma.stride_bytes, width);
  }

  // Draws one frame in I420: the tiles from the left, in shades of grey.
  void fill(greenroom::Frame &frame, const greenroom::FrameTime &) override {
    frame.fill(0, 16);
    frame.fill(1, 128);
    frame.fill(2, 128);
    std::uint32_t left = 0;
    for (const auto &[track, luma] : tiles_) {
      if (left + width > frame.width()) return;
      for (std::uint32_t y = 0; y < height && y < frame.height(); y++) {
        const greenroom::Row row = frame.row(y);
        for (std::uint32_t x = 0; x < width; x++) {
          const std::int64_t level = luma[y * width + x];
          row[left + x] =
              static_cast<std::uint8_t>(16 + (level > 16 ? level - 16 : 0) * brightness_ / 100);
        }
      }
      left += width;
    }
  }

 private:
  static constexpr std::uint32_t width = 320, height = 180;  // of a tile

  std::int64_t brightness_ = 100;
  std::map<std::uint32_t, std::vector<std::uint8_t>> tiles_;  // the newest luma of each track
};

GREENROOM_PLUGINS(MyPlugin)
