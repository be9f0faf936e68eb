/** The keys that work on every private screen. Single letters can be turned off; Ctrl or ⌘ K always works. */
import { useKey } from '@gatehouse/design/use-key';
import { useEffect, useRef } from 'react';
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

  const act = (key: string) => {
    const entry = Date.now() < waitsUntil.current ? entries.find((each) => each.key === key) : undefined;
    waitsUntil.current = key === 'g' && !entry ? Date.now() + SECOND_KEY_MS : 0;
    if (entry) follow(entry.path);
    else if (key === '?') showKeys();
    else if (key === '[') toggleNavigation();
    else if (key === '/' && !focusSearch()) openPalette();
  };
  useKey(['?', '/', '[', 'g', ...entries.map((entry) => entry.key)], act, shortcuts !== 'off');
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
