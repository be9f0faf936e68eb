/** Pieces of a recorded desktop as the engine of the player reads them. */
import {
  PIECE_ITEMS,
  type PieceItem,
  readPointer,
  readRecordedPiece,
  readSegment,
} from '@gatehouse/contract/recordings/recorded-piece';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { readError } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import type { FetchBytes } from '../../../platform/api/send.ts';
import type { ChunkSource, PlayedChunk, ReplayItem } from '../engine/piece-reader.ts';

interface Which {
  clusterId: string;
  sid: string;
}

export function pictureSource(fetchBytes: FetchBytes, params: Which): ChunkSource {
  const ask = async (query: { seek: string } | { next: string }, signal: AbortSignal): Promise<PlayedChunk> => {
    const url = pathFor(recordingRoutes.pieces.path, { ...params }) + queryString(query);
    const received = await fetchBytes(url, signal);
    if (received.status !== 200) throw readError(received, url);
    return readPiece(received.bytes);
  };
  return {
    seek: (ms, signal) => ask({ seek: String(Math.round(ms)) }, signal),
    next: (next, signal) => ask({ next }, signal),
  };
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array) => decoder.decode(bytes);

export function readPiece(bytes: ArrayBuffer): PlayedChunk {
  const { head, items } = readRecordedPiece(bytes, textOf);
  const played = items.flatMap((item) => replayItem(item));
  const lastMs = items.at(-1)?.ms ?? 0;
  const end: ReplayItem[] = head.damaged ? [{ type: 'end', ms: lastMs, text: '' }] : [];
  return { items: [...played, ...end], live: head.live, ...(head.next === undefined ? {} : { next: head.next }) };
}

/** Nothing for what the picture does not show. */
function replayItem({ type, ms, bytes }: PieceItem): ReplayItem[] {
  switch (type) {
    case PIECE_ITEMS.output:
      return [{ type: 'picture', ms, bytes }];
    case PIECE_ITEMS.segment:
      return [{ type: 'segment', ms, ...readSegment(textOf(bytes)) }];
    case PIECE_ITEMS.pointer: {
      const pointer = readPointer(bytes);
      return pointer ? [{ type: 'pointer', ms, ...pointer }] : [];
    }
    case PIECE_ITEMS.end:
      return [{ type: 'end', ms, text: '' }];
    default:
      return [];
  }
}
