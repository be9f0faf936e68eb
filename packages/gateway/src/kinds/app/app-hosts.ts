/** Under which names and addresses browsers find applications. */
import { isIP } from 'node:net';

export interface AppHosts {
  /** The gateway's own host name. */
  base(): string;
  /** Scheme, host and port of the console. */
  console(): string;
  /** Empty where the gateway has no name to put one under, and none was given. */
  hostOf(app: { name: string; publicAddr: string }): string;
  /** Scheme, host and port of an application. */
  originOf(host: string): string;
  isSecure(): boolean;
  /** Whether the name is the gateway's, or stands under it. */
  isUnderBase(host: string): boolean;
}

export function createAppHosts(publicOrigin: () => string): AppHosts {
  let known: { origin: string; url: URL } | undefined;
  // Read again only when the port became known.
  const url = () => {
    const origin = publicOrigin();
    if (known?.origin !== origin) known = { origin, url: new URL(origin) };
    return known.url;
  };
  const base = () => url().hostname;
  return {
    base,
    console: () => url().origin,
    hostOf: ({ name, publicAddr }) => publicAddr || (isAddress(base()) ? '' : `${name}.${base()}`),
    originOf: (host) => `${url().protocol}//${host}${url().port === '' ? '' : `:${url().port}`}`,
    isSecure: () => url().protocol === 'https:',
    isUnderBase: (host) => host === base() || host.endsWith(`.${base()}`),
  };
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
