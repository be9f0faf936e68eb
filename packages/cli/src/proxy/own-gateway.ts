/** The gateway under the user's own sign-in, for as long as something here leads to it. */

import { printable } from '@gatehouse/contract/std/printable';
import type { TcpStreamError } from '@gatehouse/tunnel/sessions/tcp-stream';
import type { Io } from '../command.ts';
import { sendIn } from '../gateway/in-cluster.ts';
import { credentialOf, remoteGateway, remoteSend } from '../gateway/remote-gateway.ts';
import { CURRENT } from '../gateway/resolve-gateway.ts';
import type { OwnGateway } from './kind-proxy.ts';

export interface WhichCluster {
  gateway?: string;
  /** A leaf of it. */
  cluster?: string;
}

export async function ownGateway(io: Io, { gateway, cluster }: WhichCluster, signal: AbortSignal): Promise<OwnGateway> {
  const { VERSION } = await import('@gatehouse/contract/std/version');
  const { origin } = remoteGateway(io, gateway);
  const credential = () => credentialOf(io, origin);
  return {
    io,
    origin,
    credential,
    at: cluster === undefined ? CURRENT : { clusterId: cluster },
    send() {
      const send = remoteSend(origin, credential());
      return cluster === undefined ? send : sendIn(cluster, send);
    },
    userAgent: `gatehouse/${VERSION} ${process.platform}`,
    signal,
  };
}

/** One line for each; the same one over and over says nothing new. */
export function tellFailures(name: string, write: (text: string) => void): (error: unknown) => void {
  let last = '';
  return (error) => {
    const line = `gatehouse: ${printable(name)}: ${printable(failureWords(error))}\n`;
    if (line !== last) write(line);
    last = line;
  };
}

/** With what to do about it. */
export function failureWords(error: unknown): string {
  const { code, message } = error as Partial<TcpStreamError>;
  return `${message ?? String(error)}${code === 'not_signed_in' ? ': run gatehouse login' : ''}`;
}
