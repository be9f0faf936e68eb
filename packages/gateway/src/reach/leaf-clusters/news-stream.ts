/** Messages both ways on one stream of a tunnel: bounded, in order, and never more of them waiting than somebody takes. */
import type { Duplex } from 'node:stream';
import { NEWS_BYTES } from '@gatehouse/contract/reach/trusted-clusters/news';
import { readMessage, writeMessage } from '@gatehouse/tunnel/messages';
import { messageOf } from '@gatehouse/tunnel/tunnel-error';
import { z } from 'zod';
import type { HearNews, NewsLine } from '../../platform/std/news-line.ts';

/** Told to somebody who takes nothing of it. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

const anything = z.unknown();

/** `onEnd`: told once, in words, whichever side it was. */
export function carryNews(stream: Duplex, begin: (line: NewsLine) => HearNews, onEnd: (reason: string) => void): void {
  const over = new AbortController();
  const end = (reason: string) => {
    if (over.signal.aborted) return;
    over.abort();
    stream.destroy();
    onEnd(reason);
  };
  const line: NewsLine = {
    over: over.signal,
    cut: end,
    say(message) {
      if (over.signal.aborted) return;
      if (Buffer.byteLength(JSON.stringify(message)) > NEWS_BYTES) throw new RangeError('news of that length are cut');
      if (stream.writableLength > MAX_UNSENT_BYTES) return end('the other cluster does not take what it is told');
      writeMessage(stream, message).catch((error: unknown) => end(messageOf(error)));
    },
  };
  stream.on('error', (error) => end(messageOf(error)));
  stream.on('close', () => end('the line was closed'));
  const hear = begin(line);

  async function listen(): Promise<void> {
    while (!over.signal.aborted) {
      const { value } = await readMessage(stream, anything, { maxBytes: NEWS_BYTES, signal: over.signal });
      await hear(value);
    }
  }
  listen().catch((error: unknown) => end(messageOf(error)));
}
