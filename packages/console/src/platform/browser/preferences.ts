/** What a person set for this browser. It outlives a sign-in and is the same in every tab. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { useCallback, useSyncExternalStore } from 'react';
import { useBrowser } from './browser-services.tsx';

/** Every preference and the name it is stored under. The theme's is read by @gatehouse/design/theme as well. */
export const PREFERENCES = {
  theme: 'theme',
  language: 'language',
  /** 'off' turns the single-letter keys off. */
  shortcuts: 'shortcuts',
  /** 'collapsed' leaves only icons. */
  navigation: 'navigation',
  /** The same beside terminals, which want the room: there 'expanded' is the exception. */
  terminalNavigation: 'terminal-navigation',
  /** 'table' for those who would rather read rows of applications than cards. */
  appsView: 'apps-view',
  /** The leaf that was looked at last; absent for this gateway's own cluster. */
  cluster: 'cluster',
  /** Font, scrollback and the like, as JSON. */
  terminal: 'terminal',
  /** 'shown' for those who want to see the files whose names begin with a dot. */
  hiddenFiles: 'hidden-files',
  /** 'true' for those who let this gateway count what they use. Named as other clients of this wire name it. */
  telemetry: STORAGE_KEYS.telemetry,
} as const;

export type Preference = keyof typeof PREFERENCES;

const listeners = new Set<() => void>();

/** The stored text, or nothing, and its setter; `undefined` forgets it. */
export function usePreference(name: Preference): [string | undefined, (value: string | undefined) => void] {
  const { storage } = useBrowser();
  const key = PREFERENCES[name];
  const value = useSyncExternalStore(subscribe, () => storage.getItem(key) ?? undefined);
  const set = useCallback(
    (next: string | undefined) => {
      if (next === undefined) storage.removeItem(key);
      else storage.setItem(key, next);
      for (const listener of listeners) listener();
    },
    [storage, key],
  );
  return [value, set];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
