// Sources in the manner of public senders for Zoom's Linux SDKs: threads of their own, detached, that
// send until a flag says stop. Only the includes and the last lines are Greenroom's.
#include <greenroom/zoom_style.hpp>

#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

using namespace ZOOMVIDEOSDK;

namespace {

/** A frame of I420: a ramp of luma from left to right that brightens from frame to frame. */
std::vector<char> ramp(int width, int height, int number) {
  std::vector<char> frame(static_cast<std::size_t>(width * height * 3 / 2), static_cast<char>(128));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      frame[static_cast<std::size_t>(y * width + x)] =
          static_cast<char>(40 + x * 120 / width + number % 40);
  return frame;
}

}  // namespace

/** A camera of the Video SDK that chooses its size. */
class RampVideoSource : public IZoomVideoSDKVideoSource {
 public:
  void onInitialize(IZoomVideoSDKVideoSender *sender,
                    IVideoSDKVector<VideoSourceCapability> *support_cap_list,
                    VideoSourceCapability &suggest_cap) override {
    sender_ = sender;
    suggest_cap = {640, 360, 15};
    for (int i = 0; i < support_cap_list->GetCount(); i++)
      if (support_cap_list->GetItem(i).height == 360) suggest_cap = support_cap_list->GetItem(i);
  }
  void onPropertyChange(IVideoSDKVector<VideoSourceCapability> *, VideoSourceCapability) override {}
  void onStartSend() override {
    const int run = ++run_;
    std::thread([this, run] {
      for (int number = 0; run_ == run; number++) {
        auto frame = ramp(640, 360, number);
        sender_->sendVideoFrame(frame.data(), 640, 360, static_cast<int>(frame.size()), 0,
                                FrameDataFormat_I420_LIMITED);
        std::this_thread::sleep_for(std::chrono::milliseconds(33));
      }
    }).detach();
  }
  void onStopSend() override { run_++; }
  void onUninitialized() override { sender_ = nullptr; }

 private:
  IZoomVideoSDKVideoSender *sender_ = nullptr;
  std::atomic<int> run_{0};
};

/** A camera of the Meeting SDK, a quarter turn off. */
class TurnedVideoSource : public ZOOMSDK::IZoomSDKVideoSource {
 public:
  void onInitialize(ZOOMSDK::IZoomSDKVideoSender *sender,
                    ZOOMSDK::IList<VideoSourceCapability> *, VideoSourceCapability &) override {
    sender_ = sender;
  }
  void onPropertyChange(ZOOMSDK::IList<VideoSourceCapability> *, VideoSourceCapability) override {}
  void onStartSend() override {
    is_running_ = true;
    std::thread([this] {
      while (is_running_) {
        auto frame = ramp(360, 640, 0);
        const auto error = sender_->sendVideoFrame(frame.data(), 360, 640,
                                                   static_cast<int>(frame.size()), 90,
                                                   ZOOMSDK::FrameDataFormat_I420_LIMITED);
        if (error != ZOOMSDK::SDKERR_SUCCESS) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(33));
      }
    }).detach();
  }
  void onStopSend() override { is_running_ = false; }
  void onUninitialized() override {}

 private:
  ZOOMSDK::IZoomSDKVideoSender *sender_ = nullptr;
  std::atomic<bool> is_running_{false};
};

/** A tone of the Meeting SDK, in stereo. As in public samples, a file and its format come from outside,
    and callbacks are protected; here the file is a frequency. */
class StereoMic : public ZOOMSDK::IZoomSDKVirtualAudioMicEvent {
 public:
  explicit StereoMic(std::string frequency, int sample_rate = 44100)
      : frequency_(std::stoi(frequency)), rate_(sample_rate) {}

 protected:
  void onMicInitialize(ZOOMSDK::IZoomSDKAudioRawDataSender *pSender) override { sender_ = pSender; }
  void onMicStartSend() override {
    const int run = ++run_;
    std::thread([this, run] {
      std::vector<std::int16_t> samples(static_cast<std::size_t>(rate_ / 50 * 2));
      for (int index = 0; run_ == run;) {
        for (std::size_t i = 0; i < samples.size(); i += 2, index++) {
          const double angle = index * 2 * 3.14159265 * frequency_ / rate_;
          samples[i] = static_cast<std::int16_t>(6000 * std::sin(angle));
          samples[i + 1] = samples[i];
        }
        const auto error =
            sender_->send(reinterpret_cast<char *>(samples.data()),
                          static_cast<unsigned int>(samples.size() * sizeof(std::int16_t)), rate_,
                          ZOOMSDK::ZoomSDKAudioChannel_Stereo);
        if (error != ZOOMSDK::SDKERR_SUCCESS) return;
      }
    }).detach();
  }
  void onMicStopSend() override { run_++; }
  void onMicUninitialized() override {}

 private:
  ZOOMSDK::IZoomSDKAudioRawDataSender *sender_ = nullptr;
  int frequency_;
  int rate_;
  std::atomic<int> run_{0};
};

/** A share of the Meeting SDK, whose ramp brightens. */
class RampShare : public ZOOMSDK::IZoomSDKShareSource {
 public:
  void onStartSend(ZOOMSDK::IZoomSDKShareSender *pSender) override {
    is_running_ = true;
    thread_ = std::thread([this, pSender] {
      for (int number = 0; is_running_; number++) {
        auto frame = ramp(640, 360, number);
        pSender->sendShareFrame(frame.data(), 640, 360, static_cast<int>(frame.size()),
                                ZOOMSDK::FrameDataFormat_I420_LIMITED);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    });
  }
  void onStopSend() override {
    is_running_ = false;
    thread_.join();
  }

 private:
  std::atomic<bool> is_running_{false};
  std::thread thread_;
};

/** A microphone whose thread only sends: the host sets its pace. */
class ToneMic : public IZoomVideoSDKVirtualAudioMic {
 public:
  void onMicInitialize(IZoomVideoSDKAudioSender *rawdata_sender) override {
    sender_ = rawdata_sender;
  }
  void onMicStartSend() override {
    is_running_ = true;
    thread_ = std::thread([this] {
      std::vector<std::int16_t> samples(320);
      for (int index = 0; is_running_;) {
        for (auto &sample : samples)
          sample = static_cast<std::int16_t>(6000 * std::sin(index++ * 2 * 3.14159265 * 440 / 32000));
        sender_->Send(reinterpret_cast<char *>(samples.data()), 640, 32000);
      }
    });
  }
  void onMicStopSend() override {
    is_running_ = false;
    thread_.join();
  }
  void onMicUninitialized() override { sender_ = nullptr; }

 private:
  IZoomVideoSDKAudioSender *sender_ = nullptr;
  std::atomic<bool> is_running_{false};
  std::thread thread_;
};

/** A share that sends once: outputs repeat its frame. */
class StillShare : public IZoomVideoSDKShareSource {
 public:
  void onShareSendStarted(IZoomVideoSDKShareSender *pSender) override {
    auto frame = ramp(640, 360, 0);
    pSender->sendShareFrame(frame.data(), 640, 360, static_cast<int>(frame.size()),
                            FrameDataFormat_I420_LIMITED);
  }
  void onShareSendStopped() override {}
};

/** A filter that inverts luma. */
class Inverter : public IZoomVideoSDKVideoSourcePreProcessor {
 public:
  void onPreProcessRawData(YUVProcessDataI420 *rawData) override {
    for (unsigned int y = 0; y < rawData->GetHeight(); y++) {
      char *row = rawData->GetYBuffer(y);
      for (unsigned int x = 0; x < rawData->GetWidth(); x++)
        row[x] = static_cast<char>(251 - static_cast<unsigned char>(row[x]));
    }
  }
};

GREENROOM_ZOOM_SOURCE(RampVideoSource, "org.greenroom.sample.ramp", "Ramp")
GREENROOM_ZOOM_SOURCE(TurnedVideoSource, "org.greenroom.sample.turned", "Turned")
GREENROOM_ZOOM_SOURCE(ToneMic, "org.greenroom.sample.tone-mic", "ToneMic")
GREENROOM_ZOOM_SOURCE(StereoMic, "org.greenroom.sample.stereo-mic", "StereoMic", "440", 48000)
GREENROOM_ZOOM_SOURCE(RampShare, "org.greenroom.sample.ramp-share", "RampShare")
GREENROOM_ZOOM_SOURCE(StillShare, "org.greenroom.sample.still-share", "StillShare")
GREENROOM_ZOOM_SOURCE(Inverter, "org.greenroom.sample.inverter", "Inverter")
GREENROOM_PLUGINS(RampVideoSourcePlugin, TurnedVideoSourcePlugin, ToneMicPlugin, StereoMicPlugin,
                  StillSharePlugin, RampSharePlugin, InverterPlugin)
