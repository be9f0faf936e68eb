/** A gateway's side of one attachment, for tests: checks that output has no hole, and types with numbered input. */
import type { Duplex } from 'node:stream';
import type {
  AgentShellFrame,
  GatewayShellFrame,
  ShellExit,
  ShellSize,
  ShellState,
} from '@gatehouse/contract/reach/agents/shell-frames';
import { agentFrameReader, encodeShellFrame } from '@gatehouse/tunnel/shell-frame-codec';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters terminals are steered with
const MARKUP = /\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07/g;
export const WRITER = '00000000000000aa';

export interface ShellClient {
  /** Frames other than output, in the order they came. */
  frames: Exclude<AgentShellFrame, { type: 'output' }>[];
  state: Promise<ShellState>;
  /** Resolves with the exit, or undefined when the stream was cut before. */
  exit: Promise<ShellExit | undefined>;
  closed: Promise<void>;
  /** One beyond the last byte that came. */
  end(): number;
  output(): Buffer;
  /** Without escape sequences and carriage returns. */
  text(): string;
  /** Waits until the text that came matches. */
  until(pattern: RegExp, timeoutMs?: number): Promise<void>;
  send(frame: GatewayShellFrame): void;
  /** Continues the writer's own count. */
  type(text: string | Buffer, writer?: string): void;
  resize(size: ShellSize): void;
  hangUp(reason: string): void;
  detach(): void;
}

export interface ShellClientOptions {
  /** Acknowledges everything it gets as stored. */
  keeps?: boolean;
  /** Acknowledges everything it gets as passed on. */
  sees?: boolean;
  /** Counts bytes instead of holding them. */
  discards?: boolean;
  /** Input this writer has sent on earlier attachments. */
  typed?: number;
}

export function shellClient(
  stream: Duplex,
  { keeps = false, sees = false, discards = false, typed = 0 }: ShellClientOptions = {},
): ShellClient {
  const state = Promise.withResolvers<ShellState>();
  const exit = Promise.withResolvers<ShellExit | undefined>();
  const closed = Promise.withResolvers<void>();
  const frames: ShellClient['frames'] = [];
  const chunks: Buffer[] = [];
  const sent = new Map<string, number>([[WRITER, typed]]);
  const reader = agentFrameReader();
  let next: number | undefined;
  let wake = () => {};

  const send = (frame: GatewayShellFrame) => {
    if (!stream.destroyed && !stream.writableEnded) for (const part of encodeShellFrame(frame)) stream.write(part);
  };
  const take = (frame: AgentShellFrame) => {
    if (frame.type === 'state') {
      state.resolve(frame.state);
    }
    if (frame.type === 'exit') exit.resolve(frame.exit);
    if (frame.type !== 'output') {
      frames.push(frame);
      return;
    }
    if (next !== undefined && frame.offset !== next) throw new Error(`a hole: ${next} then ${frame.offset}`);
    next = frame.offset + frame.bytes.length;
    if (!discards) chunks.push(Buffer.from(frame.bytes));
    if (keeps) send({ type: 'kept', offset: next });
    if (sees) send({ type: 'seen', offset: next });
  };
  stream.on('data', (piece: Buffer) => {
    for (const frame of reader.push(piece)) take(frame);
    wake();
  });
  stream.on('error', () => {});
  stream.on('end', () => stream.end());
  stream.on('close', () => {
    exit.resolve(undefined);
    closed.resolve();
    wake();
  });

  const output = () => Buffer.concat(chunks);
  // What a shell adds for the eye only.
  const text = () => output().toString().replaceAll(MARKUP, '').replaceAll('\r', '');
  return {
    frames,
    state: state.promise,
    exit: exit.promise,
    closed: closed.promise,
    end: () => next ?? 0,
    output,
    text,
    async until(pattern, timeoutMs = 30_000) {
      const deadline = performance.now() + timeoutMs;
      while (!pattern.test(text())) {
        const leftMs = deadline - performance.now();
        if (leftMs <= 0 || stream.destroyed) throw new Error(`no ${pattern} in: ${JSON.stringify(text())}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, leftMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    send,
    type(given, writer = WRITER) {
      const bytes = Buffer.from(given);
      const offset = sent.get(writer) ?? 0;
      sent.set(writer, offset + bytes.length);
      send({ type: 'input', writer, offset, bytes });
    },
    resize: (size) => send({ type: 'resize', ...size }),
    hangUp: (reason) => send({ type: 'end', reason }),
    detach: () => stream.destroy(),
  };
}
