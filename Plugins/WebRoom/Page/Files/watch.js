// The connection through which this page watches and hears.

import { $, ask, idOf, request, state } from "./common.js";
import { hearYourself } from "./join.js";
import { linesOf, tiles } from "./stage.js";

let changed = () => {};
/** Calls back when the connection has changed. */
export function onConnectionChange(call) { changed = call; }

/** Sends an offer; returns where the connection is, to DELETE it. */
export async function negotiate(pc, path) {
  await pc.setLocalDescription();
  await gathered(pc);
  const later = follow(pc);
  // The room sends stereo on request only.
  const offer = pc.localDescription.sdp.replace(/useinbandfec=1/g, "useinbandfec=1;stereo=1");
  const response = await request("POST", path, offer);
  const text = await response.text();
  if (response.status !== 201) throw Object.assign(new Error(text.trim()), { status: response.status });
  const location = response.headers.get("location");
  if (pc.signalingState === "closed") {
    request("DELETE", location).catch(() => {});
    throw new Error("closed");
  }
  await pc.setRemoteDescription({ type: "answer", sdp: text });
  later(location);
  return location;
}

/** Sends the candidates that the offer does not have yet, as soon as it is known where to. */
function follow(pc) {
  const waiting = [];
  let location = null;
  const send = (candidates) => {
    const name = pc.localDescription.sdp.match(/a=ice-ufrag:(\S+)/)?.[1];
    const lines = candidates.map(({ candidate, sdpMid }) => `m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:${sdpMid}\r\na=${candidate}\r\n`);
    request("PATCH", location, `a=ice-ufrag:${name}\r\n${lines.join("")}`, { type: "application/trickle-ice-sdpfrag" }).catch(() => {});
  };
  pc.addEventListener("icecandidate", ({ candidate }) => {
    if (!candidate?.candidate) return;
    if (location) send([candidate]);
    else waiting.push(candidate);
  });
  return (place) => {
    location = place;
    if (waiting.length) send(waiting);
  };
}

/** The configuration of this page's connections. */
export const configuration = () => ({ bundlePolicy: "max-bundle", iceServers: state.room?.ice ?? [] });

function gathered(pc) {
  if (pc.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    setTimeout(resolve, 500);
    pc.addEventListener("icegatheringstatechange", () => pc.iceGatheringState === "complete" && resolve());
  });
}

/** Offers one codec, if the browser has it, and the formats that repair its losses. */
export function prefer(transceiver, codec) {
  const all = RTCRtpReceiver.getCapabilities("video")?.codecs ?? [];
  const found = all.filter(({ mimeType }) => mimeType === codec || mimeType === "video/rtx");
  if (found.some(({ mimeType }) => mimeType === codec)) transceiver.setCodecPreferences?.(found);
}

/** The most videos at once; a tile without a video shows a name. */
const SLOTS = 8;

/** The connection through which this page watches and hears: slots for video, and the audio. */
export const watcher = {
  pc: null, location: null, tries: 0, isClosed: true,
  // Whether media have come before, and whether the room has no place.
  wasConnected: false, isFull: false,
  // The room's message about that.
  fullReason: "",
  // Since when it waits for media, and why they do not come.
  since: null, trouble: null,
  // The media of each slot, and the number of the stream that it has.
  slots: [],
  wished: "", wishTimer: null, isWishing: false,
  // The volumes in percent that this page has set, by participant; the session's own audio is "host".
  volumes: new Map(), volumeTimer: null,

  get id() { return idOf(this.location); },

  open() {
    if (!this.isClosed) return;
    this.isClosed = false;
    this.connect();
  },

  async connect() {
    const pc = new RTCPeerConnection(configuration());
    this.pc = pc;
    this.since ??= performance.now();
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
        Object.assign(this, { tries: 0, wasConnected: true, isFull: false, since: null, trouble: null });
        changed();
      }
      if (pc.connectionState === "failed" || pc.connectionState === "closed") this.again(pc);
      // After a short outage, the network returns to the same connection.
      if (pc.connectionState === "disconnected") changed();
      if (pc.connectionState === "disconnected") setTimeout(() => pc.connectionState === "disconnected" && this.again(pc), 11000);
    };
    changed();
    try {
      this.location = await negotiate(pc, "/whep/slots");
      this.wish();
      if (this.volumes.size > 0) this.sendVolumes();
      hearYourself();
    } catch (error) {
      this.isFull = error.status === 503;
      this.fullReason = error.message;
      this.again(pc);
    }
  },

  /** Connects again, later each time. */
  again(pc) {
    if (this.isClosed || this.pc !== pc) return;
    this.drop();
    this.tries += 1;
    changed();
    setTimeout(() => this.isClosed || this.pc || this.connect(), this.isFull ? 10000 : Math.min(500 * 2 ** this.tries, 8000));
  },

  drop(keepalive = false) {
    this.pc?.close();
    this.pc = null;
    if (this.location) request("DELETE", this.location, undefined, { keepalive }).catch(() => {});
    this.location = null;
  },

  close() {
    this.isClosed = true;
    this.since = this.trouble = null;
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

  /** Sets how loud this page hears a person. */
  setVolume(person, percent) {
    this.volumes.set(person, percent);
    clearTimeout(this.volumeTimer);
    this.volumeTimer = setTimeout(() => this.sendVolumes(), 150);
  },

  sendVolumes() {
    if (!this.location) return;
    const volumes = [...this.volumes].map(([person, percent]) => ({ participant: person === "host" ? null : person, percent }));
    ask("PUT", `${this.location}/volumes`, JSON.stringify(volumes));
  },

  /** Tells the room the stream of each slot and the lines of its tile. */
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
