// Helpers and state of all modules of the page.

export const $ = (id) => document.getElementById(id);
export const token = decodeURIComponent(location.hash.slice(1));

/** The newest answer of /room; null before the first answer. */
export const state = { room: null };

/** This page's guest. `media` is null unless the user wants to be a guest; `guest` and `share` are connections. */
export const me = { name: "", media: null, guest: null, share: null, isIn: false, mutes: 0 };

export function request(method, path, body, extra = {}) {
  const headers = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers["content-type"] = body.startsWith("v=") ? "application/sdp" : extra.type ?? "application/json";
  return fetch(path, { method, headers, body, cache: "no-store", ...extra });
}

/** Sends a request, and shows the refusal if there is one. */
export async function ask(method, path, body, extra) {
  try {
    const response = await request(method, path, body, extra);
    if (!response.ok) toast((await response.text()).trim());
    return response.ok;
  } catch {
    toast("The room does not answer. Try again.");
    return false;
  }
}

export const idOf = (location) => location?.split("/").pop();
export const stopTracks = (media) => media?.getTracks().forEach((track) => track.stop());
export const isOn = (kind) => me.media?.getTracks().some((track) => track.kind === kind && track.enabled) ?? false;

/** An element: properties, and attributes where the name has a dash. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "for") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

let toastTimer;
export function toast(text) {
  $("toast").textContent = text;
  $("toast").hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { $("toast").hidden = true; }, 6000);
}

/** A store that may be missing, as in private windows. */
export const keep = (store, name, value) => {
  try {
    if (value === null) store.removeItem(`greenroom-${name}`);
    else store.setItem(`greenroom-${name}`, JSON.stringify(value));
  } catch { /* The choice lasts as long as the page. */ }
};
export const kept = (store, name) => {
  try {
    return JSON.parse(store.getItem(`greenroom-${name}`));
  } catch {
    return null;
  }
};
