/** The keys that work on every private screen. Single letters can be turned off; Ctrl or ⌘ K always works. */
import { isTaken, useKey } from '@gatehouse/design/use-key';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import type { ShellActions } from '../../platform/browser/shell-actions.tsx';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useEntries } from './use-entries.ts';

/** The key that goes with K on this computer. */
export function commandKey(): '⌘' | 'Ctrl' {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}

/** How long after `g` the letter may come. */
const SECOND_KEY_MS = 1500;

interface ShellKeyActions extends Pick<ShellActions, 'openPalette' | 'showKeys'> {
  toggleNavigation: () => void;
}

export function useShellKeys({ openPalette, showKeys, toggleNavigation }: ShellKeyActions): void {
  const follow = useFollow();
  const entries = useEntries() ?? [];
  const [shortcuts] = usePreference('shortcuts');
  const waitsUntil = useRef(0);
  usePaletteKey(openPalette);

  // Behind `g` a letter is the shell's, before any screen hears it; alone it is the screen's, whichever of the two was there first.
  const goTo = useRef<(key: string) => boolean>(() => false);
  useLayoutEffect(() => {
    goTo.current = (key) => {
      const entry = entries.find((each) => each.key === key);
      if (entry) follow(entry.path);
      return entry !== undefined;
    };
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (Date.now() >= waitsUntil.current || event.key === 'Shift') return;
      waitsUntil.current = 0;
      if (!isTaken(event) && goTo.current(event.key)) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, []);

  const act = (key: string) => {
    if (key === 'g') waitsUntil.current = Date.now() + SECOND_KEY_MS;
    else if (key === '?') showKeys();
    else if (key === '[') toggleNavigation();
    else if (key === '/' && !focusSearch()) openPalette();
  };
  useKey(['?', '/', '[', 'g'], act, shortcuts !== 'off');
}

function usePaletteKey(openPalette: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      openPalette();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [openPalette]);
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  field?.focus();
  return field !== null;
}
