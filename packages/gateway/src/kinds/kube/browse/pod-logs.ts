/** What a container writes, as far ahead of the page as it takes it. */
import { StringDecoder } from 'node:string_decoder';
import type { KubeAsk } from './answers.ts';
import { LineWindow } from './line-window.ts';
import { askLog } from './log-target.ts';
import type { LogsRequest } from './requests.ts';

/** A frame is no longer than this, in bytes of the log. */
const PIECE_BYTES = 64 * 1024;

/** Waits while the page is behind. */
export type TellPiece = (text: string) => Promise<void>;

export async function podLogs(
  ask: KubeAsk,
  request: LogsRequest,
  tellPiece: TellPiece,
  signal: AbortSignal,
): Promise<void> {
  const { follow, previous, sinceSeconds, tailLines, window } = request;
  const terms = window
    ? { previous: previous ? 'true' : undefined }
    : {
        follow: follow && !previous ? 'true' : undefined,
        previous: previous ? 'true' : undefined,
        sinceSeconds,
        tailLines,
      };
  const { body } = await askLog(ask, request, terms, signal);
  const lines = window && new LineWindow(window);
  const decoder = new StringDecoder('utf8');
  for await (const part of body as AsyncIterable<Buffer>) {
    const wanted = lines ? lines.take(part) : part;
    for (let from = 0; from < wanted.length; from += PIECE_BYTES) {
      const text = decoder.write(wanted.subarray(from, from + PIECE_BYTES));
      if (text !== '') await tellPiece(text);
    }
    if (lines?.isOver) break;
  }
  body.destroy();
  const rest = decoder.end();
  if (rest !== '') await tellPiece(rest);
}
