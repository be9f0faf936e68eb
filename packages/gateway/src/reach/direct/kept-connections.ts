/** Connections that stay open for a moment after a fetch, for whoever asks the same place again. Each passed the guard when it was dialled. */
import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/** Servers close what is idle, and a question that meets that gets no answer: nobody closes as soon as this. */
const IDLE_MS = 2_000;
/** A name may lead elsewhere by now, where the guard would not let anybody go. */
const MAX_AGE_MS = 60_000;
const MAX_IDLE_EACH = 8;
const MAX_IDLE = 64;

export interface Connection {
  stream: Duplex;
  /** Asks over this stream and no other: where it is gone, nothing is dialled in its place. */
  agent: Agent;
  dialled: number;
}

export interface KeptConnections {
  /** One that is open and silent; `keeper` is whom it was dialled for, and nobody else gets it. */
  take(keeper: object, place: string): Connection | undefined;
  /** After its answer was read to the end. Closed where there are enough. */
  keep(keeper: object, place: string, connection: Connection): void;
}

interface Idle {
  place: string;
  connection: Connection;
  /** Stops watching it. */
  release(): void;
}

class OneConnection extends Agent {
  #stream: Duplex | undefined;

  constructor(stream: Duplex) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#stream = stream;
  }

  override createConnection(_: unknown, callback?: (error: Error | null, stream: Duplex) => void) {
    const stream = this.#stream;
    this.#stream = undefined;
    if (!stream) callback?.(new Error('the connection was closed'), undefined as never);
    return stream;
  }
}

export function connectionOver(stream: Duplex): Connection {
  return { stream, agent: new OneConnection(stream), dialled: Date.now() };
}

export function createKeptConnections(): KeptConnections {
  const idle = new Map<object, Set<Idle>>();
  let count = 0;

  const remove = (keeper: object, each: Idle) => {
    const held = idle.get(keeper);
    if (!held?.delete(each)) return;
    count -= 1;
    if (held.size === 0) idle.delete(keeper);
    each.release();
  };

  return {
    take(keeper, place) {
      for (const each of idle.get(keeper) ?? []) {
        if (each.place !== place) continue;
        remove(keeper, each);
        if (isUsable(each.connection)) return each.connection;
        each.connection.stream.destroy();
      }
      return undefined;
    },

    keep(keeper, place, connection) {
      const { stream } = connection;
      const held = idle.get(keeper) ?? new Set();
      if (!isUsable(connection) || held.size >= MAX_IDLE_EACH || count >= MAX_IDLE) {
        stream.destroy();
        return;
      }
      const close = () => {
        remove(keeper, each);
        stream.destroy();
      };
      const timer = setTimeout(close, IDLE_MS).unref();
      // What nobody asked for would be read as the answer to the next question.
      const events = ['data', 'end', 'close', 'error'] as const;
      for (const event of events) stream.on(event, close);
      const each: Idle = {
        place,
        connection,
        release() {
          clearTimeout(timer);
          for (const event of events) stream.off(event, close);
        },
      };
      held.add(each);
      idle.set(keeper, held);
      count += 1;
    },
  };
}

function isUsable({ stream, dialled }: Connection): boolean {
  const age = Date.now() - dialled;
  return !stream.destroyed && stream.writable && stream.readableLength === 0 && age >= 0 && age < MAX_AGE_MS;
}
