/** Keys that work anywhere on the page, unless the user is typing or something modal is open. */

import { useLayoutEffect, useRef } from 'react';

const TYPING =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=""], [contenteditable=true]';
const OVERLAY = '[role=dialog], [role=menu], [role=listbox]';

/** Whether a key is somebody's who types, or of something that is open above the page. */
export function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  // Out here, whatever is typed in a shadow root seems to come from its host.
  const [origin] = event.composedPath();
  const target = origin instanceof Element ? origin : undefined;
  if (target?.closest(TYPING) || target?.closest(OVERLAY)) return true;
  return document.querySelector('[role=dialog][data-state=open]') !== null;
}

/** Calls back for the given keys. `enabled: false` lets go of them. */
export function useKey(keys: readonly string[], onKey: (key: string) => void, enabled = true): void {
  const latest = useRef(onKey);
  // Before anything is painted: a key that is pressed as soon as the screen is seen would be lost otherwise.
  useLayoutEffect(() => {
    latest.current = onKey;
  });

  const wanted = keys.join('\n');
  useLayoutEffect(() => {
    if (!enabled) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!wanted.split('\n').includes(event.key) || isTaken(event)) return;
      event.preventDefault();
      latest.current(event.key);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [wanted, enabled]);
}
