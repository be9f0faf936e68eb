/** Sends events to a web server as JSON lines. Each batch says which it is, so that one sent twice can be dropped there. */
import { VERSION } from '@gatehouse/contract/std/version';
import type { Secret } from '../../../platform/std/secret.ts';
import { DELIVERY_MS, type Sink } from './sink.ts';

export function webhookSink({ name, url, token }: { name: string; url: string; token?: Secret | undefined }): Sink {
  return {
    name,
    type: 'webhook',
    async deliver({ chain, first, last, items }) {
      const response = await fetch(url, {
        method: 'POST',
        // A redirect would hand the token to whoever it names.
        redirect: 'error',
        signal: AbortSignal.timeout(DELIVERY_MS),
        headers: {
          'content-type': 'application/x-ndjson',
          'user-agent': `gatehouse/${VERSION}`,
          'idempotency-key': `${chain || 'checkpoint'}:${first}-${last}`,
          ...(token && { authorization: `Bearer ${token.reveal()}` }),
        },
        body: items.map(({ text }) => `${text}\n`).join(''),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`it answered ${response.status}`);
    },
    async close() {},
  };
}
