/** What a container writes, as far ahead of the page as it takes it. */
import { StringDecoder } from 'node:string_decoder';
import { good, type KubeAsk } from './answers.ts';
import { objectPath } from './object-path.ts';
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
  const { namespace, pod, container, follow, previous, sinceSeconds, tailLines } = request;
  const pods = { apiGroup: '', apiVersion: 'v1', resource: 'pods', namespace, name: pod, subresource: 'log' };
  const target = objectPath(pods, {
    container,
    timestamps: 'true',
    follow: follow && !previous ? 'true' : undefined,
    previous: previous ? 'true' : undefined,
    sinceSeconds,
    tailLines,
  });
  const { body } = await good(await ask({ method: 'GET', target, headers: [['accept', '*/*']] }, signal));
  const decoder = new StringDecoder('utf8');
  for await (const part of body as AsyncIterable<Buffer>) {
    for (let from = 0; from < part.length; from += PIECE_BYTES) {
      const text = decoder.write(part.subarray(from, from + PIECE_BYTES));
      if (text !== '') await tellPiece(text);
    }
  }
  const rest = decoder.end();
  if (rest !== '') await tellPiece(rest);
}
