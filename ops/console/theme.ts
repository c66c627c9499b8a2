// Light or dark: as the system says, until somebody says otherwise; what they said is kept in this browser.
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const storageKey = "countersign-theme";
export const theme = signal<Theme>("system");

export function beginTheme(): void {
  const kept = localStorage.getItem(storageKey);
  choose(kept === "light" || kept === "dark" ? kept : "system");
}

export function chooseTheme(chosen: Theme): void {
  if (chosen === "system") localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, chosen);
  choose(chosen);
}

function choose(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
}
