/** One sign-in at a server for all the commands that somebody runs there at about the same time: sshd's sign-in costs more than most commands. */
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Resource } from '../../inventory/resource-store.ts';
import type { NodeConnections } from './connect-node.ts';
import type { SshConnection } from './engine/connect-ssh.ts';

/** sshd lets a connection have ten sessions unless its `MaxSessions` says otherwise. */
const MAX_COMMANDS = 8;
/** As long as an ansible run needs from one task to its next. */
const LINGER_MS = 10_000;
/** Kept for nobody; whoever comes beside them leaves nothing behind. */
const MAX_IDLE = 256;

export interface SharedLogin {
  resource: Resource;
  login: string;
  who: { user: string; session: string; signInId: string };
  signal: AbortSignal;
}

/** A part of a connection, until it is given back or the connection is cut; after that, whatever is called does nothing. */
export interface Lease {
  readonly connection: SshConnection;
  giveBack(): void;
  /** Gives it back, and lets nobody else have a part: the connection ends with the last one that has. */
  retire(): void;
  /** The server does not do as it should: whatever else runs over it ends too. */
  cut(): void;
}

export interface SharedLogins {
  /** Rejects as `NodeConnections.connect` does. */
  lease(wanted: SharedLogin): Promise<Lease>;
  /** The server refused one more on that connection, which was given back: from now on it gets no more than those it has. */
  isFull(lease: Lease): void;
}

interface Entry {
  connecting: Promise<SshConnection>;
  abort: AbortController;
  isUp: boolean;
  isIdle: boolean;
  leases: number;
  limit: number;
  lingering: NodeJS.Timeout | undefined;
}

export function createSharedLogins(connect: NodeConnections['connect']): SharedLogins {
  const byKey = new Map<string, Set<Entry>>();
  const entryOf = new WeakMap<Lease, Entry>();
  let idle = 0;

  function drop(key: string, entry: Entry): void {
    clearTimeout(entry.lingering);
    if (entry.isIdle) idle -= 1;
    entry.isIdle = false;
    const entries = byKey.get(key);
    entries?.delete(entry);
    if (entries?.size === 0) byKey.delete(key);
  }

  function dial(key: string, { resource, login, who }: SharedLogin): Entry {
    const abort = new AbortController();
    const connecting = connect({ resource, login, who, permits: [], signal: abort.signal });
    const entry: Entry = {
      ...{ connecting, abort, isUp: false, isIdle: false, leases: 0, limit: MAX_COMMANDS, lingering: undefined },
    };
    const entries = byKey.get(key) ?? new Set();
    byKey.set(key, entries.add(entry));
    connecting.then(
      (connection) => {
        entry.isUp = true;
        void connection.closed.then(() => drop(key, entry));
      },
      () => drop(key, entry),
    );
    return entry;
  }

  function release(key: string, entry: Entry): void {
    entry.leases -= 1;
    if (entry.leases > 0) return;
    if (!entry.isUp || idle >= MAX_IDLE || !byKey.get(key)?.has(entry)) {
      drop(key, entry);
      end(entry);
      return;
    }
    idle += 1;
    entry.isIdle = true;
    entry.lingering = setTimeout(() => {
      drop(key, entry);
      end(entry);
    }, LINGER_MS).unref();
  }

  function take(entry: Entry): void {
    clearTimeout(entry.lingering);
    if (entry.isIdle) idle -= 1;
    entry.isIdle = false;
    entry.leases += 1;
  }

  return {
    async lease(wanted) {
      const key = keyOf(wanted);
      const entry = [...(byKey.get(key) ?? [])].find(({ leases, limit }) => leases < limit) ?? dial(key, wanted);
      take(entry);
      let isBack = false;
      const giveBack = () => {
        if (isBack) return;
        isBack = true;
        release(key, entry);
      };
      const forget = whenAborted(wanted.signal, () => !entry.isUp && giveBack());
      try {
        const connection = await entry.connecting;
        wanted.signal.throwIfAborted();
        const cut = () => {
          if (isBack) return;
          drop(key, entry);
          connection.close();
          giveBack();
        };
        const retire = () => {
          if (isBack) return;
          drop(key, entry);
          giveBack();
        };
        const lease: Lease = { connection, giveBack, retire, cut };
        entryOf.set(lease, entry);
        return lease;
      } catch (error) {
        giveBack();
        throw error;
      } finally {
        forget();
      }
    },
    isFull(lease) {
      const entry = entryOf.get(lease);
      if (entry) entry.limit = Math.max(1, entry.leases);
    },
  };
}

/** Goodbye, and nothing to wait for when it never came to be. */
function end({ connecting, abort, isUp }: Entry): void {
  if (isUp) void connecting.then((connection) => connection.close());
  else abort.abort();
}

/** Whoever signed in anew, and a server that was edited, begin anew. */
function keyOf({ resource, login, who }: SharedLogin): string {
  return JSON.stringify([who.user, who.signInId, resource.cluster, resource.id, login, resource.spec]);
}
