/** Puts text on the clipboard and says for a while that it did. */

import { useCallback, useEffect, useState } from 'react';

const SHOWN_MS = 2000;

/** Plain HTTP pages have no clipboard API: a selected field and the old command still work there. */
function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}

/** Whether it is there now; for what says so by itself. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (!navigator.clipboard) return copyBySelection(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export type CopyState = 'idle' | 'copied' | 'failed';

export function useCopy(): { state: CopyState; copy: (text: string) => Promise<void> } {
  const [state, setState] = useState<CopyState>('idle');
  const [turn, setTurn] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a second copy starts the time anew
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state, turn]);

  const copy = useCallback(async (text: string) => {
    setState((await copyText(text)) ? 'copied' : 'failed');
    setTurn((before) => before + 1);
  }, []);

  return { state, copy };
}
