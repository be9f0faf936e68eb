/** The locks in force, cut into messages that are taken: by their number, and by what they weigh. */
import { type HeldLock, MAX_TOLD_LOCKS, NEWS_BYTES } from '@gatehouse/contract/reach/trusted-clusters/news';

/** The rest is for the message around them. */
const LOCKS_BYTES = NEWS_BYTES - 1024;

/** At least one: that there are none is news too. */
export function inMessages(locks: readonly HeldLock[]): HeldLock[][] {
  const messages: HeldLock[][] = [[]];
  let bytes = 0;
  for (const lock of locks) {
    // A reason of 500 letters is up to 3,000 bytes: one message too long would cut the line of every leaf, for good.
    const more = Buffer.byteLength(JSON.stringify(lock)) + 1;
    if (messages.at(-1)!.length === MAX_TOLD_LOCKS || bytes + more > LOCKS_BYTES) {
      messages.push([]);
      bytes = 0;
    }
    messages.at(-1)!.push(lock);
    bytes += more;
  }
  return messages;
}
