/** Answers programs of whoever is signed in that want a certificate for the SSH door, and people who look after theirs. */
import { sshCertificateRevoked } from '@gatehouse/contract/audit/sign-in-events';
import { MAX_CERTIFICATE_SECONDS, type sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Body } from '@gatehouse/contract/wire/route';
import type { Audit } from '../../../platform/audit/emit.ts';
import { publish } from '../../../platform/change-feed/publish.ts';
import { type PublicKey, parsePublicKey } from '../../../platform/crypto/ssh/public-key.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../../platform/http/call.ts';
import { contextOf } from '../../../platform/http/context-of.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { listBoundKeys, removeBoundKey } from '../../stores/bound-key-store.ts';
import { findSignIn } from '../../stores/sign-in-store.ts';
import type { DoorHostKey } from './door-host-key.ts';
import type { ApprovedHeadless, AskedHeadless } from './headless-limits.ts';
import {
  listCertificates,
  PERSON_CERTIFICATE_TOPIC,
  removeCertificate,
  type StoredCertificate,
} from './person-certificate-store.ts';
import type { PersonCertificates } from './person-certificates.ts';

export interface PersonCertificateHandlerDeps {
  db: Db;
  audit: Audit;
  certificates: Pick<PersonCertificates, 'issue'>;
  hostKey: Pick<DoorHostKey, 'authorities'>;
  /** Waits for somebody's approval; throws where none comes. */
  headless(asked: AskedHeadless, exchange: Pick<Exchange, 'address' | 'gone'>): Promise<ApprovedHeadless>;
  now: () => number;
}

/** For so long the one session of an approved request may begin. */
const BEGIN_MS = 60_000;

/** Below it nobody means nanoseconds. */
const NANOSECONDS_FROM = 1_000_000_000;

export function personCertificateHandlers(deps: PersonCertificateHandlerDeps): Handlers<typeof sshCertificateRoutes> {
  const { db, audit, certificates, hostKey, now } = deps;

  /** Whoever asks is nobody until somebody has approved it. */
  async function headlessly(body: Body<typeof sshCertificateRoutes.issue>, exchange: Exchange) {
    const { pub_key, headless_id: id = '', user, target, command = '', client = '' } = body;
    if (user === undefined || target === undefined)
      throw new AppError('bad_request', 'headless_id needs user and target beside it');
    const { key, isEncoded, bytes } = readKey(pub_key);
    const { who, limits } = await deps.headless({ id, user, publicKey: bytes, target, command, client }, exchange);
    const expires = now() + BEGIN_MS;
    const issued = await certificates.issue(who, { key, expires, address: exchange.address, limits });
    return {
      cert: isEncoded ? Buffer.from(`${issued.line}\n`).toString('base64') : issued.line,
      host_authorities: await hostKey.authorities(),
      ...{ username: who.username, serial: issued.serial, expires: new Date(expires).toISOString() },
    };
  }

  return {
    async issue({ actor, body, exchange }) {
      const { pub_key, ttl } = body;
      if (body.headless_id !== undefined) return headlessly(body, exchange);
      if (!actor) throw new AppError('not_signed_in', 'sign in first');
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

    async keys({ actor }) {
      requirePerson(actor);
      return (await listBoundKeys(db, actor.username)).map(({ id, fingerprint, address, sign_in, created }) => ({
        ...{ id, fingerprint, address, signIn: sign_in },
        created: new Date(created).toISOString(),
      }));
    },

    async unbind({ actor, params: { keyId }, exchange }) {
      requirePerson(actor);
      await db.transaction().execute(async (tx) => {
        if (!(await removeBoundKey(tx, actor.username, keyId))) throw notFound('key', keyId);
        await publish(tx, { topic: PERSON_CERTIFICATE_TOPIC, id: keyId });
        const context = contextOf(actor, exchange);
        await audit.emit(tx, sshCertificateRevoked, { user: actor.username, name: keyId }, context);
      });
      return OK;
    },

    async revoke({ actor, params: { serial }, exchange }) {
      requirePerson(actor);
      await db.transaction().execute(async (tx) => {
        if (!(await removeCertificate(tx, actor.username, serial))) throw notFound('certificate', serial);
        const context = contextOf(actor, exchange);
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
function readKey(given: string): { key: PublicKey; isEncoded: boolean; bytes: Buffer } {
  const isEncoded = !/\s/.test(given.trim());
  const bytes = Buffer.from(given, isEncoded ? 'base64' : 'utf8');
  return { key: parsePublicKey(bytes.toString('utf8')), isEncoded, bytes };
}

function toItem({ serial, fingerprint, signIn, created, expires }: StoredCertificate) {
  return {
    ...{ serial, fingerprint, signIn },
    created: new Date(created).toISOString(),
    expires: new Date(expires).toISOString(),
  };
}
