/** The names by which this gateway is dialled. */
import { hostname } from 'node:os';
import { isLoopback } from '../platform/config/address.ts';
import type { GatewayConfig } from '../platform/config/resolve.ts';

const HERE = ['localhost', '127.0.0.1', '::1'];

/** On loopback the names are known; a public listener without a configured name answers to any. */
export function hostNames({
  listen,
  publicAddr,
  proxy,
}: Pick<GatewayConfig, 'listen' | 'publicAddr' | 'proxy'>): string[] | undefined {
  if (!isLoopback(listen.host) || proxy.behind) return undefined;
  return [...HERE, '[::1]', ...(publicAddr ? [publicAddr.host] : [])];
}

/** For which the SSH door shows certificates. A name that it does not know is not certified: its key is there all the same. */
export function sshHostNames({ ssh, publicAddr }: Pick<GatewayConfig, 'ssh' | 'publicAddr'>): string[] {
  const named = [ssh?.publicAddr?.host, publicAddr?.host, ssh?.listen?.host, hostname(), ...HERE];
  return [...new Set(named.flatMap((name) => (name ? [name.toLowerCase()] : [])))];
}
