// my-plugin: stripes of light that drift across the frame.
#include <greenroom/plugin.hpp>

class MyPlugin : public greenroom::Camera {
 public:
  static greenroom::Description description() {
    return {"com.example.my-plugin",
            "my-plugin",
            "0.1.0",
            "Stripes of light that drift across the frame",
            {greenroom::Parameter::whole("stripes", "Stripes", 8, 1, 50).live()}};
  }

  // The host has checked the value.
  void set(const greenroom::Setting &setting) override {
    if (setting.name() == "stripes") stripes_ = setting.whole();
  }

  // Draws one frame in I420, for its time and in its size, which may change between frames.
  void fill(greenroom::Frame &frame, const greenroom::FrameTime &time) override {
    const auto slope = static_cast<std::uint64_t>(220000 * stripes_ / frame.width());
    const auto shift = static_cast<std::uint64_t>(time.seconds * 110);
    for (std::uint32_t y = 0; y < frame.height(); y++) {
      const greenroom::Row row = frame.row(y);
      for (std::size_t x = 0; x < row.size(); x++)  // luma: 16 is black, 235 is white
        row[x] = static_cast<std::uint8_t>(16 + ((x + y) * slope / 1000 + shift) % 220);
    }
    frame.fill(1, 160);
    frame.fill(2, 110);
  }

 private:
  std::int64_t stripes_ = 8;
};

GREENROOM_PLUGINS(MyPlugin)
