/** What a certificate for native doors says, and whether it may be believed. It opens nothing by itself: whoever shows it is admitted anew. */
import { hash, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { loadX509 } from '../../platform/crypto/x509/keys.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';

/** Read by nobody else. */
export const DOOR_FACTS = '2.25.1794895970';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const UTF8_STRING = 0x0c;

export const doorFacts = z.strictObject({
  user: z.string().min(1),
  signIn: z.string().min(1),
  database: z.string().min(1),
  dbUser: z.string().min(1),
  dbName: z.string().min(1),
  /** When a second factor was given for it; 0: none was. */
  factor: z.number().int().min(0),
  /** Another cluster that has the database, and decides; absent: this one. */
  cluster: z.string().min(1).optional(),
  /** What a second factor was traded for there: good for this sign-in alone, and for an hour. */
  pass: z.string().min(1).optional(),
});
export type DoorFacts = z.output<typeof doorFacts>;

/** What a certificate says for as long as these authorities are trusted: a program that connects again and again shows the same one, and reading it takes longer than the handshake. */
interface Known {
  from: number;
  to: number;
  facts: Readonly<DoorFacts>;
}

const known = new BoundedMap<string, Known>(1_024);

/** Throws in words for who shows it. */
export async function readDoorCertificate(
  raw: Buffer,
  { trusted, now }: { trusted: readonly string[]; now: number },
): Promise<Readonly<DoorFacts>> {
  const key = hash('sha256', JSON.stringify([raw.toString('base64'), ...trusted]));
  const read = known.get(key) ?? (await readAnew(raw, trusted));
  known.set(key, read);
  if (read.from > now) throw refused('is not valid yet');
  if (read.to <= now) throw refused('is over');
  return read.facts;
}

async function readAnew(raw: Buffer, trusted: readonly string[]): Promise<Known> {
  const shown = new X509Certificate(raw);
  const isOurs = trusted
    .map((pem) => new X509Certificate(pem))
    .some((authority) => shown.checkIssued(authority) && shown.verify(authority.publicKey));
  if (!isOurs || shown.ca || !shown.keyUsage?.includes(CLIENT_AUTH)) throw refused('is not of this gateway');
  const x509 = await loadX509();
  const value = new x509.X509Certificate(Uint8Array.from(raw)).getExtension(DOOR_FACTS)?.value;
  const facts = value && doorFacts.safeParse(parsed(textIn(Buffer.from(value))));
  if (!facts?.success) throw refused('says nothing of a database');
  return {
    from: shown.validFromDate.getTime(),
    to: shown.validToDate.getTime(),
    facts: Object.freeze(facts.data),
  };
}

function refused(why: string): AppError {
  return new AppError('not_signed_in', `the certificate ${why}: gatehouse db login NAME gets another`);
}

function textIn(der: Buffer): string {
  if (der[0] !== UTF8_STRING) return '';
  return der.subarray((der[1] ?? 0) < 0x80 ? 2 : 2 + ((der[1] ?? 0) & 0x7f)).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
