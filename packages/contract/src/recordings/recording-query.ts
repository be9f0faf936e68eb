/** What lists and searches of recordings can be narrowed by, and what the player asks with. */
import { z } from 'zod';
import { count, eventRange, text } from '../audit/search-query.ts';

export const MAX_RECORDINGS = 1_000;

const narrowed = {
  ...eventRange,
  /** Words in names: resource, login, users, session id. */
  search: text(256),
  user: text(512),
  resource: text(512),
  kind: text(32),
  /** `playable`, or one of the states. */
  state: text(32),
  startKey: text(512),
} as const;

export const recordingListQuery = z.object({ ...narrowed, limit: count(100, MAX_RECORDINGS) });
export type RecordingListQuery = z.output<typeof recordingListQuery>;

/** Words that were in one line of the screen, all of them; `"in quotes"` as they stand, `begin*` for what begins so. */
const words = z.string().min(1, 'write what to look for').max(256);

export const recordingSearchQuery = z.object({ ...narrowed, text: words, limit: count(20, 100) });
export type RecordingSearchQuery = z.output<typeof recordingSearchQuery>;

const milliseconds = z
  .string()
  .regex(/^\d{1,10}$/, 'must be milliseconds since the session began')
  .transform(Number);

export const recordingPlaybackQuery = z
  .object({ seek: milliseconds.optional(), next: text(256) })
  .refine(({ seek, next }) => (seek === undefined) !== (next === undefined), 'give either seek or next');
export type RecordingPlaybackQuery = z.output<typeof recordingPlaybackQuery>;

/** Absent: the last one. */
export const recordingScreenQuery = z.object({ at: milliseconds.optional() });

export const recordingFindQuery = z.object({ text: words });
