/** Signs in to a PostgreSQL server with what the gateway holds. */
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { DbFailure, malformed } from '../db-failure.ts';
import { ScramClient } from '../scram.ts';
import { type ServerTerms, withIssued } from '../server-terms.ts';
import { message, numbers, readServerError, refusedBy, SSL_REQUEST } from './messages.ts';
import { readMessage } from './read-message.ts';

/** A server that says more before it is ready does not mean to be. */
const MAX_WELCOME_MESSAGES = 1_000;

const ASKS = { ok: 0, clear: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 } as const;
const ASKS_IN_WORDS: Readonly<Record<number, string>> = {
  2: 'Kerberos',
  6: 'SCM credentials',
  7: 'GSSAPI',
  9: 'SSPI',
};

export interface ClientStartup {
  /** As the client has it: 3.0, 3.2 … */
  version: number;
  /** Of the client, without user and database. */
  parameters: ReadonlyMap<string, string>;
}

export interface SignedIn {
  server: Duplex;
  /** What the server tells whoever connects, in its own messages, without the key for cancelling. */
  welcome: Buffer;
  /** With which the server cancels what runs; none where it gave none. */
  cancelKey: Buffer | undefined;
  /** Whether `\` stands for itself in texts between quotes. */
  standardStrings: boolean;
  /** Of the server's process, as its own log has it. */
  backend: number | undefined;
  version: string;
  /** What came after it was ready. */
  rest: Buffer;
}

export async function signIn(
  bare: Duplex,
  held: ServerTerms,
  asked: ClientStartup,
  signal: AbortSignal,
): Promise<SignedIn> {
  const server = held.secure ? await secured(bare, held.secure, signal) : bare;
  return await withIssued(held, async (terms) => {
    const source = new ByteSource(server);
    const parameters = [...asked.parameters].flat();
    const database = terms.database === '' ? [] : ['database', terms.database];
    server.write(message('', numbers(asked.version), 'user', terms.user, ...database, ...parameters, Buffer.of(0)));
    const before = await prove(server, source, terms, signal);
    return { server, ...(await readWelcome(source, signal, before)), rest: source.release() };
  });
}

/** Nothing may stand behind the one byte of its answer: it would be taken for what came inside TLS. */
export async function secured(
  bare: Duplex,
  secure: (stream: Duplex) => Promise<Duplex>,
  signal: AbortSignal,
): Promise<Duplex> {
  const source = new ByteSource(bare);
  bare.write(message('', numbers(SSL_REQUEST)));
  const answer = String.fromCharCode((await source.take(1, signal))[0] ?? 0);
  if (answer === 'N')
    throw new DbFailure('unsafe', 'the database does not speak TLS', {
      next: "set 'ssl = on' there, or switch TLS off for this database if nobody else is in between",
    });
  if (answer !== 'S') throw malformed('it is asked for TLS and answers otherwise: is it PostgreSQL?');
  if (source.release().length > 0) throw malformed('it says more before TLS than it may');
  return await secure(bare);
}

/** Gives what the server said of the protocol's version, for the client to hear. */
async function prove(
  server: Duplex,
  source: ByteSource,
  terms: ServerTerms,
  signal: AbortSignal,
): Promise<readonly Buffer[]> {
  const before: Buffer[] = [];
  let scram: ScramClient | undefined;
  for (let count = 0; count < MAX_WELCOME_MESSAGES; count += 1) {
    const { type, body } = await readMessage(source, signal);
    if (type === 'E') throw refusedBy(readServerError(body));
    if (type === 'v') before.push(message('v', body));
    else if (type === 'R') {
      const asks = body.length >= 4 ? body.readUInt32BE(0) : -1;
      if (asks === ASKS.ok) {
        // Otherwise whoever is in between would only have to leave the proof out.
        if (scram && !scram.isProven) scram.check('');
        return before;
      }
      if (asks === ASKS.sasl) scram = beginScram(body.subarray(4), passwordOf(terms, 'a password'));
      const answer = await answerTo(asks, body.subarray(4), terms, scram);
      if (answer !== undefined) server.write(message('p', ...answer));
    } else if (type !== 'N') throw malformed(`it answers with '${type}' while it is signed in to`);
  }
  throw malformed('it never comes to an end while it is signed in to');
}

/** Undefined: nothing is to be said. */
async function answerTo(
  asks: number,
  body: Buffer,
  terms: ServerTerms,
  scram: ScramClient | undefined,
): Promise<readonly (string | Buffer)[] | undefined> {
  if (asks === ASKS.clear) return [clearPassword(terms)];
  if (asks === ASKS.md5) return [md5Answer(passwordOf(terms, 'a password'), terms.user, body.subarray(0, 4))];
  if (asks === ASKS.sasl && scram) {
    const first = Buffer.from(scram.first());
    return ['SCRAM-SHA-256', numbers(first.length), first];
  }
  if (asks === ASKS.saslContinue && scram) return [Buffer.from(await scram.answer(body.toString('utf8')))];
  if (asks === ASKS.saslFinal && scram) {
    scram.check(body.toString('utf8'));
    return undefined;
  }
  throw new DbFailure(
    'unsupported',
    `the database wants to be signed in to by ${ASKS_IN_WORDS[asks] ?? `a method with the number ${asks}`}`,
    { next: "let pg_hba.conf say 'scram-sha-256' or 'cert' for the address this comes from" },
  );
}

function passwordOf({ credential }: ServerTerms, what: string): string {
  if (credential.method === 'password') return credential.password;
  throw new DbFailure('refused', `the database asks for ${what}, and is signed in to by certificate here`, {
    code: '28000',
    next: "let a line of pg_hba.conf, before the others, say 'hostssl all all ADDRESS/32 cert'",
  });
}

/** Only to a server that has shown who it is: whoever else it were would have the password then. */
function clearPassword(terms: ServerTerms): string {
  if (terms.secure && terms.isVerified) return passwordOf(terms, 'a password');
  throw new DbFailure('unsafe', 'the database wants the password itself, without TLS that is checked', {
    next: "let pg_hba.conf say 'scram-sha-256' instead of 'password', or have the certificate of the database checked",
  });
}

function md5Answer(password: string, user: string, salt: Buffer): string {
  if (salt.length !== 4) throw malformed('it asks for a password without salt');
  const md5 = (...parts: readonly (string | Buffer)[]): string => {
    const hash = createHash('md5');
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  };
  return `md5${md5(md5(password, user), salt)}`;
}

function beginScram(mechanisms: Buffer, password: string): ScramClient {
  const offered = mechanisms
    .toString('latin1')
    .split('\0')
    .filter((each) => each !== '');
  if (offered.includes('SCRAM-SHA-256')) return new ScramClient(password);
  throw new DbFailure('unsupported', 'the database offers no SCRAM-SHA-256', {
    next: "set 'password_encryption = scram-sha-256' there, and the password of this user again",
  });
}

async function readWelcome(source: ByteSource, signal: AbortSignal, before: readonly Buffer[]) {
  const welcome: Buffer[] = [...before];
  const told = new Map<string, string>();
  let cancelKey: Buffer | undefined;
  for (let count = 0; count < MAX_WELCOME_MESSAGES; count += 1) {
    const { type, body } = await readMessage(source, signal);
    if (type === 'E') throw refusedBy(readServerError(body));
    if (type === 'Z') {
      return {
        welcome: Buffer.concat(welcome),
        cancelKey,
        backend: cancelKey?.readUInt32BE(0),
        standardStrings: told.get('standard_conforming_strings') !== 'off',
        version: told.get('server_version') ?? '',
      };
    }
    if (type === 'K') {
      if (body.length < 8 || body.length > 260) throw malformed('its key for cancelling has no size of one');
      cancelKey = body;
    } else if (type === 'S' || type === 'N') {
      const [name = '', value = ''] = body.toString('utf8').split('\0');
      if (type === 'S') told.set(name, value);
      welcome.push(message(type, body));
    } else throw malformed(`it answers with '${type}' before it is ready`);
  }
  throw malformed('it never becomes ready');
}
