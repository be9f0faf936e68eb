/** Asks a leaf of a gateway in place of the gateway's own cluster. */
import type { Open, Send } from '@gatehouse/contract/wire/client';
import { Failure } from '../runtime/failure.ts';

const OWN = '/v1/webapi/sites/-current-/';

/** The same where calls about oneself, such as second factors, are made beside: those are the gateway's. */
export function sendIn(cluster: string, send: Send): Send {
  return async (sent) => send(sent.url.startsWith(OWN) ? { ...sent, url: urlIn(cluster, sent.url) } : sent);
}

/** What names no cluster is refused: it would be done to the gateway that is asked, which nobody meant. */
export function urlIn(cluster: string, url: string): string {
  if (url.startsWith(OWN)) return `/v1/webapi/sites/${encodeURIComponent(cluster)}/${url.slice(OWN.length)}`;
  throw new Failure(
    'usage',
    `this is not asked of other clusters: leave --cluster out, or run it with --gateway and the address of '${cluster}'`,
  );
}

export function inCluster({ send, open }: { send: Send; open: Open }, cluster: string): { send: Send; open: Open } {
  return {
    send: async (sent) => send({ ...sent, url: urlIn(cluster, sent.url) }),
    open: async (url) => open(urlIn(cluster, url)),
  };
}
