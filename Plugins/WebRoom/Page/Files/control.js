// The operators' panel: it reads /api/session and /api/report, follows /api/events, and sends commands.

import { $, make, token } from "./common.js";
import { onView } from "./people.js";

// ---- Requests

/** The answer as JSON. Throws an error with the room's message. */
async function api(path, body, signal = AbortSignal.timeout(10000)) {
  const response = await fetch(path, {
    method: body ? "POST" : "GET", cache: "no-store", signal,
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? `The room answers ${response.status}.`);
  return answer;
}

/** Sends a command, and shows its outcome. */
async function command(line) {
  try {
    const done = await api("/api/command", { command: line });
    say(done.text ?? `${line}: queued`);
    return true;
  } catch (error) {
    say(error.message, true);
    return false;
  } finally {
    refreshSoon();
  }
}

// ---- The panel

const says = make("p", { id: "control-says", role: "status" });
const plots = make("div", { className: "plots" });
const sources = make("div", { role: "group", "aria-labelledby": "sources-title" });
const outputs = make("div", { role: "group", "aria-labelledby": "outputs-title" });
const recordState = make("p", { className: "row", role: "status" }, make("span", { className: "dot" }), make("span"));
const recordButton = make("button", { type: "button", className: "small" });
const pauseButton = make("button", { type: "button", className: "small" });
const replayButton = make("button", { type: "button", className: "small", hidden: true, textContent: "Save replay", onclick: () => command("replay save") });
const recording = make("section", { className: "recording", hidden: true, "aria-label": "Recording" }, make("div", { className: "row" }, recordState, replayButton, pauseButton, recordButton));
const log = make("div", { className: "log", role: "log", tabIndex: 0, "aria-label": "Events of the session" });
const level = make("select", { id: "control-level" },
  ...[["debug", "everything"], ["info", "information"], ["warning", "warnings"], ["error", "errors"]]
    .map(([value, text]) => make("option", { value, textContent: text, selected: value === "info" })));
const clock = $("clock");
const end = make("button", { type: "button", className: "danger", textContent: "End the session" });
$("control").append(
  says, recording,
  make("h3", { id: "sources-title", textContent: "Sources" }), sources,
  make("h3", { id: "outputs-title", textContent: "Outputs" }), outputs,
  make("section", { className: "events" },
    make("div", { className: "row" }, make("h3", { textContent: "Events" }), make("label", { for: "control-level", textContent: "Show" }), level),
    log),
  make("div", { className: "row" }, end), plots);

let isOpen = false;
let timers = [];
let stream = null;

/** A text of the host without places in lists, such as outputs[0]. */
const inWords = (text) => text.replace(/\boutputs\[\d+\](\.pre-processors\[\d+\])?/g, (role) => names.get(role) ?? role);

function say(text, isError = false) {
  says.textContent = inWords(text);
  says.classList.toggle("error", isError);
}

onView((view) => {
  if ((view === "control") === isOpen) return;
  isOpen = view === "control";
  clock.hidden = !isOpen;
  if (!isOpen) {
    timers.forEach(clearInterval);
    stream.abort();
    return;
  }
  refresh();
  report();
  timers = [setInterval(refresh, 5000), setInterval(report, 1000)];
  stream = new AbortController();
  follow(stream.signal);
});

end.onclick = () => {
  $("ending").showModal();
  $("ending-cancel").focus();
};
$("ending-cancel").onclick = () => $("ending").close();
$("ending-form").onsubmit = (event) => {
  event.preventDefault();
  $("ending").close();
  command("stop");
};

// ---- Plugins and their settings

const cards = new Map(); // by role
const names = new Map(); // what people call a role

const isOutput = (role) => /^(outputs\[|call\b)/.test(role);

/** Names a plugin by its work: a source by its role, an output by its plugin. */
function nameRoles(all) {
  names.clear();
  for (const { role, name } of all) {
    const filter = role.match(/^(.*)\.pre-processors\[(\d+)\]$/);
    const same = all.filter((other) => other.name === name && isOutput(other.role) && !other.role.includes("pre-processors"));
    if (filter) names.set(role, `${name} (filter of ${names.get(filter[1]) ?? filter[1]})`);
    else if (isOutput(role)) names.set(role, same.length > 1 ? `${name} ${same.findIndex((other) => other.role === role) + 1}` : name);
    else names.set(role, capital(role.replaceAll(".", " ")));
  }
}

let soon;
function refreshSoon() {
  clearTimeout(soon);
  soon = setTimeout(refresh, 150);
}

async function refresh() {
  if (!isOpen || document.hidden) return;
  try {
    const session = await api("/api/session");
    clock.textContent = time(session.seconds);
    nameRoles(session.plugins);
    showRecording(session.plugins);
    for (const [role, card] of cards) {
      if (session.plugins.some((plugin) => plugin.role === role)) continue;
      card.element.remove();
      cards.delete(role);
    }
    for (const plugin of session.plugins) {
      if (!cards.has(plugin.role)) {
        cards.set(plugin.role, makeCard(plugin, session.table));
        (isOutput(plugin.role) ? outputs : sources).append(cards.get(plugin.role).element);
      }
      cards.get(plugin.role).show(plugin);
    }
  } catch (error) {
    say(error.message, true);
  }
}

/** Shows whether recorders record; the buttons pause and stop them all. */
function showRecording(all) {
  const recorders = all.flatMap(({ role, kind, parameters }) => {
    const find = (wanted) => kind === "output" && parameters.find(({ name, type }) => name === wanted && type === "boolean");
    return find("recording") ? [{ role, isOn: find("recording").value, paused: find("paused")?.value }] : [];
  });
  const isOn = recorders.some((recorder) => recorder.isOn);
  recording.hidden = recorders.length === 0;
  const running = recorders.filter((recorder) => recorder.isOn);
  const isPaused = isOn && running.every(({ paused }) => paused);
  recording.classList.toggle("live", isOn && !isPaused);
  const words = isPaused ? "Recording paused" : isOn ? "Recording" : "Not recording";
  pauseButton.hidden = !running.some(({ paused }) => paused !== undefined);
  pauseButton.textContent = isPaused ? "Resume recording" : "Pause recording";
  pauseButton.onclick = () => command(isPaused ? "recording resume" : "recording pause");
  if (recordState.lastChild.textContent !== words) recordState.lastChild.textContent = words;
  recordButton.textContent = isOn ? "Stop recording" : "Start recording";
  recordButton.onclick = () => recorders.filter((recorder) => recorder.isOn === isOn).forEach(({ role }) => command(`set ${role}.settings.recording=${!isOn}`));
}

/** A setting that is a button of the section above. */
const isButton = ({ name }) => name === "save-replay";

function makeCard(plugin, table) {
  const state = make("span", { className: "state" });
  const fault = make("p", { className: "error", hidden: true });
  const toggle = make("button", { type: "button", className: "small" });
  let next = null;
  toggle.onclick = () => next && command(next);
  const settings = plugin.parameters.filter((parameter) => !isButton(parameter)).map((parameter) => makeSetting(plugin, parameter));
  const ceiling = plugin.ceiling ? makeCeiling(plugin, table) : null;
  const title = names.get(plugin.role);
  const element = make("section", { "aria-label": title },
    make("div", { className: "row" }, make("h4", { textContent: title }), title.startsWith(plugin.name) ? null : make("span", { className: "quiet", textContent: plugin.name }), state, plugin.stop ? toggle : null),
    fault, ceiling?.element ?? null, ...settings.map((setting) => setting.element));
  return {
    element,
    show(plugin) {
      state.textContent = plugin.state;
      state.dataset.state = plugin.state;
      fault.textContent = plugin.fault ?? "";
      fault.hidden = !plugin.fault;
      next = plugin.state === "sending" ? plugin.stop : plugin.state === "stopped" ? plugin.start : null;
      toggle.disabled = !next;
      if (next) {
        toggle.textContent = capital(next.split(" ")[0]);
        toggle.setAttribute("aria-label", capital(next));
      }
      ceiling?.show(plugin.ceilingNow ?? "none");
      plugin.parameters.filter((parameter) => !isButton(parameter)).forEach((parameter, index) => settings[index]?.show(parameter.value));
    },
  };
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function makeCeiling(plugin, table) {
  const id = `ceiling-${plugin.role}`;
  const select = make("select", { id }, make("option", { value: "none", textContent: "none" }),
    ...table.map((row) => make("option", { value: row, textContent: row })));
  select.onchange = () => command(`${plugin.ceiling} ${select.value}`);
  return {
    element: make("div", { className: "setting" }, make("label", { for: id, textContent: "Ceiling" }), select),
    show(value) {
      if (select === document.activeElement || select.value === value) return;
      // A command may set one that no row has.
      if (![...select.options].some((option) => option.value === value)) select.append(make("option", { value, textContent: value }));
      select.value = value;
    },
  };
}

/** The smallest step of a number: a round one, at least a hundred from end to end. */
const stepOf = ({ type, minimum, maximum }) =>
  type === "integer" ? 1 : maximum > minimum ? 10 ** Math.floor(Math.log10((maximum - minimum) / 100)) : "any";

function makeSetting(plugin, parameter) {
  const id = `setting-${plugin.role}-${parameter.name}`;
  const send = sender(plugin.role, parameter);
  const isNumber = parameter.type === "integer" || parameter.type === "number";
  const hasBounds = isNumber && parameter.minimum !== undefined;
  const label = make("label", { for: id, textContent: parameter.title });
  label.title = parameter.name;
  const inputs = [];
  let read = (input) => input.value;
  let write = (input, value) => { input.value = value; };
  if (parameter.type === "boolean") {
    inputs.push(make("input", { id, type: "checkbox", role: "switch" }));
    read = (input) => input.checked;
    write = (input, value) => { input.checked = value; };
  } else if (parameter.type === "choice") {
    inputs.push(make("select", { id }, ...parameter.choices.map((choice) => make("option", { value: choice, textContent: choice }))));
  } else if (isNumber) {
    const limits = { step: stepOf(parameter), ...(hasBounds && { min: parameter.minimum, max: parameter.maximum }) };
    if (hasBounds) inputs.push(make("input", { id, type: "range", ...limits }));
    const field = make("input", { type: "number", ...limits, step: parameter.type === "integer" ? 1 : "any" });
    if (hasBounds) field.setAttribute("aria-label", `${parameter.title}, as a number`);
    else field.id = id;
    inputs.push(field);
    read = (input) => input.value.trim() === "" || !input.checkValidity() ? null : Number(input.value);
  } else {
    inputs.push(make("input", { id, type: "text", autocomplete: "off", spellcheck: false }));
  }
  // Values that the user has set and the session has not confirmed yet.
  let pending = 0;
  const take = (input, isLast) => {
    const value = read(input);
    if (value === null) return say(`${parameter.title}: ${input.validationMessage || "write a number"}`, true);
    for (const other of inputs) if (other !== input) write(other, value);
    pending += 1;
    send(value, isLast, () => { pending -= 1; });
  };
  for (const input of inputs) {
    if (input.type === "range") input.oninput = () => take(input, false);
    input.onchange = () => take(input, true);
  }
  const { unit, minimum, maximum } = parameter;
  const bounds = hasBounds ? `${minimum}${minimum < 0 ? " to " : "–"}${maximum}` : null;
  const allowed = [unit, bounds].filter(Boolean).join(", ");
  return {
    element: make("div", { className: `setting ${parameter.type}` }, label, ...inputs, allowed ? make("span", { className: "quiet", textContent: allowed }) : null),
    show(value) {
      if (pending > 0) return;
      for (const input of inputs) if (input !== document.activeElement || input.type !== "text" && input.type !== "number") write(input, value);
    },
  };
}

/** Sends a setting's newest value, at most four times a second. */
function sender(role, parameter) {
  let waiting = null;
  let isBusy = false;
  async function run() {
    isBusy = true;
    while (waiting) {
      const { value, done } = waiting;
      waiting = null;
      await command(`set ${role}.settings.${parameter.name}=${written(parameter, value)}`);
      await new Promise((resolve) => setTimeout(resolve, 250));
      done.forEach((call) => call());
    }
    isBusy = false;
  }
  return (value, isLast, done) => {
    waiting = { value, done: [...(waiting?.done ?? []), done] };
    if (!isBusy) run();
  };
}

function written(parameter, value) {
  if (parameter.type === "boolean") return String(value);
  if (parameter.type === "integer") return String(Math.round(value));
  if (parameter.type === "number") return Number(value.toPrecision(12)).toFixed(9).replace(/\.?0+$/, "");
  return JSON.stringify(value);
}

// ---- The report

const SECONDS = 60;
const charts = new Map(); // by track
let lastReport = null;

async function report() {
  if (!isOpen || document.hidden) return;
  let now;
  try {
    now = await api("/api/report");
  } catch (error) {
    return say(error.message, true);
  }
  replayButton.hidden = !now.outputPlugins.some(({ values }) => "seconds-kept" in values);
  if (lastReport && now.seconds > lastReport.seconds) {
    const span = now.seconds - lastReport.seconds;
    clock.textContent = time(now.seconds);
    for (const [track, chart] of charts) {
      if (now.videoTracks.some((picture) => picture.track === track)) continue;
      chart.element.remove();
      charts.delete(track);
    }
    for (const picture of now.videoTracks) {
      const before = lastReport.videoTracks.find((other) => other.track === picture.track);
      if (!before) continue;
      if (!charts.has(picture.track)) {
        charts.set(picture.track, makeChart(picture.track));
        plots.append(charts.get(picture.track).element);
      }
      charts.get(picture.track).add({
        offered: (picture.sent - before.sent) / span,
        delivered: (delivered(picture) - delivered(before)) / span,
        drops: Object.fromEntries(Object.entries(drops(picture)).map(([reason, count]) => [reason, count - (drops(before)[reason] ?? 0)])),
        total: drops(picture), size: picture.negotiation.at(-1)?.track ?? picture.capability,
        ceiling: picture.negotiation.at(-1)?.ceilings.find((ceiling) => ceiling.binds),
      });
    }
  }
  if (!lastReport || now.seconds > lastReport.seconds) lastReport = now;
}

/** Of the output that got most. */
const delivered = (picture) => Math.max(0, ...picture.outputs.map((output) => output.delivered));

/** Frames that were lost, by reason; of the outputs, those of the one that lost most. */
function drops(picture) {
  const lost = {
    superseded: picture.superseded, unconvertible: picture.unconvertible,
    withheld: picture.withheld,
    refused: Object.values(picture.refused).reduce((sum, count) => sum + count, 0),
  };
  lost["queue full"] = Math.max(0, ...picture.outputs.map((output) => output.queueFull));
  lost.failed = Math.max(0, ...picture.outputs.map((output) => output.failed));
  return lost;
}

const svg = (tag, attributes = {}) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

/** A plot of the last minute: frames offered and delivered per second, and a mark where some were lost. */
function makeChart(track) {
  const [width, height] = [300, 56];
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img" });
  const [offered, out] = [svg("polyline", { class: "offered" }), svg("polyline", { class: "delivered" })];
  const marks = svg("path", { class: "drops" });
  picture.append(offered, out, marks);
  const words = make("p", { className: "quiet" });
  const title = make("b", { textContent: track });
  const rates = make("span");
  const samples = [];
  return {
    element: make("figure", {}, make("figcaption", { className: "row" }, title, rates), picture, words),
    add(sample) {
      samples.push(sample);
      if (samples.length > SECONDS) samples.shift();
      const top = Math.max(1, ...samples.map((sample) => Math.max(sample.offered, sample.delivered))) * 1.1;
      const x = (index) => ((SECONDS - samples.length + index) / (SECONDS - 1)) * width;
      const points = (key) => samples.map((sample, index) => `${x(index).toFixed(1)},${(height - (sample[key] / top) * height).toFixed(1)}`).join(" ");
      offered.setAttribute("points", points("offered"));
      out.setAttribute("points", points("delivered"));
      marks.setAttribute("d", samples.map((sample, index) => (Object.values(sample.drops).some((count) => count > 0) ? `M${x(index).toFixed(1)} ${height}v-9` : "")).join(""));
      const text = `${sample.offered.toFixed(1)} offered, ${sample.delivered.toFixed(1)} delivered per second`;
      rates.textContent = text;
      picture.setAttribute("aria-label", `${track}: ${text}, over the last minute`);
      const lost = Object.entries(sample.total).filter(([, count]) => count > 0).map(([reason, count]) => `${count} ${reason}`);
      words.textContent = `${sample.size}${sample.ceiling ? `, limited by ${sample.ceiling.origin}` : ""}; ${lost.length ? `lost: ${lost.join(", ")}` : "none lost"}`;
    },
  };
}

const time = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

// ---- Events

const ORDER = ["debug", "info", "warning", "error"];
const MOST = 200;
let lastEvent = 0;
const bad = new Set(["step-failed", "callback-hangs", "plugin-lost", "output-failed", "plugin-dropped", "plugin-gave-up"]);
const changing = /^(commanded|step-failed|started|plugin-|share-|output-state|renegotiated|agreed)/;

/** Follows the events until the signal. */
async function follow(signal) {
  while (!signal.aborted) {
    try {
      const response = await fetch(lastEvent ? `/api/events?after=${lastEvent}` : "/api/events", { headers: { authorization: `Bearer ${token}` }, cache: "no-store", signal });
      if (!response.ok) throw new Error(String(response.status));
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ; ) {
        const { value, done } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        parts.forEach(take);
      }
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

function take(block) {
  const fields = Object.fromEntries(block.split("\n").filter((line) => !line.startsWith(":")).map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
  }));
  if (!fields.data) return;
  const event = JSON.parse(fields.data);
  if (fields.event === "lost") return note({ event: "lost", text: `${event.lost} events were missed`, level: "warning" });
  lastEvent = Number(fields.id) || lastEvent;
  note(event);
  if (changing.test(event.event)) refreshSoon();
}

function note(event) {
  const rank = event.level ?? (bad.has(event.event) ? "warning" : "info");
  const isDown = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  const line = make("div", {}, make("b", { textContent: names.get(event.role) ?? event.role ?? event.origin ?? event.output ?? event.event }), ` ${event.role || event.origin || event.output ? `${event.event === "log" ? "" : `${event.event}: `}` : ""}${inWords(`${event.text ?? event.capability ?? event.step ?? ""}`)}`);
  line.dataset.level = rank;
  line.hidden = ORDER.indexOf(rank) < ORDER.indexOf(level.value);
  log.append(line);
  while (log.children.length > MOST) log.firstChild.remove();
  if (isDown) log.scrollTop = log.scrollHeight;
}

level.onchange = () => {
  for (const line of log.children) line.hidden = ORDER.indexOf(line.dataset.level) < ORDER.indexOf(level.value);
  log.scrollTop = log.scrollHeight;
};
