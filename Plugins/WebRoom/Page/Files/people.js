// The side panel: people, messages, and for operators the control of the session (control.js).

import { $, ask, icon, idOf, keep, kept, make, me, state } from "./common.js";

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
// The page has keys of its own, which are not for text and choices in the panel.
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

function makeRow() {
  const name = make("span", { className: "name" });
  const facts = make("span", { className: "facts" });
  const button = (picture) => make("button", { type: "button", className: "round" }, icon(picture));
  const [mute, pin, remove] = ["mic-off", "pin", "remove"].map(button);
  return { name, facts, mute, pin, remove, element: make("li", {}, name, facts, mute, pin, remove) };
}

function fillRow(row, person) {
  const isOperator = state.room.role === "operator";
  row.name.textContent = person.name;
  const { facts } = person;
  const words = facts.map(([, text]) => text).join(", ");
  if (row.facts.title !== words) {
    row.facts.title = words;
    row.facts.replaceChildren(...facts.map(([picture]) => icon(picture)), make("span", { className: "unseen", textContent: words }));
  }
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

/** Makes the list what the room is. */
export function showPeople() {
  const { room } = state;
  const streamOf = (participant, kind) => room.streams.find((stream) => stream.participant === participant && stream.kind === kind)?.id;
  const people = [];
  if (room.streams.some((stream) => stream.participant === undefined)) {
    people.push({ key: "host", name: "Host", facts: streamOf(undefined, "share") === undefined ? [] : [["share", "shares"]], stream: streamOf(undefined, "camera") ?? streamOf(undefined, "share") });
  }
  for (const guest of room.guests) {
    const facts = [];
    if (guest.speaking) facts.push(["audio", "speaks"]);
    if (streamOf(guest.participant, "share") !== undefined) facts.push(["share", "shares"]);
    facts.push(guest.microphone ? ["mic", "microphone on"] : ["mic-off", "microphone off"]);
    facts.push(guest.camera ? ["camera", "camera on"] : ["camera-off", "camera off"]);
    people.push({
      key: guest.participant, plain: guest.name, name: guest.participant === room.you ? `${guest.name} (you)` : guest.name,
      participant: guest.participant, facts, hasMicrophone: guest.microphone, stream: streamOf(guest.participant, "camera"),
    });
  }
  for (const [key, row] of rows) {
    if (people.some((person) => person.key === key)) continue;
    row.element.remove();
    rows.delete(key);
  }
  for (const person of people) {
    if (!rows.has(person.key)) {
      rows.set(person.key, makeRow());
      $("people-list").append(rows.get(person.key).element);
    }
    fillRow(rows.get(person.key), person);
  }
  const count = room.guests.length;
  $("people-count").textContent = String(people.length);
  $("people-open").title = `${count === 1 ? "1 guest" : `${count} guests`} (P)`;
  $("people-open").setAttribute("aria-label", `People: ${count === 1 ? "1 guest" : `${count} guests`}`);
  $("viewers").textContent = room.viewers === 1 ? "1 page watches." : `${room.viewers} pages watch.`;
  openers.control.hidden = room.control !== true;
  if (openers.control.hidden && view === "control") closeSide();
  showWriting();
}

export const pinForAll = (stream) => (stream === null ? ask("DELETE", "/pin") : ask("PUT", `/pin?stream=${stream}`));

let removal = null;
export function confirmRemoval(participant, name) {
  removal = participant;
  $("removal-title").textContent = `Remove ${name}?`;
  $("removal-bar").checked = false;
  $("removal-name").textContent = `Nobody named ${name} may join again`;
  $("removal").showModal();
  $("removal-cancel").focus();
}
$("removal-cancel").onclick = () => $("removal").close();
$("removal-form").onsubmit = (event) => {
  event.preventDefault();
  $("removal").close();
  ask("DELETE", `/participants/${removal}${$("removal-bar").checked ? "?bar=name" : ""}`);
};

// ---- Messages

const MOST = 200;

export const newestMessage = () => newest;

function showUnread() {
  $("unread").hidden = unread === 0;
  $("unread").textContent = String(unread);
  $("messages-open").setAttribute("aria-label", unread === 0 ? "Messages" : `Messages: ${unread} new`);
}

/** Takes the messages that the room passes on. */
export function takeMessages() {
  const { room } = state;
  for (const { name, participant, text } of room.messages ?? []) {
    const isOwn = participant !== undefined && participant === room.you;
    const time = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const log = $("message-log");
    const isDown = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
    log.append(make("li", { className: isOwn ? "own" : "" }, make("b", { textContent: isOwn ? "You" : name }), make("time", { textContent: time }), make("p", { textContent: text, dir: "auto" })));
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
  $("message-hint").textContent = mayWrite ? "Messages go to all pages and are not stored." : role === "viewer" ? "Guests and operators write messages." : "Join the room to write a message.";
}

$("message-form").onsubmit = async (event) => {
  event.preventDefault();
  const text = $("message").value.trim();
  if (!text) return;
  const path = me.guest && state.room?.you !== undefined ? `/messages?guest=${idOf(me.guest.location)}` : "/messages";
  if (await ask("POST", path, text, { type: "text/plain; charset=utf-8" })) $("message").value = "";
  $("message").focus();
};
