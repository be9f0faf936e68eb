/** An agent answers and never asks: there is no way for it to open a stream, so nothing of anybody else can be asked for. */
import { afterEach, expect, test } from 'vitest';
import { closedAfter, rawLink } from '../../testing/hostile.ts';
import { hearChallenge, hearVerdict, proofFor } from '../../testing/spoken-by-hand.ts';
import { newAgentKey } from '../../testing/test-agent.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import { writeMessage } from '../messages.ts';

/** Long enough that it is not the missing answer to the first stream that ends it. */
const HANDSHAKE_MS = 20_000;
let gateway: TestGateway;
afterEach(() => gateway.close());

function frame(type: number, flags: number, stream: number, payload: number[] = []): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** Its own, and that it has heard those of the gateway. */
const SETTINGS = Buffer.concat([frame(4, 0, 0), frame(4, 1, 0)]);
const HEADERS = 1;
const PUSH_PROMISE = 5;
const END = 0x5;
/** `GET /` over http, as HPACK has it without any table of its own. */
const REQUEST = [0x82, 0x86, 0x84, 0x41, 0x01, 0x61];

test.each([
  ['as a server might, with a number of its own', frame(HEADERS, END, 2, REQUEST)],
  ['as a client would, with the next number', frame(HEADERS, END, 3, REQUEST)],
  ['by promising an answer nobody asked for', frame(PUSH_PROMISE, 0x4, 1, [0, 0, 0, 2, ...REQUEST])],
])('an agent that opens a stream %s loses its connection', async (_, bytes) => {
  gateway = await startTestGateway({ limits: { handshakeMs: HANDSHAKE_MS } });
  const { stream } = await rawLink(gateway.url);
  const challenge = await hearChallenge(stream);
  await writeMessage(stream, proofFor(challenge.bytes, newAgentKey()));
  await hearVerdict(stream);
  stream.resume();

  stream.write(Buffer.concat([SETTINGS, bytes]));

  expect(await closedAfter(stream)).toBeLessThan(HANDSHAKE_MS / 2);
});
