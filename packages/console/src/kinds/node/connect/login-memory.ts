/** Which logins somebody used on which server, remembered in this browser and nowhere else. */
import { useCallback, useEffect, useState } from 'react';
import { z } from 'zod';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useUser } from '../../../platform/sign-in/user.ts';

/** Enough for everybody's daily servers; the ones used longest ago are forgotten. */
const MAX_SERVERS = 300;
const MAX_LOGINS = 5;

const usedLogin = z.object({ login: z.string(), time: z.number() });
/** By server, the one used last first. */
const memory = z.record(z.string(), z.array(usedLogin));
export type UsedLogin = z.output<typeof usedLogin>;
export type LoginMemory = z.output<typeof memory>;

export function useLoginMemory(): [LoginMemory, (serverId: string, login: string) => void] {
  const { storage, now } = useBrowser();
  const { userName } = useUser();
  const key = `gatehouse_logins_${userName}`;
  const [known, setKnown] = useState(() => readMemory(storage.getItem(key)));

  useEffect(() => {
    const onStorage = (event: StorageEvent) => event.key === key && setKnown(readMemory(event.newValue));
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }, [key]);

  const remember = useCallback(
    (serverId: string, login: string) => {
      // Read again: another tab may have connected meanwhile.
      const next = withLogin(readMemory(storage.getItem(key)), serverId, { login, time: now() });
      storage.setItem(key, JSON.stringify(next));
      setKnown(next);
    },
    [storage, key, now],
  );
  return [known, remember];
}

export function withLogin(before: LoginMemory, serverId: string, used: UsedLogin): LoginMemory {
  const others = (before[serverId] ?? []).filter(({ login }) => login !== used.login);
  const next = { ...before, [serverId]: [used, ...others].slice(0, MAX_LOGINS) };
  const newestFirst = Object.entries(next).sort(([, a], [, b]) => (b[0]?.time ?? 0) - (a[0]?.time ?? 0));
  return Object.fromEntries(newestFirst.slice(0, MAX_SERVERS));
}

function readMemory(text: string | null): LoginMemory {
  try {
    return memory.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}
