/** What the reading threads can be asked: each takes a plain object and gives bytes for the wire, or a plain object. */
import type { EventCounts, EventVerdict } from '@gatehouse/contract/audit/search';
import type { Db } from '../../../platform/storage/tables.ts';
import { type VerifyQuery, verifyLog } from '../verify-log.ts';
import { type CountQuery, countEvents } from './count-events.ts';
import { findEvents, findWireEvents } from './find-events.ts';
import { type FindQuery, placeKey } from './find-query.ts';
import { type FollowQuery, followEvents, type Reached, reachedKey } from './follow-events.ts';
import { pageText, provenPageText } from './wire-text.ts';

export interface LogReads {
  search(query: FindQuery & { proof: boolean }): Promise<Uint8Array>;
  counts(query: CountQuery): Promise<EventCounts>;
  /** `bytes` is the whole reply. */
  follow(query: FollowQuery): Promise<{ bytes: Uint8Array; after: Reached; events: number; more: boolean }>;
  verify(query: VerifyQuery): Promise<EventVerdict>;
}

export function logReads(db: Db): LogReads {
  return {
    async search({ proof, ...query }) {
      if (proof) {
        const { rows, next } = await findEvents(db, query);
        return bytesOf(provenPageText(rows, { startKey: next ? placeKey(next) : '' }));
      }
      const { rows, next } = await findWireEvents(db, query);
      return bytesOf(pageText(rows, { startKey: next ? placeKey(next) : '' }));
    },
    counts: (query) => countEvents(db, query),
    async follow(query) {
      const { rows, after, more } = await followEvents(db, query);
      const bytes = bytesOf(pageText(rows, { after: reachedKey(after), more }));
      return { bytes, after, events: rows.length, more };
    },
    verify: (query) => verifyLog(db, query),
  };
}

/** In memory of its own, so that it can be handed to another thread without a copy. */
function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
