/** What somebody took from the palette last, remembered in this browser and nowhere else: by id only, and shown only if the gateway still shows it. */
import { useCallback, useMemo, useState } from 'react';
import { z } from 'zod';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useOwnUser } from '../../platform/sign-in/user.ts';

const MAX_CHOICES = 30;
/** Each may cost a call when the palette opens. */
export const RECENT_SHOWN = 5;

const choices = z.array(z.object({ id: z.string(), time: z.number() }));
export type RecentChoice = z.output<typeof choices>[number];

/** The last first. */
export function useRecentChoices(): [readonly RecentChoice[], (id: string) => void] {
  const { storage, now } = useBrowser();
  const { userName } = useOwnUser();
  const key = `gatehouse_palette_${userName}`;
  const [changes, setChanges] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again after a choice
  const known = useMemo(() => readChoices(storage.getItem(key)), [storage, key, changes]);
  const remember = useCallback(
    (id: string) => {
      // Read again: another tab may have taken something meanwhile.
      const others = readChoices(storage.getItem(key)).filter((choice) => choice.id !== id);
      storage.setItem(key, JSON.stringify([{ id, time: now() }, ...others].slice(0, MAX_CHOICES)));
      setChanges((count) => count + 1);
    },
    [storage, key, now],
  );
  return [known, remember];
}

function readChoices(text: string | null): RecentChoice[] {
  try {
    return choices.parse(JSON.parse(text ?? '[]'));
  } catch {
    return [];
  }
}
