import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { ExecChannels } from './channels.ts';
import { acceptExec, readUpgrade } from './client-upgrade.ts';
import { Unmasking } from './unmask.ts';
import { websocketChannels } from './websocket-channels.ts';

interface Frame {
  payload: Buffer;
  mask?: Buffer;
  first?: number;
}

const NO_MASK = Buffer.alloc(4);

/** As a client writes it. */
function frame({ payload, mask = randomBytes(4), first = 0x82 }: Frame): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, mask, Buffer.from(payload.map((byte, at) => byte ^ mask[at % 4]!))]);
}

/** In pieces of their own memory that begin anywhere in it, as reads do. */
function cut(bytes: Buffer, most: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Math.min(bytes.length - at, randomInt(1, most + 1));
    const shift = randomInt(0, 8);
    const memory = Buffer.alloc(length + shift + randomInt(0, 8));
    bytes.copy(memory, shift, at, at + length);
    pieces.push(memory.subarray(shift, shift + length));
    at += length;
  }
  return pieces;
}

/** What `ws` is given of them, in reads of up to so many bytes. */
function taken(sent: readonly Frame[], most: number): Buffer {
  const pieces = cut(Buffer.concat(sent.map(frame)), most);
  const frames = new Unmasking();
  for (const piece of pieces) frames.take(piece);
  return Buffer.concat(pieces);
}

const plain = (sent: readonly Frame[]) => Buffer.concat(sent.map((each) => frame({ ...each, mask: NO_MASK })));

const LENGTHS = [0, 1, 2, 3, 4, 5, 63, 64, 65, 66, 67, 125, 126, 127, 1_000, 32_769, 65_535, 65_536, 70_001];

test.each([1, 3, 7, 64, 16_384, 100_000])(
  'messages stand there without their masks, and say that there are none, in reads of up to %i bytes',
  (most) => {
    const sent = LENGTHS.filter((length) => most > 3 || length < 2_000).map((length) => ({
      payload: randomBytes(length),
    }));

    expect(taken(sent, most).equals(plain(sent))).toBe(true);
  },
);

test('pings between the parts of a message are frames of their own', () => {
  const ping = { payload: randomBytes(20), first: 0x89 };
  const parts = [{ payload: randomBytes(300), first: 0x02 }, ping, { payload: randomBytes(70_000), first: 0x80 }, ping];

  expect(taken(parts, 5_000).equals(plain(parts))).toBe(true);
});

test('a frame without a mask is left as it is, for ws to refuse', () => {
  const unmasked = Buffer.concat([Buffer.from([0x82, 100]), randomBytes(100)]);
  const sent = Buffer.from(unmasked);
  new Unmasking().take(sent);

  expect(sent).toEqual(unmasked);
});

test('a frame that says it is longer than anything takes no memory and throws nothing', () => {
  const frames = new Unmasking();
  const head = Buffer.from([0x82, 0xff, ...Array<number>(8).fill(0xff), 1, 2, 3, 4]);
  frames.take(head);
  for (let turn = 0; turn < 50; turn += 1) frames.take(randomBytes(1_000));

  expect(head.subarray(-4)).toEqual(Buffer.alloc(4));
});

/** A door, and who comes to it with `first` behind the head of their request, in the same packet. */
async function exec(first: Buffer): Promise<{ channels: ExecChannels; port: number; send(bytes: Buffer): void }> {
  const accepted = Promise.withResolvers<ExecChannels>();
  const server = createServer().on('upgrade', (raw, socket, rest) => {
    acceptExec({ raw, socket, rest }, readUpgrade(raw, 'exec'), ['stdin', 'stdout']).then(
      accepted.resolve,
      accepted.reject,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  const head = [
    ...['GET /x HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    ...[`Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`, 'Sec-WebSocket-Protocol: v5.channel.k8s.io'],
  ];
  socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), first]));
  return { channels: await accepted.promise, port, send: (bytes) => void socket.write(bytes) };
}

test('a program that masks is understood from the first bytes behind its request on', async () => {
  const typed = randomBytes(200_000);
  const message = (from: number, to: number) =>
    frame({ payload: Buffer.concat([Buffer.of(0), typed.subarray(from, to)]) });
  const { channels, send } = await exec(message(0, 1_000));
  send(Buffer.concat([message(1_000, 33_000), message(33_000, 200_000), frame({ payload: Buffer.of(255, 0) })]));

  const parts: Buffer[] = [];
  for await (const part of channels.streams.stdin ?? []) parts.push(part as Buffer);
  expect(Buffer.concat(parts)).toEqual(typed);
});

test('a message goes on to the cluster in the memory it came in, and its bytes are those that were sent', async () => {
  const bytes = randomBytes(32_768);
  const message = frame({ payload: Buffer.concat([Buffer.of(0), bytes]) });
  // In two reads, as TLS has it: else it lies in the memory of what came with it.
  const { channels, send } = await exec(message.subarray(0, 100));
  send(message.subarray(100));
  const [came] = (await once(channels.streams.stdin!, 'data')) as [Buffer];
  const there = await exec(Buffer.alloc(0));
  const socket = new WebSocket(`ws://127.0.0.1:${there.port}/x`, ['v5.channel.k8s.io']);
  await once(socket, 'open');
  const sent = vi.spyOn(socket, 'send');
  const { streams } = websocketChannels(socket, 'v5.channel.k8s.io', ['stdin', 'stdout']);
  streams.stdin?.write(came);
  streams.stdout?.write(came);
  await vi.waitFor(() => expect(sent).toHaveBeenCalledTimes(2));

  const [whole, other] = sent.mock.calls.map(([data]) => data as Buffer);
  expect(whole).toEqual(Buffer.concat([Buffer.of(0), bytes]));
  expect(whole?.buffer).toBe(came.buffer);
  // Of another channel it cannot be.
  expect(other).toEqual(Buffer.concat([Buffer.of(1), bytes]));
  socket.terminate();
});
