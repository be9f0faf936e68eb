/** A gateway's side of one command, for tests: gives room as it reads, and collects what comes. */
import type { Duplex } from 'node:stream';
import {
  type AgentExecFrame,
  EXEC_WINDOW_BYTES,
  type ExecExit,
  type GatewayExecFrame,
} from '@gatehouse/contract/reach/agents/exec-frames';
import { agentExecReader, encodeExecFrame } from '@gatehouse/tunnel/commands/exec-frame-codec';

export interface ExecClient {
  /** All but output, in the order they came. */
  frames: Exclude<AgentExecFrame, { type: 'data' }>[];
  output(stream?: 'stdout' | 'stderr'): string;
  received: Record<'stdout' | 'stderr', number>;
  /** The exit, or undefined when the stream was cut before. */
  exit: Promise<ExecExit | undefined>;
  /** Waits until what came of it matches. */
  until(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<void>;
  send(frame: GatewayExecFrame): void;
  type(text: string | Buffer): void;
  end(): void;
  cut(): void;
}

export interface ExecClientOptions {
  command?: string | undefined;
  env?: Record<string, string>;
  /** Gives no more room than there was at first. */
  isStingy?: boolean;
}

export function execClient(stream: Duplex, { command, env = {}, isStingy = false }: ExecClientOptions): ExecClient {
  const exit = Promise.withResolvers<ExecExit | undefined>();
  const frames: ExecClient['frames'] = [];
  const chunks: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const received = { stdout: 0, stderr: 0 };
  const reader = agentExecReader();
  let wake = () => {};
  const send = (frame: GatewayExecFrame) => {
    if (!stream.destroyed && !stream.writableEnded) for (const part of encodeExecFrame(frame)) stream.write(part);
  };
  const take = (frame: AgentExecFrame) => {
    if (frame.type === 'exit') exit.resolve(frame.exit);
    if (frame.type !== 'data') {
      frames.push(frame);
      return;
    }
    if (frame.stream === 'stdin') throw new Error('an agent sends no input');
    chunks[frame.stream].push(Buffer.from(frame.bytes));
    received[frame.stream] += frame.bytes.length;
    if (!isStingy) send({ type: 'window', stream: frame.stream, bytes: frame.bytes.length });
  };
  stream.on('data', (piece: Buffer) => {
    for (const frame of reader.push(piece)) take(frame);
    wake();
  });
  stream.on('error', () => {});
  stream.on('end', () => stream.end());
  stream.on('close', () => {
    exit.resolve(undefined);
    wake();
  });
  send({ type: 'start', start: { ...(command === undefined ? {} : { command }), env } });
  const output: ExecClient['output'] = (name = 'stdout') => Buffer.concat(chunks[name]).toString();
  return {
    frames,
    output,
    received,
    exit: exit.promise,
    async until(pattern, name = 'stdout') {
      while (!pattern.test(output(name))) {
        if (stream.destroyed) throw new Error(`no ${pattern} in: ${JSON.stringify(output(name))}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    send,
    type: (text) => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += EXEC_WINDOW_BYTES / 8)
        send({ type: 'data', stream: 'stdin', bytes: bytes.subarray(at, at + EXEC_WINDOW_BYTES / 8) });
    },
    end: () => send({ type: 'eof', stream: 'stdin' }),
    cut: () => void stream.destroy(),
  };
}
