/**
 * A line before something that is done one at a time, where anybody may stand: regions are served in turn, the networks of each in turn,
 * and the clients of each in turn. In a full line whoever has most gives way: to refuse newcomers would let whoever fills it keep
 * everybody out, and whoever holds many networks is one of them all the same.
 */
import { clientNetwork, clientRegion } from './client-key.ts';

export interface FairLineLimits {
  /** In line, in all, of one network and of one client. */
  waiting: number;
  waitingPerNetwork: number;
  waitingPerClient: number;
  waitMs: number;
  /** What whoever is turned away is told. */
  refuse(): Error;
}

export interface FairLine {
  /** `client` as clients are counted. Throws when there is no place, somebody else needs it more, or the turn does not come in time. */
  run<T>(work: () => Promise<T>, client: string): Promise<T>;
}

interface Waiter {
  go(): void;
  refuse(): void;
}

/** By their keys, whoever is served next first: regions, networks in each, clients in each, and who waits for them. None is empty. */
type Places = Map<string, Places | Waiter[]>;

export function createFairLine({ waiting, waitingPerNetwork, waitingPerClient, waitMs, refuse }: FairLineLimits) {
  const line: Places = new Map();
  let isTaken = false;

  function join(client: string, waiter: Waiter): void {
    const network = placesIn(placesIn(line, clientRegion(client)), clientNetwork(client));
    const own = [...waitersIn(network, client), waiter];
    network.set(client, own);
    // Whoever has just come is the last of all: where all have equally many, they are the one to go.
    if (own.length > waitingPerClient) waiter.refuse();
    else if (sizeOf(network) > waitingPerNetwork) turnAway(network);
    else if (sizeOf(line) > waiting) turnAway(line);
  }

  function leave(client: string, waiter: Waiter): void {
    const path = [clientRegion(client), clientNetwork(client), client];
    takeOut(line, path, waiter);
  }

  function enter(client: string): Promise<void> {
    if (!isTaken) {
      isTaken = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        leave(client, waiter);
      };
      const waiter: Waiter = {
        go() {
          done();
          resolve();
        },
        refuse() {
          done();
          reject(refuse());
        },
      };
      const timer = setTimeout(() => waiter.refuse(), waitMs).unref();
      join(client, waiter);
    });
  }

  return {
    async run(work, client) {
      await enter(client);
      try {
        return await work();
      } finally {
        // Handed over at once: a newcomer that takes the place in between would make it one too many.
        const waiter = next(line);
        if (waiter) waiter.go();
        else isTaken = false;
      }
    },
  } satisfies FairLine;
}

function placesIn(places: Places, key: string): Places {
  const held = places.get(key);
  if (held instanceof Map) return held;
  const made: Places = new Map();
  places.set(key, made);
  return made;
}

function waitersIn(places: Places, client: string): readonly Waiter[] {
  const held = places.get(client);
  return Array.isArray(held) ? held : [];
}

/** Who is served goes behind all others, with all that they still have in line. */
function next(places: Places): Waiter | undefined {
  for (const [key, held] of places) {
    places.delete(key);
    places.set(key, held);
    return Array.isArray(held) ? held[0] : next(held);
  }
  return undefined;
}

function takeOut(places: Places, [key = '', ...path]: readonly string[], waiter: Waiter): void {
  const held = places.get(key);
  if (held instanceof Map) takeOut(held, path, waiter);
  else if (held)
    places.set(
      key,
      held.filter((each) => each !== waiter),
    );
  if (held && sizeOf(places.get(key) ?? []) === 0) places.delete(key);
}

/** The newest of the largest client of the largest network of the largest region. */
function turnAway(places: Places | Waiter[]): void {
  if (Array.isArray(places)) places.at(-1)?.refuse();
  else turnAway(largest(places));
}

function sizeOf(places: Places | Waiter[]): number {
  if (Array.isArray(places)) return places.length;
  return [...places.values()].reduce((sum, each) => sum + sizeOf(each), 0);
}

/** Of several the last. */
function largest(places: Places): Places | Waiter[] {
  return [...places.values()].reduce((best, each) => (sizeOf(each) >= sizeOf(best) ? each : best));
}
