/** What to type to reach a server with the ssh of one's own machine. */
import { nodeName } from '@gatehouse/contract/kinds/node/node-spec';
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { isSshCluster } from '@gatehouse/contract/std/ssh-cluster';
import { shellWord } from '../../../shared/resource-panel/shell-word.ts';
import type { SshDoor } from '../../../shared/ssh-door/ssh-door.ts';

export interface SshLines {
  /** After `gatehouse config ssh --write`; nothing where that refuses the name of the cluster. */
  configured: { ssh: string; host: string } | undefined;
  jump: string;
  /** For programs that know no jump, and machines with nothing of ours. */
  direct: string;
}

/** Undefined: ssh takes its name for no host, or another gateway has the door to it. */
export function sshLines(
  { hostname: server, siteId }: Pick<Node, 'hostname' | 'siteId'>,
  { cluster, host, port }: SshDoor,
  login: string,
): SshLines | undefined {
  if (siteId !== cluster || !nodeName.safeParse(server).success) return undefined;
  const suffix = cluster.toLowerCase();
  const named = `${login}@${server}.${suffix}`;
  const door = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    configured: isSshCluster(suffix) ? { ssh: `ssh ${shellWord(named)}`, host: named } : undefined,
    jump: `ssh -J ${shellWord(door)} ${shellWord(`${login}@${server}`)}`,
    direct: `ssh -p ${port} ${shellWord(`${login}@${server}@${host}`)}`,
  };
}
