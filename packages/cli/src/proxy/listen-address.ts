/** Reads `--listen`: HOST:PORT, a port alone, or nothing; without a host only this machine gets in. */
import { InvalidArgumentError } from 'commander';

export interface ListenAddress {
  host: string;
  port: number;
}

/** In a folder that nobody else can open: ports of this machine are open to everybody on it. */
export interface SocketPath {
  path: string;
}

export const ANY_LOCAL_PORT: ListenAddress = { host: '127.0.0.1', port: 0 };

const ADDRESS = /^(?:(\[[0-9a-f:.]+\]|[a-z0-9.-]+):)?(\d{1,5})$/i;

export function listenAddress(text: string): ListenAddress {
  const [, host, digits] = ADDRESS.exec(text) ?? [];
  const port = Number(digits ?? Number.NaN);
  if (!(port <= 65_535)) throw new InvalidArgumentError('write it like 127.0.0.1:5432, or only the port.');
  return { host: (host ?? ANY_LOCAL_PORT.host).replace(/^\[(.*)\]$/, '$1'), port };
}

/** Others on the network would come through with this user's rights. */
export function isOnlyLocal({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}
