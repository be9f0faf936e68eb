/** Makes users and signs browsers in as them, through the calls the invite page makes. */

import type { BrowserContext } from 'playwright-core';
import type { GatewayProcess } from './gateway-process.ts';

export const PASSWORD = 'correct horse battery staple';

const given = new Map<string, number>();

/** The name itself for who asks first, and one beside it for a test that is tried again: what its first try made is still there. */
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

/** Makes a user on the gateway's own machine; the link is to be handed to them. */
export async function inviteUser(gateway: GatewayProcess, wanted: string, roles = 'access,editor'): Promise<Invited> {
  const name = freshName(gateway, wanted);
  const { code, stdout, stderr } = await gateway.command('users', 'add', name, `--roles=${roles}`, '--format', 'json');
  if (code !== 0) throw new Error(`users add failed: ${stderr}`);
  return { name, link: (JSON.parse(stdout) as { inviteUrl: string }).inviteUrl };
}

/** Gives the name of the user, which begins with the one that was asked for. */
export async function signedInContext(
  context: BrowserContext,
  gateway: GatewayProcess,
  wanted: string,
  roles: string,
): Promise<string> {
  const { name, link } = await inviteUser(gateway, wanted, roles);
  const page = await context.newPage();
  await page.goto(link);
  const status = await page.evaluate(
    async ({ token, password }) => {
      const csrf = document.querySelector<HTMLMetaElement>('meta[name=grv_csrf_token]')?.content ?? '';
      const response = await fetch('/v1/webapi/users/password/token', {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'x-csrf-token': csrf },
        body: JSON.stringify({ token, password: btoa(password) }),
      });
      return response.status;
    },
    { token: link.split('/').at(-1) as string, password: PASSWORD },
  );
  if (status !== 200) throw new Error(`the link was refused with ${status}`);
  await page.close();
  return name;
}
