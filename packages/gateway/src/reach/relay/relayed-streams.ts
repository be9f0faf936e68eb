/** What both ends of a relay agree on: the targets of its streams, and how a passport travels with each. */
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';

/** One call, or one websocket, as HTTP/1.1. */
export const HTTP_TARGET = 'cluster.http';
/** Messages both ways, for as long as the tunnel lasts. */
export const NEWS_TARGET = 'cluster.news';

/** An entry of a stream's metadata holds 8 KiB, all of them together 16 KiB: roles and traits of some need more than one. */
const PIECE_CHARACTERS = 8 * 1024;
const MAX_PIECES = 2;

const nameOf = (index: number) => `passport-${index}`;

/** Throws a `RangeError` for one that no stream can carry. */
export function withPassport(passport: string): StreamMetadata {
  const pieces = Math.ceil(passport.length / PIECE_CHARACTERS);
  if (pieces > MAX_PIECES) throw new RangeError('the passport is too long');
  const metadata: StreamMetadata = {};
  for (let index = 0; index < pieces; index++)
    metadata[nameOf(index)] = passport.slice(index * PIECE_CHARACTERS, (index + 1) * PIECE_CHARACTERS);
  return metadata;
}

export function passportOf(metadata: StreamMetadata): string {
  let passport = '';
  for (let index = 0; index < MAX_PIECES; index++) passport += metadata[nameOf(index)] ?? '';
  if (passport === '') throw new StreamRefused('not_allowed', 'the stream has no passport');
  return passport;
}
