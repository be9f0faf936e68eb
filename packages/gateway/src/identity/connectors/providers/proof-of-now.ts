/** When a provider says that somebody signed in there, held against when they were sent to it. */
import { ProviderError } from './provider-error.ts';

/** Clocks of providers and ours differ by so much. */
const SKEW_MS = 30_000;

/** What is kept with an attempt that asks for it: when it began, as text. */
export function keptWish(isFresh: boolean | undefined, now: number): Record<string, string> {
  return isFresh ? { freshSince: String(now) } : {};
}

const NOT_TOLD =
  'The provider does not say that you have just signed in there, and what you wanted to do needs that: ask an administrator for a reset link, and add a second factor by it.';
const NOT_ASKED =
  'The provider did not ask you to sign in again, and what you wanted to do needs that: sign out there, then try again.';

/** Gives the time, never one to come. `field`: what the provider calls it. Throws `ProviderError`. */
export function checkedProof(
  said: number | undefined,
  { field, kept, now }: { field: string; kept: Readonly<Record<string, string>>; now: number },
): number | undefined {
  if (said !== undefined && !(said <= now + SKEW_MS))
    throw new ProviderError(
      'identity',
      `the provider says that they signed in at ${at(said)} (${field}), which is to come: compare the clocks`,
    );
  const { freshSince } = kept;
  if (freshSince === undefined) return said === undefined ? undefined : Math.min(said, now);
  if (said === undefined)
    throw new ProviderError(
      'identity',
      `they were asked to sign in anew, and the provider does not say when they signed in (${field})`,
      { advice: NOT_TOLD },
    );
  if (!(said >= wholeSecond(Number(freshSince)) - SKEW_MS))
    throw new ProviderError(
      'identity',
      `they were asked to sign in anew, and the provider tells of a sign-in at ${at(said)} (${field})`,
      { advice: NOT_ASKED },
    );
  return Math.min(said, now);
}

/** Providers tell the second alone: who signs in within the one in which they were sent there would seem to have done so before. */
function wholeSecond(time: number): number {
  return Math.floor(time / 1000) * 1000;
}

/** A provider may say any number. */
function at(time: number): string {
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : String(time);
}
