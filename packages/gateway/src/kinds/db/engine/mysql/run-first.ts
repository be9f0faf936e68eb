/** Runs statements of the gateway's own on a MySQL or MariaDB connection that nobody uses yet. */
import { ByteSource } from '../byte-source.ts';
import { DbFailure, malformed } from '../db-failure.ts';
import { type SessionLimits, shownStatement } from '../session-limits.ts';
import { Answer } from './answers.ts';
import { quotedName } from './ask-rows.ts';
import { type Done, packet, refusedBy, type ServerError, STATUS } from './packets.ts';
import { readPacket } from './read-packet.ts';
import type { SignedIn } from './sign-in.ts';

const QUERY = 3;
/** Of one statement: what is run first is not meant for its rows. */
const MAX_PACKETS = 10_000;

/** MySQL itself holds its limit for reading alone; the gateway's own clock holds it for the rest. */
export function firstStatements(
  { initSql, statementTimeoutMs, readOnly }: SessionLimits,
  version: string,
): readonly string[] {
  const limit = version.includes('MariaDB')
    ? `SET SESSION max_statement_time = ${statementTimeoutMs / 1_000}`
    : `SET SESSION max_execution_time = ${statementTimeoutMs}`;
  return [
    ...initSql,
    ...(statementTimeoutMs > 0 ? [limit] : []),
    ...(readOnly ? ['SET SESSION TRANSACTION READ ONLY'] : []),
  ];
}

/** For who has their rights by a role alone: without it, no database would let them in. */
export async function takeRole(
  signedIn: SignedIn,
  { role, database }: { role: string; database: string },
  signal: AbortSignal,
): Promise<SignedIn> {
  const statements = [`SET ROLE ${quotedName(role)}`, ...(database === '' ? [] : [`USE ${quotedName(database)}`])];
  return await runFirst(signedIn, statements, signal, (failure) => refusedBy(failure));
}

export async function runFirst(
  signedIn: SignedIn,
  statements: readonly string[],
  signal: AbortSignal,
  wrong = failedFirst,
): Promise<SignedIn> {
  if (statements.length === 0) return signedIn;
  const { server, capabilities, rest } = signedIn;
  if (rest.length > 0) server.unshift(rest);
  const source = new ByteSource(server);
  let { backslashes } = signedIn;
  for (const sql of statements) {
    server.write(packet(0, Buffer.concat([Buffer.of(QUERY), Buffer.from(sql)])));
    const { failure, status } = await readOutcome(source, capabilities.basic, signal);
    if (failure) throw wrong(failure, sql);
    backslashes = (status & STATUS.noBackslashEscapes) === 0;
  }
  return { ...signedIn, backslashes, rest: source.release() };
}

function failedFirst({ code, message }: ServerError, sql: string): DbFailure {
  return new DbFailure('refused', `what is run at each sign-in failed: ${message}: ${shownStatement(sql)}`, {
    code,
    next: "mend 'limits.initSql' in the record of this database",
  });
}

/** One statement, whose rows nobody reads. Throws what the server says against it. */
export async function askOnce(signedIn: SignedIn, sql: string, signal: AbortSignal): Promise<void> {
  const { server, capabilities, rest } = signedIn;
  if (rest.length > 0) server.unshift(rest);
  const source = new ByteSource(server);
  server.write(packet(0, Buffer.concat([Buffer.of(QUERY), Buffer.from(sql)])));
  const { failure } = await readOutcome(source, capabilities.basic, signal);
  if (failure) throw refusedBy(failure);
}

async function readOutcome(
  source: ByteSource,
  capabilities: number,
  signal: AbortSignal,
): Promise<{ failure: ServerError | undefined; status: number }> {
  const answer = new Answer('results', capabilities);
  let last: Done | undefined;
  for (let sequence = 1; sequence <= MAX_PACKETS; sequence += 1) {
    const { body } = await readPacket(source, sequence, signal);
    if (answer.begin(body[0] ?? 0, body.length)) last = answer.read(body) ?? last;
    if (answer.file !== undefined) return failed('1148', 'a file of the client cannot be sent here');
    if (!answer.isOver) continue;
    const status = last?.status ?? 0;
    if (answer.failure) return { failure: answer.failure, status };
    // A client begins outside of any transaction: what it does next would be part of it.
    return status & STATUS.inTransaction
      ? failed('1568', 'it leaves a transaction open')
      : { failure: undefined, status };
  }
  throw malformed('more answers to what is run at each sign-in than are read');
}

function failed(code: string, message: string): { failure: ServerError; status: number } {
  return { failure: { code, message }, status: 0 };
}
