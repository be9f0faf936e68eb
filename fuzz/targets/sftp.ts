/** A hostile client and a hostile server of SFTP, with the relay between them in this very process. */
import { type Duplex, duplexPair } from 'node:stream';
import { ANSWER, REQUEST, SFTP_VERSION } from '@gatehouse/contract/kinds/node/files/sftp';
import { relaySftp } from '@gatehouse/gateway/kinds/node/files/sftp/relay/relay-sftp';
import { encodePacket, type Field } from '@gatehouse/tunnel/sftp/encode-packet';
import { ODD_NUMBERS, type Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';

const PATIENCE_MS = 10_000;
const EXTENSIONS = [
  ...['posix-rename@openssh.com', 'hardlink@openssh.com', 'copy-data', 'lsetstat@openssh.com', 'limits@openssh.com'],
  ...['constructor', '__proto__', 'x'.repeat(500), ''],
];
const NAMES = ['/a', 'h', 'h2', '', '.', '\0', 'x'.repeat(40_000), ...EXTENSIONS];

export const sftp: FuzzTarget = {
  name: 'sftp',
  what: 'packets',
  secure: false,
  throwers: 8,
  async prepare() {
    return { throwOnce, close: async () => {} };
  },
};

async function throwOnce(random: Random): Promise<number> {
  const [client, near] = duplexPair();
  const [server, far] = duplexPair();
  for (const stream of [client, near, server, far]) stream.on('error', () => {});
  far.once('close', () => server.destroy());
  if (random.chance(0.7)) for (const stream of [client, server]) stream.resume();
  const relay = relaySftp({
    client: near,
    server: far,
    onObserved: () => (random.chance(0.02) ? Promise.reject(new Error('no room')) : Promise.resolve()),
    limits: { asked: 1 + random.below(8), handles: 1 + random.below(4) },
  });
  client.write(encodePacket(REQUEST.init, [SFTP_VERSION]));
  server.write(encodePacket(ANSWER.version, [SFTP_VERSION, ...EXTENSIONS.flatMap((name) => [name, '1'])]));
  const count = 1 + random.below(60);
  for (let turn = 0; turn < count; turn++) {
    const isAsked = random.chance(0.5);
    const types = Object.values<number>(isAsked ? REQUEST : ANSWER);
    throwAt(isAsked ? client : server, random, random.chance(0.95) ? random.pick(types) : random.below(256));
    if (random.chance(0.2)) await new Promise((resolve) => setImmediate(resolve));
  }
  for (const stream of [client, server]) {
    stream.resume();
    if (random.chance(0.5)) stream.end();
    else stream.destroy();
  }
  near.once('close', () => relay.end('gone'));
  client.once('close', () => near.destroy());
  const late = setTimeout(() => {
    throw new Error('the relay of SFTP does not end');
  }, PATIENCE_MS);
  const reason = await relay.ended;
  clearTimeout(late);
  if (reason === 'something of SFTP could not be handled') throw new Error('the relay of SFTP did not expect this');
  return count;
}

function throwAt(stream: Duplex, random: Random, type: number): void {
  if (stream.destroyed || stream.writableEnded) return;
  const fields = Array.from({ length: random.below(6) }, () => fieldOf(random));
  const packet = encodePacket(type, [random.below(6), ...fields]);
  stream.write(random.chance(0.1) ? random.mutate(packet) : packet);
}

function fieldOf(random: Random): Field {
  const kind = random.below(5);
  if (kind === 0) return random.pick(ODD_NUMBERS) % 2 ** 32;
  if (kind === 1) return BigInt(random.pick(ODD_NUMBERS));
  if (kind === 2) return { raw: random.bytes(random.below(40)) };
  return random.pick(NAMES);
}
