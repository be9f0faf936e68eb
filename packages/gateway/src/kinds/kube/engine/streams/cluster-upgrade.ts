/** What a cluster is asked to make of a connection, and what comes of its yes. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { WebSocketDuplex } from '@gatehouse/tunnel/websocket-duplex';
import { AppError } from '../../../../platform/std/app-error.ts';
import type { Channel, ExecChannels } from './channels.ts';
import {
  type Purpose,
  SPDY_FORWARD_PROTOCOL,
  SPDY_UPGRADE,
  type StreamKind,
  WEBSOCKET_FORWARD_PROTOCOL,
} from './client-upgrade.ts';
import { openSpdyExec, SPDY_EXEC_PROTOCOL, type Upgraded } from './spdy-channels.ts';
import { WEBSOCKET_EXEC_PROTOCOLS, websocketChannels } from './websocket-channels.ts';
import { acceptOf, websocketOver } from './websocket-over.ts';

export interface UpgradeRequest {
  /** RBAC sees `create` in a POST and `get` in a GET. */
  method: 'POST' | 'GET';
  headers: readonly (readonly [name: string, value: string])[];
  /** The protocol that was chosen. Throws when the answer is no yes to what was asked. */
  check(header: (name: string) => string | undefined): string;
}

/**
 * `isLast`: nothing else is left. Channels before v5 cannot tell the end of what is typed, and whatever reads to it waits for ever: a
 * cluster that has no others is asked for SPDY before.
 */
export function upgradeRequest(
  carrier: StreamKind['carrier'],
  purpose: Purpose,
  { isLast = false }: { isLast?: boolean } = {},
): UpgradeRequest {
  return carrier === 'spdy' ? spdyRequest(purpose) : websocketRequest(purpose, isLast);
}

function spdyRequest(purpose: Purpose): UpgradeRequest {
  const protocol = purpose === 'exec' ? SPDY_EXEC_PROTOCOL : SPDY_FORWARD_PROTOCOL;
  return {
    method: 'POST',
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', SPDY_UPGRADE],
      ['X-Stream-Protocol-Version', protocol],
    ],
    check(header) {
      if (header('upgrade')?.toLowerCase() !== SPDY_UPGRADE.toLowerCase()) throw strange('another protocol than SPDY');
      // Kubelets before 1.7 do not say which.
      const chosen = header('x-stream-protocol-version') ?? protocol;
      if (chosen !== protocol) throw strange(`the stream protocol '${chosen.slice(0, 100)}'`);
      return chosen;
    },
  };
}

function websocketRequest(purpose: Purpose, isLast: boolean): UpgradeRequest {
  const [newest] = WEBSOCKET_EXEC_PROTOCOLS;
  const ofExec: readonly string[] = isLast ? WEBSOCKET_EXEC_PROTOCOLS : [newest];
  const offered = purpose === 'exec' ? ofExec : [WEBSOCKET_FORWARD_PROTOCOL];
  const key = randomBytes(16).toString('base64');
  return {
    method: 'GET',
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Version', '13'],
      ['Sec-WebSocket-Key', key],
      ['Sec-WebSocket-Protocol', offered.join(', ')],
    ],
    check(header) {
      if (header('upgrade')?.toLowerCase() !== 'websocket') throw strange('another protocol than a websocket');
      if (header('sec-websocket-accept') !== acceptOf(key)) throw strange('a websocket that was not asked for');
      if (header('sec-websocket-extensions') !== undefined) throw strange('extensions that were not asked for');
      const chosen = header('sec-websocket-protocol') ?? '';
      if (!offered.includes(chosen)) throw strange(`the stream protocol '${chosen.slice(0, 100)}'`);
      return chosen;
    },
  };
}

export async function openExec(
  upgraded: Upgraded,
  kind: StreamKind,
  wanted: readonly Channel[],
): Promise<ExecChannels> {
  if (kind.carrier === 'spdy') return openSpdyExec(upgraded, wanted);
  const socket = websocketOver(upgraded);
  const channels = websocketChannels(socket, kind.protocol, wanted);
  for (const name of ['stdin', 'resize'] as const) channels.streams[name]?.resume();
  await once(socket, 'open');
  return channels;
}

export async function openForward(upgraded: Upgraded, { carrier }: StreamKind): Promise<Upgraded> {
  if (carrier === 'spdy') return upgraded;
  const socket = websocketOver(upgraded);
  const stream = new WebSocketDuplex(socket);
  await once(socket, 'open');
  return { stream, rest: Buffer.alloc(0) };
}

function strange(what: string): AppError {
  return new AppError('unavailable', `the cluster answered the upgrade with ${what}`);
}
