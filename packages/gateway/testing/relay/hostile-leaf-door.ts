/** A leaf that joined a root as leaves do, and says what a test wants where SSH is expected of its door. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { connectTunnel } from '@gatehouse/tunnel/connect-tunnel';
import { agentKeyOf } from '@gatehouse/tunnel/handshake/agent-key';
import { TcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { expect, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { HTTP_TARGET } from '../../src/reach/relay/relayed-streams.ts';
import type { TestCluster } from '../federation/two-clusters.ts';

export interface HostileLeaf {
  /** What it says to whoever comes next. */
  speak: (stream: Duplex, socket: WebSocket) => void;
  close(): Promise<void>;
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

export async function joinAsHostileLeaf(root: TestCluster, name: string): Promise<HostileLeaf> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { publicKey: key } = agentKeyOf(privateKey);
  const { token } = await call(root.admin.send, trustedClusterRoutes.createToken, { body: {} });
  const clusterId = randomUUID();
  const entry = { v: 1, clusterId, name, key, version: '0.1.0' };
  const body = { token, certificate_authorities: [Buffer.from(JSON.stringify(entry)).toString('base64')] };
  await call(root.admin.send, trustedClusterRoutes.validate, { body });
  const leaf: HostileLeaf = {
    speak: (stream) => void stream.destroy(),
    close: () => tunnel.close({ drainMs: 0 }),
  };
  const http = createServer({ requireHostHeader: false });
  new WebSocketServer({ server: http }).on('connection', (socket) => {
    const stream = new TcpStream(socket);
    stream.on('error', () => {});
    leaf.speak(stream, socket);
  });
  const instanceId = randomUUID();
  const tunnel = connectTunnel({
    url: `${root.origin}${TUNNEL_PATH}`,
    key: privateKey,
    hello: () => ({ kind: 'cluster', version: '0.1.0', hostname: name, instanceId, offers: {} }),
    onStream(offered, { target }) {
      const stream = offered.accept();
      stream.on('error', () => {});
      if (target === HTTP_TARGET) http.emit('connection', stream);
      else stream.resume();
    },
    log: QUIET,
    now: () => performance.now(),
  });
  const { links } = root.identity.federation;
  await vi.waitFor(() => expect(links().leaf(clusterId).isConnected).toBe(true), { timeout: SOON_MS });
  return leaf;
}

/** Before the first byte of SSH. */
export function ready(socket: WebSocket): void {
  socket.send(JSON.stringify({ type: 'ready', session: '' }));
}
