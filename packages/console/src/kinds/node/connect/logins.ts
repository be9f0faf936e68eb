/** As whom somebody can connect to a server, the likeliest first. */

import { osLogin } from '@gatehouse/contract/kinds/node/node-spec';
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import type { LoginMemory } from './login-memory.ts';

/** Stands among the logins of a server where any may be typed. */
const ANY = '*';

export interface OfferedLogin {
  login: string;
  /** When it was last used on this server, from this browser. */
  lastUsed: number | undefined;
}

type Reachable = Pick<Node, 'id' | 'sshLogins'>;

/** Used here last, used elsewhere last, one's own name, then by the alphabet. */
export function offeredLogins({ id, sshLogins }: Reachable, memory: LoginMemory, userName: string): OfferedLogin[] {
  const here = memory[id] ?? [];
  const allowed = sshLogins.filter((login) => login !== ANY);
  const guessed = sshLogins.includes(ANY) ? [...here.map(({ login }) => login), userName].filter(isLogin) : [];
  const lastUsed = new Map(here.map(({ login, time }) => [login, time]));
  const elsewhere = lastAnywhere(memory);
  return [...new Set([...allowed, ...guessed])]
    .map((login) => ({ login, lastUsed: lastUsed.get(login) }))
    .sort(
      (a, b) =>
        (b.lastUsed ?? 0) - (a.lastUsed ?? 0) ||
        (elsewhere.get(b.login) ?? 0) - (elsewhere.get(a.login) ?? 0) ||
        Number(b.login === userName) - Number(a.login === userName) ||
        a.login.localeCompare(b.login),
    );
}

/** The one Connect uses without asking. Where any may be typed, only one that was used before. */
export function usualLogin(node: Reachable, memory: LoginMemory, userName: string): string | undefined {
  const [first] = offeredLogins(node, memory, userName);
  if (!first) return undefined;
  return first.lastUsed !== undefined || node.sshLogins.includes(first.login) ? first.login : undefined;
}

export function mayTypeLogin({ sshLogins }: Reachable): boolean {
  return sshLogins.includes(ANY);
}

export function mayUse(node: Reachable, login: string): boolean {
  return node.sshLogins.includes(login) || (mayTypeLogin(node) && isLogin(login));
}

export function isLogin(text: string): boolean {
  return osLogin.safeParse(text).success;
}

function lastAnywhere(memory: LoginMemory): Map<string, number> {
  const times = new Map<string, number>();
  for (const { login, time } of Object.values(memory).flat()) {
    times.set(login, Math.max(time, times.get(login) ?? 0));
  }
  return times;
}
