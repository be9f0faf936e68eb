/** Makes a user and signs a browser in as them, through the calls the invite page makes. */

import type { BrowserContext } from 'playwright-core';
import type { GatewayProcess } from './gateway-process.ts';

export const PASSWORD = 'correct horse battery staple';

export async function signedInContext(
  context: BrowserContext,
  gateway: GatewayProcess,
  name: string,
  roles: string,
): Promise<void> {
  const added = await gateway.command('users', 'add', name, `--roles=${roles}`, '--format', 'json');
  if (added.code !== 0) throw new Error(`users add failed: ${added.stderr}`);
  const { inviteUrl } = JSON.parse(added.stdout) as { inviteUrl: string };
  const page = await context.newPage();
  await page.goto(inviteUrl);
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
    { token: inviteUrl.split('/').at(-1) as string, password: PASSWORD },
  );
  if (status !== 200) throw new Error(`the link was refused with ${status}`);
  await page.close();
}
