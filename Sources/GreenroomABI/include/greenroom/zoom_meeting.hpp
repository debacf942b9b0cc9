/*
 * greenroom/zoom_meeting.hpp - the receiving half of zoom_style.hpp, for the Meeting SDK
 *
 * zoom_style.hpp includes it. The session is the meeting: authentication succeeds at once, and Join enters the
 * meeting when the session starts. The participants of the session's call are the users, and the session
 * itself is the user 0. Raw recording is always allowed. See zoom_receive.hpp for media and threads.
 */
#ifndef GREENROOM_ZOOM_MEETING_HPP
#define GREENROOM_ZOOM_MEETING_HPP

#include <ctime>

namespace ZOOMSDK {

using ::AudioRawData;
using ::YUVProcessDataI420;
using ::YUVRawDataI420;

/* ------------------------------------------------------------------------------------
 * Raw data
 * ---------------------------------------------------------------------------------- */

/** Lines of a frame. */
enum ZoomSDKResolution {
  ZoomSDKResolution_90P = 0,
  ZoomSDKResolution_180P,
  ZoomSDKResolution_360P,
  ZoomSDKResolution_720P,
  ZoomSDKResolution_1080P,
  ZoomSDKResolution_NoUse = 100
};

/** The kind of a renderer. */
enum ZoomSDKRawDataType { RAW_DATA_TYPE_VIDEO = 0, RAW_DATA_TYPE_SHARE };

/** Gets a user's frames. [media] */
class IZoomSDKRendererDelegate {
 public:
  enum RawDataStatus { RawData_On, RawData_Off };

  virtual ~IZoomSDKRendererDelegate() = default;
  virtual void onRawDataFrameReceived(YUVRawDataI420 *data) = 0;
  virtual void onRawDataStatusChanged(RawDataStatus status) = 0;
  virtual void onRendererBeDestroyed() = 0;
};

/** Takes the video or the share of one user at a time. [any] */
class IZoomSDKRenderer {
 public:
  IZoomSDKRenderer(greenroom::zoom::Room &room, IZoomSDKRendererDelegate *delegate)
      : room_(room), delegate_(delegate) {}

  SDKError setRawDataResolution(ZoomSDKResolution resolution) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    resolution_ = resolution;
    return pipe_ == nullptr ? SDKERR_SUCCESS : subscribe(user_, type_);
  }
  SDKError subscribe(std::uint32_t user, ZoomSDKRawDataType type) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    auto *person = room_.find(user);
    if (person == nullptr) return SDKERR_INVALID_PARAMETER;
    unSubscribe();
    user_ = user;
    type_ = type;
    static const unsigned int lines[] = {90, 180, 360, 720, 1080};
    const auto index = static_cast<std::size_t>(resolution_);
    auto *pipe = type == RAW_DATA_TYPE_SHARE ? &person->share : &person->camera;
    auto *delegate = delegate_;
    const bool is_added = room_.subscribe(
        *pipe, {this, index < 5 ? lines[index] : 1080u,
                [=](YUVRawDataI420 *data) { delegate->onRawDataFrameReceived(data); },
                [=](bool is_on) {
                  delegate->onRawDataStatusChanged(is_on ? IZoomSDKRendererDelegate::RawData_On
                                                         : IZoomSDKRendererDelegate::RawData_Off);
                }});
    if (!is_added) return SDKERR_WRONG_USAGE;
    pipe_ = pipe;
    return SDKERR_SUCCESS;
  }
  SDKError unSubscribe() {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    if (pipe_ != nullptr) room_.unsubscribe(*pipe_, this);
    pipe_ = nullptr;
    return SDKERR_SUCCESS;
  }
  ZoomSDKResolution getResolution() { return resolution_; }
  ZoomSDKRawDataType getRawDataType() { return type_; }
  std::uint32_t getUserId() { return user_; }
  std::uint32_t getSubscribeId() { return user_; }
  void destroy() {
    unSubscribe();
    delegate_->onRendererBeDestroyed();
  }

 private:
  greenroom::zoom::Room &room_;
  greenroom::zoom::Pipe *pipe_ = nullptr;
  IZoomSDKRendererDelegate *delegate_;
  ZoomSDKResolution resolution_ = ZoomSDKResolution_360P;
  ZoomSDKRawDataType type_ = RAW_DATA_TYPE_VIDEO;
  std::uint32_t user_ = 0;
};

inline SDKError createRenderer(IZoomSDKRenderer **renderer, IZoomSDKRendererDelegate *delegate) {
  auto *room = greenroom::zoom::Room::current();
  if (renderer == nullptr || delegate == nullptr) return SDKERR_INVALID_PARAMETER;
  if (room == nullptr) return SDKERR_UNINITIALIZE;
  *renderer = new IZoomSDKRenderer(*room, delegate);
  return SDKERR_SUCCESS;
}
inline SDKError destroyRenderer(IZoomSDKRenderer *renderer) {
  if (renderer == nullptr) return SDKERR_INVALID_PARAMETER;
  renderer->destroy();
  return SDKERR_SUCCESS;
}
inline bool HasRawdataLicense() { return true; }

/** Gets raw audio. [media] */
class IZoomSDKAudioRawDataDelegate {
 public:
  virtual ~IZoomSDKAudioRawDataDelegate() = default;
  virtual void onMixedAudioRawDataReceived(AudioRawData *data_) = 0;
  virtual void onOneWayAudioRawDataReceived(AudioRawData *data_, std::uint32_t user_id) = 0;
  /** The SDK's versions differ in the last argument. */
  virtual void onShareAudioRawDataReceived(AudioRawData *, std::uint32_t) {}
  virtual void onShareAudioRawDataReceived(AudioRawData *) {}
  /** Never called. */
  virtual void onOneWayInterpreterAudioRawDataReceived(AudioRawData *, const zchar_t *) {}
};

/* ------------------------------------------------------------------------------------
 * The meeting
 * ---------------------------------------------------------------------------------- */

/** The state of the meeting: connecting until the session starts. */
enum MeetingStatus {
  MEETING_STATUS_IDLE,
  MEETING_STATUS_CONNECTING,
  MEETING_STATUS_WAITINGFORHOST,
  MEETING_STATUS_INMEETING,
  MEETING_STATUS_DISCONNECTING,
  MEETING_STATUS_RECONNECTING,
  MEETING_STATUS_FAILED,
  MEETING_STATUS_ENDED,
  MEETING_STATUS_UNKNOWN,
  MEETING_STATUS_LOCKED,
  MEETING_STATUS_UNLOCKED,
  MEETING_STATUS_IN_WAITING_ROOM
};

/** The ways to leave. */
enum LeaveMeetingCmd { LEAVE_MEETING, END_MEETING };

/** The result of authentication: always success. */
enum AuthResult {
  AUTHRET_SUCCESS,
  AUTHRET_KEYORSECRETEMPTY,
  AUTHRET_KEYORSECRETWRONG,
  AUTHRET_ACCOUNTNOTSUPPORT,
  AUTHRET_ACCOUNTNOTENABLESDK,
  AUTHRET_UNKNOWN,
  AUTHRET_SERVICE_BUSY,
  AUTHRET_NONE,
  AUTHRET_OVERTIME,
  AUTHRET_NETWORKISSUE,
  AUTHRET_CLIENT_INCOMPATIBLE,
  AUTHRET_JWTTOKENWRONG,
  AUTHRET_LIMIT_EXCEEDED_EXCEPTION
};

/** The answer to a request to record: always granted. */
enum RequestLocalRecordingStatus {
  RequestLocalRecording_Granted,
  RequestLocalRecording_Denied,
  RequestLocalRecording_Timeout
};

/** The kind of user that joins; no effect. */
enum SDKUserType { SDK_UT_NORMALUSER = 100, SDK_UT_WITHOUT_LOGIN };

/** The language of messages; no effect. */
enum SDK_LANGUAGE_ID { LANGUAGE_Unknow, LANGUAGE_English };

/** Noise suppression; no effect: name the plugin NoiseSuppression under a microphone. */
enum Suppress_Background_Noise_Level {
  Suppress_BGNoise_Level_None = -1,
  Suppress_BGNoise_Level_Auto,
  Suppress_BGNoise_Level_Low,
  Suppress_BGNoise_Level_Medium,
  Suppress_BGNoise_Level_High
};

/* The types of events that a session does not have. */
class IAccountInfo;
class MeetingParameter;
class IMeetingEnableReminderHandler;
class IRequestLocalRecordingPrivilegeHandler;
class IRequestStartCloudRecordingHandler;
class IRequestEnableAndStartSmartRecordingHandler;
class ISmartRecordingEnableActionHandler;
class IProxySettingHandler;
class ISSLCertVerificationHandler;
enum LOGINSTATUS : int;
enum LoginFailReason : int;
enum StatisticsWarningType : int;
enum MeetingComponentType : int;
enum ConnectionQuality : int;
enum RecordingStatus : int;
enum LocalRecordingRequestPrivilegeStatus : int;
enum RequestStartCloudRecordingStatus : int;
enum TranscodingStatus : int;
enum FocusModeShareType : int;
enum MeetingReminderType : int;

/** Gets the state of the meeting. [control] */
class IMeetingServiceEvent {
 public:
  virtual ~IMeetingServiceEvent() = default;
  virtual void onMeetingStatusChanged(MeetingStatus status, int iResult = 0) = 0;
  /* Never called. */
  virtual void onMeetingStatisticsWarningNotification(StatisticsWarningType) {}
  virtual void onMeetingParameterNotification(const MeetingParameter *) {}
  virtual void onSuspendParticipantsActivities() {}
  virtual void onAICompanionActiveChangeNotice(bool) {}
  virtual void onMeetingTopicChanged(const zchar_t *) {}
  virtual void onMeetingFullToWatchLiveStream(const zchar_t *) {}
  virtual void onUserNetworkStatusChanged(MeetingComponentType, ConnectionQuality, unsigned int, bool) {}
};

/** Gets users. [control] */
class IMeetingParticipantsCtrlEvent {
 public:
  virtual ~IMeetingParticipantsCtrlEvent() = default;
  virtual void onUserJoin(IList<unsigned int> *lstUserID, const zchar_t *strUserList = nullptr) = 0;
  virtual void onUserLeft(IList<unsigned int> *lstUserID, const zchar_t *strUserList = nullptr) = 0;
  /* Never called. */
  virtual void onHostChangeNotification(unsigned int) {}
  virtual void onLowOrRaiseHandStatusChanged(bool, unsigned int) {}
  virtual void onUserNamesChanged(IList<unsigned int> *) {}
  virtual void onCoHostChangeNotification(unsigned int, bool) {}
  virtual void onInvalidReclaimHostkey() {}
  virtual void onAllHandsLowered() {}
  virtual void onLocalRecordingStatusChanged(unsigned int, RecordingStatus) {}
  virtual void onAllowParticipantsRenameNotification(bool) {}
  virtual void onAllowParticipantsUnmuteSelfNotification(bool) {}
  virtual void onAllowParticipantsStartVideoNotification(bool) {}
  virtual void onAllowParticipantsShareWhiteBoardNotification(bool) {}
  virtual void onRequestLocalRecordingPrivilegeChanged(LocalRecordingRequestPrivilegeStatus) {}
  virtual void onAllowParticipantsRequestCloudRecording(bool) {}
  virtual void onInMeetingUserAvatarPathUpdated(unsigned int) {}
  virtual void onParticipantProfilePictureStatusChange(bool) {}
  virtual void onFocusModeStateChanged(bool) {}
  virtual void onFocusModeShareTypeChanged(FocusModeShareType) {}
  virtual void onBotAuthorizerRelationChanged(unsigned int) {}
  virtual void onVirtualNameTagStatusChanged(bool, unsigned int) {}
  virtual void onVirtualNameTagRosterInfoUpdated(unsigned int) {}
  virtual void onGrantCoOwnerPrivilegeChanged(bool) {}
};

/** Gets the answer to a request to record, on the thread that asks for it. */
class IMeetingRecordingCtrlEvent {
 public:
  virtual ~IMeetingRecordingCtrlEvent() = default;
  virtual void onRecordPrivilegeChanged(bool) {}
  virtual void onLocalRecordingPrivilegeRequestStatus(RequestLocalRecordingStatus) {}
  /* Never called. */
  virtual void onRecordingStatus(RecordingStatus) {}
  virtual void onCloudRecordingStatus(RecordingStatus) {}
  virtual void onRequestCloudRecordingResponse(RequestStartCloudRecordingStatus) {}
  virtual void onLocalRecordingPrivilegeRequested(IRequestLocalRecordingPrivilegeHandler *) {}
  virtual void onStartCloudRecordingRequested(IRequestStartCloudRecordingHandler *) {}
  virtual void onCloudRecordingStorageFull(time_t) {}
  virtual void onEnableAndStartSmartRecordingRequested(IRequestEnableAndStartSmartRecordingHandler *) {}
  virtual void onSmartRecordingEnableActionCallback(ISmartRecordingEnableActionHandler *) {}
  virtual void onTranscodingStatusChanged(TranscodingStatus, const zchar_t *) {}
};

/** A prompt, which a session does not have. */
class IMeetingReminderContent {
 public:
  virtual ~IMeetingReminderContent() = default;
  virtual MeetingReminderType GetType() = 0;
  virtual const zchar_t *GetTitle() = 0;
  virtual const zchar_t *GetContent() = 0;
  virtual bool IsBlocking() = 0;
};
class IMeetingReminderHandler {
 public:
  virtual ~IMeetingReminderHandler() = default;
  virtual void Ignore() = 0;
  virtual void Accept() = 0;
  virtual void Declined() = 0;
};
class IMeetingReminderEvent {
 public:
  virtual ~IMeetingReminderEvent() = default;
  virtual void onReminderNotify(IMeetingReminderContent *, IMeetingReminderHandler *) {}
  virtual void onEnableReminderNotify(IMeetingReminderContent *, IMeetingEnableReminderHandler *) {}
};
class IMeetingReminderController {
 public:
  SDKError SetEvent(IMeetingReminderEvent *) { return SDKERR_SUCCESS; }
};

/** A user. [any] */
class IUserInfo {
 public:
  IUserInfo(greenroom::zoom::Room &room, greenroom::zoom::Person &person) : room_(room), person_(person) {}

  const zchar_t *GetUserName() { return person_.name.c_str(); }
  unsigned int GetUserID() { return person_.number; }
  bool IsMySelf() { return person_.number == 0; }
  bool IsHost() { return person_.number == 0; }
  bool IsVideoOn() { return has(person_.camera.track); }
  bool IsAudioMuted() { return !has(person_.microphone); }

 private:
  bool has(const std::uint32_t &track) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    return track != 0;
  }

  greenroom::zoom::Room &room_;
  greenroom::zoom::Person &person_;
};

/** A list of users. */
using UserIDs = greenroom::zoom::Items<IList<unsigned int>, unsigned int>;

/** The users of the meeting. [any] */
class IMeetingParticipantsController {
 public:
  explicit IMeetingParticipantsController(greenroom::zoom::Room &room) : room_(room) {}

  SDKError SetEvent(IMeetingParticipantsCtrlEvent *event) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    event_ = event;
    return SDKERR_SUCCESS;
  }
  /** The participants, and the session itself at the end. The list is valid until the next call. */
  IList<unsigned int> *GetParticipantsList() {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    std::vector<unsigned int> ids;
    for (auto *person : room_.others()) ids.push_back(person->number);
    ids.push_back(0);
    list_ = std::make_unique<UserIDs>(std::move(ids));
    return list_.get();
  }
  /** Null for somebody who is not there. */
  IUserInfo *GetUserByUserID(unsigned int id) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    auto *person = room_.find(id);
    return person == nullptr ? nullptr : &users_.try_emplace(id, room_, *person).first->second;
  }
  IUserInfo *GetMySelfUser() { return GetUserByUserID(0); }

  /** Somebody has come, or goes; with the room's mutex. */
  void tell(const greenroom::zoom::Person &person, bool is_here) {
    if (event_ == nullptr) return;
    UserIDs list({person.number});
    is_here ? event_->onUserJoin(&list) : event_->onUserLeft(&list);
  }

 private:
  greenroom::zoom::Room &room_;
  IMeetingParticipantsCtrlEvent *event_ = nullptr;
  std::map<unsigned int, IUserInfo> users_;
  std::unique_ptr<UserIDs> list_;
};

/** Raw recording, which is always allowed. */
class IMeetingRecordingController {
 public:
  explicit IMeetingRecordingController(greenroom::zoom::Room &room) : room_(room) {}

  SDKError SetEvent(IMeetingRecordingCtrlEvent *event) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    event_ = event;
    return SDKERR_SUCCESS;
  }
  /** Grants it before it returns. */
  SDKError RequestLocalRecordingPrivilege() {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    if (event_ != nullptr) event_->onLocalRecordingPrivilegeRequestStatus(RequestLocalRecording_Granted);
    if (event_ != nullptr) event_->onRecordPrivilegeChanged(true);
    return SDKERR_SUCCESS;
  }
  SDKError CanStartRawRecording() { return SDKERR_SUCCESS; }
  SDKError StartRawRecording() { return SDKERR_SUCCESS; }
  SDKError StopRawRecording() { return SDKERR_SUCCESS; }

 private:
  greenroom::zoom::Room &room_;
  IMeetingRecordingCtrlEvent *event_ = nullptr;
};

/** No effect: the session file has the camera. */
class IMeetingVideoController {
 public:
  SDKError UnmuteVideo() { return SDKERR_NO_IMPL; }
  SDKError MuteVideo() { return SDKERR_NO_IMPL; }
};

/** No effect: the session file has the microphone. */
class IMeetingAudioController {
 public:
  SDKError JoinVoip() { return SDKERR_SUCCESS; }
  SDKError LeaveVoip() { return SDKERR_SUCCESS; }
  SDKError MuteAudio(unsigned int, bool = true) { return SDKERR_NO_IMPL; }
  SDKError UnMuteAudio(unsigned int) { return SDKERR_NO_IMPL; }
};

/** The options of joining; only the name of the user has an effect. */
struct JoinParam4WithoutLogin {
  std::uint64_t meetingNumber = 0;
  const zchar_t *vanityID = nullptr;
  const zchar_t *userName = nullptr;
  const zchar_t *psw = nullptr;
  const zchar_t *app_privilege_token = nullptr;
  const zchar_t *userZAK = nullptr;
  const zchar_t *customer_key = nullptr;
  const zchar_t *webinarToken = nullptr;
  const zchar_t *onBehalfToken = nullptr;
  bool isVideoOff = false;
  bool isAudioOff = false;
};
using JoinParam4NormalUser = JoinParam4WithoutLogin;
struct JoinParam {
  SDKUserType userType = SDK_UT_WITHOUT_LOGIN;
  struct {
    JoinParam4WithoutLogin withoutloginuserJoin;
    JoinParam4NormalUser normaluserJoin;
  } param;
};

/** As JoinParam. */
struct StartParam4NormalUser {
  std::uint64_t meetingNumber = 0;
  const zchar_t *vanityID = nullptr;
  const zchar_t *customer_key = nullptr;
  bool isVideoOff = false;
  bool isAudioOff = false;
};
struct StartParam {
  SDKUserType userType = SDK_UT_NORMALUSER;
  struct {
    StartParam4NormalUser normaluserStart;
  } param;
};

/** Raw audio. [any] */
class IZoomSDKAudioRawDataHelper {
 public:
  explicit IZoomSDKAudioRawDataHelper(greenroom::zoom::Room &room) : room_(room) {}

  SDKError subscribe(IZoomSDKAudioRawDataDelegate *delegate, bool = false) {
    if (delegate == nullptr) return SDKERR_INVALID_PARAMETER;
    return set(delegate);
  }
  SDKError unSubscribe() { return set(nullptr); }
  SDKError setExternalAudioSource(IZoomSDKVirtualAudioMicEvent *) {
    room_.explain("setExternalAudioSource has no effect: " + greenroom::zoom::source_advice("microphone"));
    return SDKERR_NO_IMPL;
  }
  IZoomSDKAudioRawDataDelegate *delegate() const { return delegate_; }

 private:
  SDKError set(IZoomSDKAudioRawDataDelegate *delegate) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    delegate_ = delegate;
    room_.changed();
    return SDKERR_SUCCESS;
  }

  greenroom::zoom::Room &room_;
  IZoomSDKAudioRawDataDelegate *delegate_ = nullptr;
};

/** The session's camera, which is another plugin. */
class IZoomSDKVideoSourceHelper {
 public:
  explicit IZoomSDKVideoSourceHelper(greenroom::zoom::Room &room) : room_(room) {}

  SDKError setExternalVideoSource(IZoomSDKVideoSource *) {
    room_.explain("setExternalVideoSource has no effect: " + greenroom::zoom::source_advice("camera"));
    return SDKERR_NO_IMPL;
  }

 private:
  greenroom::zoom::Room &room_;
};

/** The meeting. [any] */
class IMeetingService : private greenroom::zoom::RoomListener {
 public:
  explicit IMeetingService(greenroom::zoom::Room &room)
      : room_(room), participants_(room), recording_(room), audio_(room), source_(room) {}

  SDKError SetEvent(IMeetingServiceEvent *event) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    event_ = event;
    return SDKERR_SUCCESS;
  }
  SDKError Join(JoinParam &param) {
    const auto &join = param.userType == SDK_UT_WITHOUT_LOGIN ? param.param.withoutloginuserJoin
                                                              : param.param.normaluserJoin;
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    if (join.userName != nullptr) room_.myself().name = join.userName;
    return enter();
  }
  SDKError Start(StartParam &) {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    return enter();
  }
  SDKError Leave(LeaveMeetingCmd) {
    room_.leave();
    return SDKERR_SUCCESS;
  }
  MeetingStatus GetMeetingStatus() {
    const std::lock_guard<std::recursive_mutex> lock(room_.mutex);
    return status_;
  }
  IMeetingParticipantsController *GetMeetingParticipantsController() { return &participants_; }
  IMeetingRecordingController *GetMeetingRecordingController() { return &recording_; }
  IMeetingVideoController *GetMeetingVideoController() { return &video_; }
  IMeetingAudioController *GetMeetingAudioController() { return &voice_; }
  IMeetingReminderController *GetMeetingReminderController() { return &reminder_; }

  IZoomSDKAudioRawDataHelper *audio_helper() { return &audio_; }
  IZoomSDKVideoSourceHelper *source_helper() { return &source_; }

 private:
  using Person = greenroom::zoom::Person;

  SDKError enter() {
    if (room_.is_joined()) return SDKERR_WRONG_USAGE;
    set(MEETING_STATUS_CONNECTING);
    room_.join(this);
    return SDKERR_SUCCESS;
  }
  void set(MeetingStatus status) {
    status_ = status;
    if (event_ != nullptr) event_->onMeetingStatusChanged(status);
  }
  bool hears() const override { return audio_.delegate() != nullptr; }
  void began() override { set(MEETING_STATUS_INMEETING); }
  void ended() override { set(MEETING_STATUS_ENDED); }
  void joined(Person &person) override { participants_.tell(person, true); }
  void left(Person &person) override { participants_.tell(person, false); }
  void mixed(AudioRawData *data) override {
    if (auto *to = audio_.delegate()) to->onMixedAudioRawDataReceived(data);
  }
  void one_way(AudioRawData *data, Person &person) override {
    if (auto *to = audio_.delegate()) to->onOneWayAudioRawDataReceived(data, person.number);
  }
  void shared(AudioRawData *data, Person &person) override {
    if (auto *to = audio_.delegate()) to->onShareAudioRawDataReceived(data, person.number);
    if (auto *to = audio_.delegate()) to->onShareAudioRawDataReceived(data);
  }

  greenroom::zoom::Room &room_;
  IMeetingServiceEvent *event_ = nullptr;
  MeetingStatus status_ = MEETING_STATUS_IDLE;
  IMeetingParticipantsController participants_;
  IMeetingRecordingController recording_;
  IMeetingVideoController video_;
  IMeetingAudioController voice_;
  IMeetingReminderController reminder_;
  IZoomSDKAudioRawDataHelper audio_;
  IZoomSDKVideoSourceHelper source_;
};

/** The meeting of a room; one for each. */
inline IMeetingService *meeting_of(greenroom::zoom::Room *room) {
  static std::mutex mutex;
  static std::map<greenroom::zoom::Room *, IMeetingService> meetings;
  const std::lock_guard<std::mutex> lock(mutex);
  return room == nullptr ? nullptr : &meetings.try_emplace(room, *room).first->second;
}
inline SDKError CreateMeetingService(IMeetingService **service) {
  if (service == nullptr) return SDKERR_INVALID_PARAMETER;
  *service = meeting_of(greenroom::zoom::Room::current());
  return *service == nullptr ? SDKERR_UNINITIALIZE : SDKERR_SUCCESS;
}
inline SDKError DestroyMeetingService(IMeetingService *) { return SDKERR_SUCCESS; }
inline IZoomSDKAudioRawDataHelper *GetAudioRawdataHelper() {
  auto *meeting = meeting_of(greenroom::zoom::Room::current());
  return meeting == nullptr ? nullptr : meeting->audio_helper();
}
inline IZoomSDKVideoSourceHelper *GetRawdataVideoSourceHelper() {
  auto *meeting = meeting_of(greenroom::zoom::Room::current());
  return meeting == nullptr ? nullptr : meeting->source_helper();
}

/* ------------------------------------------------------------------------------------
 * Authentication and settings: no effect, a session needs neither
 * ---------------------------------------------------------------------------------- */

struct InitParam {
  const zchar_t *strWebDomain = nullptr;
  const zchar_t *strBrandingName = nullptr;
  const zchar_t *strSupportUrl = nullptr;
  SDK_LANGUAGE_ID emLanguageID = LANGUAGE_Unknow;
  bool enableLogByDefault = false;
  bool enableGenerateDump = false;
};
inline SDKError InitSDK(InitParam &) { return SDKERR_SUCCESS; }
inline SDKError CleanUPSDK() { return SDKERR_SUCCESS; }

struct AuthContext {
  const zchar_t *jwt_token = nullptr;
};
/** Gets the result of authentication, on the thread that asks for it. */
class IAuthServiceEvent {
 public:
  virtual ~IAuthServiceEvent() = default;
  virtual void onAuthenticationReturn(AuthResult ret) = 0;
  /* Never called. */
  virtual void onLoginReturnWithReason(LOGINSTATUS, IAccountInfo *, LoginFailReason) {}
  virtual void onLogout() {}
  virtual void onZoomIdentityExpired() {}
  virtual void onZoomAuthIdentityExpired() {}
};
class IAuthService {
 public:
  SDKError SetEvent(IAuthServiceEvent *event) {
    event_ = event;
    return SDKERR_SUCCESS;
  }
  SDKError SDKAuth(AuthContext &) {
    if (event_ != nullptr) event_->onAuthenticationReturn(AUTHRET_SUCCESS);
    return SDKERR_SUCCESS;
  }

 private:
  IAuthServiceEvent *event_ = nullptr;
};
inline SDKError CreateAuthService(IAuthService **service) {
  if (service == nullptr) return SDKERR_INVALID_PARAMETER;
  *service = new IAuthService();
  return SDKERR_SUCCESS;
}
inline SDKError DestroyAuthService(IAuthService *) { return SDKERR_SUCCESS; }

/** Devices belong to the session file: these lists are empty. */
class IDeviceInfo {
 public:
  virtual ~IDeviceInfo() = default;
  virtual const zchar_t *GetDeviceId() = 0;
  virtual const zchar_t *GetDeviceName() = 0;
  virtual bool IsSelectedDevice() = 0;
};
using ISpeakerInfo = IDeviceInfo;
using IMicInfo = IDeviceInfo;
class IAudioSettingContext {
 public:
  IList<ISpeakerInfo *> *GetSpeakerList() { return &none_; }
  IList<IMicInfo *> *GetMicList() { return &none_; }
  SDKError SelectSpeaker(const zchar_t *, const zchar_t *) { return SDKERR_NO_IMPL; }
  SDKError SelectMic(const zchar_t *, const zchar_t *) { return SDKERR_NO_IMPL; }
  SDKError EnableAutoJoinAudio(bool) { return SDKERR_SUCCESS; }
  SDKError EnableAlwaysMuteMicWhenJoinVoip(bool) { return SDKERR_NO_IMPL; }
  SDKError SetSuppressBackgroundNoiseLevel(Suppress_Background_Noise_Level) { return SDKERR_NO_IMPL; }

 private:
  greenroom::zoom::Items<IList<IDeviceInfo *>, IDeviceInfo *> none_{{}};
};
class IVideoSettingContext {
 public:
  SDKError EnableAutoTurnOffVideoWhenJoinMeeting(bool) { return SDKERR_SUCCESS; }
};
class ISettingService {
 public:
  IAudioSettingContext *GetAudioSettings() { return &audio_; }
  IVideoSettingContext *GetVideoSettings() { return &video_; }

 private:
  IAudioSettingContext audio_;
  IVideoSettingContext video_;
};
inline SDKError CreateSettingService(ISettingService **service) {
  if (service == nullptr) return SDKERR_INVALID_PARAMETER;
  *service = new ISettingService();
  return SDKERR_SUCCESS;
}
inline SDKError DestroySettingService(ISettingService *) { return SDKERR_SUCCESS; }

/** Proxies, which a session has no use for. */
class INetworkConnectionHandler {
 public:
  virtual ~INetworkConnectionHandler() = default;
  virtual void onProxyDetectComplete() = 0;
  virtual void onProxySettingNotification(IProxySettingHandler *) {}
  virtual void onSSLCertVerifyNotification(ISSLCertVerificationHandler *) {}
};
class INetworkConnectionHelper {
 public:
  SDKError RegisterNetworkConnectionHandler(INetworkConnectionHandler *handler) {
    if (handler == nullptr) return SDKERR_INVALID_PARAMETER;
    handler->onProxyDetectComplete();
    return SDKERR_SUCCESS;
  }
};
inline SDKError CreateNetworkConnectionHelper(INetworkConnectionHelper **helper) {
  if (helper == nullptr) return SDKERR_INVALID_PARAMETER;
  *helper = new INetworkConnectionHelper();
  return SDKERR_SUCCESS;
}
inline SDKError DestroyNetworkConnectionHelper(INetworkConnectionHelper *) { return SDKERR_SUCCESS; }

}  // namespace ZOOMSDK

#endif
