/** Where programs that speak SSH are told to come. */
import { urlHost } from '../../platform/config/address.ts';
import type { GatewayConfig } from '../../platform/config/resolve.ts';

/** Each as host:port. */
export interface SshAddresses {
  listen: string;
  /** What the world calls it, where that is known. */
  publicAddr?: string;
}

/** `bound`: the port that the system chose where the configuration leaves it open. */
export function sshAddresses(
  { ssh, publicAddr }: Pick<GatewayConfig, 'ssh' | 'publicAddr'>,
  bound?: number,
): SshAddresses | undefined {
  if (!ssh?.listen) return undefined;
  const port = ssh.listen.port || bound || 0;
  // Nobody comes to a port that is not known yet.
  if (port === 0) return undefined;
  const host = ssh.publicAddr?.host ?? publicAddr?.host;
  return {
    listen: hostPort(ssh.listen.host, port),
    ...(host ? { publicAddr: hostPort(host, ssh.publicAddr?.port || port) } : {}),
  };
}

function hostPort(host: string, port: number): string {
  return `${urlHost(host)}:${port}`;
}
