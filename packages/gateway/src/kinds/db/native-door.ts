/** The door of programs that speak a database's own protocol with TLS, at the public port. Each connection is admitted anew; its certificate says who asks, and nothing of what they may. */
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { DbAuthorities } from '../../identity/authorities/db/create-db-authorities.ts';
import type { Identity } from '../../identity/identity.ts';
import type { NativeDoor } from '../../platform/http/hosts/first-bytes.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { containConnections } from '../../platform/std/contain-connections.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import { type DoorFacts, readDoorCertificate } from './door-certificate.ts';
import { fatal } from './engine/postgres/messages.ts';
import { type OpenDbDeps, openDbSession } from './open-db.ts';
import { serveDb } from './serve-db.ts';
import { findWantedDb } from './wanted-db.ts';

export interface NativeDoorDeps extends OpenDbDeps {
  dbAuthorities: DbAuthorities;
  identity: Pick<Identity, 'callerOf' | 'requireHere' | 'active'>;
  /** Served to people; undefined: there is no TLS here, and so no door. */
  served(): ServedCertificate | undefined;
  /** Throws while nobody can tell who may still do what. */
  requireStore(): void;
}

/** As PEM. */
export interface ServedCertificate {
  cert: string | Buffer;
  key: string | Buffer;
}

const ALPN = 'postgresql';
const HANDSHAKE_MS = 10_000;
const ADMIT_MS = 10_000;
const LAST_WORDS_MS = 1_500;
const LOOK_EVERY_MS = 5_000;
/** Where a factor is asked for each session, one serves so long, as passes do. */
const FACTOR_MS = 60 * 60_000;
const REFUSED = '28000';

export function createNativeDoor(deps: NativeDoorDeps): NativeDoor {
  const { dbAuthorities, served, keys, log } = deps;
  let server: Server | undefined;
  let madeOf = '';

  /** With what is served and believed now. */
  async function current(): Promise<Server> {
    const { cert, key } = served() ?? {};
    if (cert === undefined || key === undefined) throw new Error('no certificate to serve');
    const ca = await dbAuthorities.trusted('db_door');
    const stamp = JSON.stringify([String(cert), ca]);
    if (server && stamp === madeOf) return server;
    madeOf = stamp;
    server = createServer(
      {
        ...{ cert, key, ca, requestCert: true, handshakeTimeout: HANDSHAKE_MS, minVersion: 'TLSv1.2' },
        // Who shows none, or another's, is told why in the protocol they speak.
        rejectUnauthorized: false,
        // What was believed once is not believed again without looking.
        secureOptions: constants.SSL_OP_NO_TICKET,
        ALPNProtocols: [ALPN],
      },
      (socket) => {
        socket.on('error', () => {});
        void admit(deps, socket).catch((error: unknown) => refuse(socket, error));
      },
    );
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    containConnections(server, 'database');
    return server;
  }

  return {
    isMeant: ({ protocols }) => protocols.includes(ALPN),
    secure(socket: Socket) {
      current().then(
        (now) => now.emit('connection', socket),
        (error: unknown) => {
          log.warn({ error }, 'a program of a database cannot be served');
          socket.destroy();
        },
      );
    },
    cancel: (key) => void keys.cancel(key),
  };
}

async function admit(deps: NativeDoorDeps, client: TLSSocket): Promise<void> {
  const address = (client.remoteAddress ?? '').replace(/^::ffff:(?=\d)/, '');
  const facts = await factsOf(deps, client);
  const { user, signIn, database, dbUser, dbName } = facts;
  deps.requireStore();
  await deps.identity.requireHere(signIn, { address, door: 'database' });
  const known = { username: user, signInId: signIn, address };
  const caller = deps.identity.callerOf(known as Parameters<Identity['callerOf']>[0]);
  const actor = await caller.now();
  // The sign-in says who it is.
  if (actor.username !== user) throw new AppError('not_signed_in', 'the certificate is of somebody else');
  const wanted = await findWantedDb(deps, actor, { name: database, dbUser, dbName });
  if (wanted.listed.spec.protocol !== 'postgres')
    throw new AppError('not_available', `the database '${database}' is reached by gatehouse proxy db ${database}`);
  const hosted = await openDbSession(deps, wanted, {
    ...{ caller, address, requestId: '', call: 'database native' },
    proveFactor: async () => {
      if (deps.now() - facts.factor < FACTOR_MS) return;
      throw new AppError('mfa_required', `a role of yours asks for a second factor: gatehouse db login ${database}`);
    },
  });
  hosted.parts.attach({ onCut: (end) => hosted.finish(end) });
  if (client.destroyed || hosted.end) {
    hosted.finish({ cause: 'closed', message: 'the client left' });
    return;
  }
  try {
    carry(
      client,
      hosted,
      () => deps.identity.active(signIn),
      serveDb(deps, wanted, { door: 'native', client, hosted }),
    );
  } catch (error) {
    hosted.finish({ cause: 'failed', message: errorMessage(error) });
    throw error;
  }
}

async function factsOf({ dbAuthorities, now }: NativeDoorDeps, client: TLSSocket): Promise<DoorFacts> {
  const shown = client.getPeerX509Certificate();
  if (!shown) throw new AppError('not_signed_in', 'no certificate was shown: gatehouse db login NAME gets one');
  return await readDoorCertificate(shown.raw, { trusted: await dbAuthorities.trusted('db_door'), now: now() });
}

function carry(client: TLSSocket, hosted: HostedSession, active: () => void, served: ReturnType<typeof serveDb>): void {
  let moved = 0;
  const timer = setInterval(() => {
    const bytes = client.bytesRead + client.bytesWritten;
    if (bytes !== moved) active();
    if (bytes !== moved || served.isBusy()) hosted.active(hosted.id);
    moved = bytes;
  }, LOOK_EVERY_MS).unref();
  client.on('close', () => hosted.finish({ cause: 'closed', message: 'the client left' }));
  whenAborted(hosted.signal, () => {
    clearInterval(timer);
    const cut = () => client.destroy();
    void Promise.race([served.end(hosted.end?.message ?? 'the session is over'), sleep(LAST_WORDS_MS)]).then(cut, cut);
  });
}

/** In the words of the protocol, once the client has said what it wants: before, it would take them for something else. */
function refuse(client: TLSSocket, error: unknown): void {
  const told = storeFailure(error) ?? error;
  const words = told instanceof AppError ? told.message : 'the gateway made a mistake';
  const timer = setTimeout(() => client.destroy(), ADMIT_MS).unref();
  client.on('close', () => clearTimeout(timer));
  client.once('data', () => client.end(fatal(REFUSED, words)));
}
