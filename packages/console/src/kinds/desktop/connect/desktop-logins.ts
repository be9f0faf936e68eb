/** As whom somebody was on which desktop, remembered in this browser and nowhere else, and whom they may become. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { Desktop } from '@gatehouse/contract/kinds/desktop/desktops';
import { useCallback, useState } from 'react';
import { z } from 'zod';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useUser } from '../../../platform/sign-in/user.ts';

/** The ones used longest ago are forgotten. */
const MAX_DESKTOPS = 100;

/** By desktop, the one used last at the end. */
const memory = z.record(z.string(), z.string());
type LoginMemory = z.output<typeof memory>;

export interface Connecting {
  clusterId: string;
  last: LoginMemory;
  onConnect: (name: string, login: string) => void;
}

export function useConnecting(clusterId: string): Connecting {
  const { storage } = useBrowser();
  const { userName } = useUser();
  const key = `gatehouse_desktops_${userName}`;
  const [last, setLast] = useState(() => readMemory(storage.getItem(key)));
  const onConnect = useCallback(
    (name: string, login: string) => {
      // Read again: another tab may have connected meanwhile.
      const { [name]: _, ...others } = readMemory(storage.getItem(key));
      const next = Object.fromEntries([...Object.entries(others), [name, login]].slice(-MAX_DESKTOPS));
      storage.setItem(key, JSON.stringify(next));
      setLast(next);
    },
    [storage, key],
  );
  return { clusterId, last, onConnect };
}

/** In the role's own order, the one used last first. A star stands for any that is typed. */
export function offeredLogins({ logins }: Desktop, last: string | undefined): string[] {
  const named = logins.filter((login) => login !== '*');
  if (last === undefined || (!named.includes(last) && !mayType({ logins }))) return named;
  return [last, ...named.filter((login) => login !== last)];
}

export function mayType({ logins }: Pick<Desktop, 'logins'>): boolean {
  return logins.includes('*');
}

/** A page of its own, loaded whole: a plain link in a new tab. */
export function desktopPath(clusterId: string, desktopName: string, username: string): string {
  return pagePath('desktop', { clusterId, desktopName, username });
}

/** For a link: a new tab that cannot reach back into this one. */
export const NEW_TAB = { target: '_blank', rel: 'noopener' } as const;

function readMemory(text: string | null): LoginMemory {
  try {
    return memory.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}
