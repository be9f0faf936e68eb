/** Which keyboard somebody has at which desktop, remembered in this browser and nowhere else. */
import { useCallback, useEffect, useState } from 'react';
import { z } from 'zod';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import type { KeyMode } from './key-sender.ts';
import { askLayout } from './layouts.ts';

/** The ones used longest ago are forgotten. */
const MAX_DESKTOPS = 100;

const choice = z.object({ layout: z.int().min(0), mode: z.enum(['keys', 'characters']) });
export type KeyboardChoice = z.output<typeof choice>;
const memory = z.record(z.string(), choice);

const KEY = 'gatehouse_desktop_keyboards';

interface Keyboard extends KeyboardChoice {
  /** Nobody has chosen it. */
  isGuessed: boolean;
}

/** Undefined until it is known. A phone writes characters: it has no keys that lie anywhere. */
export function useKeyboard(name: string): [Keyboard | undefined, (next: KeyboardChoice) => void] {
  const { storage } = useBrowser();
  const [keyboard, setKeyboard] = useState<Keyboard>();
  useEffect(() => {
    const known = readMemory(storage.getItem(KEY))[name];
    if (known) return setKeyboard({ ...known, isGuessed: false });
    let isMounted = true;
    void askLayout().then((layout) => {
      const mode: KeyMode = layout && !window.matchMedia('(pointer: coarse)').matches ? 'keys' : 'characters';
      if (isMounted) setKeyboard({ layout: layout?.id ?? 0, mode, isGuessed: true });
    });
    return () => {
      isMounted = false;
    };
  }, [storage, name]);
  const remember = useCallback(
    (next: KeyboardChoice) => {
      setKeyboard({ ...next, isGuessed: false });
      // Read again: another tab may have chosen meanwhile.
      const { [name]: _, ...others } = readMemory(storage.getItem(KEY));
      const all = [...Object.entries(others), [name, next] as const].slice(-MAX_DESKTOPS);
      storage.setItem(KEY, JSON.stringify(Object.fromEntries(all)));
    },
    [storage, name],
  );
  return [keyboard, remember];
}

function readMemory(text: string | null): z.output<typeof memory> {
  try {
    return memory.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}
