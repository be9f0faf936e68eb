/**
 * Certificates of people for the SSH door: given to programs of a sign-in for no longer than it lasts, and believed there only while
 * it does. No server takes them: they name no login, and are signed by a key that none of them trusts.
 */
import { randomBytes } from 'node:crypto';
import { certificateIssued } from '@gatehouse/contract/audit/gateway-events';
import { CERTIFICATE_TYPES, mintCertificate, parseCertificate } from '../../../platform/crypto/ssh/certificate.ts';
import { fingerprint, isSignedBy, type PublicKey, parsePublicKey } from '../../../platform/crypto/ssh/public-key.ts';
import type { Who } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { type AuthorityKeyDeps, type AuthorityKeys, createAuthorityKeys } from './create-authority-keys.ts';
import { EARLY_MS } from './create-ssh-authorities.ts';
import { type HeadlessLimits, limitOptions, readLimits } from './headless-limits.ts';
import {
  findCertificate,
  insertCertificate,
  listCertificates,
  removeEndedCertificates,
  type StoredCertificate,
  useCertificate,
} from './person-certificate-store.ts';
import { plainWord } from './plain-word.ts';

/** What it names instead of a login. */
export const PERSON_PRINCIPAL = 'gatehouse-person';
/** Of one user: a script that asks for one at each call is told so before it fills the store. */
const MAX_CERTIFICATES = 1_000;

export interface PersonCertificates {
  /** `until`: the end of the sign-in. Of who is called, a row is kept. */
  issue(who: Who, wanted: WantedCertificate): Promise<IssuedCertificate>;
  /** Whose it is. Throws in words for who shows it. The signature of the connection is for the caller to check, with `subject`. */
  read(blob: Buffer): Promise<ShownCertificate>;
  /** Begins the one session of a certificate that is good for no more; false where it had it already, or its time is over. */
  begin(shown: Pick<ShownCertificate, 'serial'>): Promise<boolean>;
  close(): void;
}

export interface WantedCertificate {
  key: PublicKey;
  expires: number;
  address: string;
  /** Undefined: for whatever they may. */
  limits?: HeadlessLimits;
}

export interface IssuedCertificate extends StoredCertificate {
  /** As a file has it. */
  line: string;
}

export interface ShownCertificate extends StoredCertificate {
  /** The certified key, as it travels. */
  subject: Buffer;
  /** What alone it is good for; undefined: whatever they may. The caller heeds it, and calls `begin`. */
  limits: HeadlessLimits | undefined;
}

export function createPersonCertificates(deps: AuthorityKeyDeps): PersonCertificates {
  const { db, audit, now } = deps;
  const keys = createAuthorityKeys(deps, 'person');
  return {
    async issue({ username: user, signInId }, { key, expires, address, limits }) {
      if (!Object.values(CERTIFICATE_TYPES).some(({ plain }) => plain === key.type))
        throw new AppError('bad_request', `a key of type '${key.type}' gets no certificate: use ssh-keygen -t ed25519`);
      const [signing] = await keys.inForce();
      if (!signing) throw new Error('there is no SSH authority of people');
      const serial = randomBytes(8);
      const keyId = `user=${plainWord(user)} sign-in=${plainWord(signInId)}${limits ? ` headless=${limits.request}` : ''}`;
      const certificate: StoredCertificate = {
        ...{ serial: serial.toString('hex'), user, signIn: signInId, fingerprint: fingerprint(key.blob) },
        ...{ created: now(), expires },
      };
      const blob = mintCertificate(signing.key, {
        ...{ kind: 'user', subject: key.blob, serial, keyId, principals: [PERSON_PRINCIPAL] },
        ...{ validAfter: now() - EARLY_MS, validBefore: expires },
        ...(limits ? { criticalOptions: limitOptions(limits) } : {}),
      });
      await db.transaction().execute(async (tx) => {
        await removeEndedCertificates(tx, now());
        if ((await listCertificates(tx, user, now())).length >= MAX_CERTIFICATES)
          throw new AppError('too_many', `${MAX_CERTIFICATES} certificates of '${user}' are good now: revoke some`);
        await insertCertificate(tx, certificate);
        await audit.emit(
          tx,
          certificateIssued,
          {
            cert_type: 'user',
            identity: {
              ...{ user, key_id: keyId, expires: new Date(expires).toISOString() },
              ...{ fingerprint: certificate.fingerprint, serial: certificate.serial },
            },
            user,
          },
          { signInId, address },
        );
      });
      return { ...certificate, line: `${certificateType(blob)} ${blob.toString('base64')}` };
    },

    async read(blob) {
      const { subject, serial, limits } = await believed(keys, blob, now());
      const stored = await findCertificate(db, serial);
      if (!stored) throw refused('was revoked');
      return { ...stored, subject, limits };
    },

    begin: ({ serial }) => useCertificate(db, serial, now()),

    close: keys.close,
  };
}

async function believed(
  keys: AuthorityKeys,
  blob: Buffer,
  now: number,
): Promise<{ subject: Buffer; serial: string; limits: HeadlessLimits | undefined }> {
  const shown = parsed(blob);
  if (!shown) throw refused('cannot be read');
  const authorities = (await keys.inForce()).map(({ publicKey }) => parsePublicKey(publicKey).blob);
  const isOurs = authorities.some((authority) => authority.equals(shown.authority));
  if (!isOurs || !isSigned(shown)) throw refused('is not of this gateway');
  const isForPeople =
    shown.kind === 'user' && shown.principals.length === 1 && shown.principals[0] === PERSON_PRINCIPAL;
  const limits = isForPeople ? limitsOf(shown) : 'unknown';
  // What it would have us heed, and we do not know, makes it nobody's.
  if (limits === 'unknown') throw refused('is not of a person');
  if (shown.validAfter > now) throw refused('is not valid yet');
  if (shown.validBefore <= now) throw refused('ended');
  return { subject: shown.subject, serial: shown.serial.toString(16).padStart(16, '0'), limits };
}

function limitsOf(shown: ReturnType<typeof parseCertificate>): HeadlessLimits | undefined | 'unknown' {
  try {
    return readLimits(shown);
  } catch {
    return 'unknown';
  }
}

function parsed(blob: Buffer): ReturnType<typeof parseCertificate> | undefined {
  try {
    return parseCertificate(blob);
  } catch {
    return undefined;
  }
}

function isSigned({ authority, body, signature }: ReturnType<typeof parseCertificate>): boolean {
  try {
    return isSignedBy(authority, body, signature);
  } catch {
    // Not even written as signatures are.
    return false;
  }
}

function certificateType(blob: Buffer): string {
  return parseCertificate(blob).type;
}

function refused(why: string): AppError {
  return new AppError('not_signed_in', `your certificate ${why}: gatehouse login gets another`);
}
