/** Under which names of this gateway browsers find applications of other clusters: `APP.CLUSTER.HOST`. */
import type { AppHosts } from '../app-hosts.ts';

export interface ElsewhereName {
  cluster: string;
  /** Of the application there. */
  name: string;
}

export function elsewhereHost(hosts: Pick<AppHosts, 'base'>, { name, cluster }: ElsewhereName): string {
  return `${name}.${cluster}.${hosts.base()}`;
}

/** By its shape alone: which clusters there are is nothing for strangers. */
export function readElsewhereHost(
  hosts: Pick<AppHosts, 'base' | 'isUnderBase'>,
  host: string,
): ElsewhereName | undefined {
  const base = hosts.base();
  if (host === base || !hosts.isUnderBase(host)) return undefined;
  const own = host.slice(0, -(base.length + 1));
  const dot = own.indexOf('.');
  if (dot <= 0 || dot === own.length - 1) return undefined;
  return { name: own.slice(0, dot), cluster: own.slice(dot + 1) };
}
