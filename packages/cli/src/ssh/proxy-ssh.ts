/** `gatehouse proxy ssh`: one SSH connection over the port of the gateway, for ssh itself to run. */
import { pipeline } from 'node:stream/promises';
import type { ErrorCode } from '@gatehouse/contract/wire/errors';
import type { Command } from 'commander';
import { addCommand, type Io } from '../command.ts';
import { CURRENT } from '../gateway/resolve-gateway.ts';
import { ownGateway, type WhichCluster } from '../proxy/own-gateway.ts';

export function addSshProxyCommand(group: Command, io: Io): void {
  addCommand(group, {
    name: 'ssh <server>',
    summary:
      'Carry one SSH connection to a server over the port of the gateway alone, as yourself: what ssh runs as ProxyCommand. Speaks on its own input and output.',
    examples: ["ssh -o ProxyCommand='gatehouse proxy ssh %h' root@web-1"],
  })
    .option('--gateway <address>', 'the gateway, under your own sign-in; the one you signed in to last unless told')
    .option('--cluster <name>', 'a leaf cluster of that gateway; its own unless told')
    .action(async (server: string, which: WhichCluster) => {
      const mine = await ownGateway(io, which, new AbortController().signal);
      const [{ openTcpStream }, { SSH_SOCKET }, { CallError }] = await Promise.all([
        import('@gatehouse/tunnel/sessions/tcp-stream'),
        import('@gatehouse/contract/sessions/ssh-socket'),
        import('@gatehouse/contract/wire/client'),
      ]);
      const { origin, userAgent } = mine;
      // By the gateway's own door, also to a leaf: it asks its people for every second factor that they have, and a leaf for codes alone.
      const { cluster = CURRENT.clusterId } = which;
      const name = cluster === CURRENT.clusterId ? server : `${server}+${cluster}`;
      try {
        const far = await openTcpStream({
          ...{ origin, token: mine.credential(), door: SSH_SOCKET, ...CURRENT, name, userAgent },
        });
        // Nothing reads it any more, and it would keep this program.
        far.once('close', () => process.stdin.destroy());
        const out = pipeline(far, process.stdout, { end: false });
        await Promise.all([
          pipeline(process.stdin, far).catch((error: unknown) => isCut(error) || throwIt(error)),
          out,
        ]);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'TcpStreamError' && 'code' in error)) throw error;
        const next = error.code === 'not_signed_in' ? { fields: { next: `gatehouse login ${origin}` } } : {};
        throw new CallError(error.message, error.code as ErrorCode, 0, next);
      }
    });
}

/** The far end is done before this one is. */
function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

function throwIt(error: unknown): never {
  throw error;
}
