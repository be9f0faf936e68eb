/** Runs statements of the gateway's own on a PostgreSQL connection that nobody uses yet. */
import { ByteSource } from '../byte-source.ts';
import { DbFailure, malformed } from '../db-failure.ts';
import { type SessionLimits, shownStatement } from '../session-limits.ts';
import { message, readServerError, refusedBy, type ServerError } from './messages.ts';
import { readMessage } from './read-message.ts';
import type { SignedIn } from './sign-in.ts';

/** Of one statement: what is run first is not meant for its rows. */
const MAX_MESSAGES = 10_000;

export function firstStatements({ initSql, statementTimeoutMs, readOnly }: SessionLimits): readonly string[] {
  return [
    ...initSql,
    ...(statementTimeoutMs > 0 ? [`SET SESSION statement_timeout = ${statementTimeoutMs}`] : []),
    ...(readOnly ? ['SET SESSION default_transaction_read_only = on'] : []),
  ];
}

export async function runFirst(
  signedIn: SignedIn,
  statements: readonly string[],
  signal: AbortSignal,
): Promise<SignedIn> {
  if (statements.length === 0) return signedIn;
  const { server, welcome, rest } = signedIn;
  if (rest.length > 0) server.unshift(rest);
  const source = new ByteSource(server);
  const settings: Buffer[] = [];
  let { standardStrings } = signedIn;
  for (const sql of statements) {
    server.write(message('Q', sql));
    const failure = await readOutcome(source, signal, (body) => {
      const [name, value] = body.toString('utf8').split('\0');
      if (name === 'standard_conforming_strings') standardStrings = value !== 'off';
      // Whoever connects hears it with the others.
      settings.push(message('S', body));
    });
    if (failure)
      throw new DbFailure('refused', `what is run at each sign-in failed: ${failure.message}: ${shownStatement(sql)}`, {
        code: failure.code,
        next: "mend 'limits.initSql' in the record of this database",
      });
  }
  return { ...signedIn, standardStrings, welcome: Buffer.concat([welcome, ...settings]), rest: source.release() };
}

/** One statement, whose rows nobody reads. Throws what the server says against it. */
export async function askOnce({ server, rest }: SignedIn, sql: string, signal: AbortSignal): Promise<void> {
  if (rest.length > 0) server.unshift(rest);
  const source = new ByteSource(server);
  server.write(message('Q', sql));
  const failure = await readOutcome(source, signal, () => {});
  if (failure) throw refusedBy(failure);
}

async function readOutcome(
  source: ByteSource,
  signal: AbortSignal,
  setting: (body: Buffer) => void,
): Promise<ServerError | undefined> {
  let failure: ServerError | undefined;
  for (let count = 0; count < MAX_MESSAGES; count += 1) {
    const { type, body } = await readMessage(source, signal);
    if (type === 'E') failure ??= readServerError(body);
    else if (type === 'S') setting(body);
    else if (type === 'G' || type === 'W') return { code: '0A000', message: 'COPY from the client cannot be run here' };
    // A client begins outside of any transaction: what it does next would be part of it.
    else if (type === 'Z')
      return failure ?? (body[0] === 0x49 ? undefined : { code: '25001', message: 'it leaves a transaction open' });
  }
  throw malformed('more answers to what is run at each sign-in than are read');
}
