// The keyboard: j and k walk the rows, Enter opens (a row is a link), u goes back, a digit goes to a section, / to the search,
// ? shows all of them.
//
// Single keys speak to nobody who types in a field or holds a modifier, and can be switched off (WCAG 2.1.4).
import { signal } from "@preact/signals";
import { goTo, linkTo, sections } from "../place.ts";

const storageKey = "countersign-keys";
export const keysAreOn = signal(localStorage.getItem(storageKey) !== "off");
export const helpIsOpen = signal(false);

export function switchKeys(isOn: boolean): void {
  keysAreOn.value = isOn;
  localStorage.setItem(storageKey, isOn ? "on" : "off");
}

export function listen(): () => void {
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  if (!keysAreOn.value || helpIsOpen.value) return;
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (!act(event.key)) return;
  event.preventDefault();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}

function act(key: string): boolean {
  switch (key) {
    case "j":
      return walk(1);
    case "k":
      return walk(-1);
    case "u":
      return follow(`a[data-key="u"]`);
    case "/":
      return focus("[data-search]");
    case "?":
      helpIsOpen.value = true;
      return true;
    default: {
      const section = /^[1-9]$/.test(key) ? sections[Number(key) - 1] : undefined;
      if (section === undefined) return false;
      goTo(linkTo(section));
      return true;
    }
  }
}

function walk(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  if (rows.length === 0) return false;
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus();
  return true;
}

function follow(selector: string): boolean {
  const link = document.querySelector<HTMLAnchorElement>(selector);
  link?.click();
  return link !== null;
}

function focus(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  found?.focus();
  return found !== null;
}
