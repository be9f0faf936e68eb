/** Signs in to SQL Server with what the gateway holds, in the words of the client beside that. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { DbFailure } from '../db-failure.ts';
import type { ServerTerms } from '../server-terms.ts';
import { type ClientLogin, isSpoken, login, sayTds8 } from './login.ts';
import { packets, TYPE } from './packets.ts';
import { ENCRYPTION, type Prelogin, prelogin, readPrelogin, takeMessage } from './prelogin.ts';
import { readBeginning } from './replies.ts';
import { tlsInPackets } from './tls-in-packets.ts';

const MAX_MESSAGE_BYTES = 64 * 1024;

export interface MetServer {
  server: Duplex;
  source: ByteSource;
  /** As it says it, six bytes. */
  version: Buffer;
}

export interface SignedIn {
  server: Duplex;
  /** What the server says when somebody is in, for the client to hear. */
  welcome: Buffer;
  version: string;
  /** The database that the session is in. */
  database: string;
  spid: number;
  rest: Buffer;
}

/** Up to where somebody signs in. */
export async function meetServer(
  bare: Duplex,
  version: Buffer,
  secure: ServerTerms['secure'],
  signal: AbortSignal,
): Promise<MetServer> {
  const before = new ByteSource(bare);
  const wanted = secure ? ENCRYPTION.on : ENCRYPTION.notSupported;
  bare.write(prelogin(TYPE.prelogin, { version, encryption: wanted }));
  const { head, payload } = await takeMessage(before, MAX_MESSAGE_BYTES, signal);
  if (head.type !== TYPE.reply) throw new DbFailure('malformed', 'it does not answer a greeting: is it SQL Server?');
  const met: Prelogin = readPrelogin(payload);
  if (!secure) {
    if (met.encryption === ENCRYPTION.required || met.encryption === ENCRYPTION.on)
      throw new DbFailure('unsafe', 'the database wants TLS, and its record says that there is none', {
        next: 'set TLS of this database to verify-full',
      });
    return { server: bare, source: before, version: met.version };
  }
  if (met.encryption === ENCRYPTION.notSupported)
    throw new DbFailure('unsafe', 'the database does not speak TLS', {
      next: 'give it a certificate, or switch TLS off for this database if nobody else is in between',
    });
  if (before.release().length > 0) throw new DbFailure('malformed', 'it says more before TLS than it may');
  const server = await secure(tlsInPackets(bare), { maxVersion: 'TLSv1.2' });
  return { server, source: new ByteSource(server), version: met.version };
}

export async function signIn(
  { server, source }: MetServer,
  terms: ServerTerms,
  client: ClientLogin,
  signal: AbortSignal,
): Promise<SignedIn> {
  if (terms.credential.method !== 'password')
    throw new DbFailure('unsupported', 'SQL Server is signed in to with a password alone');
  // Only to a server that has shown who it is: whoever else it were would have the password then.
  if (!terms.secure || !terms.isVerified)
    throw new DbFailure(
      'unsafe',
      'SQL Server is told the password itself, which is not sent without TLS that is checked',
      {
        next: 'switch TLS on for this database and have its certificate checked',
      },
    );
  server.write(login(client, terms, terms.credential.password, terms.database));
  const { head, payload } = await takeMessage(source, MAX_MESSAGE_BYTES, signal);
  if (head.type !== TYPE.reply) throw new DbFailure('malformed', 'it does not answer a sign-in: is it SQL Server?');
  const { error, version, agreed, database, isRouted } = readBeginning(payload);
  if (isRouted) throw new DbFailure('unsupported', 'the database leads on to another address: enter that one');
  if (version === undefined || agreed === undefined)
    throw error
      ? new DbFailure('refused', error.text, { code: String(error.number) })
      : new DbFailure('malformed', 'it neither lets anybody in nor says why');
  // What it ends answers with would be misread.
  if (!isSpoken(agreed[0] ?? 0))
    throw new DbFailure(
      'unsupported',
      'the database speaks TDS older than 7.2: SQL Server 2005 and newer are spoken with',
    );
  if (client.isTds8) sayTds8(agreed);
  return {
    ...{ server, version, database: database ?? terms.database, spid: head.spid },
    welcome: packets(TYPE.reply, payload),
    rest: source.release(),
  };
}

/** Before the client is heard. */
export async function runFirst(signedIn: SignedIn, statements: readonly string[], signal: AbortSignal): Promise<void> {
  if (statements.length === 0) return;
  const source = new ByteSource(signedIn.server);
  for (const sql of statements) {
    const error = await run(signedIn.server, source, sql, signal);
    if (error)
      throw new DbFailure('refused', `what is run at each sign-in failed: ${error.text}`, {
        code: String(error.number),
      });
  }
  source.release();
}

/** One statement, whose rows nobody reads. Throws what the server says against it. */
export async function askOnce({ server, rest }: SignedIn, sql: string, signal: AbortSignal): Promise<void> {
  if (rest.length > 0) server.unshift(rest);
  const error = await run(server, new ByteSource(server), sql, signal);
  if (error) throw new DbFailure('refused', error.text, { code: String(error.number) });
}

async function run(server: Duplex, source: ByteSource, sql: string, signal: AbortSignal) {
  server.write(packets(TYPE.batch, batchPayload(sql)));
  const { payload } = await takeMessage(source, MAX_MESSAGE_BYTES, signal);
  return readBeginning(payload).error;
}

/** Outside of any transaction. */
export function batchPayload(sql: string): Buffer {
  const headers = Buffer.alloc(22);
  headers.writeUInt32LE(22, 0);
  headers.writeUInt32LE(18, 4);
  headers.writeUInt16LE(2, 8);
  headers.writeUInt32LE(1, 18);
  return Buffer.concat([headers, Buffer.from(sql, 'utf16le')]);
}
