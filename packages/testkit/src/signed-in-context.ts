/** Makes users and signs browsers in as them, through the calls the invite page makes, and without loading a page for it. */
import { CSRF_META } from '@gatehouse/contract/console/page-tags';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';

import type { BrowserContext } from 'playwright-core';
import type { GatewayProcess } from './gateway-process.ts';
import { ownerSend } from './owner-send.ts';

export const PASSWORD = 'correct horse battery staple';

const CSRF = new RegExp(`name="${CSRF_META}" content="([^"]*)"`);

const given = new Map<string, number>();

/** The name itself for who asks first, and one beside it for who asks again: what was made under it is still there. */
export function freshName({ dataDir }: GatewayProcess, name: string): string {
  const key = `${dataDir} ${name}`;
  const count = (given.get(key) ?? 0) + 1;
  given.set(key, count);
  return count === 1 ? name : `${name}-${count}`;
}

export interface Invited {
  /** Begins with the one that was asked for. */
  name: string;
  link: string;
}

interface UserOptions {
  /** Accounts on servers. */
  logins?: readonly string[];
}

interface ContextOptions extends UserOptions {
  /** Pages fetch the code of the other screens once they are idle, which most tests have no use for. */
  fetchesAhead?: boolean;
}

/** Makes a user as the owner of the gateway; the link is to be handed to them. */
export async function inviteUser(
  gateway: GatewayProcess,
  wanted: string,
  roles = 'access,editor',
  { logins }: UserOptions = {},
): Promise<Invited> {
  const name = freshName(gateway, wanted);
  const { inviteUrl } = await call(ownerSend(gateway.dataDir), userRoutes.invite, {
    body: { name, roles: roles.split(','), ...(logins ? { traits: { logins: [...logins] } } : {}) },
  });
  return { name, link: inviteUrl };
}

/** Ends everything they are signed in to, with every session. */
export async function removeUser(gateway: GatewayProcess, name: string): Promise<void> {
  await call(ownerSend(gateway.dataDir), userRecordRoutes.remove, { params: { username: name } });
}

/** Gives the name of the user, which begins with the one that was asked for. */
export async function signedInContext(
  context: BrowserContext,
  gateway: GatewayProcess,
  wanted: string,
  roles: string,
  { fetchesAhead = false, ...options }: ContextOptions = {},
): Promise<string> {
  if (!fetchesAhead) await context.addInitScript(saveData);
  const { name, link } = await inviteUser(gateway, wanted, roles, options);
  // These calls share their cookies with the browser's own.
  const page = await (await context.request.get(link)).text();
  const answer = await context.request.put(`${gateway.origin}/v1/webapi/users/password/token`, {
    headers: { origin: gateway.origin, 'x-csrf-token': CSRF.exec(page)?.[1] ?? '' },
    data: { token: link.split('/').at(-1), password: btoa(PASSWORD) },
  });
  if (answer.status() !== 200) throw new Error(`the link was refused with ${answer.status()}`);
  return name;
}

/** Runs in the page: whoever counts their bytes gets nothing ahead. */
function saveData(): void {
  Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true });
}
