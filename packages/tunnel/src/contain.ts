/** Runs what handles a peer's bytes so that a mistake in it costs that peer its connection, and nobody else anything. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';

/** Whoever is at the other end of a connection. */
export interface Peer {
  /** Which sort of connection, in a word or two of ours: it is counted by. */
  where: string;
  address?: string | undefined;
  /** Closes the connection at once. */
  cut(): unknown;
}

export interface Contained {
  where: string;
  address: string | undefined;
  error: unknown;
}

interface Emitter {
  emit(event: string | symbol, ...args: unknown[]): boolean;
}

/** For whom something runs: what it starts, and what comes of that later, is still for them. */
const working = new AsyncLocalStorage<Peer | undefined>();
const reports = channel('gatehouse.contained');
/** Their connection is closed: whatever else goes wrong for them says nothing new. */
const cutOff = new WeakSet<Peer>();

/** Undefined when it failed: the connection is then closed. */
export function onBehalfOf<Result>(peer: Peer, work: () => Result): Result | undefined {
  try {
    const result = working.getStore() === peer ? work() : working.run(peer, work);
    if (result instanceof Promise) result.catch((error: unknown) => blame(peer, error));
    return result;
  } catch (error) {
    blame(peer, error);
    return undefined;
  }
}

/** A handler of a socket or stream that cannot take more than that connection with it, at once or later. */
export function contain<Args extends unknown[]>(
  peer: Peer,
  handle: (...args: Args) => unknown,
): (...args: Args) => void {
  return (...args) => void onBehalfOf(peer, () => handle(...args));
}

/** What throws at once in any handler it has or ever gets. Cheap enough for every piece of data; what comes later is not followed. */
export function containEvents(emitter: object, peer: Peer): void {
  const target = emitter as Emitter;
  const emit = target.emit.bind(target);
  target.emit = (event, ...args) => {
    try {
      return emit(event, ...args);
    } catch (error) {
      blame(peer, error);
      return true;
    }
  };
}

/** The same with all that comes of it later, also in a turn of its own: for libraries that fail where nobody can catch it. */
export function containFollowed(emitter: object, peer: Peer): void {
  const target = emitter as Emitter;
  const emit = target.emit.bind(target);
  target.emit = (event, ...args) => onBehalfOf(peer, () => emit(event, ...args)) ?? true;
}

/** The last resort: an error nobody caught closes the connection it came of. False: it came of none. */
export function blameCurrent(error: unknown): boolean {
  const peer = working.getStore();
  // What runs next in this turn is for somebody else.
  working.enterWith(undefined);
  if (!peer) return false;
  blame(peer, error);
  return true;
}

/** Told once for each connection; gives back how to stop listening. */
export function onContained(listener: (contained: Contained) => void): () => void {
  const hear = (message: unknown) => listener(message as Contained);
  reports.subscribe(hear);
  return () => void reports.unsubscribe(hear);
}

/** Closes the connection of whoever an error came of, and tells of it. */
export function blame(peer: Peer, error: unknown): void {
  const isNews = !cutOff.has(peer);
  cutOff.add(peer);
  try {
    peer.cut();
  } catch {
    // It was gone already.
  }
  if (isNews) reports.publish({ where: peer.where, address: peer.address, error } satisfies Contained);
}
