/** Opens sessions with databases, decided and accounted for like every other, and carries the connections of programs to them. */
import { randomUUID } from 'node:crypto';
import { type Duplex, duplexPair } from 'node:stream';
import { DB_TCP_SOCKET, dbRoute } from '@gatehouse/contract/kinds/db/databases';
import { greetedClient, nativeClient } from '@gatehouse/contract/kinds/db/native-client';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import type { SessionNature } from '../../sessions/host/session-parts.ts';
import type { MfaPasses } from '../../sessions/tcp/mfa-passes.ts';
import type { TcpDoor, TcpOpening } from '../../sessions/tcp/tcp-socket.ts';
import { tellHeld, whyClosed, whyNotHere } from './approval/held-back.ts';
import { connectTo } from './db-rights.ts';
import { type ServeDbDeps, serveDb } from './serve-db.ts';
import { SERVE_PROTOCOLS } from './serve-protocols.ts';
import type { GreetedClient, Served } from './served.ts';
import type { ServedThreads } from './served-threads.ts';
import { findWantedDb, type WantedDb, type WantedDbDeps } from './wanted-db.ts';

export interface OpenDbDeps extends WantedDbDeps, ServeDbDeps {
  host: SessionHost;
  passes: MfaPasses;
  threads: ServedThreads;
}

/** On their way between the socket and the engine: less, and each piece of a large result waits for the one before. */
const CARRIED_BYTES = 256 * 1024;

/** What programs dial, however their bytes are carried. */
export interface FoundDb {
  name: string;
  open(opening: TcpOpening): Promise<HostedSession>;
  serve(client: Duplex, hosted: HostedSession): Served;
}

/** Throws `not_found`, alike for what is not there and what is not seen. `query`: of the address. */
export async function findDbToServe(deps: OpenDbDeps, actor: Actor, name: string, query: unknown): Promise<FoundDb> {
  const wanted = await findWantedDb(deps, actor, { name, ...parseInput(dbRoute, query, 'query') });
  const { speaks, greeted } = parseInput(nativeClient, query, 'query');
  const { protocol } = wanted.listed.spec;
  if (speaks && !speaks.includes(protocol))
    throw new AppError('not_available', `the database '${name}' speaks '${protocol}', which is not spoken there`);
  return {
    name: wanted.listed.resource.name,
    open: (opening) => openDbSession(deps, wanted, opening),
    serve: (client, hosted) =>
      serveDb(deps, wanted, {
        ...{ door: 'tunnel', client, hosted },
        greeted: greetedThere(deps.threads, greeted, JSON.stringify([actor.username, actor.signInId, name])),
      }),
  };
}

/** The door of programs to databases. */
export function dbTcpDoor(deps: OpenDbDeps): TcpDoor {
  return {
    kind: 'db',
    path: DB_TCP_SOCKET,
    passes: deps.passes,
    async find(actor, name, query) {
      const found = await findDbToServe(deps, actor, name, query);
      return {
        ...found,
        async dial({ hosted }) {
          const [stream, client] = duplexPair({ highWaterMark: CARRIED_BYTES });
          const { end, isBusy } = found.serve(client, hosted);
          return { stream, end, isBusy };
        },
      };
    },
  };
}

/** As another cluster has greeted it: it says nothing by which somebody could be another. */
function greetedThere(threads: ServedThreads, text: string | undefined, owner: string): GreetedClient | undefined {
  if (text === undefined) return undefined;
  const { own, nonce, basic, extended, sequence } = parseInput(greetedClient, parseJson(text), 'greeted');
  return {
    ...{ nonce: Buffer.from(nonce, 'base64'), offered: { basic, extended }, sequence },
    isIn: (thread) => threads.add(own, { owner, thread }),
    threadOf: (named) => threads.threadOf(named, owner),
    askOthers: (named) => threads.askOthers(named, owner),
  };
}

interface DoorFacts {
  nature?: SessionNature;
  /** What writes can wait there for somebody's approval. */
  holdsBack?: boolean;
}

/** Decides and begins the session, whichever door it is opened through; `serveDb` serves it then. */
export async function openDbSession(
  deps: Pick<OpenDbDeps, 'host' | 'recordings' | 'access' | 'events'>,
  { mustAsk, listed, chosen, rights }: WantedDb,
  opening: TcpOpening,
  { nature = {}, holdsBack = false }: DoorFacts = {},
): Promise<HostedSession> {
  const { host, recordings, access } = deps;
  const { caller, address, requestId, call, proveFactor } = opening;
  const { resource, spec } = listed;
  if (!SERVE_PROTOCOLS[spec.protocol])
    throw new AppError(
      'not_available',
      `the database '${resource.name}' cannot be opened: a door for '${spec.protocol}' is not built yet`,
    );
  const door = { protocol: spec.protocol, holdsBack };
  // Before there is a session; of a role that came since, the session hears at once.
  const held = mustAsk ? whyClosed(door) : undefined;
  if (held) {
    await tellHeld(deps.events, { caller, address, resource }, held);
    throw new AppError('denied', held);
  }
  const hosted = await host.open({
    caller,
    action: connectTo(listed, chosen),
    part: {
      ...rights,
      whyNot(owner) {
        const message = whyNotHere(access, owner, door);
        return message === undefined ? rights.whyNot(owner) : { cause: 'denied', message };
      },
    },
    nature,
    address,
    requestId,
    call,
    proveFactor,
    request: randomUUID(),
    size: { cols: 0, rows: 0 },
    agent: undefined,
    recorded: recordings.isOn,
    noted: recordings.noted,
  });
  const { username, signInId } = caller;
  hosted.enter({ id: hosted.id, username, signInId, address, mode: 'peer', onRemoved: (end) => hosted.finish(end) });
  return hosted;
}
