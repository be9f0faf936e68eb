/** Where a gateway takes programs that speak SSH, as it tells. Believed only in what may stand in a configuration of ssh. */
import { isIP } from 'node:net';
import { printable } from '@gatehouse/contract/std/printable';
import { isSshCluster } from '@gatehouse/contract/std/ssh-cluster';
import type { Send } from '@gatehouse/contract/wire/client';

export interface SshDoor {
  cluster: string;
  /** Without brackets. */
  host: string;
  port: number;
}

const HOST = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** A sentence about what the gateway says of itself, where that cannot be written down. */
export class UnfitDoor extends Error {}

/** Undefined: this gateway takes none. `overHttps`: then it is where browsers come. Throws `UnfitDoor`. */
export async function findSshDoor(send: Send, origin: string, overHttps = false): Promise<SshDoor | undefined> {
  const [{ call }, { pingRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/console/ping'),
  ]);
  const { cluster_name, proxy } = await call(send, pingRoutes.find, {});
  const { host, port, protocol } = new URL(origin);
  const own = `${host.replace(/:\d+$/, '')}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const told = overHttps && !hasDoor(proxy.ssh) ? { ssh_public_addr: own } : proxy.ssh;
  return readSshDoor(cluster_name, told, origin);
}

function hasDoor(told: { listen_addr?: string | undefined; ssh_public_addr?: string | undefined }): boolean {
  return told.ssh_public_addr !== undefined || told.listen_addr !== undefined;
}

export function readSshDoor(
  clusterName: string,
  told: { listen_addr?: string | undefined; ssh_public_addr?: string | undefined },
  origin: string,
): SshDoor | undefined {
  const address = told.ssh_public_addr ?? told.listen_addr;
  if (address === undefined) return undefined;
  const cluster = clusterName.toLowerCase();
  if (!isSshCluster(cluster))
    throw new UnfitDoor(`its cluster is called '${printable(clusterName)}', which ssh takes for no name of a host`);
  const { host, port } = readAddress(address) ?? {};
  if (host === undefined || port === undefined)
    throw new UnfitDoor(`it tells ssh to come to '${printable(address)}', which is no address`);
  // What it listens on says nothing of how it is called: where this command found the gateway, ssh does.
  return { cluster, host: told.ssh_public_addr === undefined ? hostOf(origin) : host, port };
}

export function isHostName(host: string): boolean {
  return isIP(host) !== 0 ? !host.includes('%') : host.length <= 253 && HOST.test(host);
}

function readAddress(address: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(address);
  const host = (match?.[1] ?? match?.[2] ?? '').toLowerCase();
  const port = Number(match?.[3]);
  return isHostName(host) && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

function hostOf(origin: string): string {
  return new URL(origin).hostname.replaceAll(/[[\]]/g, '');
}
