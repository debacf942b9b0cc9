// The page of a room. It speaks WHEP to watch, WHIP to join, and asks /room what there is.

const $ = (id) => document.getElementById(id);
const token = decodeURIComponent(location.hash.slice(1));

let room = null;            // what /room said last
let audioOn = false;
let picked = null;          // the tile that the user has put first
const tiles = new Map();    // by key
// Whether the room has said that this page's guest is in it.
const me = { guest: null, share: null, name: "", isIn: false };

// ---- Requests

function request(method, path, body, extra = {}) {
  const headers = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers["content-type"] = body.startsWith("v=") ? "application/sdp" : "application/json";
  return fetch(path, { method, headers, body, cache: "no-store", ...extra });
}

/** Sends an offer; returns where the connection is, to DELETE it. */
async function negotiate(pc, path) {
  await pc.setLocalDescription();
  await gathered(pc);
  // Stereo comes to those alone who ask for it.
  const offer = pc.localDescription.sdp.replace(/useinbandfec=1/g, "useinbandfec=1;stereo=1");
  const response = await request("POST", path, offer);
  const text = await response.text();
  if (response.status !== 201) throw Object.assign(new Error(text.trim()), { status: response.status });
  const location = response.headers.get("location");
  if (pc.signalingState === "closed") {
    request("DELETE", location);
    throw new Error("closed");
  }
  await pc.setRemoteDescription({ type: "answer", sdp: text });
  return location;
}

function gathered(pc) {
  if (pc.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    setTimeout(resolve, 500);
    pc.addEventListener("icegatheringstatechange", () => pc.iceGatheringState === "complete" && resolve());
  });
}

/** Offers one codec, if the browser has it, and what mends its losses. */
function prefer(transceiver, codec) {
  const all = RTCRtpReceiver.getCapabilities("video")?.codecs ?? [];
  const found = all.filter(({ mimeType }) => mimeType === codec || mimeType === "video/rtx");
  if (found.some(({ mimeType }) => mimeType === codec)) transceiver.setCodecPreferences?.(found);
}

const idOf = (location) => location?.split("/").pop();

const stopTracks = (media) => media?.getTracks().forEach((track) => track.stop());

// ---- Watching

/** So many videos at once: those that are left out show a name alone. */
const SLOTS = 8;

/** The connection through which this page watches and hears: slots for video, and the audio. */
const watcher = {
  pc: null, location: null, tries: 0, isClosed: true,
  // The media of each slot, and the number of the stream that it has.
  slots: [],
  wished: "", wishTimer: null, isWishing: false,

  get id() { return idOf(this.location); },

  open() {
    if (!this.isClosed) return;
    this.isClosed = false;
    this.connect();
  },

  async connect() {
    const pc = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
    this.pc = pc;
    this.wished = "";
    const streams = this.slots.map((slot) => slot.stream);
    this.slots = Array.from({ length: SLOTS }, (_, slot) => {
      const transceiver = pc.addTransceiver("video", { direction: "recvonly" });
      prefer(transceiver, "video/VP8");
      return { stream: streams[slot] ?? null, media: new MediaStream([transceiver.receiver.track]) };
    });
    const { receiver } = pc.addTransceiver("audio", { direction: "recvonly" });
    $("audio-out").srcObject = new MediaStream([receiver.track]);
    pc.onconnectionstatechange = () => {
      if (pc.connectionState === "connected") {
        this.tries = 0;
        if (room) show();
      }
      if (pc.connectionState === "failed" || pc.connectionState === "closed") this.again(pc);
      // A network that has gone for a moment comes back to the same connection.
      if (pc.connectionState === "disconnected") setTimeout(() => pc.connectionState === "disconnected" && this.again(pc), 11000);
    };
    if (room) show();
    try {
      this.location = await negotiate(pc, "/whep/slots");
      this.wish();
      hearYourself();
    } catch (error) {
      if (error.status === 503) toast(error.message);
      this.again(pc);
    }
  },

  /** Connects again, later each time. */
  again(pc) {
    if (this.isClosed || this.pc !== pc) return;
    this.drop();
    this.tries += 1;
    if (room) show();
    if (this.tries === 3) toast("Video and audio do not get through to this browser. It tries on.");
    setTimeout(() => this.isClosed || this.pc || this.connect(), Math.min(500 * 2 ** this.tries, 8000));
  },

  drop(keepalive = false) {
    this.pc?.close();
    this.pc = null;
    if (this.location) request("DELETE", this.location, undefined, { keepalive }).catch(() => {});
    this.location = null;
  },

  close() {
    this.isClosed = true;
    this.drop();
    this.slots = [];
  },

  /** Gives streams slots, those first that are before others; the slots that they have stay theirs. */
  assign(streams) {
    const shown = streams.slice(0, SLOTS);
    for (const slot of this.slots) if (!shown.includes(slot.stream)) slot.stream = null;
    for (const stream of shown) {
      if (this.slots.some((slot) => slot.stream === stream)) continue;
      const free = this.slots.find((slot) => slot.stream === null);
      if (free) free.stream = stream;
    }
  },

  media(stream) { return this.slots.find((slot) => slot.stream === stream)?.media; },

  /** Tells the room what each slot is to have, and how large it is shown. */
  wish() {
    if (this.wishTimer || !this.location) return;
    this.wishTimer = setTimeout(() => {
      this.wishTimer = null;
      this.sendWish();
    }, this.wished ? 200 : 0);
  },

  async sendWish() {
    const wishes = this.slots.flatMap(({ stream }, slot) => (stream === null ? [] : [{ slot, stream, lines: linesOf(tiles.get(`stream-${stream}`)) }]));
    const text = JSON.stringify(wishes);
    if (!this.location || this.isWishing || text === this.wished) return;
    const pc = this.pc;
    this.isWishing = true;
    try {
      const response = await request("PUT", `${this.location}/slots`, text);
      if (response.ok) this.wished = text;
      else if (response.status === 404) this.again(pc);
      else throw new Error();
    } catch {
      setTimeout(() => this.wish(), 1000);
    }
    this.isWishing = false;
    this.wish();
  },
};

/** The lines in which a tile shows its video, of the screen's own. */
function linesOf(tile) {
  if (!tile) return 0;
  const { clientWidth, clientHeight } = tile.element;
  const lines = Math.min(clientHeight, (clientWidth * 9) / 16) * (window.devicePixelRatio || 1);
  // Small changes are none.
  return Math.min(Math.ceil(lines / 60) * 60, 4320);
}

const sizes = new ResizeObserver(() => watcher.wish());

// ---- What there is

async function follow() {
  for (let failures = 0; ; ) {
    try {
      const query = new URLSearchParams();
      if (room) query.set("after", room.revision);
      if (me.guest) query.set("guest", idOf(me.guest.location));
      const viewer = watcher.id;
      if (viewer) query.set("viewer", viewer);
      // The answer comes within 10 s; a network that has gone says nothing.
      const response = await request("GET", `/room?${query}`, undefined, { signal: AbortSignal.timeout(15000) });
      if (response.status === 401) return closed("This link does not open the room", "It is of an earlier session, or a part of it is missing. Ask for a new one.");
      if (!response.ok) throw new Error(String(response.status));
      room = await response.json();
      failures = 0;
      // The room has given the connection up.
      if (viewer && viewer === watcher.id && !room.slots) watcher.again(watcher.pc);
      show();
    } catch (error) {
      if (error.message !== "429") failures += 1; // Too many requests: the room is there.
      if (failures > 1) {
        status("Reconnecting");
        if (failures > 4) closed("The room can’t be reached", "The session has ended, or the connection is broken. If it comes back, it appears here.");
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

function closed(title, text) {
  // What leaves now must not show the room again.
  room = null;
  if (me.guest) leave();
  if ($("entry").open) $("entry").close();
  watcher.close();
  for (const key of tiles.keys()) removeTile(key);
  ended(title, text);
}

function ended(title, text) {
  status("Closed");
  $("empty-title").textContent = title;
  $("empty-text").textContent = text;
  $("empty").hidden = false;
  $("people").hidden = true;
  document.querySelector("footer").hidden = true;
  arrange();
}

function status(text, isLive = false) {
  $("status-text").textContent = text;
  $("status").classList.toggle("live", isLive);
}

/** Makes the page what the room is. */
function show() {
  if (me.guest && room.you) me.isIn = true;
  else if (me.guest && me.isIn) {
    toast("You are no longer in the room. You may join again.");
    return leave();
  }
  if (watcher.tries < 3) status("Live", true);
  else status("Connecting");
  document.body.toggleAttribute("data-control", room.control === true);
  document.querySelector("footer").hidden = false;
  watcher.open();
  const streams = room.streams.filter((stream) => !stream.participant || stream.participant !== room.you);
  watcher.assign(ordered(streams).map((stream) => stream.id));
  const wanted = new Map();
  for (const stream of streams) {
    const guest = room.guests.find((guest) => guest.participant === stream.participant);
    wanted.set(`stream-${stream.id}`, {
      name: stream.name ? (stream.kind === "share" ? `${stream.name}’s screen` : stream.name) : stream.kind === "share" ? "Share" : "Camera",
      media: watcher.media(stream.id), stream: stream.id,
      isShare: stream.kind === "share", isOwn: !stream.participant,
      isDark: (stream.kind === "camera" && guest && !guest.camera) || !watcher.media(stream.id),
      isMuted: stream.kind === "camera" && guest && !guest.microphone, participant: guest?.participant,
    });
  }
  for (const guest of room.guests) {
    const hasCamera = room.streams.some((stream) => stream.participant === guest.participant && stream.kind === "camera");
    if (guest.participant === room.you || hasCamera) continue;
    wanted.set(`guest-${guest.participant}`, { name: guest.name, isDark: true, isMuted: !guest.microphone, participant: guest.participant });
  }
  if (me.guest) {
    wanted.set("you", { name: `${me.name} (you)`, media: me.guest.media, isMirrored: true, isDark: !isOn("video"), isMuted: !isOn("audio") });
  }
  sendNoMore(me.guest, room.wanted?.camera);
  sendNoMore(me.share, room.wanted?.share);
  if (me.share) wanted.set("your-share", { name: "Your screen", media: me.share.media, isShare: true });

  for (const key of tiles.keys()) {
    if (wanted.has(key)) continue;
    removeTile(key);
    if (picked === key) picked = null;
  }
  for (const [key, facts] of wanted) {
    if (!tiles.has(key)) tiles.set(key, makeTile(key));
    fill(tiles.get(key), facts);
  }
  const people = room.guests.length;
  $("people").hidden = people === 0;
  $("people-text").textContent = people === 1 ? "1 guest" : `${people} guests`;
  $("people").title = room.guests.map((guest) => guest.name).join(", ");
  $("empty").hidden = tiles.size > 0;
  if (tiles.size === 0) {
    $("empty-title").textContent = "The session has no video";
    $("empty-text").textContent = "Turn the audio on to hear it.";
  }
  $("join").hidden = room.role === "viewer" || me.guest !== null;
  for (const id of ["microphone", "camera", "share", "leave"]) $(id).hidden = me.guest === null;
  if (!navigator.mediaDevices?.getDisplayMedia) $("share").hidden = true;
  document.body.classList.toggle("joined", me.guest !== null);
  arrange();
  showNetwork();
  watcher.wish();
}

/** The streams that get a slot first: what is large, shares, the session's own. */
function ordered(streams) {
  const rank = (stream) => (picked === `stream-${stream.id}` ? 0 : stream.kind === "share" ? 1 : stream.participant ? 3 : 2);
  return [...streams].sort((left, right) => rank(left) - rank(right));
}

/** Says what the network carries of the large video, if that is less than is shown. */
function showNetwork() {
  const large = [...tiles.values()].find((tile) => tile.element.parentElement === $("main"));
  const all = room?.slots ?? [];
  const slot = all.find((slot) => slot.lowered && slot.stream === large?.stream) ?? all.find((slot) => slot.lowered);
  networkLine.hidden = !slot;
  if (slot) networkLine.textContent = slot.lines ? `Network: ${slot.lines}p of ${slot.of}p` : "Network: no video";
}

const networkLine = make("p", "pill quiet");
networkLine.id = "network";
networkLine.hidden = true;
networkLine.title = "The network to this page is too slow for all of the video.";
$("people").before(networkLine);

// ---- Tiles

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

function makeTile(key) {
  const video = make("video", "");
  Object.assign(video, { autoplay: true, muted: true, playsInline: true, disablePictureInPicture: true });
  const name = make("span", "");
  const micOff = icon("mic-off");
  const full = make("button", "", icon("full"));
  const remove = make("button", "", icon("remove"));
  const pick = make("button", "pick");
  const face = make("div", "face");
  for (const button of [full, remove, pick]) button.type = "button";
  const element = make("article", "tile waiting", video, face, pick, make("div", "label", name, micOff), make("div", "tools", full, remove));
  const tile = { key, element, video, name, micOff, full, remove, pick, face };
  video.onresize = video.onplaying = () => element.classList.toggle("waiting", !video.videoWidth);
  full.onclick = () => fullScreen(tile);
  element.ondblclick = () => fullScreen(tile);
  pick.onclick = () => { picked = key; show(); tile.full.focus(); };
  remove.onclick = () => request("DELETE", `/participants/${tile.participant}`).then((response) => response.ok || response.text().then(toast));
  sizes.observe(element);
  return tile;
}

function removeTile(key) {
  const { element } = tiles.get(key);
  sizes.unobserve(element);
  element.remove();
  tiles.delete(key);
}

function fill(tile, facts) {
  Object.assign(tile, { isShare: facts.isShare, isOwn: facts.isOwn, participant: facts.participant, stream: facts.stream });
  tile.name.textContent = facts.name;
  tile.face.textContent = [...facts.name][0]?.toUpperCase() ?? "";
  tile.element.setAttribute("aria-label", facts.name);
  tile.full.title = "Full screen (F)";
  tile.full.setAttribute("aria-label", `Show ${facts.name} on the full screen`);
  tile.pick.setAttribute("aria-label", `Make ${facts.name} large`);
  tile.remove.title = "Remove from the room";
  tile.remove.setAttribute("aria-label", `Remove ${facts.name} from the room`);
  tile.remove.hidden = !(room.role === "operator" && facts.participant) || facts.isShare;
  tile.micOff.toggleAttribute("hidden", !facts.isMuted);
  tile.element.classList.toggle("dark", Boolean(facts.isDark));
  tile.element.classList.toggle("mirrored", Boolean(facts.isMirrored));
  if (tile.video.srcObject !== (facts.media ?? null)) {
    tile.element.classList.add("waiting");
    tile.video.srcObject = facts.media ?? null;
  }
}

/** Puts one tile first: what the user has picked, a share, the camera, anybody. */
function arrange() {
  const all = [...tiles.values()];
  const first = tiles.get(picked) ?? all.find((tile) => tile.isShare) ?? all.find((tile) => tile.isOwn) ?? all[0];
  // A video that moves in the document stops for a moment: only what must moves.
  for (const tile of all) {
    const place = tile === first ? $("main") : $("strip");
    if (tile.element.parentElement !== place) {
      place.append(tile.element);
      tile.video.play().catch(() => {});
    }
  }
  $("main").hidden = !first;
  $("stage").classList.toggle("with-strip", all.length > 1);
}

function fullScreen(tile) {
  if (document.fullscreenElement) document.exitFullscreen();
  else (tile.element.requestFullscreen?.() ?? Promise.resolve(tile.video.webkitEnterFullscreen?.())).catch(() => {});
}

// ---- Audio

function setAudio(on) {
  audioOn = on;
  const button = $("audio");
  button.classList.toggle("primary", !on);
  button.classList.toggle("quiet-button", on);
  button.replaceChildren(icon(on ? "audio" : "silent"), make("span", "", on ? "Audio on" : "Turn audio on"));
  button.setAttribute("aria-pressed", String(on));
  $("audio-out").muted = !on;
  if (on) $("audio-out").play().catch(() => {});
}

// ---- Joining

const isOn = (kind) => me.guest?.media.getTracks().some((track) => track.kind === kind && track.enabled) ?? false;
let previewed = null;
let previews = 0;

async function preview() {
  const number = ++previews;
  stopTracks(previewed);
  previewed = null;
  $("preview").srcObject = null;
  $("entry-error").hidden = true;
  const [video, audio] = [$("with-camera").checked, $("with-microphone").checked];
  $("enter").disabled = !video && !audio;
  $("preview-text").textContent = video ? "Asking for your camera" : "Your camera is off";
  if (!video && !audio) return;
  try {
    if (!navigator.mediaDevices) throw new Error("A browser gives camera and microphone to pages over HTTPS or on this machine alone.");
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: audio && { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
      video: video && { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30, max: 30 } },
    });
    // An answer to an earlier question has what is not wanted any more.
    if (!$("entry").open || number !== previews) return stopTracks(stream);
    previewed = stream;
    $("preview").srcObject = video ? previewed : null;
  } catch (error) {
    if (number !== previews) return;
    $("entry-error").textContent = { NotAllowedError: "The browser does not allow this page to use them. Allow it beside the address, or join with one of the two.", NotFoundError: "There is no such device. Join with one of the two.", NotReadableError: "Another program uses the device." }[error.name] ?? error.message;
    $("entry-error").hidden = false;
    $("preview-text").textContent = "Your camera is off";
    $("enter").disabled = true;
  }
}

async function publish(media, path, { onLost }) {
  const pc = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
  for (const track of media.getTracks()) {
    const transceiver = pc.addTransceiver(track, { direction: "sendonly", streams: [media] });
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

/** Sends video in the size that the session takes, or in its own if that is smaller. */
function sendNoMore(connection, size) {
  if (!connection || !size) return;
  for (const sender of connection.pc.getSenders()) {
    if (sender.track?.kind !== "video") continue;
    const { width, height } = sender.track.getSettings();
    const scale = Math.max(1, width / size.width || 1, height / size.height || 1);
    const parameters = sender.getParameters();
    if (!parameters.encodings?.length || parameters.encodings.every((encoding) => (encoding.scaleResolutionDownBy ?? 1) === scale)) continue;
    for (const encoding of parameters.encodings) encoding.scaleResolutionDownBy = scale;
    sender.setParameters(parameters).catch(() => {});
  }
}

async function enter() {
  if (!previewed) return;
  $("enter").disabled = true;
  const media = previewed;
  const name = $("name").value.trim();
  try {
    const lost = () => { if (me.guest?.media === media) { toast("The connection was lost. You may join again."); leave(); } };
    const guest = await publish(media, `/whip?name=${encodeURIComponent(name)}&viewer=${encodeURIComponent(watcher.id ?? "")}`, { onLost: lost });
    // They thought better of it meanwhile.
    if (!$("entry").open) return end(guest);
    Object.assign(me, { guest, name, isIn: false });
    previewed = null;
    localStorage.setItem("greenroom-name", name);
    $("entry").close();
    setAudio(true);
    label();
    show();
    $("microphone").focus();
  } catch (error) {
    $("entry-error").textContent = error.message;
    $("entry-error").hidden = false;
    $("enter").disabled = false;
  }
}

/** Lets the room leave this guest out of what the page hears. */
function hearYourself() {
  if (!me.guest) return;
  if (watcher.id) request("PATCH", `${me.guest.location}?viewer=${watcher.id}`).catch(() => {});
}

function end(connection, keepalive = false) {
  if (!connection) return;
  connection.pc.close();
  stopTracks(connection.media);
  request("DELETE", connection.location, undefined, { keepalive }).catch(() => {});
}

function leave() {
  end(me.share);
  end(me.guest);
  me.guest = me.share = null;
  me.isIn = false;
  label();
  if (!room) return;
  const hadFocus = $("leave") === document.activeElement;
  delete room.you;
  show();
  if (hadFocus) $("join").focus();
}

async function shareScreen() {
  if (me.share) {
    end(me.share);
    me.share = null;
  } else {
    let media;
    try {
      media = await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { max: 30 } }, audio: true });
    } catch {
      return;
    }
    const id = idOf(me.guest.location);
    const lost = () => { if (me.share?.media === media) { end(me.share); me.share = null; label(); show(); } };
    try {
      me.share = await publish(media, `/whip?share-of=${id}`, { onLost: lost });
      media.getVideoTracks()[0].onended = lost;
    } catch (error) {
      stopTracks(media);
      toast(error.message);
    }
  }
  label();
  show();
}

function toggle(kind) {
  const tracks = me.guest?.media.getTracks().filter((track) => track.kind === kind) ?? [];
  if (!tracks.length) return toast(kind === "audio" ? "You joined without a microphone." : "You joined without a camera.");
  const on = !tracks[0].enabled;
  tracks.forEach((track) => { track.enabled = on; });
  request("PATCH", `${me.guest.location}?${kind === "audio" ? "microphone" : "camera"}=${on ? "on" : "off"}`).catch(() => {});
  label();
  show();
}

/** Makes the buttons say what they do now. */
function label() {
  const set = (id, name, text, title, off) => {
    $(id).replaceChildren(icon(name), make("span", "", text));
    $(id).title = title;
    $(id).setAttribute("aria-label", title);
    $(id).classList.toggle("off", off);
  };
  const [hears, sees] = [isOn("audio"), isOn("video")];
  set("microphone", hears ? "mic" : "mic-off", hears ? "Mute" : "Unmute", hears ? "Mute the microphone (M)" : "Unmute the microphone (M)", !hears);
  set("camera", sees ? "camera" : "camera-off", "Camera", sees ? "Turn the camera off (C)" : "Turn the camera on (C)", !sees);
  set("share", "share", me.share ? "Stop" : "Share", me.share ? "Stop sharing the screen" : "Share the screen", me.share !== null);
}

// ---- The page

let toastTimer;
function toast(text) {
  $("toast").textContent = text;
  $("toast").hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { $("toast").hidden = true; }, 5000);
}

$("audio").onclick = () => setAudio(!audioOn);
$("microphone").onclick = () => toggle("audio");
$("camera").onclick = () => toggle("video");
$("share").onclick = shareScreen;
$("leave").onclick = leave;
$("join").onclick = () => {
  $("name").value = localStorage.getItem("greenroom-name") ?? "";
  $("entry").showModal();
  $("name").focus();
  preview();
};
$("with-camera").onchange = $("with-microphone").onchange = preview;
$("cancel").onclick = () => $("entry").close();
$("entry").onclose = () => {
  stopTracks(previewed);
  previewed = null;
  $("preview").srcObject = null;
};
$("entry-form").onsubmit = (event) => { event.preventDefault(); enter(); };
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.target.closest("input, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = {
    a: () => setAudio(!audioOn),
    m: () => me.guest && toggle("audio"),
    c: () => me.guest && toggle("video"),
    f: () => { const tile = [...tiles.values()].find((tile) => tile.element.parentElement === $("main")); if (tile) fullScreen(tile); },
  };
  keys[event.key.toLowerCase()]?.();
});
addEventListener("hashchange", () => location.reload());
addEventListener("pagehide", () => {
  watcher.drop(true);
  end(me.share, true);
  end(me.guest, true);
});
addEventListener("pageshow", (event) => event.persisted && location.reload());

if (token) follow();
else ended("This is a room of Greenroom", "Open it with the whole link: it ends with # and a word.");
