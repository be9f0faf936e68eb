/** As whom somebody was in which database last, remembered in this browser and nowhere else. */
import { useCallback, useMemo } from 'react';
import { z } from 'zod';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useUser } from '../../../platform/sign-in/user.ts';
import type { DbChoice } from './db-choices.ts';

/** The ones used longest ago are forgotten. */
const MAX_DATABASES = 100;

/** By database, the one used last at the end. */
const memory = z.record(z.string(), z.object({ dbUser: z.string(), dbName: z.string() }));

export function useChoiceMemory(name: string): [last: DbChoice | undefined, remember: (choice: DbChoice) => void] {
  const { storage } = useBrowser();
  const { userName } = useUser();
  const key = `gatehouse_databases_${userName}`;
  // Read each time: it is chosen elsewhere, too.
  const text = storage.getItem(key);
  const last = useMemo(() => readMemory(text)[name], [text, name]);
  const remember = useCallback(
    (choice: DbChoice) => {
      // Read again: another tab may have chosen meanwhile.
      const { [name]: _, ...others } = readMemory(storage.getItem(key));
      const next = [...Object.entries(others), [name, choice] as const].slice(-MAX_DATABASES);
      storage.setItem(key, JSON.stringify(Object.fromEntries(next)));
    },
    [storage, key, name],
  );
  return [last, remember];
}

function readMemory(text: string | null): z.output<typeof memory> {
  try {
    return memory.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}
