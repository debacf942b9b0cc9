// my-plugin: a page of text that scrolls.
#include <greenroom/plugin.hpp>

class MyPlugin : public greenroom::Screen {
 public:
  static greenroom::Description description() {
    return {"com.example.my-plugin",
            "my-plugin",
            "0.1.0",
            "A page of text that scrolls",
            {greenroom::Parameter::whole("lines", "Lines on the page", 30, 5, 100).live()}};
  }

  // The host has checked the value.
  void set(const greenroom::Setting &setting) override {
    if (setting.name() == "lines") lines_ = static_cast<std::uint64_t>(setting.whole());
  }

  // The usual format of screens: blue, green, red and a byte that is ignored.
  gr_pixel_format format() const override { return GR_FORMAT_BGRA; }

  // Draws one frame, for its time and in its size, which may change between frames.
  void fill(greenroom::Frame &frame, const greenroom::FrameTime &time) override {
    const std::uint64_t width = frame.width(), height = frame.height(), start = width / 10;
    const auto scrolled = static_cast<std::uint64_t>(time.seconds * frame.height() / 10);
    for (std::uint32_t y = 0; y < frame.height(); y++) {
      const greenroom::Row row = frame.row(y);
      std::memset(row.begin(), 250, row.size());  // paper
      const std::uint64_t half = 2 * lines_ * (y + scrolled) / height;
      if (half % 2 != 0) continue;  // between two lines
      const std::uint64_t end = width * (50 + half * 37 % 40) / 100;
      std::memset(row.begin() + 4 * start, 60, 4 * (end - start));  // ink
    }
  }

 private:
  std::uint64_t lines_ = 30;
};

GREENROOM_PLUGINS(MyPlugin)
