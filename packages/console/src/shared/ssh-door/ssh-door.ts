/** Where this gateway takes programs that speak SSH, as it tells, and by which key it is known there. */
import type { Pong } from '@gatehouse/contract/console/ping';

export interface SshDoor {
  cluster: string;
  /** Without brackets. */
  host: string;
  port: number;
  fingerprint: string | undefined;
}

/** Undefined: it takes none. `ownHost`: where the browser found the gateway, as `location.hostname` has it. */
export function readSshDoor({ proxy, cluster_name, gatehouse }: Pong, ownHost: string): SshDoor | undefined {
  const { ssh_public_addr: called, listen_addr: listens } = proxy.ssh;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(called ?? listens ?? '') ?? [];
  const told = bracketed ?? plain;
  if (told === undefined) return undefined;
  // What it listens on says nothing of how it is called: where the browser found the gateway, ssh does.
  const host = called === undefined ? ownHost.replaceAll(/[[\]]/g, '') : told;
  return { cluster: cluster_name, host, port: Number(port), fingerprint: gatehouse?.sshFingerprint };
}
