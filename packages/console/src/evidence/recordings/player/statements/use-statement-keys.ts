/** The keys of the list of statements. They come before those of the shell, which knows some of them too. */
import { useEffect, useRef } from 'react';

export type StatementKey = 'next' | 'previous' | 'next-failed' | 'previous-failed' | 'find' | 'close';

const KEYS: Record<string, StatementKey> = {
  j: 'next',
  k: 'previous',
  e: 'next-failed',
  E: 'previous-failed',
  '/': 'find',
  Escape: 'close',
};
const FIELDS = 'input:not([type=checkbox]), textarea, select, [contenteditable=true]';
const OVERLAYS = '[role=dialog], [role=menu], [role=listbox]';

export function useStatementKeys(letters: boolean, acts: Record<StatementKey, () => void>): void {
  const latest = useRef(acts);
  useEffect(() => {
    latest.current = acts;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const wanted = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
      if (!wanted || isTaken(event) || (!letters && event.key.length === 1)) return;
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
  return Boolean(target?.closest(FIELDS) || target?.closest(OVERLAYS));
}
