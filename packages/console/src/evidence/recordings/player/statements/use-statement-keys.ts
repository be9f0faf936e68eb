/** The keys of the player of statements. They come before those of the shell, which knows some of them too. */
import { useEffect, useRef } from 'react';
import type { WordId } from '../../../../platform/i18n/words.ts';

export type StatementKey =
  | 'toggle'
  | 'next'
  | 'previous'
  | 'next-failed'
  | 'previous-failed'
  | 'next-hit'
  | 'previous-hit'
  | 'slower'
  | 'faster'
  | 'idle'
  | 'find'
  | 'close';

const KEYS: Record<string, StatementKey> = {
  ' ': 'toggle',
  j: 'next',
  k: 'previous',
  e: 'next-failed',
  E: 'previous-failed',
  n: 'next-hit',
  N: 'previous-hit',
  '[': 'slower',
  ']': 'faster',
  i: 'idle',
  '/': 'find',
  Escape: 'close',
};

/** What the player shows. */
export const STATEMENT_KEYS: readonly { keys: readonly string[]; word: WordId }[] = [
  { keys: ['Space'], word: 'player.key-toggle' },
  { keys: ['J', 'K'], word: 'statements.keys-step' },
  { keys: ['E', 'Shift E'], word: 'statements.keys-failed' },
  { keys: ['N', 'Shift N'], word: 'player.key-hit' },
  { keys: ['[', ']'], word: 'player.key-speed' },
  { keys: ['I'], word: 'player.key-idle' },
  { keys: ['/'], word: 'statements.keys-find' },
  { keys: ['Escape'], word: 'statements.close' },
];

const FIELDS = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]';
const OVERLAYS = '[role=dialog], [role=menu], [role=listbox]';
/** Space presses what has the focus, and opens a row. */
const PRESSED = 'button, a, input, tr, [role=switch]';

export function useStatementKeys(letters: boolean, acts: Record<StatementKey, () => void>): void {
  const latest = useRef(acts);
  useEffect(() => {
    latest.current = acts;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const wanted = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
      if (!wanted || isTaken(event) || (!letters && event.key.length === 1 && event.key !== ' ')) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current[wanted]();
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [letters]);
}

function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const target = event.target instanceof Element ? event.target : undefined;
  if (target?.closest(FIELDS) || target?.closest(OVERLAYS)) return true;
  return event.key === ' ' && Boolean(target?.matches(PRESSED));
}
