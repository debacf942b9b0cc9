// The page of a room: it follows /room, and shows the state of the connection.

import { $, icon, idOf, isOn, keep, kept, make, me, request, state, token } from "./common.js";
import { changeDevices, drop, followMutes, goAway, joinAfterReload, label, leave, onGuestChange, openDialog, rejoin, sendNoMore, shareScreen, toggle, useSpeaker } from "./join.js";
import { closeSide, newestMessage, restoreSide, showPeople, takeMessages } from "./people.js";
import { fullScreen, largeTile, onStageChange, showTiles, tiles } from "./stage.js";
import { onConnectionChange, watcher } from "./watch.js";

let audioOn = false;
let answered = performance.now(); // when the room last answered
let failures = 0;
let isFirst = true;
let asked; // the guest that the last request was for
let poll = null; // ends the request that waits
/** A note that replaces the room: left, removed, ended. */
let note = null;

// ---- The room

async function follow() {
  for (;;) {
    let timer;
    try {
      const query = new URLSearchParams();
      const guest = idOf(me.guest?.location);
      if (state.room) {
        if (guest === asked) query.set("after", state.room.revision);
        query.set("messages", newestMessage());
      }
      if (guest) query.set("guest", guest);
      asked = guest;
      const own = poll = new AbortController();
      // The answer comes within 10 s; a lost network reports nothing.
      timer = setTimeout(() => own.abort("late"), 15000);
      const viewer = watcher.id;
      if (viewer) query.set("viewer", viewer);
      const response = await request("GET", `/room?${query}`, undefined, { signal: poll.signal });
      if (response.status === 401) {
        keepNothing();
        close({ title: "This link does not open the room", text: "The link is of an earlier session, or a part of it is missing. Ask for a new link." });
        return;
      }
      if (!response.ok) throw new Error(String(response.status));
      take(await response.json(), viewer);
    } catch (error) {
      if (poll.signal.aborted && poll.signal.reason !== "late") continue;
      // The next answer comes at once: it says that the room is there.
      asked = null;
      // Media that arrive, and too many requests, show that the room is there.
      const isThere = error.message === "429" || (poll.signal.aborted && watcher.pc?.connectionState === "connected");
      if (!isThere) failures += 1;
      if (failures > 4 && !note?.isEnd) close({ title: "The room can’t be reached", text: "The session has ended, or the network is down. The page tries again.", isEnd: true });
      showState();
      await pause(1000);
    } finally {
      clearTimeout(timer);
    }
    if (note?.isEnd) await pause(2000);
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function take(room, viewer) {
  answered = performance.now();
  failures = 0;
  if (room.ended) {
    keepNothing();
    return close({ title: "The session has ended", text: "Thank you for being here. You can close this page.", isEnd: true, status: "Ended" });
  }
  state.room = room;
  if (room.trouble) watcher.trouble = room.trouble;
  if (note?.isEnd) note = null;
  // The room has ended the connection.
  if (viewer && viewer === watcher.id && !room.slots) watcher.again(watcher.pc);
  takeMessages();
  showRecording(room);
  takeCaptions(room);
  followGuest(room);
  show();
  if (!isFirst) return;
  isFirst = false;
  restoreSide();
  if (room.role !== "viewer") joinAfterReload();
}

/** Shows and announces that the session records; everybody may know it before they join. */
let lastRecording = null;
function showRecording({ recording, paused }) {
  const now = recording ? "on" : paused ? "paused" : "off";
  if (now === lastRecording) return;
  const news = { on: "This session is being recorded.", paused: "The recording is paused.", off: "The recording stopped." }[now];
  if (now !== "off" || lastRecording) $("news").textContent = news;
  lastRecording = now;
  const pill = $("recording");
  pill.hidden = $("entry-recording").hidden = now === "off";
  pill.classList.toggle("paused", now === "paused");
  pill.lastChild.textContent = now === "paused" ? "Recording paused" : "Recording";
  $("entry-recording").textContent = now === "paused"
    ? "The recording of this session is paused, and can be resumed. Then your video and audio will be in it."
    : "This session is being recorded. Your video and audio will be in the recording.";
}

/** Shows captions, each for as long as people need to read it; a button hides them. */
let newestCaption = null;
const shownCaptions = [];
function takeCaptions({ captions = [] }) {
  $("captions-toggle").hidden = captions.length === 0;
  for (const { number, speaker, text } of captions) {
    // A page that has just opened does not show what was said before.
    if (newestCaption === null || number <= newestCaption) continue;
    const line = make("p", {}, speaker ? make("b", {}, `${speaker}: `) : null, text);
    shownCaptions.push(line);
    if (shownCaptions.length > 2) shownCaptions.shift();
    setTimeout(() => {
      const place = shownCaptions.indexOf(line);
      if (place >= 0) shownCaptions.splice(place, 1);
      showCaptions();
    }, Math.max(3000, 70 * text.length));
  }
  newestCaption = captions.at(-1)?.number ?? newestCaption ?? 0;
  showCaptions();
}

function showCaptions() {
  const isWanted = $("captions-toggle").getAttribute("aria-pressed") === "true";
  $("captions").hidden = !isWanted || shownCaptions.length === 0;
  $("captions").replaceChildren(...shownCaptions);
}

$("captions-toggle").setAttribute("aria-pressed", kept(localStorage, "captions") ?? true);
$("captions-toggle").onclick = () => {
  const isWanted = $("captions-toggle").getAttribute("aria-pressed") !== "true";
  $("captions-toggle").setAttribute("aria-pressed", isWanted);
  keep(localStorage, "captions", isWanted);
  showCaptions();
};

/** The session has ended: nobody joins again by themselves. */
function keepNothing() {
  if (me.media) leave();
}

function followGuest(room) {
  if (!me.guest) return rejoin();
  if (room.removed) {
    leave();
    note = { title: "The operator has removed you", text: "You can watch the room, or ask to join again.", actions: ["watch", "join"], status: "Removed" };
  } else if (room.you !== undefined) {
    me.isIn = true;
    followMutes(room.mutes);
  } else if (me.isIn) {
    // The room has given this guest up, as after a long outage.
    drop();
    rejoin();
  }
}

/** Shows a note instead of the room. */
function close(next) {
  note = next;
  state.room = null;
  $("recording").hidden = $("captions-toggle").hidden = $("control-open").hidden = true;
  // The next session at this address may record from its start.
  lastRecording = null;
  if ($("entry").open) $("entry").close();
  drop();
  watcher.close();
  show();
}

// ---- What the page shows

function show() {
  const { room } = state;
  document.body.toggleAttribute("data-control", room?.control === true);
  document.body.classList.toggle("joined", me.media !== null);
  document.body.classList.toggle("noted", note !== null);
  if (room) $("title").textContent = room.title ?? "Greenroom";
  if (note || !room) {
    if (note) watcher.close();
    showTiles(new Map());
    showControls(room);
    if (room) showPeople();
    showState();
    return;
  }
  watcher.open();
  const streams = room.streams.filter((stream) => stream.participant === undefined || stream.participant !== room.you);
  watcher.assign(ordered(streams).map((stream) => stream.id));
  const wanted = new Map();
  for (const stream of streams) {
    const guest = room.guests.find((guest) => guest.participant === stream.participant);
    const owner = stream.participant === undefined ? "Host" : stream.name;
    const isShare = stream.kind === "share";
    // The session names each further camera and share.
    const which = stream.participant === undefined && stream.name ? ` (${stream.name})` : "";
    wanted.set(`stream-${stream.id}`, {
      name: (isShare ? `${owner}’s screen` : owner) + which, media: watcher.media(stream.id), stream: stream.id, person: stream.participant,
      isShare, isOwn: stream.participant === undefined, isPinned: room.pinned === stream.id,
      isDark: (!isShare && guest && !guest.camera) || !watcher.media(stream.id),
      initials: guest?.initials ?? "HO", color: guest?.color,
      isMuted: !isShare && guest && !guest.microphone, isSpeaking: !isShare && guest?.speaking, participant: guest?.participant,
    });
  }
  for (const guest of room.guests) {
    const hasCamera = room.streams.some((stream) => stream.participant === guest.participant && stream.kind === "camera");
    if (guest.participant === room.you || hasCamera) continue;
    wanted.set(`guest-${guest.participant}`, { name: guest.name, initials: guest.initials, color: guest.color, isDark: true, isMuted: !guest.microphone, isSpeaking: guest.speaking, participant: guest.participant, person: guest.participant });
  }
  if (me.media) {
    const own = room.guests.find((guest) => guest.participant === room.you);
    wanted.set("you", { name: `${me.name} (you)`, initials: own?.initials, color: own?.color, media: me.media.getVideoTracks().length ? me.media : null, isMirrored: true, isDark: !isOn("video"), isMuted: !isOn("audio"), isSpeaking: own?.speaking });
  }
  sendNoMore(me.guest, room.wanted?.camera, room.wanted?.layers);
  sendNoMore(me.share, room.wanted?.share);
  if (me.share) wanted.set("your-share", { name: "Your screen", media: me.share.media, isShare: true });
  showTiles(wanted);
  showPeople();
  showControls(room);
  showState();
  watcher.wish();
}

function showControls(room) {
  document.querySelector("footer").hidden = !room || note !== null;
  for (const id of ["people-open", "messages-open"]) $(id).hidden = !room || note !== null;
  if (!room || note) closeSide();
  if (!room) return;
  $("join").hidden = room.role === "viewer" || me.media !== null;
  for (const id of ["share", "leave", "devices"]) $(id).hidden = me.media === null;
  for (const [id, kind] of [["microphone", "audio"], ["camera", "video"]]) $(id).hidden = !me.media?.getTracks().some((track) => track.kind === kind);
  if (!navigator.mediaDevices?.getDisplayMedia) $("share").hidden = true;
}

/** The streams that get a slot first: what is large, what is on the screen, shares, the session's own. */
function ordered(streams) {
  const large = largeTile()?.stream;
  const rank = (stream) => {
    if (stream.id === large) return 0;
    const isSeen = tiles.get(`stream-${stream.id}`)?.isSeen ?? true;
    return (isSeen ? 1 : 4) + (stream.kind === "share" ? 0 : stream.participant !== undefined ? 2 : 1);
  };
  return [...streams].sort((left, right) => rank(left) - rank(right));
}

/** The time that media may take, in milliseconds, before the page says why they do not come: see ConnectionTrouble. */
const PATIENCE = 8000;

/** Says where the connection is. */
function showState() {
  const { room } = state;
  const connection = watcher.pc?.connectionState;
  // A request is answered within 10 s; a host that was stopped answers late, when media have come back.
  const isLate = performance.now() - answered > 12000;
  const isBroken = failures > 0 || (connection !== "connected" && (isLate || watcher.wasConnected));
  const isFull = watcher.isFull && !watcher.wasConnected;
  const isBlocked = watcher.since !== null && performance.now() - watcher.since > PATIENCE && !isLate && failures === 0;
  let [status, shown] = ["Live", note];
  if (note) status = note.status ?? "Closed";
  else if (!room) [status, shown] = ["Connecting", { title: "Connecting to the room", text: "The session appears here in a moment.", isWaiting: true }];
  else if (isFull) [status, shown] = ["Full", { title: "The room is full", text: `${watcher.fullReason} The page tries again every 10 s.` }];
  else if (isBlocked) [status, shown] = ["No media", { title: "Video and audio do not get through", text: watcher.trouble ?? "The page waits for the reason.", isWaiting: true }];
  else if (isBroken) status = "Reconnecting";
  else if (connection !== "connected") status = "Connecting";
  if (!shown && room && tiles.size === 0) shown = { title: "The session has no video", text: "Turn the audio on to hear it." };
  const isLive = status === "Live";
  if ($("status-text").textContent !== status) $("status-text").textContent = status;
  $("status").classList.toggle("live", isLive);
  document.title = `${isLive ? "" : `${status}: `}${$("title").textContent}`;
  const banner = status === "Reconnecting" ? "The connection is interrupted. The page reconnects by itself."
    : room?.draining && !note ? "This room is closing. It accepts no new guests and ends when the last guest leaves." : "";
  if ($("banner").textContent !== banner) $("banner").textContent = banner;
  $("banner").hidden = !banner;
  $("empty").hidden = !shown;
  $("tiles").hidden = Boolean(shown);
  if (shown) {
    $("empty-title").textContent = shown.title;
    $("empty-text").textContent = shown.text;
    $("empty").classList.toggle("waiting", Boolean(shown.isWaiting));
    for (const action of ["watch", "join"]) $(`empty-${action}`).hidden = !shown.actions?.includes(action);
  }
  showNetwork();
}

/** Says what the network carries of the large video, if that is less than is shown. */
function showNetwork() {
  const all = state.room?.slots ?? [];
  const large = largeTile()?.stream;
  const slot = all.find((slot) => slot.lowered && slot.stream === large) ?? all.find((slot) => slot.lowered);
  $("network").hidden = !slot || note !== null;
  if (slot) $("network").textContent = slot.lines ? `Network: ${slot.lines}p of ${slot.of}p` : "Network: video paused";
}

// A poll that gets no answer changes nothing by itself.
setInterval(showState, 1000);
onConnectionChange(() => state.room && show());
onGuestChange((change, text) => {
  if (change === "joined") {
    note = null;
    poll?.abort();
    setAudio(true);
  }
  if (change === "left" && state.room && !note) {
    note = { title: "You have left the room", text: text ?? "You can watch the room, or join again.", actions: ["watch", "join"], status: "Left" };
  }
  if (state.room) show();
  if (change === "left" && !$("empty-join").hidden) $("empty-join").focus();
});
let soon;
onStageChange(() => {
  clearTimeout(soon);
  soon = setTimeout(() => {
    if (!state.room || note) return;
    watcher.assign(ordered(state.room.streams.filter((stream) => stream.participant === undefined || stream.participant !== state.room.you)).map((stream) => stream.id));
    show();
  }, 150);
});

// ---- Audio

function setAudio(on) {
  audioOn = on;
  const button = $("audio");
  button.classList.toggle("primary", !on);
  button.classList.toggle("quiet-button", on);
  button.replaceChildren(icon(on ? "audio" : "silent"), make("span", { textContent: on ? "Turn audio off" : "Turn audio on" }));
  $("audio-out").muted = !on;
  useSpeaker($("audio-out"));
  if (on) $("audio-out").play().catch(() => {});
}

// ---- The page

$("audio").onclick = () => setAudio(!audioOn);
$("microphone").onclick = () => toggle("audio");
$("camera").onclick = () => toggle("video");
$("share").onclick = shareScreen;
$("devices").onclick = changeDevices;
$("leave").onclick = () => leave();
$("join").onclick = $("empty-join").onclick = () => openDialog();
$("empty-watch").onclick = () => {
  note = null;
  show();
  $("audio").focus();
};
$("keys").checked = kept(localStorage, "keys") ?? true;
$("keys").onchange = () => keep(localStorage, "keys", $("keys").checked);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" && !$("keys").checked) return;
  if (event.repeat || event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const press = (id) => $(id).getClientRects().length && $(id).click();
  const keys = {
    a: () => press("audio"), m: () => press("microphone"), c: () => press("camera"),
    g: () => press("layout"), p: () => press("people-open"), t: () => press("messages-open"), o: () => press("control-open"),
    f: () => fullScreen(largeTile() ?? [...tiles.values()][0]),
    escape: closeSide,
  };
  const call = keys[event.key.toLowerCase()];
  if (!call) return;
  // A field that the key opens does not receive the letter.
  event.preventDefault();
  call();
});
addEventListener("hashchange", () => location.reload());
addEventListener("pagehide", () => {
  watcher.drop(true);
  goAway();
});
addEventListener("pageshow", (event) => event.persisted && location.reload());

label();
if (token) {
  show();
  follow();
} else {
  close({ title: "This is a room of Greenroom", text: "Open it with the whole link: it ends with # and a word." });
}
