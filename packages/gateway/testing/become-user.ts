/** Signs somebody in at a gateway that runs as a process, by plain calls, for tests without a browser. */
import type { Send } from '@gatehouse/contract/wire/client';
import type { GatewayProcess } from '@gatehouse/testkit/gateway-process';

export interface ProcessUser {
  cookie: string;
  bearer: string;
  send: Send;
}

/** Makes the user at `gateway` and redeems the invite at `at` the way the page does, reading the token out of the page. */
export async function becomeUser(
  gateway: GatewayProcess,
  { name, roles, at = gateway }: { name: string; roles: string; at?: GatewayProcess },
): Promise<ProcessUser> {
  const invited = await gateway.command('users', 'add', name, `--roles=${roles}`, '--format', 'json');
  const { inviteUrl } = JSON.parse(invited.stdout) as { inviteUrl: string };
  const page = await fetch(at.url);
  const csrfCookie = cookiesOf(page);
  const csrf = /grv_csrf_token" content="([0-9a-f]+)"/.exec(await page.text())?.[1] ?? '';
  const redeemed = await fetch(`${at.origin}/v1/webapi/users/password/token`, {
    method: 'PUT',
    headers: { cookie: csrfCookie, 'x-csrf-token': csrf, 'content-type': 'application/json' },
    body: JSON.stringify({ token: inviteUrl.split('/').at(-1), password: btoa('correct horse battery') }),
  });
  if (redeemed.status !== 200) throw new Error(`the invite was refused with ${redeemed.status}`);
  const cookie = `${csrfCookie}; ${cookiesOf(redeemed)}`;
  const signedIn = await (await fetch(at.url, { headers: { cookie } })).text();
  const meta = /grv_bearer_token" content="([^"]+)"/.exec(signedIn)?.[1] ?? '';
  const bearer = (JSON.parse(atob(meta)) as { token: string }).token;
  return {
    cookie,
    bearer,
    async send({ method, url, body }) {
      const headers = { cookie, 'x-csrf-token': csrf, authorization: `Bearer ${bearer}` };
      const answer = await fetch(`${at.origin}${url}`, {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      });
      return { status: answer.status, text: await answer.text() };
    },
  };
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}
