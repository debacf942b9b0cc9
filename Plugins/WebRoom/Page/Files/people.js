// The side panel: people, messages, and for operators the control of the session (control.js).

import { $, ask, icon, idOf, keep, kept, make, me, state, toast, token } from "./common.js";
import { watcher } from "./watch.js";

const TITLES = { people: "People", messages: "Messages", control: "Session" };
const openers = { people: $("people-open"), messages: $("messages-open"), control: $("control-open") };
const watchers = [];
let view = null;
let unread = 0;
let newest = 0;

/** Calls back with the view that opens: people, messages, control; null when the panel closes. */
export const onView = (call) => watchers.push(call);

export function openSide(next, hasFocus = true) {
  const before = view;
  view = view === next ? null : next;
  const side = $("side");
  side.hidden = view === null;
  document.body.classList.toggle("has-side", view !== null);
  for (const [name, button] of Object.entries(openers)) button.setAttribute("aria-expanded", String(name === view));
  keep(sessionStorage, "side", view);
  if (view) {
    $("side-title").textContent = TITLES[view];
    side.setAttribute("aria-label", TITLES[view]);
    $("people").hidden = view === "messages";
    $("messages").hidden = view !== "messages";
    $("control").hidden = view !== "control";
    $("people-title").hidden = view !== "control";
    if (view === "messages") {
      unread = 0;
      showUnread();
      $("message-log").scrollTop = $("message-log").scrollHeight;
    }
    if (hasFocus) (view === "messages" && !$("message-form").hidden ? $("message") : $("side-close")).focus();
  } else if (hasFocus) {
    openers[before]?.focus();
  }
  for (const call of watchers) call(view);
}

export const closeSide = () => view && openSide(view);
for (const [name, button] of Object.entries(openers)) button.onclick = () => openSide(name);
$("side-close").onclick = closeSide;
// The page has its own keys, which do not apply to text and choices in the panel.
$("side").addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeSide();
  event.stopPropagation();
});

/** Opens the panel that was open before a reload. */
export function restoreSide() {
  const before = kept(sessionStorage, "side");
  if (view === null && before in openers && !openers[before].hidden) openSide(before, false);
}

// ---- People

const rows = new Map(); // by key

function makeRow(key) {
  const name = make("span", { className: "name" });
  const facts = make("span", { className: "facts quiet" });
  const volume = make("input", { type: "range", min: "0", max: "200", step: "10", value: String(watcher.volumes.get(key) ?? 100) });
  const button = (picture) => make("button", { type: "button", className: "round" }, icon(picture));
  const [mute, pin, remove] = ["mic-off", "pin", "remove"].map(button);
  return { name, facts, volume, mute, pin, remove, element: make("li", {}, make("div", { className: "who" }, name, facts, volume), mute, pin, remove) };
}

function fillRow(row, person) {
  const isOperator = state.room.role === "operator";
  row.name.textContent = person.name;
  const words = person.facts.join(", ");
  if (row.facts.textContent !== words) row.facts.textContent = words;
  row.volume.hidden = person.participant !== undefined && person.participant === state.room.you;
  row.volume.title = `Volume of ${person.plain ?? person.name} on this page`;
  row.volume.setAttribute("aria-label", row.volume.title);
  row.volume.setAttribute("aria-valuetext", `${row.volume.value} %`);
  row.volume.oninput = () => {
    row.volume.setAttribute("aria-valuetext", `${row.volume.value} %`);
    watcher.setVolume(person.key, Number(row.volume.value));
  };
  const set = (button, text, isShown, action) => {
    button.title = text;
    button.setAttribute("aria-label", text);
    button.hidden = !isOperator || !isShown;
    button.onclick = action;
  };
  set(row.mute, `Mute ${person.name}`, person.hasMicrophone, () => ask("PATCH", `/participants/${person.participant}?microphone=off`));
  const isPinned = person.stream !== undefined && person.stream === state.room.pinned;
  set(row.pin, isPinned ? `Unpin ${person.name} for all` : `Pin ${person.name} for all`, person.stream !== undefined, () => pinForAll(isPinned ? null : person.stream));
  row.pin.setAttribute("aria-pressed", String(isPinned));
  set(row.remove, `Remove ${person.name}`, person.participant !== undefined, () => confirmRemoval(person.participant, person.plain));
}

/** Updates the list of people. */
export function showPeople() {
  const { room } = state;
  const streamOf = (participant, kind) => room.streams.find((stream) => stream.participant === participant && stream.kind === kind)?.id;
  const people = [];
  if (room.streams.some((stream) => stream.participant === undefined)) {
    people.push({ key: "host", name: "Host", facts: streamOf(undefined, "share") === undefined ? [] : ["sharing a screen"], stream: streamOf(undefined, "camera") ?? streamOf(undefined, "share") });
  }
  for (const guest of room.guests) {
    const facts = [];
    if (guest.speaking) facts.push("speaking");
    if (streamOf(guest.participant, "share") !== undefined) facts.push("sharing a screen");
    facts.push(guest.microphone ? "microphone on" : "microphone off", guest.camera ? "camera on" : "camera off");
    people.push({
      key: guest.participant, plain: guest.name, name: guest.participant === room.you ? `${guest.name} (you)` : guest.name,
      participant: guest.participant, facts, hasMicrophone: guest.microphone, stream: streamOf(guest.participant, "camera"),
    });
  }
  for (const [key, row] of rows) {
    if (people.some((person) => person.key === key)) continue;
    row.element.remove();
    rows.delete(key);
    if (key !== "host") watcher.volumes.delete(key);
  }
  for (const person of people) {
    if (!rows.has(person.key)) {
      rows.set(person.key, makeRow(person.key));
      $("people-list").append(rows.get(person.key).element);
    }
    fillRow(rows.get(person.key), person);
  }
  const count = people.length === 1 ? "1 person" : `${people.length} people`;
  $("people-count").textContent = String(people.length);
  $("people-open").title = `Show ${count} (P)`;
  $("people-open").setAttribute("aria-label", `Show ${count}`);
  TITLES.people = $("people-title").textContent = count;
  if (view === "people") $("side-title").textContent = TITLES.people;
  $("viewers").textContent = room.viewers === 1 ? "1 viewer" : `${room.viewers} viewers`;
  const link = new URL(location.href);
  link.hash = room.invite ?? token;
  $("invite").hidden = room.role === "operator" && !room.invite;
  if ($("invite-link").value !== link.href) $("invite-link").value = link.href;
  openers.control.hidden = room.control !== true;
  if (openers.control.hidden && view === "control") closeSide();
  announce(room.guests, room.you);
  showWriting();
}

export const pinForAll = (stream) => (stream === null ? ask("DELETE", "/pin") : ask("PUT", `/pin?stream=${stream}`));

$("invite-copy").onclick = async () => {
  $("invite-link").select();
  // Pages over HTTP have no clipboard, but may copy what is selected.
  const isCopied = await navigator.clipboard?.writeText($("invite-link").value).then(() => true, () => false) ?? document.execCommand("copy");
  toast(isCopied ? "The invite link is copied." : "The browser does not copy: copy the selected link yourself.");
};

/** Announces, once each, who joined and who left. */
let present = null;
function announce(guests, you) {
  const before = present;
  present = new Map(guests.map((guest) => [guest.participant, guest.name]));
  if (!before) return;
  const joined = [...present].filter(([number]) => !before.has(number) && number !== you).map(([, name]) => `${name} joined.`);
  const left = [...before].filter(([number]) => !present.has(number)).map(([, name]) => `${name} left.`);
  if (joined.length + left.length > 0) $("news").textContent = [...joined, ...left].join(" ");
}

let removal = null;
export function confirmRemoval(participant, name) {
  removal = participant;
  $("removal-title").textContent = `Remove ${name}?`;
  $("removal").showModal();
  $("removal-cancel").focus();
}
$("removal-cancel").onclick = () => $("removal").close();
$("removal-form").onsubmit = (event) => {
  event.preventDefault();
  $("removal").close();
  ask("DELETE", `/participants/${removal}${event.submitter === $("removal-block") ? "?bar=name" : ""}`);
};

// ---- Messages

const MOST = 200;

export const newestMessage = () => newest;

function showUnread() {
  $("unread").hidden = unread === 0;
  $("unread").textContent = String(unread);
  $("messages-open").setAttribute("aria-label", unread === 0 ? "Messages" : `Messages: ${unread} new`);
}

/** A message's text, with links that open outside the room. */
function linked(text) {
  const parts = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(/https?:\/\/[^\s<>"]+/g)) {
    const href = found.replace(/[.,;:!?)\]}'’]+$/, "");
    if (!URL.canParse(href)) continue;
    parts.push(text.slice(end, index), make("a", { href, target: "_blank", rel: "noopener noreferrer", textContent: href }));
    end = index + href.length;
  }
  return [...parts, text.slice(end)];
}

/** Takes the messages that the room passes on. */
export function takeMessages() {
  const { room } = state;
  const isLate = newest === 0 && room.message > (room.messages?.length ?? 0);
  if (isLate) $("message-log").append(make("div", { className: "quiet", textContent: "Earlier messages are not kept: you see messages from now on." }));
  for (const { name, participant, text } of room.messages ?? []) {
    const isOwn = participant !== undefined && participant === room.you;
    const time = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const log = $("message-log");
    const isDown = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
    log.append(make("div", { className: isOwn ? "own" : "" }, make("b", { textContent: isOwn ? "You" : name }), make("time", { textContent: time }), make("p", { dir: "auto" }, ...linked(text))));
    while (log.children.length > MOST) log.firstChild.remove();
    if (isDown || isOwn) log.scrollTop = log.scrollHeight;
    if (view !== "messages" && !isOwn) {
      unread += 1;
      $("news").textContent = `Message from ${name}: ${text}`;
    }
  }
  newest = room.message;
  showUnread();
}

function showWriting() {
  const { role, you } = state.room;
  const mayWrite = role === "operator" || you !== undefined;
  $("message-form").hidden = !mayWrite;
  $("message-hint").textContent = mayWrite ? "Everybody who is here now can read messages. Messages are not stored." : role === "viewer" ? "Guests and operators write messages." : "Join the room to write a message.";
}

$("message-form").onsubmit = async (event) => {
  event.preventDefault();
  const text = $("message").value.trim();
  if (!text) return;
  const path = me.guest && state.room?.you !== undefined ? `/messages?guest=${idOf(me.guest.location)}` : "/messages";
  if (await ask("POST", path, text, { type: "text/plain; charset=utf-8" })) $("message").value = "";
  $("message").focus();
};
