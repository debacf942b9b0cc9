// The stage: a tile for each video and each person without one, as a grid, or one large tile with a strip.

import { $, icon, keep, kept, make, state, toast } from "./common.js";
import { confirmRemoval, pinForAll } from "./people.js";

const GAP = 10;
const RATIO = 16 / 9;

export const tiles = new Map(); // by key
let picked = null;              // the tile that this person has pinned
let speaking = null;            // the tile of the active speaker
let mode = kept(localStorage, "layout") === "speaker" ? "speaker" : "grid";
let changed = () => {};

/** Calls back when other videos may be needed, or in other sizes. */
export function onStageChange(call) { changed = call; }

const sizes = new ResizeObserver(() => { arrange(); changed(); });
sizes.observe($("stage"));
const views = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const tile = [...tiles.values()].find((tile) => tile.element === target);
    if (tile) tile.isSeen = isIntersecting;
  }
  showMore();
  changed();
}, { root: $("tiles") });

function makeTile(key) {
  const video = make("video", { autoplay: true, muted: true, playsInline: true, tabIndex: -1 });
  const name = make("span");
  const micOff = icon("mic-off");
  const pinned = icon("pin");
  const button = (picture) => make("button", { type: "button" }, icon(picture));
  const [pin, forAll, float, full, remove] = ["pin", "people", "picture", "full", "remove"].map(button);
  const face = make("div", { className: "face", "aria-hidden": "true" });
  const element = make("article", { className: "tile waiting" }, video, face, make("div", { className: "label" }, pinned, name, micOff), make("div", { className: "tools" }, pin, forAll, float, full, remove));
  const tile = { key, element, video, name, micOff, pinned, pin, forAll, float, full, remove, face, isSeen: true };
  video.onresize = video.onplaying = () => {
    element.classList.toggle("waiting", !video.videoWidth);
    arrange();
  };
  full.onclick = () => fullScreen(tile);
  float.onclick = () => floating(tile);
  // A finger has no pointer that hovers: a tap shows the buttons, and they leave the face free again.
  element.onclick = (event) => event.target.closest("button") || showTools(element);
  element.ondblclick = (event) => event.target.closest("button") || fullScreen(tile);
  pin.onclick = () => {
    picked = picked === key ? null : key;
    arrange();
    changed();
  };
  forAll.onclick = () => pinForAll(tile.isPinned ? null : tile.stream);
  remove.onclick = () => confirmRemoval(tile.participant, tile.name.textContent);
  views.observe(element);
  $("tiles").append(element);
  return tile;
}

let toolsTimer;
function showTools(element) {
  for (const other of document.querySelectorAll(".tile.touched")) other.classList.remove("touched");
  element.classList.add("touched");
  clearTimeout(toolsTimer);
  toolsTimer = setTimeout(() => element.classList.remove("touched"), 4000);
}

function removeTile(key) {
  const { element } = tiles.get(key);
  views.unobserve(element);
  element.remove();
  tiles.delete(key);
  showMore();
  if (picked === key) picked = null;
}

function fill(tile, facts) {
  const { isShare, isOwn, participant, stream, isPinned } = facts;
  Object.assign(tile, { isShare, isOwn, participant, stream, isPinned, person: facts.person });
  const isOperator = state.room.role === "operator";
  const set = (button, text, isHidden = false) => {
    button.title = text;
    button.setAttribute("aria-label", text);
    button.hidden = isHidden;
  };
  tile.name.textContent = facts.name;
  tile.face.textContent = facts.initials ?? "";
  tile.face.style.background = facts.color ?? "";
  tile.video.setAttribute("aria-label", `Video of ${facts.name}`);
  tile.element.setAttribute("aria-label", facts.name);
  set(tile.full, `Show ${facts.name} on the full screen`);
  set(tile.float, `Show ${facts.name} in a floating window`, !document.pictureInPictureEnabled || Boolean(facts.isDark));
  set(tile.forAll, isPinned ? `Unpin ${facts.name} for all` : `Pin ${facts.name} for all`, !isOperator || stream === undefined);
  set(tile.remove, `Remove ${facts.name} from the room`, !isOperator || !participant || isShare);
  tile.forAll.setAttribute("aria-pressed", String(Boolean(isPinned)));
  tile.micOff.toggleAttribute("hidden", !facts.isMuted);
  tile.element.classList.toggle("dark", Boolean(facts.isDark));
  tile.element.classList.toggle("mirrored", Boolean(facts.isMirrored));
  tile.element.classList.toggle("whole", Boolean(isShare || isOwn));
  tile.element.classList.toggle("speaking", Boolean(facts.isSpeaking));
  if (tile.video.srcObject !== (facts.media ?? null)) {
    tile.element.classList.add("waiting");
    tile.video.srcObject = facts.media ?? null;
  }
}

/** Shows these tiles and no others: facts by key. */
export function showTiles(wanted) {
  for (const key of tiles.keys()) if (!wanted.has(key)) removeTile(key);
  for (const [key, facts] of wanted) {
    if (!tiles.has(key)) tiles.set(key, makeTile(key));
    fill(tiles.get(key), facts);
  }
  const { speaker, you } = state.room ?? {};
  const loud = [...tiles.values()].find((tile) => speaker !== undefined && speaker !== you && tile.person === speaker && !tile.isShare);
  speaking = loud?.key ?? (tiles.has(speaking) ? speaking : null);
  arrange();
}

/** The large tile: this person's pin, the operator's, a share, the active speaker; null in a grid. */
export function largeTile() {
  const all = [...tiles.values()];
  const found = tiles.get(picked) ?? all.find((tile) => tile.isPinned) ?? all.find((tile) => tile.isShare && tile.isOwn) ?? all.find((tile) => tile.isShare);
  if (found || mode === "grid") return found ?? (all.length === 1 ? all[0] : null);
  return tiles.get(speaking) ?? all.find((tile) => tile.isOwn) ?? all[0] ?? null;
}

/** The largest tiles of which so many fit; else as many columns of the smallest size as fit. */
function grid(count, width, height) {
  let best = { width: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const side = Math.min((width - GAP * (columns - 1)) / columns, ((height - GAP * (rows - 1)) / rows) * RATIO);
    if (side > best.width) best = { columns, width: side };
  }
  const least = Math.min(200, (width - GAP) / 2);
  if (best.width >= least || count < 2) return best;
  const columns = Math.max(1, Math.floor((width + GAP) / (least + GAP)));
  return { columns, width: (width - GAP * (columns - 1)) / columns };
}

const fit = (width, height, ratio) => ({ width: Math.min(width, height * ratio), height: Math.min(height, width / ratio) });
const between = (least, value, most) => Math.max(least, Math.min(value, most));

/** Says how many tiles are out of sight; a click shows the next ones. */
function showMore() {
  const hidden = [...tiles.values()].filter((tile) => !tile.isSeen).length;
  $("more").hidden = hidden === 0;
  $("more").textContent = `+${hidden}`;
  $("more").setAttribute("aria-label", `Show ${hidden} more`);
}
$("more").onclick = () => {
  const all = [...tiles.values()];
  const last = all.findLastIndex((tile) => tile.isSeen);
  (all.slice(last + 1).find((tile) => !tile.isSeen) ?? all.find((tile) => !tile.isSeen))?.element.scrollIntoView({ behavior: "smooth", block: "nearest", inline: "nearest" });
};

/** Places the tiles. No element moves in the document: a video that moves stops for a moment. */
export function arrange() {
  place();
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = $("tiles");
  // The arrow keys scroll a focused list that is too long.
  if (scrollWidth > clientWidth || scrollHeight > clientHeight) $("tiles").tabIndex = 0;
  else $("tiles").removeAttribute("tabindex");
}

function place() {
  const box = $("tiles");
  const all = [...tiles.values()];
  const [width, height] = [$("stage").clientWidth, $("stage").clientHeight];
  const large = largeTile();
  for (const tile of all) {
    tile.element.removeAttribute("style");
    tile.element.classList.toggle("large", tile === large);
    // A phone's video would lose forehead and chin.
    tile.element.classList.toggle("tall", tile.video.videoWidth * 1.1 < tile.video.videoHeight * RATIO);
    const isPicked = tile.key === picked;
    tile.pin.setAttribute("aria-pressed", String(isPicked));
    tile.pin.title = isPicked ? `Unpin ${tile.name.textContent}` : `Pin ${tile.name.textContent}`;
    tile.pin.setAttribute("aria-label", tile.pin.title);
    tile.pinned.toggleAttribute("hidden", !isPicked && !tile.isPinned);
  }
  box.removeAttribute("style");
  const rest = all.length - 1;
  const size = ({ element }, { width, height }) => {
    element.style.width = `${Math.floor(width)}px`;
    element.style.height = `${Math.floor(height)}px`;
  };
  $("layout").hidden = all.length < 2;
  if (!large) {
    const cell = grid(all.length, width, height);
    box.dataset.layout = "grid";
    const used = cell.columns * Math.floor(cell.width) + GAP * (cell.columns - 1);
    box.style.paddingInline = `${Math.max(0, Math.floor((width - used) / 2) - 1)}px`;
    for (const tile of all) size(tile, { width: cell.width, height: cell.width / RATIO });
    return;
  }
  const { videoWidth, videoHeight } = large.video;
  const ratio = videoWidth && !large.element.classList.contains("dark") ? between(0.5, videoWidth / videoHeight, 2.4) : RATIO;
  const side = { width: between(120, width * 0.2, 240) };
  side.height = side.width / RATIO;
  const below = { height: between(72, height * 0.2, 150) };
  below.width = below.height * RATIO;
  const beside = fit(width - side.width - GAP, height, ratio);
  const above = fit(width, height - below.height - GAP, ratio);
  // On a tall screen the others stand below the large one, in as many rows as fit.
  const whole = fit(width, height * 0.6, ratio);
  const { style } = large.element;
  if (rest === 0) {
    box.dataset.layout = "one";
    size(large, fit(width, height, ratio));
  } else if (beside.width * beside.height > above.width * above.height) {
    box.dataset.layout = "side";
    box.style.gridTemplate = `repeat(${rest}, ${Math.floor(side.height)}px) 1fr / minmax(0, 1fr) ${Math.floor(side.width)}px`;
    style.top = style.marginTop = `${Math.floor((height - beside.height) / 2)}px`;
    style.gridArea = `1 / 1 / ${rest + 2} / 2`;
    size(large, beside);
  } else if (height - whole.height - GAP > 1.6 * below.height) {
    const cell = grid(rest, width, height - whole.height - GAP);
    box.dataset.layout = "stack";
    box.style.gridTemplate = `${Math.floor(whole.height)}px / repeat(${cell.columns}, ${Math.floor(cell.width)}px)`;
    box.style.gridAutoRows = `${Math.floor(cell.width / RATIO)}px`;
    style.gridArea = "1 / 1 / 2 / -1";
    size(large, whole);
  } else {
    box.dataset.layout = "below";
    box.style.gridTemplate = `${Math.floor(height - below.height - GAP)}px ${Math.floor(below.height)}px / repeat(${rest}, ${Math.floor(below.width)}px)`;
    style.gridArea = `1 / 1 / 2 / ${rest + 1}`;
    const overflows = rest * (below.width + GAP) - GAP > width;
    box.classList.toggle("long", overflows);
    if (overflows) style.left = style.marginLeft = `${Math.floor((width - above.width) / 2)}px`;
    size(large, above);
  }
}

function setMode(next) {
  mode = next;
  picked = null;
  keep(localStorage, "layout", mode);
  labelMode();
  arrange();
  changed();
}

function labelMode() {
  const text = mode === "grid" ? "Show the speaker large (G)" : "Show a grid (G)";
  $("layout").replaceChildren(icon(mode === "grid" ? "speaker" : "grid"), make("span", { textContent: mode === "grid" ? "Show speaker" : "Show grid" }));
  $("layout").title = text;
  $("layout").setAttribute("aria-label", text);
}


$("layout").onclick = () => setMode(mode === "grid" ? "speaker" : "grid");
labelMode();

export function fullScreen(tile) {
  if (document.fullscreenElement) document.exitFullscreen();
  else if (tile) (tile.element.requestFullscreen?.() ?? Promise.resolve(tile.video.webkitEnterFullscreen?.())).catch(() => {});
}

function floating(tile) {
  if (document.pictureInPictureElement === tile.video) document.exitPictureInPicture();
  else tile.video.requestPictureInPicture?.().catch(() => toast("The browser shows no floating window for this video."));
}

/** The lines in which a tile shows its video, of the screen's own. */
export function linesOf(tile) {
  if (!tile || !tile.isSeen) return 0;
  const { clientWidth, clientHeight } = tile.element;
  const lines = Math.min(clientHeight, (clientWidth * 9) / 16) * (window.devicePixelRatio || 1);
  // Small changes are none.
  return Math.min(Math.ceil(lines / 60) * 60, 4320);
}
