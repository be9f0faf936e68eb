import {
  type AgentExecFrame,
  EXEC_FRAMES,
  EXEC_WINDOW_BYTES,
  type ExecFrame,
  type GatewayExecFrame,
  MAX_EXEC_FRAME_BYTES,
} from '@gatehouse/contract/reach/agents/exec-frames';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TunnelError } from '../tunnel-error.ts';
import { agentExecReader, encodeExecFrame, gatewayExecReader } from './exec-frame-codec.ts';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array));
const room = fc.integer({ min: 1, max: EXEC_WINDOW_BYTES });
const output = fc.constantFrom('stdout' as const, 'stderr' as const);
const gatewayFrame: fc.Arbitrary<GatewayExecFrame> = fc.oneof(
  fc.record({ type: fc.constant('data' as const), stream: fc.constant('stdin' as const), bytes }),
  fc.constant({ type: 'eof' as const, stream: 'stdin' as const }),
  fc.record({ type: fc.constant('window' as const), stream: output, bytes: room }),
  fc.record({ type: fc.constant('signal' as const), signal: fc.constantFrom('TERM', 'USR1') }),
  fc.record({
    type: fc.constant('start' as const),
    start: fc.record({
      command: fc.string({ minLength: 1, maxLength: 200 }).filter((text) => !text.includes('\0')),
      env: fc.constant({ LANG: 'de_DE.UTF-8' }),
    }),
  }),
);
const agentFrame: fc.Arbitrary<AgentExecFrame> = fc.oneof(
  fc.record({ type: fc.constant('data' as const), stream: output, bytes }),
  fc.record({ type: fc.constant('eof' as const), stream: output }),
  fc.record({ type: fc.constant('window' as const), stream: fc.constant('stdin' as const), bytes: room }),
  fc.record({ type: fc.constant('exit' as const), exit: fc.record({ code: fc.nat(255) }) }),
);

/** The same bytes in pieces that have nothing to do with the frames. */
function inPieces(frames: readonly ExecFrame[], sizes: readonly number[]): Buffer[] {
  let rest = Buffer.concat(frames.flatMap(encodeExecFrame));
  const pieces: Buffer[] = [];
  for (let turn = 0; rest.length > 0; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return pieces;
}

/** Bytes that follow bytes of the same stream as one frame: they may come out in parts. */
function joined(frames: readonly ExecFrame[]): ExecFrame[] {
  const all: ExecFrame[] = [];
  for (const frame of frames) {
    const last = all.at(-1);
    if (frame.type === 'data' && last?.type === 'data' && last.stream === frame.stream)
      all.splice(-1, 1, { ...last, bytes: Buffer.concat([last.bytes, frame.bytes]) });
    else all.push(frame);
  }
  return all;
}

const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });

test('frames come out as they went in, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(gatewayFrame, { maxLength: 20 }), sizes, (frames, cuts) => {
      const reader = gatewayExecReader();
      const got = inPieces(frames, cuts).flatMap((piece) => [...reader.push(piece)]);
      expect(joined(got)).toEqual(joined(frames));
    }),
  );
  fc.assert(
    fc.property(fc.array(agentFrame, { maxLength: 20 }), sizes, (frames, cuts) => {
      const reader = agentExecReader();
      const got = inPieces(frames, cuts).flatMap((piece) => [...reader.push(piece)]);
      expect(joined(got)).toEqual(joined(frames));
    }),
  );
});

test('bytes by chance give frames or an error of the peer, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 20 }), fc.boolean(), (pieces, ofAgent) => {
      const reader = ofAgent ? agentExecReader() : gatewayExecReader();
      try {
        for (const piece of pieces)
          for (const frame of reader.push(Buffer.from(piece))) expect(frame.type).toBeTypeOf('string');
      } catch (error) {
        expect(error).toBeInstanceOf(TunnelError);
      }
    }),
  );
});

function framed(type: number, payload: Buffer | number): Buffer {
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32BE(typeof payload === 'number' ? payload : payload.length, 1);
  return typeof payload === 'number' ? head : Buffer.concat([head, payload]);
}

test.each([
  ['a type nobody has', framed(99, Buffer.from('x'))],
  ['input, which is the gateway’s', framed(EXEC_FRAMES.stdin, Buffer.from('x'))],
  ['a beginning, which is the gateway’s', framed(EXEC_FRAMES.start, Buffer.from('{"env":{}}'))],
  ['an empty piece of output', framed(EXEC_FRAMES.stdout, 0)],
  ['a frame that is too long', framed(EXEC_FRAMES.stdout, MAX_EXEC_FRAME_BYTES + 1)],
  ['the end of input', framed(EXEC_FRAMES.eof, Buffer.from([0]))],
  ['the end of a stream nobody has', framed(EXEC_FRAMES.eof, Buffer.from([3]))],
  ['room for output', framed(EXEC_FRAMES.window, Buffer.from([1, 0, 0, 0, 9]))],
  ['room for nothing', framed(EXEC_FRAMES.window, Buffer.from([0, 0, 0, 0, 0]))],
  ['room for more than there is', framed(EXEC_FRAMES.window, Buffer.from([0, 0xff, 0, 0, 0]))],
  ['an exit that is none', framed(EXEC_FRAMES.exit, Buffer.from('{"code":"a"}'))],
  ['an exit code no process has', framed(EXEC_FRAMES.exit, Buffer.from('{"code":300}'))],
])('an agent that sends %s breaks the rules', (_, sent) => {
  expect(() => [...agentExecReader().push(sent)]).toThrow(TunnelError);
});

test.each([
  ['a variable that steers programs', { env: { LD_PRELOAD: '/tmp/x' } }],
  ['a value with a line break', { env: { LANG: 'C\nPATH=/tmp' } }],
  ['a command with a zero byte', { command: 'a\0b', env: {} }],
])('a beginning with %s is refused', (_, start) => {
  const sent = framed(EXEC_FRAMES.start, Buffer.from(JSON.stringify(start)));

  expect(() => [...gatewayExecReader().push(sent)]).toThrow(TunnelError);
});
