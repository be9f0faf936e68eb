/** Answers programs of whoever is signed in that want a certificate for the SSH door, and people who look after theirs. */
import { sshCertificateRevoked } from '@gatehouse/contract/audit/sign-in-events';
import { MAX_CERTIFICATE_SECONDS, type sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Audit } from '../../../platform/audit/emit.ts';
import { type PublicKey, parsePublicKey } from '../../../platform/crypto/ssh/public-key.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { findSignIn } from '../../stores/sign-in-store.ts';
import type { DoorHostKey } from './door-host-key.ts';
import { listCertificates, removeCertificate, type StoredCertificate } from './person-certificate-store.ts';
import type { PersonCertificates } from './person-certificates.ts';

export interface PersonCertificateHandlerDeps {
  db: Db;
  audit: Audit;
  certificates: Pick<PersonCertificates, 'issue'>;
  hostKey: Pick<DoorHostKey, 'authorities'>;
  now: () => number;
}

/** Below it nobody means nanoseconds. */
const NANOSECONDS_FROM = 1_000_000_000;

export function personCertificateHandlers(deps: PersonCertificateHandlerDeps): Handlers<typeof sshCertificateRoutes> {
  const { db, audit, certificates, hostKey, now } = deps;
  return {
    async issue({ actor, body: { pub_key, ttl }, exchange }) {
      requirePerson(actor);
      if (actor.isNarrowed)
        throw new AppError('denied', 'this token connects nowhere: it takes one whose scope is all');
      const { key, isEncoded } = readKey(pub_key);
      const signIn = await findSignIn(db, actor.signInId);
      if (!signIn) throw new AppError('not_signed_in', 'the sign-in is over');
      const expires = Math.min(now() + lifetimeOf(ttl), signIn.expires);
      const issued = await certificates.issue(actor, { key, expires, address: exchange.address });
      return {
        cert: isEncoded ? Buffer.from(`${issued.line}\n`).toString('base64') : issued.line,
        host_authorities: await hostKey.authorities(),
        ...{ username: actor.username, serial: issued.serial, expires: new Date(expires).toISOString() },
      };
    },

    async list({ actor }) {
      requirePerson(actor);
      return (await listCertificates(db, actor.username, now())).map(toItem);
    },

    async revoke({ actor, params: { serial }, exchange }) {
      requirePerson(actor);
      await db.transaction().execute(async (tx) => {
        if (!(await removeCertificate(tx, actor.username, serial))) throw notFound('certificate', serial);
        const context = { signInId: actor.signInId, address: exchange.address };
        await audit.emit(tx, sshCertificateRevoked, { user: actor.username, name: serial }, context);
      });
      return OK;
    },
  };
}

function requirePerson(actor: Actor): void {
  if (actor.isOwner) throw new AppError('denied', 'a certificate belongs to a sign-in: sign in first');
}

function lifetimeOf(ttl = MAX_CERTIFICATE_SECONDS): number {
  const ms = ttl < NANOSECONDS_FROM ? ttl * 1_000 : Math.floor(ttl / 1_000_000);
  return Math.min(ms, MAX_CERTIFICATE_SECONDS * 1_000);
}

/** Programs of Go write bytes in base64; people paste the line of a file. */
function readKey(given: string): { key: PublicKey; isEncoded: boolean } {
  const isEncoded = !/\s/.test(given.trim());
  return { key: parsePublicKey(isEncoded ? Buffer.from(given, 'base64').toString('utf8') : given), isEncoded };
}

function toItem({ serial, fingerprint, signIn, created, expires }: StoredCertificate) {
  return {
    ...{ serial, fingerprint, signIn },
    created: new Date(created).toISOString(),
    expires: new Date(expires).toISOString(),
  };
}
