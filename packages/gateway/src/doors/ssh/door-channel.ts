/** One channel of a program at the door, as what runs for it sees it: bytes both ways, signals, sizes, an end with words. */
import { isExecSignal } from '@gatehouse/contract/reach/agents/exec-frames';
import { MAX_COLS, MAX_ROWS } from '@gatehouse/contract/sessions/screen-size';
import type { ServerChannel } from 'ssh2';

/** For who reads slowly, and for who does not read at all. */
const LAST_WORDS_MS = 1_500;
const LAST_OUTPUT_MS = 30_000;
/** As ssh itself tells that something went wrong on the way. */
const FAILED = 255;

export interface Size {
  cols: number;
  rows: number;
}

export interface DoorChannel {
  readonly channel: ServerChannel;
  /** `lost`: with its connection, and without a goodbye. */
  readonly closed: Promise<'left' | 'lost'>;
  exit(how: { code: number } | { signal: string; core: boolean }): void;
  /** On the second output, while it goes on. */
  tell(words: string): void;
  /** Tells why on the second output, and ends. `lost`: what it opened is not over because of that. */
  fail(words: string, how?: 'lost'): void;
}

/** Of a channel that its connection holds. */
export function doorChannel(channel: ServerChannel, hasLeft: () => boolean): DoorChannel {
  channel.stderr.on('error', () => {});
  let isOver = false;
  let gone: 'left' | 'lost' = 'left';
  const closed = new Promise<'left' | 'lost'>((resolve) =>
    channel.once('close', () => resolve(isOver || hasLeft() ? gone : 'lost')),
  );
  const end = (ms: number) => {
    isOver = true;
    // What it was sent and does not take must not keep the session.
    const timer = setTimeout(() => channel.close(), ms).unref();
    void closed.then(() => clearTimeout(timer));
    // After the exit: once both sides have ended, ssh2 sends nothing more. And after the second output, which ssh2 does not wait for: what
    // a slow reader has not taken of it yet would be lost.
    channel.stderr.end(() => channel.end());
  };
  return {
    channel,
    closed,
    exit(how) {
      if (isOver) return;
      if ('code' in how) channel.exit(how.code);
      // ssh2 throws at all others.
      else if (isExecSignal(how.signal)) channel.exit(how.signal, how.core);
      else {
        channel.stderr.write(`gatehouse: the command was ended by the signal ${how.signal}\r\n`);
        channel.exit(FAILED);
      }
      end(LAST_OUTPUT_MS);
    },
    tell(words) {
      if (!isOver && channel.stderr.writable) channel.stderr.write(`gatehouse: ${words}\r\n`);
    },
    fail(words, how) {
      if (isOver) return;
      gone = how ?? 'left';
      if (channel.stderr.writable) channel.stderr.write(`gatehouse: ${words}\r\n`);
      channel.exit(FAILED);
      end(LAST_WORDS_MS);
    },
  };
}

/** What a program says of its window, within reason. */
export function readSize({ cols, rows }: Size): Size {
  const within = (value: number, most: number, otherwise: number) =>
    Number.isInteger(value) && value > 0 ? Math.min(value, most) : otherwise;
  return { cols: within(cols, MAX_COLS, 80), rows: within(rows, MAX_ROWS, 24) };
}
