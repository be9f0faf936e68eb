/** What a leaf answers, cut off and changed at every byte: nothing of it leads a browser on, and the next call is served as ever. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { writeMessage } from '@gatehouse/tunnel/messages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { hostileLeaf, type RelayWorld, startRelayWorld } from '../../../testing/relay/relay-world.ts';
import { carryNews } from '../leaf-clusters/news-stream.ts';

/** Ends of lines, blanks, what ends a name, what no header holds, and the highest. */
const ODD_BYTES = [0x00, 0x0a, 0x0d, 0x20, 0x3a, 0x7f, 0xff];
const ANSWER = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nset-cookie: a=b\r\nlocation: //evil\r\netag: "1"\r\n\r\n5\r\nabcde\r\n0\r\n\r\n',
  'latin1',
);

let world: RelayWorld;
let close: () => Promise<void>;
let serve: (socket: Socket, head: string) => void;

beforeAll(async () => {
  world = await startRelayWorld(() => {}, 5_000);
  close = await hostileLeaf(world, (socket, head) => serve(socket, head));
});
afterAll(async () => {
  await close();
  await world.close();
});

/** Each of them cut off there, or with another byte there. */
function* spoiled(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at++) {
    yield bytes.subarray(0, at);
    for (const odd of ODD_BYTES) {
      const changed = Buffer.from(bytes);
      changed[at] = odd;
      yield changed;
    }
  }
}

async function ask(said: Buffer): Promise<string> {
  serve = (socket) => void socket.end(said);
  const socket = connect(world.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET /v1/calls/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  return await text(socket).catch(() => '');
}

test('an answer', { timeout: 120_000 }, async () => {
  for (const said of spoiled(ANSWER)) {
    const answer = await ask(said);
    const [head = ''] = answer.toLowerCase().split('\r\n\r\n');
    if (
      !/^(|http\/1\.1 (200|504)[^\n]*\r\n[\s\S]*nosniff[\s\S]*)$/.test(head) ||
      /\r\n(set-cookie|location|refresh):/.test(head)
    )
      expect.fail(`${JSON.stringify(said.toString('latin1'))} is answered by ${JSON.stringify(answer)}`);
  }
  expect(await ask(ANSWER)).toContain('abcde');
});

test('frames of a websocket', { timeout: 120_000 }, async () => {
  const frames = Buffer.from([0x81, 2, 0x68, 0x69, 0x89, 1, 0x61, 0x02, 1, 0x61, 0x80, 1, 0x62, 0x88, 2, 0x03, 0xe8]);
  const talk = async (said: Buffer) => {
    serve = (socket, head) => {
      const key = /sec-websocket-key: (.*)\r/i.exec(head)?.[1] ?? '';
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
      );
      socket.end(said);
    };
    const heard: string[] = [];
    const socket = new WebSocket(`ws://127.0.0.1:${world.port}/v1/sockets/x`);
    socket.on('message', (data) => heard.push(String(data)));
    socket.on('error', () => {});
    await once(socket, 'close');
    return heard;
  };
  for (const said of spoiled(frames)) await talk(said);

  expect(await talk(frames)).toEqual(['hi', 'ab']);
});

test('news', async () => {
  const [near, far] = duplexPair();
  await writeMessage(near, { type: 'watch', sids: ['a'] });
  const bytes = far.read() as Buffer;
  const told: unknown[] = [];
  for (const said of [...spoiled(bytes), bytes]) {
    const [here, there] = duplexPair();
    const over = Promise.withResolvers<string>();
    here.on('error', () => {});
    carryNews(there, () => (message) => void told.push(message), over.resolve);
    here.end(said);
    expect(await over.promise).not.toBe('');
    await turn();
  }

  expect(told.at(-1)).toEqual({ type: 'watch', sids: ['a'] });
});
