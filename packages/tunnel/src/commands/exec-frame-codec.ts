/** Frames of commands as bytes, and bytes from a peer that may be broken or hostile as frames. Agent and gateway share it. */
import {
  type AgentExecFrame,
  EXEC_FRAMES,
  EXEC_STREAMS,
  EXEC_WINDOW_BYTES,
  type ExecFrame,
  type ExecStream,
  execExit,
  execStart,
  type GatewayExecFrame,
  MAX_EXEC_FRAME_BYTES,
  MAX_EXEC_START_BYTES,
} from '@gatehouse/contract/reach/agents/exec-frames';
import { parseMessage } from '../messages.ts';
import { TunnelError } from '../tunnel-error.ts';

const HEADER_BYTES = 5;
const MAX_SIGNAL_BYTES = 32;
/** A frame that arrives in more pieces than this is joined on the way: a thousand single bytes weigh a hundred times their size. */
const MAX_PIECES = 1_000;

type Numbered = keyof typeof EXEC_FRAMES;
const NAMES = new Map<number, Numbered>(
  Object.entries(EXEC_FRAMES).map(([name, number]) => [number, name as Numbered]),
);
/** Which streams each side sends; of the others it gives room. */
const GATEWAY: Side = { frames: ['start', 'stdin', 'eof', 'window', 'signal'], sends: ['stdin'] };
const AGENT: Side = { frames: ['stdout', 'stderr', 'eof', 'window', 'exit'], sends: ['stdout', 'stderr'] };

interface Side {
  frames: readonly Numbered[];
  sends: readonly ExecStream[];
}

/** To be written one after the other: bytes of the command are passed through, not copied. */
export function encodeExecFrame(frame: ExecFrame): Uint8Array[] {
  if (frame.type === 'data')
    return [headed(EXEC_FRAMES[frame.stream], Buffer.alloc(0), frame.bytes.length), frame.bytes];
  return [headed(EXEC_FRAMES[frame.type], payloadOf(frame), 0)];
}

function payloadOf(frame: Exclude<ExecFrame, { type: 'data' }>): Buffer {
  switch (frame.type) {
    case 'start':
      return Buffer.from(JSON.stringify(frame.start));
    case 'exit':
      return Buffer.from(JSON.stringify(frame.exit));
    case 'signal':
      return Buffer.from(frame.signal);
    case 'eof':
      return Buffer.from([EXEC_STREAMS.indexOf(frame.stream)]);
    case 'window': {
      const payload = Buffer.alloc(5);
      payload[0] = EXEC_STREAMS.indexOf(frame.stream);
      payload.writeUInt32BE(frame.bytes, 1);
      return payload;
    }
    default:
      return frame satisfies never;
  }
}

function headed(type: number, payload: Buffer, more: number): Buffer {
  const length = payload.length + more;
  if (length > mostOf(NAMES.get(type))) throw new RangeError(`a frame of a command of ${length} bytes is too long`);
  const head = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  head[0] = type;
  head.writeUInt32BE(length, 1);
  payload.copy(head, HEADER_BYTES);
  return head;
}

/** Puts frames together from pieces as they arrive; of no more use once it has thrown. */
export interface ExecFrameReader<F extends ExecFrame> {
  /**
   * The frames that are complete with this piece; of those with bytes of the command as much as came. Their bytes may be views
   * of the piece. Throws `TunnelError` `bad_peer`.
   */
  push(piece: Buffer): Generator<F>;
}

/** Reads what agents send. */
export function agentExecReader(): ExecFrameReader<AgentExecFrame> {
  return new ExecReader<AgentExecFrame>(AGENT);
}

/** Reads what gateways send. */
export function gatewayExecReader(): ExecFrameReader<GatewayExecFrame> {
  return new ExecReader<GatewayExecFrame>(GATEWAY);
}

class ExecReader<F extends ExecFrame> implements ExecFrameReader<F> {
  readonly #side: Side;
  #pieces: Buffer[] = [];
  #held = 0;
  #head: { name: Numbered; length: number } | undefined;
  /** Of a frame of bytes that came in part: held until it is whole it would be one more copy of everything. */
  #passing: { stream: ExecStream; missing: number } | undefined;

  constructor(side: Side) {
    this.#side = side;
  }

  *push(piece: Buffer): Generator<F> {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#held += piece.length;
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
    while (this.#held > 0) {
      if (this.#passing) {
        yield this.#pass(this.#passing);
        continue;
      }
      if (!this.#head) {
        if (this.#held < HEADER_BYTES) return;
        this.#head = this.#readHead(this.#take(HEADER_BYTES));
      }
      const { name, length } = this.#head;
      if (isStream(name)) {
        this.#passing = { stream: name, missing: length };
        this.#head = undefined;
        continue;
      }
      if (this.#held < length) return;
      this.#head = undefined;
      yield this.#decode(name, this.#take(length)) as F;
    }
  }

  #readHead(head: Buffer): { name: Numbered; length: number } {
    const name = NAMES.get(head.readUInt8(0));
    const length = head.readUInt32BE(1);
    if (!name || !this.#side.frames.includes(name)) throw bad(`no frame of type ${head[0]}`);
    if (length === 0 || length > mostOf(name)) throw bad(`a frame of ${length} bytes was announced`);
    return { name, length };
  }

  #pass(passing: { stream: ExecStream; missing: number }): F {
    const { stream } = passing;
    const first = this.#pieces[0] ?? Buffer.alloc(0);
    const bytes = this.#take(Math.min(passing.missing, first.length));
    passing.missing -= bytes.length;
    if (passing.missing === 0) this.#passing = undefined;
    return { type: 'data', stream, bytes } as ExecFrame as F;
  }

  /** Of what is held. */
  #take(count: number): Buffer {
    const first = this.#pieces[0] ?? Buffer.alloc(0);
    const all = first.length >= count ? first : Buffer.concat(this.#pieces);
    if (all !== first) this.#pieces = [all];
    this.#pieces[0] = all.subarray(count);
    if (this.#pieces[0].length === 0) this.#pieces.shift();
    this.#held -= count;
    return all.subarray(0, count);
  }

  #decode(name: Exclude<Numbered, ExecStream>, payload: Buffer): ExecFrame {
    switch (name) {
      case 'start':
        return { type: name, start: parseMessage(execStart, payload) };
      case 'exit':
        return { type: name, exit: parseMessage(execExit, payload) };
      case 'signal':
        return { type: name, signal: payload.toString('latin1') };
      case 'eof': {
        if (payload.length !== 1) throw bad('the end of a stream has one byte');
        return { type: name, stream: this.#streamIn(payload, true) };
      }
      case 'window': {
        if (payload.length !== 5) throw bad('room for a stream has five bytes');
        const bytes = payload.readUInt32BE(1);
        if (bytes === 0 || bytes > EXEC_WINDOW_BYTES) throw bad(`room for ${bytes} bytes was given`);
        return { type: name, stream: this.#streamIn(payload, false), bytes };
      }
      default:
        return name satisfies never;
    }
  }

  #streamIn(payload: Buffer, isSent: boolean): ExecStream {
    const stream = EXEC_STREAMS[payload[0] ?? -1];
    if (!stream || this.#side.sends.includes(stream) !== isSent)
      throw bad(`it has no stream ${payload[0]} to speak of`);
    return stream;
  }
}

function isStream(name: Numbered): name is ExecStream {
  return EXEC_STREAMS.some((stream) => stream === name);
}

function mostOf(name: Numbered | undefined): number {
  if (name === 'start') return MAX_EXEC_START_BYTES;
  return name === 'signal' ? MAX_SIGNAL_BYTES : MAX_EXEC_FRAME_BYTES;
}

function bad(message: string): TunnelError {
  return new TunnelError('bad_peer', message);
}
