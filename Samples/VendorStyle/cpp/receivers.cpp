// Receivers in the manner of public recorders for Zoom's Linux SDKs: a delegate of a session, one of each
// user's pipe, and a virtual speaker. Only the includes and the last lines are Greenroom's.
#include <greenroom/zoom_style.hpp>

#include <cstdio>
#include <map>
#include <string>

/** The media that a receiver got, by the names of people. */
struct Received {
  std::map<std::string, int> frames, samples, shared_samples;
  std::map<std::string, std::string> sizes;
  int mixed_samples = 0, speaker_samples = 0, anonymous_samples = 0, luma = 0;
  std::string people, video;
};

Received received;

namespace video_sdk {

using namespace ZOOMVIDEOSDK;

IZoomVideoSDK *sdk = nullptr;

/** Counts a user's frames, and keeps the last one. */
class FrameCounter : public IZoomVideoSDKRawDataPipeDelegate {
 public:
  FrameCounter(IZoomVideoSDKUser *user, IZoomVideoSDKRawDataPipe *pipe) : user_(user), pipe_(pipe) {
    pipe_->subscribe(ZoomVideoSDKResolution_180P, this);
  }
  ~FrameCounter() override {
    pipe_->unSubscribe(this);
    if (last_ == nullptr) return;
    const auto middle = last_->GetStreamWidth() * (last_->GetStreamHeight() / 2) + last_->GetStreamWidth() / 2;
    received.luma = static_cast<unsigned char>(last_->GetYBuffer()[middle]);
    last_->Release();
  }

  void onRawDataFrameReceived(YUVRawDataI420 *data) override {
    received.frames[user_->getUserName()]++;
    received.sizes[user_->getUserName()] =
        std::to_string(data->GetStreamWidth()) + "x" + std::to_string(data->GetStreamHeight());
    if (!data->CanAddRef() || !data->AddRef()) return;
    if (last_ != nullptr) last_->Release();
    last_ = data;
  }
  void onRawDataStatusChanged(RawDataStatus status) override {
    received.video += std::string(user_->getUserName()) + (status == RawData_On ? " on;" : " off;");
  }

 private:
  IZoomVideoSDKUser *user_;
  IZoomVideoSDKRawDataPipe *pipe_;
  YUVRawDataI420 *last_ = nullptr;
};

/** Hears the session, beside the delegate. */
class Speaker : public IZoomVideoSDKVirtualAudioSpeaker {
 public:
  void onVirtualSpeakerMixedAudioReceived(AudioRawData *data_) override {
    received.speaker_samples += static_cast<int>(data_->GetBufferLen() / 2 / data_->GetChannelNum());
  }
  void onVirtualSpeakerOneWayAudioReceived(AudioRawData *, IZoomVideoSDKUser *) override {}
  void onVirtualSpeakerSharedAudioReceived(AudioRawData *) override {}
};

class Delegate : public IZoomVideoSDKDelegate {
 public:
  void onSessionJoin() override { received.people += "joined;"; }
  void onSessionLeave() override {
    received.people += "left;";
    for (auto &entry : counters_) delete entry.second;
    counters_.clear();
    delete share_;
    share_ = nullptr;
  }
  void onUserJoin(IZoomVideoSDKUserHelper *, IVideoSDKVector<IZoomVideoSDKUser *> *list) override {
    for (int i = 0; i < list->GetCount(); i++) {
      IZoomVideoSDKUser *user = list->GetItem(i);
      received.people += std::string("+") + user->getUserName() + ";";
      counters_[user] = new FrameCounter(user, user->GetVideoPipe());
    }
  }
  void onUserLeave(IZoomVideoSDKUserHelper *, IVideoSDKVector<IZoomVideoSDKUser *> *list) override {
    for (int i = 0; i < list->GetCount(); i++) {
      IZoomVideoSDKUser *user = list->GetItem(i);
      received.people += std::string("-") + user->getUserName() + ";";
      delete counters_[user];
      counters_.erase(user);
    }
  }
  void onUserAudioStatusChanged(IZoomVideoSDKAudioHelper *helper,
                                IVideoSDKVector<IZoomVideoSDKUser *> *) override {
    helper->subscribe();
  }
  void onUserShareStatusChanged(IZoomVideoSDKShareHelper *, IZoomVideoSDKUser *user,
                                ZoomVideoSDKShareStatus status, ZoomVideoSDKShareType) override {
    if (status != ZoomVideoSDKShareStatus_Start) return;
    delete share_;
    share_ = new FrameCounter(user, user->GetSharePipe());
  }
  void onMixedAudioRawDataReceived(AudioRawData *data_) override {
    received.mixed_samples += static_cast<int>(data_->GetBufferLen() / 2);
  }
  void onOneWayAudioRawDataReceived(AudioRawData *data_, IZoomVideoSDKUser *user) override {
    received.samples[user->getUserName()] += static_cast<int>(data_->GetBufferLen() / 2);
  }

 private:
  std::map<IZoomVideoSDKUser *, FrameCounter *> counters_;
  FrameCounter *share_ = nullptr;
};

void join() {
  sdk = CreateZoomVideoSDKObj();
  ZoomVideoSDKInitParams params;
  params.domain = "https://example.com";
  if (sdk->initialize(params) != ZoomVideoSDKErrors_Success) return;
  sdk->addListener(new Delegate());
  ZoomVideoSDKSessionContext context;
  context.sessionName = "standup";
  context.userName = "Recorder";
  context.token = "no token is needed";
  context.virtualAudioSpeaker = new Speaker();
  sdk->joinSession(context);
}

}  // namespace video_sdk

namespace meeting_sdk {

using namespace ZOOMSDK;

IMeetingService *meeting = nullptr;

class Renderer : public IZoomSDKRendererDelegate {
 public:
  void onRawDataFrameReceived(YUVRawDataI420 *data) override {
    received.frames["renderer"]++;
    received.sizes["renderer"] =
        std::to_string(data->GetStreamWidth()) + "x" + std::to_string(data->GetStreamHeight());
  }
  void onRawDataStatusChanged(RawDataStatus status) override {
    received.video += status == RawData_On ? "on;" : "off;";
  }
  void onRendererBeDestroyed() override { received.video += "destroyed;"; }
};

class Audio : public IZoomSDKAudioRawDataDelegate {
 public:
  void onMixedAudioRawDataReceived(AudioRawData *data_) override {
    received.mixed_samples += static_cast<int>(data_->GetBufferLen() / 2);
  }
  void onOneWayAudioRawDataReceived(AudioRawData *data_, uint32_t node_id) override {
    IUserInfo *user = meeting->GetMeetingParticipantsController()->GetUserByUserID(node_id);
    received.samples[user->GetUserName()] += static_cast<int>(data_->GetBufferLen() / 2);
  }
  void onShareAudioRawDataReceived(AudioRawData *data_, uint32_t user_id) override {
    IUserInfo *user = meeting->GetMeetingParticipantsController()->GetUserByUserID(user_id);
    received.shared_samples[user->GetUserName()] += static_cast<int>(data_->GetBufferLen() / 2);
  }
  /** The callback of older SDKs. */
  void onShareAudioRawDataReceived(AudioRawData *data_) override {
    received.anonymous_samples += static_cast<int>(data_->GetBufferLen() / 2);
  }
};

/** Records as soon as it may. */
class Recording : public IMeetingRecordingCtrlEvent {
 public:
  void onLocalRecordingPrivilegeRequestStatus(RequestLocalRecordingStatus status) override {
    if (status == RequestLocalRecording_Granted) received.people += "granted;";
  }
  void onRecordPrivilegeChanged(bool canRec) override {
    if (canRec && meeting->GetMeetingRecordingController()->StartRawRecording() == SDKERR_SUCCESS)
      GetAudioRawdataHelper()->subscribe(new Audio());
  }
};

class Participants : public IMeetingParticipantsCtrlEvent {
 public:
  void onUserJoin(IList<unsigned int> *lstUserID, const zchar_t *) override {
    const unsigned int user = lstUserID->GetItem(0);
    received.people += std::string("+") + name(user) + ";";
    if (renderer_ != nullptr || createRenderer(&renderer_, new Renderer()) != SDKERR_SUCCESS) return;
    renderer_->setRawDataResolution(ZoomSDKResolution_720P);
    renderer_->subscribe(user, RAW_DATA_TYPE_VIDEO);
  }
  void onUserLeft(IList<unsigned int> *lstUserID, const zchar_t *) override {
    received.people += std::string("-") + name(lstUserID->GetItem(0)) + ";";
    destroyRenderer(renderer_);
    renderer_ = nullptr;
  }

 private:
  static std::string name(unsigned int user) {
    return meeting->GetMeetingParticipantsController()->GetUserByUserID(user)->GetUserName();
  }

  IZoomSDKRenderer *renderer_ = nullptr;
};

class Events : public IMeetingServiceEvent, public IAuthServiceEvent {
 public:
  void onMeetingStatusChanged(MeetingStatus status, int) override {
    received.people += std::to_string(status) + ";";
    if (status != MEETING_STATUS_INMEETING) return;
    meeting->GetMeetingRecordingController()->RequestLocalRecordingPrivilege();
  }
  void onAuthenticationReturn(AuthResult result) override {
    switch (result) {
      case AUTHRET_KEYORSECRETEMPTY: received.people += "no token;"; return;
      case AUTHRET_OVERTIME: received.people += "late;"; return;
      default: break;
    }
    if (result != AUTHRET_SUCCESS || CreateMeetingService(&meeting) != SDKERR_SUCCESS) return;
    meeting->SetEvent(this);
    meeting->GetMeetingParticipantsController()->SetEvent(new Participants());
    meeting->GetMeetingRecordingController()->SetEvent(new Recording());
    JoinParam param;
    param.param.withoutloginuserJoin.userName = "Recorder";
    param.param.withoutloginuserJoin.userZAK = "no token is needed";
    meeting->Join(param);
  }
};

void join() {
  InitParam init;
  IAuthService *authentication = nullptr;
  if (InitSDK(init) != SDKERR_SUCCESS || CreateAuthService(&authentication) != SDKERR_SUCCESS) return;
  authentication->SetEvent(new Events());
  AuthContext token;
  authentication->SDKAuth(token);
}

}  // namespace meeting_sdk

GREENROOM_ZOOM_RECEIVER(VideoRecorder, video_sdk::join(), "org.greenroom.sample.video-recorder", "VideoRecorder")
GREENROOM_ZOOM_RECEIVER(MeetingRecorder, meeting_sdk::join(), "org.greenroom.sample.meeting-recorder",
                        "MeetingRecorder")
#ifndef GREENROOM_TEST
GREENROOM_PLUGINS(VideoRecorderPlugin, MeetingRecorderPlugin)
#endif
