/** The keys of the player. They come before those of the shell, which knows some of them too. */
import { useEffect, useRef } from 'react';
import type { WordId } from '../../../platform/i18n/words.ts';

export type PlayerKey =
  | 'toggle'
  | 'back'
  | 'on'
  | 'far-back'
  | 'far-on'
  | 'step-back'
  | 'step-forward'
  | 'previous-command'
  | 'next-command'
  | 'slower'
  | 'faster'
  | 'idle'
  | 'find'
  | 'next-hit'
  | 'previous-hit'
  | 'start'
  | 'end'
  | 'full-screen';

const PLAIN: Record<string, PlayerKey> = {
  ' ': 'toggle',
  k: 'toggle',
  ArrowLeft: 'back',
  ArrowRight: 'on',
  ',': 'step-back',
  '.': 'step-forward',
  ArrowUp: 'previous-command',
  ArrowDown: 'next-command',
  '[': 'slower',
  ']': 'faster',
  i: 'idle',
  '/': 'find',
  n: 'next-hit',
  Home: 'start',
  End: 'end',
  f: 'full-screen',
};
const SHIFTED: Record<string, PlayerKey> = { ArrowLeft: 'far-back', ArrowRight: 'far-on', N: 'previous-hit' };

export interface ShownKeys {
  /** As they are written on the keys. */
  keys: readonly string[];
  does: readonly PlayerKey[];
  word: WordId;
}

/** What the player and the list of all keys show; a test holds it against the keys that are read. */
export const SHOWN_KEYS: readonly ShownKeys[] = [
  { keys: ['Space'], does: ['toggle'], word: 'player.key-toggle' },
  { keys: ['←', '→'], does: ['back', 'on'], word: 'player.key-seconds' },
  { keys: ['Shift', '←', '→'], does: ['far-back', 'far-on'], word: 'player.key-more-seconds' },
  { keys: [',', '.'], does: ['step-back', 'step-forward'], word: 'player.key-step' },
  { keys: ['↑', '↓'], does: ['previous-command', 'next-command'], word: 'player.key-command' },
  { keys: ['Home', 'End'], does: ['start', 'end'], word: 'player.key-start' },
  { keys: ['[', ']'], does: ['slower', 'faster'], word: 'player.key-speed' },
  { keys: ['I'], does: ['idle'], word: 'player.key-idle' },
  { keys: ['/'], does: ['find'], word: 'player.key-find' },
  { keys: ['N', 'Shift N'], does: ['next-hit', 'previous-hit'], word: 'player.key-hit' },
  { keys: ['F'], does: ['full-screen'], word: 'player.key-full' },
];

/** Every key that is read, by what it does. */
export const READ_KEYS: readonly PlayerKey[] = [...new Set([...Object.values(PLAIN), ...Object.values(SHIFTED)])];

const FIELDS =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=""], [contenteditable=true]';
const OVERLAYS = '[role=dialog], [role=menu], [role=listbox]';
/** These have a meaning of their own for what has the focus. */
const OWN: Record<string, string> = {
  ' ': 'button, a, input, [role=tab], [role=switch]',
  ArrowLeft: '[role=tab], input[type=radio]',
  ArrowRight: '[role=tab], input[type=radio]',
  ArrowUp: 'input[type=radio]',
  ArrowDown: 'input[type=radio]',
};

export function playerKey({ key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>): PlayerKey | undefined {
  const keys: Record<string, PlayerKey> = shiftKey ? { ...PLAIN, ...SHIFTED } : PLAIN;
  return Object.hasOwn(keys, key) ? keys[key] : undefined;
}

/** Letters and signs can be turned off; Space, arrows, Home and End are how any player is worked. */
export function usePlayerKeys(onKey: (key: PlayerKey) => void, options: { letters: boolean; enabled: boolean }): void {
  const { letters, enabled } = options;
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    if (!enabled) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const wanted = playerKey(event);
      if (!wanted || isTaken(event) || (!letters && event.key.length === 1 && event.key !== ' ')) return;
      event.preventDefault();
      latest.current(wanted);
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [letters, enabled]);
}

function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const target = event.target instanceof Element ? event.target : undefined;
  if (target?.closest(FIELDS) || target?.closest(OVERLAYS)) return true;
  const own = OWN[event.key];
  if (own && target?.matches(own)) return true;
  return document.querySelector('[role=dialog][data-state=open]') !== null;
}
