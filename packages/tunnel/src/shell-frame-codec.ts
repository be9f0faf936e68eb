/** Shell frames as bytes, and bytes from a peer that may be broken or hostile as shell frames. Agent and gateway share it. */
import {
  type AgentShellFrame,
  type GatewayShellFrame,
  MAX_FRAME_BYTES,
  MAX_OFFSET,
  SHELL_FRAMES,
  type ShellFrame,
  shellEnd,
  shellExit,
  shellSize,
  shellState,
} from '@gatehouse/contract/reach/agents/shell-frames';
import { parseMessage } from './messages.ts';
import { TunnelError } from './tunnel-error.ts';

const HEADER_BYTES = 5;
const NUMBER_BYTES = 8;
/** A frame that arrives in more pieces than this is joined on the way: a thousand single bytes weigh a hundred times their size. */
const MAX_PIECES = 1_000;
const AGENT_TYPES = ['state', 'output', 'echo', 'size', 'program', 'taken', 'exit'] as const;
const GATEWAY_TYPES = ['input', 'resize', 'seen', 'kept', 'end'] as const;
const NAMES = new Map<number, ShellFrame['type']>(
  [...AGENT_TYPES, ...GATEWAY_TYPES].map((name) => [SHELL_FRAMES[name], name]),
);

/** To be written one after the other: what a program printed or somebody typed is passed through, not copied. */
export function encodeShellFrame(frame: ShellFrame): Uint8Array[] {
  const head = headOf(frame);
  const body = 'bytes' in frame ? frame.bytes : undefined;
  const length = head.length - HEADER_BYTES + (body?.length ?? 0);
  if (length > MAX_FRAME_BYTES) throw new RangeError(`a shell frame holds at most ${MAX_FRAME_BYTES} bytes`);
  head[0] = SHELL_FRAMES[frame.type];
  head.writeUInt32BE(length, 1);
  return body ? [head, body] : [head];
}

/** Room for the header, then all of the payload but the bytes that are passed through. */
function headOf(frame: ShellFrame): Buffer {
  switch (frame.type) {
    case 'output':
    case 'seen':
    case 'kept':
      return putNumber(Buffer.alloc(HEADER_BYTES + NUMBER_BYTES), frame.offset, HEADER_BYTES);
    case 'input':
    case 'taken': {
      const head = Buffer.alloc(HEADER_BYTES + 2 * NUMBER_BYTES);
      head.write(frame.writer, HEADER_BYTES, 'hex');
      return putNumber(head, frame.offset, HEADER_BYTES + NUMBER_BYTES);
    }
    case 'echo': {
      const head = Buffer.alloc(HEADER_BYTES + NUMBER_BYTES + 1);
      head[HEADER_BYTES + NUMBER_BYTES] = frame.echo ? 1 : 0;
      return putNumber(head, frame.offset, HEADER_BYTES);
    }
    case 'size': {
      const head = Buffer.alloc(HEADER_BYTES + NUMBER_BYTES + 4);
      head.writeUInt16BE(frame.cols, HEADER_BYTES + NUMBER_BYTES);
      head.writeUInt16BE(frame.rows, HEADER_BYTES + NUMBER_BYTES + 2);
      return putNumber(head, frame.offset, HEADER_BYTES);
    }
    case 'program':
      return text(frame.program);
    case 'state':
      return text(JSON.stringify(frame.state));
    case 'exit':
      return text(JSON.stringify(frame.exit));
    case 'resize':
      return text(JSON.stringify({ cols: frame.cols, rows: frame.rows }));
    case 'end':
      return text(JSON.stringify({ reason: frame.reason }));
    default:
      return frame satisfies never;
  }
}

/** Puts frames together from pieces as they arrive; of no more use once it has thrown. */
export interface ShellFrameReader<F extends ShellFrame> {
  /**
   * The frames that are complete with this piece, and of output as much as came: its frames may come out in parts. Their bytes
   * may be views of the piece. Throws `TunnelError` `bad_peer`.
   */
  push(piece: Buffer): Generator<F>;
}

/** Reads what agents send. */
export function agentFrameReader(): ShellFrameReader<AgentShellFrame> {
  return new FrameReader<AgentShellFrame>(AGENT_TYPES);
}

/** Reads what gateways send. */
export function gatewayFrameReader(): ShellFrameReader<GatewayShellFrame> {
  return new FrameReader<GatewayShellFrame>(GATEWAY_TYPES);
}

class FrameReader<F extends ShellFrame> implements ShellFrameReader<F> {
  readonly #mayBe: readonly F['type'][];
  #pieces: Buffer[] = [];
  #size = 0;
  #wanted = HEADER_BYTES;
  /** Of a frame of output that came in part: all of it together would be one more copy of everything that is printed. */
  #output = { offset: 0, missing: 0 };

  constructor(mayBe: readonly F['type'][]) {
    this.#mayBe = mayBe;
  }

  *push(piece: Buffer): Generator<F> {
    const more = piece.subarray(0, this.#output.missing);
    if (more.length > 0) yield this.#takeOutput(more);
    const rest = piece.subarray(more.length);
    if (rest.length === 0) return;
    // Joined with nothing it would be copied.
    if (this.#size === 0) this.#pieces = [];
    this.#pieces.push(rest);
    this.#size += rest.length;
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
    while (this.#size >= this.#wanted) {
      const all = this.#pieces.length === 1 && this.#pieces[0] ? this.#pieces[0] : Buffer.concat(this.#pieces);
      const type = NAMES.get(all[0] ?? 0);
      const length = all.readUInt32BE(1);
      if (!type || !this.#mayBe.some((name) => name === type)) throw bad(`no frame of type ${all[0]}`);
      if (length > MAX_FRAME_BYTES) throw bad(`a frame of ${length} bytes was announced`);
      const end = HEADER_BYTES + length;
      this.#wanted = type === 'output' ? Math.min(end, HEADER_BYTES + NUMBER_BYTES) : end;
      this.#pieces = [all];
      if (this.#size < this.#wanted) return;
      this.#wanted = HEADER_BYTES;
      this.#pieces = [all.subarray(end)];
      this.#size = Math.max(0, this.#size - end);
      if (all.length < end) {
        const missing = length - NUMBER_BYTES;
        this.#output = { offset: spanAt(all, HEADER_BYTES, missing), missing };
        const first = all.subarray(HEADER_BYTES + NUMBER_BYTES);
        if (first.length > 0) yield this.#takeOutput(first);
        return;
      }
      const payload = all.subarray(HEADER_BYTES, end);
      yield decode(type, payload) as F;
    }
  }

  #takeOutput(bytes: Buffer): F {
    const { offset, missing } = this.#output;
    this.#output = { offset: offset + bytes.length, missing: missing - bytes.length };
    return { type: 'output', offset, bytes } as ShellFrame as F;
  }
}

function decode(type: ShellFrame['type'], payload: Buffer): ShellFrame {
  switch (type) {
    case 'output':
      return { type, offset: spanAt(payload, 0, payload.length), bytes: payload.subarray(NUMBER_BYTES) };
    case 'input': {
      const { writer } = writerIn(payload);
      const offset = spanAt(payload, NUMBER_BYTES, payload.length);
      return { type, writer, offset, bytes: payload.subarray(2 * NUMBER_BYTES) };
    }
    case 'taken':
      exactly(payload, 2 * NUMBER_BYTES);
      return { type, ...writerIn(payload) };
    case 'echo':
      exactly(payload, NUMBER_BYTES + 1);
      return { type, offset: numberAt(payload, 0), echo: payload[NUMBER_BYTES] !== 0 };
    case 'size': {
      exactly(payload, NUMBER_BYTES + 4);
      const given = { cols: payload.readUInt16BE(NUMBER_BYTES), rows: payload.readUInt16BE(NUMBER_BYTES + 2) };
      const size = shellSize.safeParse(given);
      if (!size.success) throw bad('no terminal has that size');
      return { type, offset: numberAt(payload, 0), ...size.data };
    }
    case 'seen':
    case 'kept':
      exactly(payload, NUMBER_BYTES);
      return { type, offset: numberAt(payload, 0) };
    case 'program':
      return { type, program: payload.toString().slice(0, 256) };
    case 'state':
      return { type, state: parseMessage(shellState, payload) };
    case 'exit':
      return { type, exit: parseMessage(shellExit, payload) };
    case 'resize':
      return { type, ...parseMessage(shellSize, payload) };
    case 'end':
      return { type, ...parseMessage(shellEnd, payload) };
    default:
      return type satisfies never;
  }
}

function writerIn(payload: Buffer): { writer: string; offset: number } {
  return { offset: numberAt(payload, NUMBER_BYTES), writer: payload.toString('hex', 0, NUMBER_BYTES) };
}

function exactly(payload: Buffer, length: number): void {
  if (payload.length !== length) throw bad(`a frame has ${payload.length} bytes instead of ${length}`);
}

function text(payload: string): Buffer {
  return Buffer.concat([Buffer.alloc(HEADER_BYTES), Buffer.from(payload)]);
}

/** In two halves: a JavaScript number holds 53 bits exactly, and an offset has 48. */
function putNumber(head: Buffer, value: number, at: number): Buffer {
  head.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  head.writeUInt32BE(value % 2 ** 32, at + 4);
  return head;
}

function numberAt(payload: Buffer, at: number): number {
  if (payload.length < at + NUMBER_BYTES) throw bad('a frame is too short');
  const value = payload.readUInt32BE(at) * 2 ** 32 + payload.readUInt32BE(at + 4);
  if (value > MAX_OFFSET) throw bad('a number is beyond all reason');
  return value;
}

/** Where so many bytes begin: their end is computed later, byte by byte, and has to be within reason too. */
function spanAt(payload: Buffer, at: number, length: number): number {
  const value = numberAt(payload, at);
  if (value + length > MAX_OFFSET) throw bad('a number is beyond all reason');
  return value;
}

function bad(message: string): TunnelError {
  return new TunnelError('bad_peer', message);
}
