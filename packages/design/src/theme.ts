/** Which theme the user chose: kept in this browser, applied by one attribute on the root, the same in every tab. */

import { useSyncExternalStore } from 'react';

export type ThemeChoice = 'system' | 'dark' | 'light';

const STORAGE_KEY = 'theme';
/** Until somebody chooses. */
const UNCHOSEN: ThemeChoice = 'dark';
const listeners = new Set<() => void>();
/** Holds the choice when storage is refused (private windows, blocked cookies). */
let unstored: ThemeChoice = UNCHOSEN;

function asChoice(value: string | null | undefined): ThemeChoice {
  return value === 'system' || value === 'light' ? value : UNCHOSEN;
}

export function readTheme(): ThemeChoice {
  try {
    return asChoice(localStorage.getItem(STORAGE_KEY));
  } catch {
    return unstored;
  }
}

/** Call once before the first paint, so that the page never shows the other theme first. */
export function applyTheme(choice: ThemeChoice = readTheme()): void {
  if (choice === UNCHOSEN) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
}

export function setTheme(choice: ThemeChoice): void {
  unstored = choice;
  try {
    localStorage.setItem(STORAGE_KEY, choice);
  } catch {
    // The choice then lasts as long as the page.
  }
  applyTheme(choice);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    // A null key means that another tab cleared the whole storage.
    if (event.key !== STORAGE_KEY && event.key !== null) return;
    applyTheme();
    listener();
  };
  listeners.add(listener);
  window.addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}

/** The choice and its setter. A component that uses it keeps the page in step with the other tabs. */
export function useTheme(): [ThemeChoice, (choice: ThemeChoice) => void] {
  return [useSyncExternalStore(subscribe, readTheme), setTheme];
}

function subscribeToShown(listener: () => void): () => void {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const unsubscribe = subscribe(listener);
  system.addEventListener('change', listener);
  return () => {
    unsubscribe();
    system.removeEventListener('change', listener);
  };
}

function shownTheme(): 'dark' | 'light' {
  const choice = readTheme();
  if (choice !== 'system') return choice;
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** The theme on the screen now, for what cannot use custom properties, such as a terminal's canvas. */
export function useShownTheme(): 'dark' | 'light' {
  return useSyncExternalStore(subscribeToShown, shownTheme);
}
