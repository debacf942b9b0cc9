// my-plugin: the brown of old photographs.
#include <greenroom/plugin.hpp>

class MyPlugin : public greenroom::Filter {
 public:
  static greenroom::Description description() {
    return {"com.example.my-plugin",
            "my-plugin",
            "0.1.0",
            "The brown of old photographs",
            {greenroom::Parameter::whole("strength", "Strength", 80, 0, 100, "%").live()}};
  }

  // The host has checked the value.
  void set(const greenroom::Setting &setting) override {
    if (setting.name() == "strength") strength_ = setting.whole();
  }

  // Edits one frame in place: I420, upright, in the size that the session agreed on.
  void process(greenroom::Frame &frame) override {
    blend(frame, 1, 105);
    blend(frame, 2, 148);
  }

 private:
  void blend(const greenroom::Frame &frame, std::uint32_t plane, std::int64_t value) const {
    for (std::uint32_t y = 0; y < frame.rows(plane); y++)
      for (std::uint8_t &byte : frame.row(y, plane))
        byte = static_cast<std::uint8_t>((byte * (100 - strength_) + value * strength_) / 100);
  }

  std::int64_t strength_ = 80;
};

GREENROOM_PLUGINS(MyPlugin)
