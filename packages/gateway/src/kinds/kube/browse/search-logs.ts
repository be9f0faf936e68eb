/** Looks through all that a cluster keeps of a container's log: the page hears where, and how far it is. It is read as logs are, by the same right. */
import { StringDecoder } from 'node:string_decoder';
import { type LogHit, MAX_LOG_HITS } from '@gatehouse/contract/kinds/kube/browse';
import type { KubeAsk } from './answers.ts';
import { LogFinder } from './log-finder.ts';
import { askLog } from './log-target.ts';
import type { SearchRequest } from './requests.ts';

/** Kubelets keep ten megabytes of a container unless told otherwise; one that never ends is none. */
const MAX_SEARCHED_BYTES = 4 * 1024 ** 3;
const PIECE_BYTES = 64 * 1024;
const TOLD_EVERY_MS = 250;
/** Characters of hits that are told together. */
const TOLD_TOGETHER = 64 * 1024;

export interface SearchProgress {
  found: number;
  lines: number;
  bytes: number;
}

export interface SearchDeps {
  ask: KubeAsk;
  /** Waits while the page is behind. */
  tellHits: (hits: LogHit[], progress: SearchProgress) => Promise<void>;
  now: () => number;
  /** After these nothing more is looked through. */
  maxBytes?: number | undefined;
}

export async function searchLogs(
  { ask, tellHits, now, maxBytes = MAX_SEARCHED_BYTES }: SearchDeps,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchProgress & { isCut: boolean }> {
  const { body } = await askLog(ask, request, { previous: request.previous ? 'true' : undefined }, signal);
  const finder = new LogFinder(request.words);
  const decoder = new StringDecoder('utf8');
  let [found, bytes, size, toldAt] = [0, 0, 0, now()];
  let hits: LogHit[] = [];
  const progress = (): SearchProgress => ({ found, lines: finder.lines, bytes });
  const tell = async () => {
    const told = hits;
    hits = [];
    size = 0;
    toldAt = now();
    await tellHits(told, progress());
  };
  const keep = async (more: Iterable<LogHit>) => {
    for (const hit of more) {
      found += 1;
      if (found > MAX_LOG_HITS) continue;
      hits.push(hit);
      size += hit.text.length;
      if (size >= TOLD_TOGETHER) await tell();
    }
  };
  let isCut = false;
  for await (const part of body as AsyncIterable<Buffer>) {
    for (let from = 0; from < part.length; from += PIECE_BYTES) {
      const piece = part.subarray(from, from + PIECE_BYTES);
      bytes += piece.length;
      await keep(finder.take(decoder.write(piece)));
    }
    if (now() - toldAt >= TOLD_EVERY_MS) await tell();
    isCut = bytes >= maxBytes;
    if (isCut) break;
  }
  body.destroy();
  if (!isCut) await keep([...finder.take(decoder.end()), ...finder.finish()]);
  if (hits.length > 0) await tell();
  return { ...progress(), isCut };
}
