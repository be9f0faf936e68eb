/**
 * A line before something that is done one at a time, where anybody may stand: networks are served in turn, and the clients of each in
 * turn. In a full line whoever has most gives way: to refuse newcomers would let whoever fills it keep everybody out.
 */
import { clientNetwork } from './client-key.ts';

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

/** By their keys, whoever is served next first; none is empty. */
type Clients = Map<string, Waiter[]>;

export function createFairLine({ waiting, waitingPerNetwork, waitingPerClient, waitMs, refuse }: FairLineLimits) {
  const networks = new Map<string, Clients>();
  let isTaken = false;

  function join(client: string, waiter: Waiter): void {
    const network = clientNetwork(client);
    const clients = networks.get(network) ?? new Map<string, Waiter[]>();
    networks.set(network, clients);
    clients.set(client, [...(clients.get(client) ?? []), waiter]);
    // Whoever has just come is the last of all: where all have equally many, they are the one to go.
    if (clients.get(client)!.length > waitingPerClient) waiter.refuse();
    else if (sizeOf(clients) > waitingPerNetwork) turnAway(clients);
    else if (lengthOf(networks) > waiting) turnAway(largest(networks, sizeOf));
  }

  function turnAway(clients: Clients): void {
    largest(clients, ({ length }) => length)
      .at(-1)
      ?.refuse();
  }

  function leave(client: string, waiter: Waiter): void {
    const network = clientNetwork(client);
    const clients = networks.get(network);
    const left = clients?.get(client)?.filter((each) => each !== waiter) ?? [];
    if (left.length > 0) clients?.set(client, left);
    else clients?.delete(client);
    if (clients?.size === 0) networks.delete(network);
  }

  /** Who is served goes behind all others, with all that they still have in line. */
  function next(): Waiter | undefined {
    for (const [network, clients] of networks)
      for (const [client, waiters] of clients) {
        networks.delete(network);
        networks.set(network, clients);
        clients.delete(client);
        clients.set(client, waiters);
        return waiters[0];
      }
    return undefined;
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
        const waiter = next();
        if (waiter) waiter.go();
        else isTaken = false;
      }
    },
  } satisfies FairLine;
}

function sizeOf(clients: Clients): number {
  return lengthOf(new Map([['', clients]]));
}

function lengthOf(networks: ReadonlyMap<string, Clients>): number {
  return [...networks.values()]
    .flatMap((clients) => [...clients.values()])
    .reduce((sum, { length }) => sum + length, 0);
}

/** Of several the last. */
function largest<T>(groups: ReadonlyMap<string, T>, size: (group: T) => number): T {
  return [...groups.values()].reduce((best, each) => (size(each) >= size(best) ? each : best));
}
