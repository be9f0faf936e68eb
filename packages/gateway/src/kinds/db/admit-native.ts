/** Lets programs in that came with TLS of their own. Each connection is admitted anew; its certificate says who asks, and nothing of what they may. */
import type { TLSSocket } from 'node:tls';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import type { GreetedFacts } from '@gatehouse/contract/kinds/db/native-client';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { DbAuthorities } from '../../identity/authorities/db/create-db-authorities.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Clusters } from '../../platform/http/cluster.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import { carryProgram } from './carry-program.ts';
import { type DoorFacts, readDoorCertificate } from './door-certificate.ts';
import { nameAtDoor } from './door-name.ts';
import { admitElsewhere } from './elsewhere/admit-elsewhere.ts';
import { type OpenDbDeps, openDbSession } from './open-db.ts';
import { serveDb } from './serve-db.ts';
import type { GreetedClient } from './served.ts';
import { findWantedDb } from './wanted-db.ts';

export interface AdmitDeps extends OpenDbDeps {
  clusters: Pick<Clusters, 'find'>;
  dbAuthorities: DbAuthorities;
  identity: Pick<Identity, 'callerOf' | 'requireHere' | 'active'>;
  /** Throws while nobody can tell who may still do what. */
  requireStore(): void;
}

/** What is known of a program before it has said a word inside TLS. */
export interface Arrival {
  /** Which are spoken at the door it came to. */
  protocols: readonly DbProtocol[];
  /** The database whose name it came to; undefined where the door knows no names. */
  name?: string;
  /** With what it was greeted already. `owner`: who asks for what, the same for all that are theirs. */
  greetedAs?(owner: string): GreetedClient;
  /** The same, for another cluster. */
  greeted?: GreetedFacts;
}

/** Where a factor is asked for each session, one serves so long, as passes do. */
const FACTOR_MS = 60 * 60_000;

/** Throws where nobody is let in; what goes wrong afterwards is told to the client by its session. */
export async function admitNative(deps: AdmitDeps, client: TLSSocket, arrival: Arrival): Promise<void> {
  const address = (client.remoteAddress ?? '').replace(/^::ffff:(?=\d)/, '');
  const facts = await factsOf(deps, client);
  const { user, signIn, database, dbUser, dbName, cluster } = facts;
  // Before anything is looked up: whether there is one of that name is not told.
  if (arrival.name !== undefined && arrival.name !== nameAtDoor(database, cluster))
    throw new AppError('denied', `the certificate is for the database '${database}', and this name is another's`);
  deps.requireStore();
  await deps.identity.requireHere(signIn, { address, door: 'database' });
  const known = { username: user, signInId: signIn, address };
  const caller = deps.identity.callerOf(known as Parameters<Identity['callerOf']>[0]);
  const actor = await caller.now();
  // The sign-in says who it is.
  if (actor.username !== user) throw new AppError('not_signed_in', 'the certificate is of somebody else');
  if (cluster !== undefined) {
    const { protocols, greeted } = arrival;
    return await admitElsewhere(deps, client, { caller, facts: { ...facts, cluster }, protocols, greeted });
  }
  const wanted = await findWantedDb(deps, actor, { name: database, dbUser, dbName });
  const { protocol } = wanted.listed.spec;
  if (!arrival.protocols.includes(protocol))
    throw new AppError(
      'not_available',
      `the database '${database}' speaks '${protocol}', which is not spoken here: gatehouse proxy db ${database} reaches it`,
    );
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
    const greeted = arrival.greetedAs?.(JSON.stringify([signIn, database, dbUser]));
    const served = serveDb(deps, wanted, { door: 'native', client, hosted, greeted });
    carryProgram(client, hosted, () => deps.identity.active(signIn), served);
  } catch (error) {
    hosted.finish({ cause: 'failed', message: errorMessage(error) });
    throw error;
  }
}

/** Why nobody was let in, for who asked: what the gateway has done wrong is its own matter. */
export function refusalOf(error: unknown): string {
  const told = storeFailure(error) ?? error;
  return told instanceof AppError ? told.message : 'the gateway made a mistake';
}

async function factsOf({ dbAuthorities, now }: AdmitDeps, client: TLSSocket): Promise<DoorFacts> {
  const shown = client.getPeerX509Certificate();
  if (!shown) throw new AppError('not_signed_in', 'no certificate was shown: gatehouse db login NAME gets one');
  return await readDoorCertificate(shown.raw, { trusted: await dbAuthorities.trusted('db_door'), now: now() });
}
