/** What a gateway may still do that hears nothing from its store: what was taken away meanwhile it does not know. */
import { AppError } from '../std/app-error.ts';
import type { ChangeFeed } from './change-feed.ts';

/** A cut that heals by itself is over by then: a poll, the deadline of its read, and a new connection. */
export const LOST_AFTER_MS = 6_000;
/** What is open stands still after this long: its people might have been locked out all the while. */
export const FROZEN_AFTER_MS = 60_000;

type Heard = Pick<ChangeFeed, 'silentMs'>;

export function isLost(feed: Heard): boolean {
  return feed.silentMs() > LOST_AFTER_MS;
}

/** Longer than what is open may go on unheard. */
export function isFrozen(feed: Heard): boolean {
  return feed.silentMs() > FROZEN_AFTER_MS;
}

/** Throws while nobody can tell who may still do what. */
export function requireStore(feed: Heard): void {
  if (isLost(feed)) throw new AppError('unavailable', lostWords(feed));
}

export function lostWords(feed: Heard): string {
  const seconds = Math.round(feed.silentMs() / 1000);
  return `the gateway has lost its database: nothing was heard from it for ${seconds} s, and nothing new is opened until it answers`;
}
