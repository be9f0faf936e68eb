/** Whether an agent that proved itself meant this gateway: the name it dialled must be one of ours. */
import { isLoopback } from '../../platform/config/address.ts';
import type { GatewayConfig } from '../../platform/config/resolve.ts';

type AudienceConfig = Pick<GatewayConfig, 'listen' | 'publicAddr' | 'proxy'>;

/** `asked` is the host the upgrade request named: all that is known where the gateway has no name of its own. */
export function isOwnAudience({ listen, publicAddr, proxy }: AudienceConfig, audience: string, asked: string): boolean {
  const dialled = placeOf(audience);
  if (!dialled) return false;
  if (publicAddr && dialled.host === publicAddr.host && dialled.port === portOf(publicAddr)) return true;
  // A machine's own names are nobody else's. Ports differ through forwarding.
  if (isLoopback(dialled.host)) return true;
  const nameless = publicAddr === undefined && (proxy.behind || !isLoopback(listen.host));
  return nameless ? sameHost(audience, asked) : dialled.host === listen.host;
}

function placeOf(text: string): { host: string; port: string } | undefined {
  // A port that its scheme implies is left out by agents; which scheme that was is not said.
  const url = URL.parse(`ftp://${text}`);
  if (url?.pathname !== '/' || url.username || url.search || url.hash) return undefined;
  return { host: url.hostname.replace(/^\[|\]$/g, '').toLowerCase(), port: url.port };
}

function portOf({ port, origin }: { port: number; origin: string }): string {
  return new URL(origin).port === '' ? '' : String(port);
}

function sameHost(a: string, b: string): boolean {
  const withoutUsual = (text: string) => text.toLowerCase().replace(/:(80|443)$/, '');
  return withoutUsual(a) === withoutUsual(b);
}
