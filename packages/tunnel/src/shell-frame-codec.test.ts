import {
  type AgentShellFrame,
  type GatewayShellFrame,
  MAX_OFFSET,
  type ShellFrame,
} from '@gatehouse/contract/reach/agents/shell-frames';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentFrameReader, encodeShellFrame, gatewayFrameReader } from './shell-frame-codec.ts';
import { TunnelError } from './tunnel-error.ts';

const offset = fc.integer({ min: 0, max: MAX_OFFSET - 1000 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const writer = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((number) => number.toString(16).padStart(16, '0'));
const cells = { cols: fc.integer({ min: 1, max: 1_000 }), rows: fc.integer({ min: 1, max: 500 }) };

const gatewayFrame: fc.Arbitrary<GatewayShellFrame> = fc.oneof(
  fc.record({ type: fc.constant('input' as const), writer, offset, bytes }),
  fc.record({ type: fc.constant('resize' as const), ...cells }),
  fc.record({ type: fc.constantFrom('seen' as const, 'kept' as const), offset }),
  fc.record({ type: fc.constant('end' as const), reason: fc.string({ maxLength: 100 }) }),
);
const agentFrame: fc.Arbitrary<AgentShellFrame> = fc.oneof(
  fc.record({ type: fc.constant('output' as const), offset, bytes }),
  fc.record({ type: fc.constant('echo' as const), offset, echo: fc.boolean() }),
  fc.record({ type: fc.constant('size' as const), offset, ...cells }),
  fc.record({ type: fc.constant('program' as const), program: fc.string({ maxLength: 50 }) }),
  fc.record({ type: fc.constant('taken' as const), writer, offset }),
  fc.record({ type: fc.constant('exit' as const), exit: fc.record({ code: fc.integer({ min: 0, max: 255 }) }) }),
);

/** The same bytes in pieces that have nothing to do with the frames. */
function inPieces(frames: readonly ShellFrame[], sizes: readonly number[]): Buffer[] {
  let rest = Buffer.concat(frames.flatMap(encodeShellFrame));
  const pieces: Buffer[] = [];
  for (let turn = 0; rest.length > 0; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return pieces;
}

/** Output that follows output as one frame: it may come out in parts. */
function joined(frames: readonly AgentShellFrame[]): AgentShellFrame[] {
  const all: AgentShellFrame[] = [];
  for (const frame of frames) {
    const last = all.at(-1);
    if (frame.type !== 'output') all.push(frame);
    else if (last?.type === 'output' && last.offset + last.bytes.length === frame.offset)
      all.splice(-1, 1, { ...last, bytes: Buffer.concat([last.bytes, frame.bytes]) });
    else if (frame.bytes.length > 0) all.push(frame);
  }
  return all;
}

test('output goes on as it comes, without waiting for the rest of its frame', () => {
  const reader = agentFrameReader();
  const frame = Buffer.concat(encodeShellFrame({ type: 'output', offset: 40, bytes: Buffer.from('printed') }));

  expect([...reader.push(frame.subarray(0, 9))]).toEqual([]);
  expect([...reader.push(frame.subarray(9, 16))]).toEqual([{ type: 'output', offset: 40, bytes: Buffer.from('pri') }]);
  expect([...reader.push(Buffer.concat([frame.subarray(16), frame]))]).toEqual([
    { type: 'output', offset: 43, bytes: Buffer.from('nted') },
    { type: 'output', offset: 40, bytes: Buffer.from('printed') },
  ]);
});

test('frames come out as they went in, however the bytes were cut', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(gatewayFrame), fc.array(agentFrame), sizes, (fromGateway, fromAgent, cuts) => {
      const [gateway, agent] = [gatewayFrameReader(), agentFrameReader()];

      expect(inPieces(fromGateway, cuts).flatMap((piece) => [...gateway.push(piece)])).toEqual(fromGateway);
      expect(joined(inPieces(fromAgent, cuts).flatMap((piece) => [...agent.push(piece)]))).toEqual(joined(fromAgent));
    }),
  );
});

test('no bytes make a reader do anything but read or refuse', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (noise) => {
      const reader = gatewayFrameReader();
      try {
        for (const piece of noise) for (const frame of reader.push(Buffer.from(piece))) expect(frame).toBeDefined();
      } catch (error) {
        expect(error).toBeInstanceOf(TunnelError);
      }
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['a frame of the other direction', encodeShellFrame({ type: 'output', offset: 0, bytes: Buffer.from('x') })],
  ['a frame longer than allowed', [Buffer.from([17, 0, 4, 0, 1])]],
  ['an offset beyond what a number holds', [Buffer.from([19, 0, 0, 0, 8, 255, 255, 255, 255, 0, 0, 0, 0])]],
  ['a frame that is too short', [Buffer.from([17, 0, 0, 0, 3, 1, 2, 3])]],
  ['a size of nothing', [Buffer.from([18, 0, 0, 0, 19]), Buffer.from('{"cols":0,"rows":1}')]],
])('%s is refused', (_, parts) => {
  expect(() => [...gatewayFrameReader().push(Buffer.concat(parts))]).toThrow(TunnelError);
});

test.each<[string, ShellFrame]>([
  ['begins', { type: 'output', offset: MAX_OFFSET + 1, bytes: Buffer.from('x') }],
  ['ends', { type: 'output', offset: MAX_OFFSET - 1, bytes: Buffer.alloc(16) }],
])('output that %s beyond all reason is refused, also when it arrives byte by byte', (_, frame) => {
  const bytes = Buffer.concat(encodeShellFrame(frame));

  expect(() => [...agentFrameReader().push(bytes)]).toThrow(TunnelError);
  expect(() => {
    const reader = agentFrameReader();
    for (const byte of bytes) for (const read of reader.push(Buffer.from([byte]))) expect(read).toBeUndefined();
  }).toThrow('beyond all reason');
});

test.each([
  [0, 24],
  [80, 0],
  [4096, 24],
])('a terminal of %i by %i is refused', (cols, rows) => {
  const bytes = Buffer.concat(encodeShellFrame({ type: 'size', offset: 0, cols, rows }));

  expect(() => [...agentFrameReader().push(bytes)]).toThrow('no terminal has that size');
});

test.each([
  ['a start beyond all reason', { start: 2 ** 53 - 1, end: 2 ** 53 - 1 }],
  ['an end before its start', { start: 10, end: 9 }],
  ['more writers than there may be', { taken: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [hex(n), 0])) }],
  ['no columns', { cols: 0 }],
])('a state with %s is refused', (_, wrong) => {
  const state = {
    start: 0,
    end: 0,
    taken: {},
    echo: true,
    program: '',
    pid: 1,
    login: 'x',
    cols: 80,
    rows: 24,
    ...wrong,
  };
  const bytes = Buffer.concat(encodeShellFrame({ type: 'state', state }));

  expect(() => [...agentFrameReader().push(bytes)]).toThrow(TunnelError);
});

test('a large frame that arrives byte by byte weighs little more than itself', () => {
  const reader = gatewayFrameReader();
  const bytes = Buffer.concat(
    encodeShellFrame({ type: 'input', writer: hex(1), offset: 0, bytes: Buffer.alloc(60_000) }),
  );
  const got = [...bytes].flatMap((byte) => [...reader.push(Buffer.from([byte]))]);

  expect(got).toHaveLength(1);
});

function hex(number: number): string {
  return number.toString(16).padStart(16, '0');
}
