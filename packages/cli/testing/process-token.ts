/** Calls of ann at a real gateway process, and a token with which the command comes as her. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call, type Send } from '@gatehouse/contract/wire/client';
import type { ProcessWorld } from '@gatehouse/gateway/testing/sessions/process-world';

export function annSend({ tab, gateway }: Pick<ProcessWorld, 'tab' | 'gateway'>): Send {
  const csrf = /grv_csrf=([0-9a-f]+)/.exec(tab.headers.cookie ?? '')?.[1] ?? '';
  const headers = { ...tab.headers, authorization: `Bearer ${tab.token}`, 'x-csrf-token': csrf };
  return async ({ method, url, body }) => {
    const json =
      body === undefined ? { headers } : { body, headers: { ...headers, 'content-type': 'application/json' } };
    const reply = await fetch(`${gateway.origin}${url}`, { method, ...json });
    return { status: reply.status, text: await reply.text() };
  };
}

export async function annToken(world: Pick<ProcessWorld, 'tab' | 'gateway'>): Promise<string> {
  return (await call(annSend(world), apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } })).token;
}
