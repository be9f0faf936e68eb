/** Runs what somebody has approved, on a connection of its own: nothing that was set in a tab can make it mean something else than what was read. */
import type { BenchWire } from './bench.ts';
import type { Dialect } from './dialect.ts';
import { cancelled, type Job } from './jobs.ts';
import { type PlacedResult, RowsOut } from './rows-out.ts';
import { type Column, type ResultEnd, type ResultSink, type SqlClient, SqlError } from './sql-client.ts';
import type { ApprovedRequest } from './thread-messages.ts';
import { startTimer } from './time-spent.ts';

interface ApprovedParts {
  wire: BenchWire;
  dialect: Dialect;
  typeNames(columns: readonly Column[]): Promise<readonly string[]> | readonly string[];
}

export async function runApproved(parts: ApprovedParts, job: Job, { approval, sql }: ApprovedRequest): Promise<void> {
  const { wire, dialect } = parts;
  const statements = dialect.split(sql);
  let isFirst = true;
  // Later ones only cancel.
  const connect = () => {
    const link = wire.connect(isFirst ? approval : undefined);
    isFirst = false;
    return link;
  };
  const client = await dialect.open(connect, wire.terms.dbUser);
  job.cancel = () => void client.cancel().catch(() => {});
  try {
    if (statements.length > 1) await client.tell(dialect.begin);
    for (const [statement, { sql: text, from, to }] of statements.entries()) {
      if (job.isCancelled) throw cancelled();
      job.statement = statement;
      job.from = from;
      const left = statements.length - statement - 1;
      await runOne(parts, job, { client, text, left, place: { statement, from, to } });
    }
  } catch (error) {
    // Closing it would do as much, and tell nobody: the log says that what went well before is taken back.
    if (client.transaction !== 'none') await client.tell('ROLLBACK').catch(() => {});
    throw statements.length > 1 && error instanceof SqlError ? withOthers(error) : error;
  } finally {
    job.cancel = () => {};
    // What was not committed is not done.
    client.close();
  }
}

/** What was told of those before it is not so any more. */
function withOthers({ code, message, detail, hint, position }: SqlError): SqlError {
  return new SqlError(code, message, {
    ...(detail === undefined ? {} : { detail }),
    ...(position === undefined ? {} : { position }),
    hint: `${hint === undefined ? '' : `${hint} `}${ROLLED_BACK}`,
  });
}

const ROLLED_BACK = 'What ran before it in the same transaction is rolled back.';

interface Statement {
  client: SqlClient;
  text: string;
  left: number;
  place: PlacedResult;
}

async function runOne(parts: ApprovedParts, job: Job, { client, text, left, place }: Statement): Promise<void> {
  const { wire, dialect } = parts;
  const rows = new RowsOut(job.outlet, place, (columns) => parts.typeNames(columns));
  const shown = new FirstRows(rows, wire.terms.webRows);
  const time = startTimer(client);
  const kept = { at: Date.now(), sql: dialect.withoutSecrets?.(text) ?? text };
  try {
    const end = await client.query(text, shown);
    // Also of one alone: some servers begin a transaction by themselves.
    if (left === 0) await commit(client);
    if (shown.isCut) rows.notice('NOTICE', `it ran to its end; the first ${wire.terms.webRows} rows are shown`);
    const count = await countOf(rows, end);
    const ms = time();
    wire.ran({ ...kept, ms: ms.server, rows: count });
    const { statement } = place;
    job.outlet.tell({
      ...{ type: 'done', statement, left, tag: end.tag, rows: count, ms, more: false },
      transaction: client.transaction,
    });
  } catch (error) {
    await rows.settle();
    wire.ran({ ...kept, ms: time().server, error: error instanceof Error ? error.message : 'it failed' });
    throw error;
  }
}

async function commit(client: SqlClient): Promise<void> {
  if (client.transaction === 'failed')
    throw new SqlError('conflict', 'the transaction failed: nothing of it was written');
  if (client.transaction === 'open') await client.tell('COMMIT');
}

async function countOf(rows: RowsOut, end: ResultEnd): Promise<number> {
  const shown = await rows.settle();
  return rows.columnsNow.length > 0 ? shown : end.rows;
}

/** The rest is read and let go of: a statement that was stopped would have done only a part. */
class FirstRows implements ResultSink {
  readonly #rows: RowsOut;
  #left: number;
  isCut = false;

  constructor(rows: RowsOut, most: number) {
    this.#rows = rows;
    this.#left = most;
  }

  columns(columns: readonly Column[]): void {
    this.#rows.columns(columns);
  }

  row(...[cells, cut]: Parameters<ResultSink['row']>): void {
    if (this.#left > 0) this.#rows.row(cells, cut);
    else this.isCut = true;
    this.#left -= 1;
  }

  room(): Promise<void> | undefined {
    return this.#rows.room();
  }

  notice(severity: string, message: string): void {
    this.#rows.notice(severity, message);
  }
}
