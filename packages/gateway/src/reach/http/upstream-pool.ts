/** Connections to one target over one way, kept open between requests. */
import type { Duplex } from 'node:stream';
import { UpstreamConnection } from './upstream-connection.ts';
import { UpstreamFault } from './upstream-fault.ts';

/** Shorter than the five seconds that many servers give: who uses one again must not meet its closing. */
const IDLE_MS = 4_000;
const SWEEP_MS = 1_000;

/** Of one session: what a person with many tabs needs, and a program that runs away does not get beyond. */
const MAX_CONNECTIONS = 512;

export type Use = 'requests' | 'upgrade';

export interface UpstreamPool {
  /** One that waits, if there is one. */
  idle(): UpstreamConnection | undefined;
  /** A new one, for requests or for a change of protocol; throws what dialling throws. */
  open(use?: Use): Promise<UpstreamConnection>;
  /** Requests and upgraded connections that are under way. */
  readonly size: number;
  close(): void;
}

/** Pools in which a connection waits; one timer serves them all. */
const resting = new Set<() => boolean>();
let sweeper: NodeJS.Timeout | undefined;

function sweepLater(sweep: () => boolean): void {
  resting.add(sweep);
  sweeper ??= setInterval(() => {
    for (const each of resting) if (!each()) resting.delete(each);
    if (resting.size > 0) return;
    clearInterval(sweeper);
    sweeper = undefined;
  }, SWEEP_MS).unref();
}

export function createUpstreamPool(dial: (use: Use) => Promise<Duplex>, most = MAX_CONNECTIONS): UpstreamPool {
  let dialling = 0;
  const waiting: UpstreamConnection[] = [];
  const all = new Set<UpstreamConnection>();
  /** Whether any is left. */
  const sweep = () => {
    const before = performance.now() - IDLE_MS;
    // The oldest stand in front: those in use are taken from the end.
    while (waiting[0] && (waiting[0].idleSince < before || !waiting[0].usable)) waiting.shift()!.destroy();
    return waiting.length > 0;
  };
  const events = {
    onIdle(connection: UpstreamConnection) {
      connection.idleSince = performance.now();
      waiting.push(connection);
      if (waiting.length === 1) sweepLater(sweep);
    },
    onClose: (connection: UpstreamConnection) => void all.delete(connection),
  };
  return {
    idle() {
      for (let next = waiting.pop(); next; next = waiting.pop()) if (next.usable) return next;
      return undefined;
    },
    async open(use = 'requests') {
      if (all.size + dialling >= most)
        throw new UpstreamFault(`${most} requests of this session are under way at once: wait for some to end`);
      dialling += 1;
      try {
        const connection = new UpstreamConnection(await dial(use), events);
        all.add(connection);
        return connection;
      } finally {
        dialling -= 1;
      }
    },
    get size() {
      return all.size;
    },
    close() {
      resting.delete(sweep);
      for (const connection of waiting.splice(0)) connection.destroy();
    },
  };
}
