/** Says how often something may be said: what an outsider can repeat at will must not fill logs and audit. */
import { BoundedMap } from './bounded-map.ts';

/** Beyond this many the oldest is forgotten, so that nobody can grow the table without end. */
const MAX_KEYS = 10_000;

export type Throttle = (key: string) => boolean;

/** True for the first `times` within `ms` of the first one, by key. */
export function createThrottle(times: number, ms: number, now: () => number): Throttle {
  const said = new BoundedMap<string, { since: number; count: number }>(MAX_KEYS);
  return (key) => {
    const past = said.get(key);
    if (past && now() - past.since < ms) {
      past.count += 1;
      return past.count <= times;
    }
    said.delete(key);
    said.set(key, { since: now(), count: 1 });
    return true;
  };
}

export function createOncePer(ms: number, now: () => number): Throttle {
  return createThrottle(1, ms, now);
}
