// Joining: the dialog with devices and preview, and the connections through which this page sends.

import { $, icon, idOf, isOn, keep, kept, make, me, request, state, stopTracks, toast } from "./common.js";
import { configuration, negotiate, prefer, watcher } from "./watch.js";

let changed = () => {};
/** Calls back when this page's guest has changed. */
export function onGuestChange(call) { changed = call; }

// ---- Devices

const KINDS = {
  camera: { kind: "videoinput", word: "camera", none: "No camera" },
  microphone: { kind: "audioinput", word: "microphone", none: "No microphone" },
};
const choices = kept(localStorage, "devices") ?? { camera: "", microphone: "", speaker: "" };
const OFF = "off";

const constraints = {
  camera: (id) => ({ width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30, max: 30 }, ...(id && { deviceId: { exact: id } }) }),
  microphone: (id) => ({ echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...(id && { deviceId: { exact: id } }) }),
};

function refusal(error, word) {
  return {
    NotAllowedError: `The browser denies the ${word}. Allow it beside the page’s address, or join without.`,
    NotFoundError: `The browser finds no ${word}. Connect it, or join without.`,
    NotReadableError: `Another program uses the ${word}. Close that program, or join without.`,
    OverconstrainedError: `A chosen device was disconnected: ${word}. Choose another device.`,
    SecurityError: `The browser allows no ${word} on this page. Join without.`,
  }[error.name] ?? `The browser can’t start the ${word}: ${error.message}`;
}

/** Opens the chosen devices: both at once, so that the browser asks once; each alone if that fails. */
async function openDevices() {
  const wanted = ["camera", "microphone"].filter((name) => choices[name] !== OFF);
  const media = new MediaStream();
  const faults = [];
  if (!wanted.length) return { media, faults };
  if (!navigator.mediaDevices) {
    faults.push("The browser gives camera and microphone to pages over HTTPS, or on the same machine. You can join without them.");
    return { media, faults };
  }
  const get = (names) => navigator.mediaDevices.getUserMedia({
    video: names.includes("camera") && constraints.camera(choices.camera),
    audio: names.includes("microphone") && constraints.microphone(choices.microphone),
  });
  const refused = new Map(); // messages for the user, by the name of the browser's error
  const add = (stream) => stream.getTracks().forEach((track) => media.addTrack(track));
  try {
    add(await get(wanted));
  } catch (error) {
    for (const name of wanted) {
      try {
        if (wanted.length === 1) throw error;
        add(await get([name]));
      } catch (error) {
        if (error.name === "OverconstrainedError") choices[name] = "";
        refused.set(error.name, { error, words: [...(refused.get(error.name)?.words ?? []), KINDS[name].word] });
      }
    }
  }
  for (const { error, words } of refused.values()) faults.push(refusal(error, words.join(" and the ")));
  return { media, faults };
}

async function listDevices() {
  const devices = await navigator.mediaDevices?.enumerateDevices().catch(() => []) ?? [];
  const fill = (select, name, kind, options) => {
    const found = devices.filter((device) => device.kind === kind && device.deviceId);
    options.push(...found.map((device, index) => [device.deviceId, device.label || `${name} ${index + 1}`]));
    select.replaceChildren(...options.map(([value, textContent]) => make("option", { value, textContent })));
  };
  for (const [name, { kind, word, none }] of Object.entries(KINDS)) {
    const select = $(`${name}-choice`);
    fill(select, word, kind, [["", `Default ${word}`], [OFF, none]]);
    select.value = choices[name];
    if (select.selectedIndex < 0) select.value = "";
  }
  fill($("speaker-choice"), "speaker", "audiooutput", [["", "Default speaker"]]);
  $("speaker-choice").value = choices.speaker;
  if ($("speaker-choice").selectedIndex < 0) $("speaker-choice").value = "";
  $("speaker-choice").disabled = !HTMLMediaElement.prototype.setSinkId;
}

export const useSpeaker = (element) => element.setSinkId?.(choices.speaker ?? "").catch(() => toast("The chosen speaker was disconnected. The default speaker plays."));

// ---- The dialog

let previewed = null;
let previews = 0;
let audio = null; // the context of the meter and of the test sound

function stopPreview() {
  previews += 1;
  stopTracks(previewed);
  previewed = null;
  $("preview").srcObject = null;
  $("meter").value = 0;
}

async function preview() {
  stopPreview();
  const number = previews;
  $("entry-error").hidden = true;
  $("enter").disabled = true;
  $("preview-text").textContent = choices.camera === OFF ? "Your camera is off" : "Waiting for the browser";
  const { media, faults } = await openDevices();
  await listDevices();
  // An answer to an earlier question has devices that are not wanted any more.
  if (!$("entry").open || number !== previews) return stopTracks(media);
  previewed = media;
  const [hasVideo, hasAudio] = [media.getVideoTracks().length > 0, media.getAudioTracks().length > 0];
  $("preview").srcObject = hasVideo ? media : null;
  $("preview-text").textContent = hasVideo ? "" : "Your camera is off";
  if (faults.length) refuse(faults.join(" "));
  $("enter").disabled = false;
  $("enter").textContent = isChange ? "Use these devices" : hasVideo || hasAudio ? "Join" : "Join to listen";
  if (hasAudio) meter(media, number);
}

function refuse(text) {
  $("entry-error").textContent = text;
  $("entry-error").hidden = false;
}

function context() {
  audio ??= new AudioContext();
  audio.resume();
  return audio;
}

function meter(media, number) {
  const analyser = new AnalyserNode(context(), { fftSize: 1024 });
  const source = audio.createMediaStreamSource(media);
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const draw = () => {
    if (number !== previews) return source.disconnect();
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    // From -60 dBFS to 0.
    const level = Math.max(0, 1 + Math.log10(power + 1e-12) / 6);
    $("meter").value = Math.max(level, $("meter").value * 0.9);
    requestAnimationFrame(draw);
  };
  draw();
}

/** Two notes through the chosen speaker. */
async function testSound() {
  const end = new MediaStreamAudioDestinationNode(context());
  const volume = new GainNode(audio, { gain: 0.2 });
  volume.connect(end);
  const player = new Audio();
  player.srcObject = end.stream;
  await useSpeaker(player);
  await player.play().catch(() => toast("The browser plays no sound on this page."));
  [523, 659].forEach((frequency, index) => {
    const note = new OscillatorNode(audio, { frequency });
    note.connect(volume);
    note.start(audio.currentTime + 0.3 * index);
    note.stop(audio.currentTime + 0.3 * index + 0.28);
  });
  setTimeout(() => { player.srcObject = null; }, 1500);
}

/** Whether the dialog changes the devices of a guest who has joined. */
let isChange = false;

/** Opens the dialog for a guest who wants other devices, or a microphone after joining to listen. */
export const changeDevices = () => openDialog("", true);

export function openDialog(error = "", change = false) {
  isChange = change;
  $("entry-title").textContent = change ? "Camera, microphone and speaker" : "Join the room";
  for (const element of [$("name"), document.querySelector("label[for=name]"), $("unrecorded-label")]) element.hidden = change;
  $("cancel").textContent = change ? "Cancel" : "Not now";
  $("name").value = me.name || kept(localStorage, "name") || "";
  $("entry").showModal();
  (change ? $("camera-choice") : $("name")).focus();
  listDevices();
  preview().then(() => error && refuse(error));
}

for (const name of ["camera", "microphone"]) {
  $(`${name}-choice`).onchange = () => {
    choices[name] = $(`${name}-choice`).value;
    keep(localStorage, "devices", choices);
    preview();
  };
}
$("unrecorded").checked = kept(localStorage, "unrecorded") === true;
$("unrecorded").onchange = () => keep(localStorage, "unrecorded", $("unrecorded").checked);
$("speaker-choice").onchange = () => {
  choices.speaker = $("speaker-choice").value;
  keep(localStorage, "devices", choices);
  useSpeaker($("audio-out"));
};
$("test-sound").onclick = testSound;
$("cancel").onclick = () => $("entry").close();
$("entry").onclose = stopPreview;
$("entry-form").onsubmit = async (event) => {
  event.preventDefault();
  if (isChange) return useDevices();
  const name = $("name").value.trim();
  if (!previewed || !name) return;
  $("enter").disabled = true;
  const media = previewed;
  try {
    const guest = await connect(name, media);
    // The dialog was closed meanwhile.
    if (!$("entry").open) return end(guest);
    previewed = null;
    keep(localStorage, "name", name);
    became(name, media, guest);
    $("entry").close();
    $($("microphone").hidden ? "audio" : "microphone").focus();
  } catch (error) {
    refuse(error.message);
    $("enter").disabled = false;
  }
};

/** Sends the previewed devices; connects again only if the guest sends other kinds of media than before, or other layers. */
async function useDevices() {
  const media = previewed;
  if (!media || !me.media) return $("entry").close();
  previewed = null;
  const before = me.media;
  const isSame = layersOf(before).length === layersOf(media).length && ["audio", "video"].every((kind) => before.getTracks().some((track) => track.kind === kind) === media.getTracks().some((track) => track.kind === kind));
  // A camera or microphone that was off stays off; a new one is on, because the guest has just chosen it.
  for (const track of media.getTracks()) track.enabled = before.getTracks().find(({ kind }) => kind === track.kind)?.enabled ?? true;
  me.media = media;
  media.getTracks().forEach(followDevice);
  $("entry").close();
  if (isSame && me.guest?.pc) {
    me.guest.media = media;
    await Promise.all(me.guest.pc.getSenders().map((sender) => sender.track && sender.replaceTrack(media.getTracks().find(({ kind }) => kind === sender.track.kind) ?? null)));
  } else if (!isSame) {
    drop();
    me.media = media;
    rejoin();
  }
  stopTracks(before);
  remember();
  label();
  changed("toggled");
}

// ---- The guest

/** Connects as a guest; without tracks as a guest who listens. */
async function connect(name, media) {
  const query = `name=${encodeURIComponent(name)}&viewer=${encodeURIComponent(watcher.id ?? "")}${$("unrecorded").checked ? "&recorded=no" : ""}`;
  if (media.getTracks().length) {
    let guest = null;
    guest = await publish(media, `/whip?${query}`, { layers: layersOf(media), onLost: () => lost(guest) });
    return guest;
  }
  const response = await request("POST", `/guests?${query}`);
  if (!response.ok) throw Object.assign(new Error((await response.text()).trim()), { status: response.status });
  return { pc: null, media, location: response.headers.get("location") };
}

function became(name, media, guest) {
  tries = 0;
  Object.assign(me, { name, media, guest, isIn: false, mutes: 0 });
  media.getTracks().forEach(followDevice);
  for (const kind of ["audio", "video"]) if (media.getTracks().some((track) => track.kind === kind && !track.enabled)) tell(kind);
  remember();
  label();
  changed("joined");
}

/** Keeps what a reload needs to join again. */
function remember() {
  const off = ["audio", "video"].filter((kind) => me.media?.getTracks().some((track) => track.kind === kind && !track.enabled));
  keep(sessionStorage, "guest", me.media && { name: me.name, off });
}

/** Joins as before a reload. */
export async function joinAfterReload() {
  const before = kept(sessionStorage, "guest");
  if (!before?.name || me.media) return;
  me.name = before.name;
  const { media, faults } = await openDevices();
  media.getTracks().forEach((track) => { track.enabled = !before.off?.includes(track.kind); });
  if (faults.length) {
    stopTracks(media);
    keep(sessionStorage, "guest", null);
    return openDialog(faults.join(" "));
  }
  me.media = media;
  rejoin();
}

/** Tries to join again: the room may still have the place of the lost connection. */
const MOST_TRIES = 10;
let tries = 0;
let isJoining = false;
/** Joins again after a loss, with the same devices. */
export async function rejoin() {
  if (isJoining || me.guest || !me.media || !state.room) return;
  isJoining = true;
  const media = me.media;
  try {
    const guest = await connect(me.name, media);
    if (me.media === media) became(me.name, media, guest);
    else end(guest);
  } catch (error) {
    tries += 1;
    if (error.status === 403 || (error.status && tries >= MOST_TRIES)) leave(error.message);
    else setTimeout(rejoin, 2000);
  }
  isJoining = false;
}

function lost(guest) {
  if (!guest || me.guest !== guest) return;
  drop();
  changed("lost");
  setTimeout(rejoin, 1000);
}

/** Ends this page's connections, and keeps its devices. */
export function drop() {
  end(me.share);
  me.guest?.pc?.close();
  if (me.guest) request("DELETE", me.guest.location).catch(() => {});
  Object.assign(me, { guest: null, share: null, isIn: false });
  label();
}

/** Leaves the room. */
export function leave(text) {
  drop();
  stopTracks(me.media);
  me.media = null;
  keep(sessionStorage, "guest", null);
  if (state.room) delete state.room.you;
  label();
  changed("left", text);
}

/** The layers of a camera (simulcast), the smallest first. Browsers leave layers of a small camera out, and the last ones first. */
function layersOf(media) {
  const { width = 0, height = 0 } = media.getVideoTracks()[0]?.getSettings() ?? {};
  const layers = [{ rid: "q", scaleResolutionDownBy: 4 }, { rid: "h", scaleResolutionDownBy: 2 }, { rid: "f", scaleResolutionDownBy: 1 }];
  return width * height >= 960 * 540 ? layers : width * height >= 480 * 270 ? layers.slice(1) : [];
}

async function publish(media, path, { layers = [], onLost }) {
  const pc = new RTCPeerConnection(configuration());
  for (const track of media.getTracks()) {
    const transceiver = pc.addTransceiver(track, { direction: "sendonly", streams: [media], ...(track.kind === "video" && layers.length && { sendEncodings: layers }) });
    if (track.kind === "video") prefer(transceiver, "video/VP8");
  }
  pc.onconnectionstatechange = () => ["failed", "closed"].includes(pc.connectionState) && onLost();
  try {
    return { pc, media, location: await negotiate(pc, path) };
  } catch (error) {
    pc.close();
    throw error;
  }
}

/** Sends the layers that somebody watches; video without layers in the size that the session accepts, or in its own if that is smaller. */
export function sendNoMore(connection, size, layers) {
  if (!connection?.pc || !(size || layers)) return;
  for (const sender of connection.pc.getSenders()) {
    if (sender.track?.kind !== "video") continue;
    const { width, height } = sender.track.getSettings();
    const parameters = sender.getParameters();
    const before = JSON.stringify(parameters.encodings);
    for (const encoding of parameters.encodings ?? []) {
      if (layers) encoding.active = layers.includes(encoding.rid);
      else encoding.scaleResolutionDownBy = Math.max(1, width / size.width || 1, height / size.height || 1);
    }
    if (JSON.stringify(parameters.encodings) !== before) sender.setParameters(parameters).catch(() => {});
  }
}

/** Lets the room leave this guest out of what the page hears. */
export function hearYourself() {
  if (me.guest && watcher.id) request("PATCH", `${me.guest.location}?viewer=${watcher.id}`).catch(() => {});
}

function end(connection, keepalive = false) {
  if (!connection) return;
  connection.pc?.close();
  stopTracks(connection.media);
  request("DELETE", connection.location, undefined, { keepalive }).catch(() => {});
}

/** Ends the connections, because the page closes. */
export function goAway() {
  end(me.share, true);
  end(me.guest, true);
}

export async function shareScreen() {
  if (me.share) {
    end(me.share);
    me.share = null;
  } else {
    let media;
    try {
      media = await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { max: 30 }, width: { max: 1920 }, height: { max: 1080 } }, audio: true });
    } catch (error) {
      if (error.name !== "NotAllowedError") toast(refusal(error, "screen"));
      return;
    }
    if (!me.guest) return stopTracks(media);
    const ended = () => {
      if (me.share?.media !== media) return false;
      end(me.share);
      me.share = null;
      label();
      changed("share");
      return true;
    };
    // Text must stay readable: a slow network lowers the rate, not the size.
    for (const track of media.getVideoTracks()) track.contentHint = "detail";
    try {
      me.share = await publish(media, `/whip?share-of=${idOf(me.guest.location)}`, { onLost: () => { if (ended()) toast("Your screen share has ended. Share it again."); } });
      media.getVideoTracks()[0].onended = ended;
    } catch (error) {
      stopTracks(media);
      toast(error.message);
    }
  }
  label();
  changed("share");
}

/** Tells the room whether a device is on. */
function tell(kind) {
  if (me.guest) request("PATCH", `${me.guest.location}?${kind === "audio" ? "microphone" : "camera"}=${isOn(kind) ? "on" : "off"}`).catch(() => {});
}

const deviceOf = (kind) => (kind === "audio" ? "microphone" : "camera");

/** Turns a device off that ends during the call, as one that is unplugged: others would see a frozen frame. */
function followDevice(track) {
  track.onended = () => {
    if (!me.media?.getTracks().includes(track)) return;
    track.enabled = false;
    tell(track.kind);
    remember();
    label();
    changed("toggled");
    toast(`Your ${deviceOf(track.kind)} has stopped. Turn it on to try again.`);
  };
}

/** Opens a device again that has ended; the default one if the chosen one is gone. */
async function reopen(old) {
  const name = deviceOf(old.kind);
  const open = (id) => navigator.mediaDevices.getUserMedia({ [old.kind]: constraints[name](id) });
  try {
    const media = await open(choices[name]).catch((error) => (error.name === "OverconstrainedError" ? open("") : Promise.reject(error)));
    const [track] = media.getTracks();
    if (!me.media?.getTracks().includes(old)) return stopTracks(media);
    await me.guest?.pc?.getSenders().find((sender) => sender.track === old)?.replaceTrack(track);
    me.media.removeTrack(old);
    me.media.addTrack(track);
    followDevice(track);
    tell(old.kind);
    remember();
    label();
    changed("toggled");
  } catch (error) {
    toast(refusal(error, name));
  }
}

export function toggle(kind) {
  const tracks = me.media?.getTracks().filter((track) => track.kind === kind) ?? [];
  if (tracks[0].readyState === "ended") return reopen(tracks[0]);
  const on = !tracks[0].enabled;
  tracks.forEach((track) => { track.enabled = on; });
  tell(kind);
  remember();
  label();
  changed("toggled");
}

/** Follows an operator who has muted this guest. */
export function followMutes(mutes) {
  if (mutes === undefined || mutes <= me.mutes) return;
  me.mutes = mutes;
  me.media?.getAudioTracks().forEach((track) => { track.enabled = false; });
  remember();
  label();
  toast("The operator has muted your microphone.");
}

/** Makes the buttons say what they do now. */
export function label() {
  const set = (id, name, text, title, off) => {
    $(id).replaceChildren(icon(name), make("span", { textContent: text }));
    $(id).title = title;
    $(id).setAttribute("aria-label", title);
    $(id).classList.toggle("off", off);
  };
  const [hears, sees] = [isOn("audio"), isOn("video")];
  set("microphone", hears ? "mic" : "mic-off", hears ? "Mute" : "Unmute", hears ? "Mute the microphone (M)" : "Unmute the microphone (M)", !hears);
  set("camera", sees ? "camera" : "camera-off", sees ? "Stop camera" : "Start camera", sees ? "Turn the camera off (C)" : "Turn the camera on (C)", !sees);
  set("share", "share", me.share ? "Stop sharing" : "Share screen", me.share ? "Stop sharing the screen" : "Share the screen", me.share !== null);
}
