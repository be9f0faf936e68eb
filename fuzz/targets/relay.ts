/** A hostile leaf, while people of the root ask for its things: answers, websockets and news that no honest cluster sends. */
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { SITE_CHANGES_SOCKET } from '@gatehouse/contract/identity/change-frames';
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import { HTTP_TARGET, NEWS_TARGET } from '@gatehouse/gateway/reach/relay/relayed-streams';
import { connectTunnel } from '@gatehouse/tunnel/connect-tunnel';
import { agentKeyOf } from '@gatehouse/tunnel/handshake/agent-key';
import { WebSocket } from 'ws';
import { ask } from '../person.ts';
import { ODD_NUMBERS, type Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import type { Victim } from '../victim.ts';

const LEAF = 'hostile-leaf';
const PATIENCE_MS = 80;
const PATHS = ['nodes', 'databases', 'apps', 'sessions', 'alerts', 'context', 'events/search', 'recordings/x/file'];
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

export const relay: FuzzTarget = {
  name: 'relay',
  what: 'answers and news',
  secure: false,
  throwers: 8,
  async prepare(victim, random) {
    let said = 0;
    const count = () => (said += 1);
    const own = random.fork();
    const tunnel = await joinAsLeaf(victim, (stream, target) => {
      stream.on('error', () => {});
      if (target === NEWS_TARGET) void tellNonsense(stream, own.fork(), count);
      else if (target === HTTP_TARGET) void answer(stream, own.fork(), count);
      else stream.destroy();
    });
    return {
      async throwOnce(chosen) {
        const before = said;
        if (chosen.chance(0.75)) await look(victim, chosen);
        else await listen(victim, chosen);
        return said - before;
      },
      close: () => tunnel.close({ drainMs: 0 }),
    };
  },
};

/** As a real one joins: a token, an entry, and the key that the entry names. */
async function joinAsLeaf(victim: Victim, serve: (stream: Duplex, target: string) => void) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { publicKey: key } = agentKeyOf(privateKey);
  const { token } = await call(victim.owner, trustedClusterRoutes.createToken, { body: {} });
  const entry = { v: 1, clusterId: randomUUID(), name: LEAF, key, version: '0.1.0' };
  const body = { token, certificate_authorities: [Buffer.from(JSON.stringify(entry)).toString('base64')] };
  await call(victim.owner, trustedClusterRoutes.validate, { body });
  const instanceId = randomUUID();
  const tunnel = connectTunnel({
    url: `http://127.0.0.1:${victim.port}${TUNNEL_PATH}`,
    key: privateKey,
    hello: () => ({ kind: 'cluster', version: '0.1.0', hostname: LEAF, instanceId, offers: {} }),
    onStream: (offered, { target }) => serve(offered.accept(), target),
    log: QUIET,
    now: () => performance.now(),
    // News that cut the line end the tunnel: it is back at once.
    backOff: { baseMs: 5, capMs: 20 },
  });
  for (let tries = 0; tries < 100; tries++) {
    const sites = await call(victim.ann.send, clusterRoutes.sites, {});
    if (sites.some(({ name, status }) => name === LEAF && status === 'online')) return tunnel;
    await sleep(100);
  }
  throw new Error('the leaf did not come');
}

/** Asks as a browser does, reads some of the answer or all of it, and goes. */
async function look(victim: Victim, random: Random): Promise<void> {
  const { cookie, token, csrf } = victim.ann;
  const path = `/v1/webapi/sites/${LEAF}/${random.pick(PATHS)}`;
  const headers = { cookie, authorization: `Bearer ${token}`, 'x-csrf-token': csrf, origin: victim.origin };
  const asked = ask(victim, { path, headers });
  await Promise.race([asked.catch(() => {}), sleep(PATIENCE_MS + random.below(PATIENCE_MS))]);
}

async function listen(victim: Victim, random: Random): Promise<void> {
  const url = `${victim.origin.replace('http', 'ws')}${pathFor(SITE_CHANGES_SOCKET, { clusterId: LEAF })}`;
  const socket = new WebSocket(url, { headers: { cookie: victim.ann.cookie, origin: victim.origin } });
  socket.on('error', () => {});
  socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', token: victim.ann.token })));
  await Promise.race([once(socket, 'close').catch(() => {}), sleep(PATIENCE_MS + random.below(200))]);
  socket.terminate();
}

const HEADS = [
  ...['content-length: 2', 'content-length: 99999999', 'transfer-encoding: chunked', 'content-type: text/html'],
  ...['set-cookie: a=b', 'location: https://elsewhere', 'content-encoding: gzip', 'content-encoding: br', 'x: \u0000'],
  ...['content-disposition: attachment; filename="\r\n', `x-long: ${'x'.repeat(9_000)}`, 'connection: keep-alive', ''],
];
const BODIES = ['{}', '{"items":null}', '2\r\n{}\r\n0\r\n\r\n', 'zz\r\n', `[${'[],'.repeat(2_000)}[]]`, ''];
const STATUS = [
  '200 OK',
  '304 Not Modified',
  '302 Found',
  '101 Switching Protocols',
  '103 Early Hints',
  '403 No',
  '999',
];

/** Mostly what a gateway would say, with bytes changed, cut into pieces, sometimes without end. */
async function answer(stream: Duplex, random: Random, count: () => void): Promise<void> {
  const head = await Promise.race([once(stream, 'data').then(String), sleep(1_000)]).catch(() => undefined);
  if (head === undefined) return void stream.destroy();
  stream.resume();
  count();
  const key = /sec-websocket-key: (\S+)/i.exec(head)?.[1];
  if (key !== undefined && random.chance(0.8)) return await speakFrames(stream, key, random, count);
  const lines = Array.from({ length: 1 + random.below(4) }, () => random.pick(HEADS));
  const text = `HTTP/1.1 ${random.pick(STATUS)}\r\n${lines.join('\r\n')}\r\n\r\n${random.pick(BODIES)}`;
  const honest = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n{}';
  const bytes = Buffer.from(random.chance(0.2) ? honest : text, 'latin1');
  await say(stream, random.chance(0.5) ? random.mutate(bytes) : bytes, random);
  if (random.chance(0.2)) await sleep(random.below(PATIENCE_MS));
  if (random.chance(0.7)) stream.end();
  else stream.destroy();
}

const FRAMES = ['ready', 'alerts', 'resources', 'user', 'ended', 'factor', 'x'.repeat(300)];

async function speakFrames(stream: Duplex, key: string, random: Random, count: () => void): Promise<void> {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  for (let n = 0; n < 30 && !stream.destroyed; n++) {
    count();
    const body = random.chance(0.7)
      ? Buffer.from(JSON.stringify({ type: random.pick(FRAMES), reason: 'signed_out' }))
      : random.bytes(random.below(120));
    const odd = random.chance(0.1);
    const first = random.chance(0.6) ? 0x81 : random.pick([0x82, 0x88, 0x89, 0x8a, 0x01, 0x00, 0xc1, 0x83]);
    const frame = Buffer.concat([Buffer.of(first, odd ? random.below(256) : body.length % 126), body]);
    await say(stream, random.chance(0.1) ? random.mutate(frame) : frame, random);
    if (random.chance(0.2)) await sleep(random.below(5));
  }
  if (random.chance(0.5)) stream.end();
  else stream.destroy();
}

/** Of these a part is news that a leaf may tell, of sign-ins that are nobody's. */
async function tellNonsense(stream: Duplex, random: Random, count: () => void): Promise<void> {
  stream.resume();
  for (let n = 0; n < 200 && !stream.destroyed; n++) {
    count();
    const sid = random.chance(0.5) ? randomUUID() : 'x'.repeat(1 + random.below(300));
    const news = random.pick<unknown>([
      { type: 'watch', sids: Array.from({ length: random.below(50) }, () => sid) },
      { type: 'wants', traits: [sid, 'logins', '__proto__'] },
      { type: 'challenge', ask: 'a', sid },
      { type: 'answer', ask: 'a', sid, answer: { code: '000000' } },
      { type: 'session', sid, session: randomUUID(), kind: 'node', resource: '\u202e\u0000' },
      { type: 'keys', announcement: 'a.b.c' },
      { type: 'weather' },
      random.pick(ODD_NUMBERS),
      null,
    ]);
    const body = Buffer.from(JSON.stringify(news));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(random.chance(0.05) ? random.below(2 ** 32) : body.length);
    const bytes = Buffer.concat([length, body]);
    await say(stream, random.chance(0.05) ? random.mutate(bytes) : bytes, random);
    await sleep(random.below(10));
  }
}

async function say(stream: Duplex, bytes: Buffer, random: Random): Promise<void> {
  if (random.chance(0.1)) for (const byte of bytes.subarray(0, 64)) stream.write(Buffer.of(byte));
  else if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), sleep(50)]).catch(() => {});
}
