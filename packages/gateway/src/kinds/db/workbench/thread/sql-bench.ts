/** A workbench on a database whose statements give rows: SQL, and the commands of MongoDB. */
import { DRY_RUN_MS, EDITOR_TABS } from '@gatehouse/contract/kinds/db/editor';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { askPlan } from './ask-plan.ts';
import type { Bench, BenchWire } from './bench.ts';
import type { Dialect } from './dialect.ts';
import { FileOut } from './file-out.ts';
import { cancelled, type Job, Jobs } from './jobs.ts';
import { RowsOut } from './rows-out.ts';
import { runApproved } from './run-approved.ts';
import { type Column, type ResultEnd, requireNoTransaction, type SqlClient, SqlError } from './sql-client.ts';
import { Tab } from './tab.ts';
import { tellNames } from './tell-names.ts';
import type { BenchRequest } from './thread-messages.ts';
import { type Spent, startTimer } from './time-spent.ts';
import { writeChanges } from './write-changes.ts';

/** Of one row of a file. */
const FILE_ROW_BYTES = 16 * 1024 * 1024;

type RequestOf<Type extends BenchRequest['type']> = Extract<BenchRequest, { type: Type }>;

export class SqlBench implements Bench {
  readonly #wire: BenchWire;
  readonly #dialect: Dialect;
  readonly #jobs: Jobs;
  readonly #tabs = new Map<number, Tab>();
  /** For questions of our own: what runs in a tab does not keep them waiting. */
  readonly #side: Tab;
  #isClosed = false;
  readonly #settling = new Map<number, (commit: boolean | undefined) => void>();

  constructor(wire: BenchWire, dialect: Dialect) {
    this.#wire = wire;
    this.#dialect = dialect;
    this.#jobs = new Jobs((text) => wire.send(text));
    this.#side = this.#newTab();
    const first = this.#tab(0).client();
    first.then(
      ({ version }) => wire.ready(version),
      (error: Error) => wire.failed(error.message),
    );
  }

  hear(request: BenchRequest): void {
    const answer = this.#answers[request.type] as ((request: BenchRequest) => void) | undefined;
    if (answer) answer(request);
    else if ('id' in request)
      void this.#jobs.do(request, async () => {
        throw new SqlError('bad_request', `'${request.type}' is nothing that this database understands`);
      });
  }

  readonly #answers: { [Type in BenchRequest['type']]?: (request: RequestOf<Type>) => void } = {
    run: (request) => this.#do(request, (job, client, tab) => this.#run(job, client, tab, request)),
    approved: (request) => this.#approved(request),
    more: (request) => this.#more(request),
    close: ({ id }) => this.#letGo(id),
    closeTab: ({ tab }) => {
      this.#tabs.get(tab)?.close();
      this.#tabs.delete(tab);
    },
    ack: ({ id, seq }) => this.#jobs.get(id)?.outlet.ack(seq),
    cancel: ({ id }) => this.#jobs.cancel(id),
    export: (request) => this.#do(request, (job, client, tab) => this.#export(job, client, tab, request)),
    explain: (request) => this.#do(request, (job, client, tab) => this.#explain(job, client, tab, request)),
    dryRun: (request) => this.#do(request, (job, client, tab) => this.#dryRun(job, client, tab, request)),
    settle: ({ id, commit }) => this.#settling.get(id)?.(commit),
    edit: (request) => this.#do(request, (job, client, tab) => this.#edit(job, client, tab, request)),
    tree: ({ id, path, after }) =>
      this.#ask(id, async (side, job) => {
        job.outlet.tell({ type: 'nodes', ...(await this.#dialect.level(side, path, after)) });
      }),
    names: ({ id }) => this.#ask(id, (side, job) => tellNames(side, this.#dialect, job.outlet)),
  };

  close(): void {
    this.#isClosed = true;
    for (const settle of this.#settling.values()) settle(undefined);
    for (const tab of [...this.#tabs.values(), this.#side]) tab.close();
  }

  #newTab(): Tab {
    const tab = new Tab(() => this.#dialect.open(() => this.#wire.connect(), this.#wire.terms.dbUser));
    if (this.#isClosed) tab.close();
    return tab;
  }

  #tab(number: number): Tab {
    const tab = this.#tabs.get(number) ?? this.#newTab();
    this.#tabs.set(number % EDITOR_TABS, tab);
    return tab;
  }

  /** In the turn of its tab; whatever was kept there is let go of first. */
  #do(request: { id: number; tab: number }, work: (job: Job, client: SqlClient, tab: Tab) => Promise<void>): void {
    const { id, tab: number } = request;
    const tab = this.#tab(number);
    let client: SqlClient | undefined;
    const take = (job: Job) =>
      tab.take(async () => {
        if (job.isCancelled) throw cancelled();
        if (tab.keptId !== undefined) this.#jobs.done(tab.keptId);
        await tab.letGo();
        client = await tab.client();
        const running = client;
        job.cancel = () => void running.cancel().catch(() => {});
        if (job.isCancelled) throw cancelled();
        try {
          await work(job, client, tab);
        } finally {
          job.cancel = () => {};
          if (tab.keptId !== id) {
            await tab.letGo().catch(() => {});
            this.#jobs.done(id);
          }
        }
      });
    void this.#jobs.do(request, take, () => client?.transaction);
  }

  #aside<Result>(work: (side: SqlClient) => Promise<Result>): Promise<Result> {
    return this.#side.take(async () => work(await this.#side.client()));
  }

  #ask(id: number, work: (side: SqlClient, job: Job) => Promise<void>): void {
    void this.#jobs.do({ id }, (job) =>
      this.#aside(async (side) => {
        await work(side, job);
        this.#jobs.done(id);
      }),
    );
  }

  #approved(request: RequestOf<'approved'>): void {
    const typeNames = (columns: readonly Column[]) => this.#typeNames(columns);
    const parts = { wire: this.#wire, dialect: this.#dialect, typeNames };
    const run = (job: Job) => runApproved(parts, job, request).then(() => this.#jobs.done(request.id));
    void this.#jobs.do(request, run, () => 'none');
  }

  async #run(job: Job, client: SqlClient, tab: Tab, { id, sql, maxRows }: RequestOf<'run'>): Promise<void> {
    const statements = this.#dialect.split(sql);
    if (statements.length === 0) throw new SqlError('bad_request', 'there is no statement in it');
    for (const [statement, { sql: text, from, to }] of statements.entries()) {
      if (job.isCancelled) throw cancelled();
      job.statement = statement;
      job.from = from;
      const left = statements.length - statement - 1;
      const rows = new RowsOut(job.outlet, { statement, from, to }, (columns) => this.#typeNames(columns));
      const most = maxRows ?? this.#wire.terms.webRows;
      const time = startTimer(client);
      const told = { at: Date.now(), sql: this.#dialect.withoutSecrets?.(text) ?? text };
      try {
        await this.#wall(client, tab, text);
        const end = await client.query(text, rows, { maxRows: most });
        // Some give a result that was cut short, as if it were whole: what came of it was not sent on.
        if (job.isCancelled && rows.columnsNow.length > 0) throw cancelled();
        const isKept = end.more && left === 0;
        if (end.more && left > 0) rows.notice('NOTICE', 'there are more rows: run this statement alone to see them');
        if (!isKept) await tab.letGo();
        const kept = (count: number) => this.#wire.ran({ ...told, ms: time().server, rows: count });
        await this.#tellDone(job, client, rows, end, { statement, left, more: isKept, time, kept });
        if (isKept) tab.keep({ id, rows, statement }, () => this.#letGo(id));
        else await this.#tellSource(job, client, { rows, statement, text });
      } catch (error) {
        await rows.settle();
        const refused = error instanceof SqlError && error.code === 'read_only';
        const outcome = { error: errorMessage(error), ...(refused ? { refused } : {}) };
        this.#wire.ran({ ...told, ms: time().server, ...outcome });
        throw error;
      }
    }
  }

  async #tellDone(
    job: Job,
    client: SqlClient,
    rows: RowsOut,
    end: ResultEnd,
    { statement, left, more, time, kept }: Done,
  ): Promise<void> {
    const shown = await rows.settle();
    const count = rows.columnsNow.length > 0 ? shown : end.rows;
    kept?.(count);
    job.outlet.tell({
      type: 'done',
      statement,
      left,
      tag: end.tag,
      rows: count,
      ms: time(),
      more,
      transaction: client.transaction,
    });
  }

  #more({ id, maxRows }: RequestOf<'more'>): void {
    const job = this.#jobs.get(id);
    const tab = this.#tabOf(id);
    if (!job || !tab) {
      void this.#jobs.do({ id }, async () => {
        throw new SqlError('closed', 'the rest of this result is gone: run it again');
      });
      return;
    }
    void this.#jobs.answer(id, job, () =>
      tab.take(async () => {
        const kept = tab.kept(id);
        const client = await tab.client();
        if (!kept) throw new SqlError('closed', 'the rest of this result is gone: run it again');
        if (job.isCancelled) {
          await tab.letGo();
          throw cancelled();
        }
        const time = startTimer(client);
        job.cancel = () => void client.cancel().catch(() => {});
        const end = await client.more(kept.rows, maxRows ?? this.#wire.terms.webRows).catch(async (error: unknown) => {
          await tab.letGo();
          throw error;
        });
        if (end.more) tab.keep(kept, () => this.#letGo(id));
        else await tab.letGo();
        await this.#tellDone(job, client, kept.rows, end, { statement: kept.statement, left: 0, more: end.more, time });
        if (!end.more) this.#jobs.done(id);
      }),
    );
  }

  #letGo(id: number): void {
    const tab = this.#tabOf(id);
    void tab
      ?.take(async () => {
        if (!tab.kept(id)) return;
        this.#jobs.done(id);
        await tab.letGo();
      })
      .catch(() => {});
  }

  #tabOf(id: number): Tab | undefined {
    return [...this.#tabs.values()].find((tab) => tab.keptId === id);
  }

  /** Where only reading is allowed, each statement stands in a transaction of its own that cannot write. */
  async #wall(client: SqlClient, tab: Tab, sql: string): Promise<void> {
    if (!this.#wire.terms.readOnly) return;
    const why = this.#dialect.whyNotReadOnly(sql);
    if (why !== undefined) throw new SqlError('read_only', why);
    const begin = this.#dialect.beginReadOnly;
    if (begin === undefined) return;
    tab.isOurs = true;
    await client.tell(begin);
  }

  async #export(job: Job, client: SqlClient, tab: Tab, { sql, format }: RequestOf<'export'>): Promise<void> {
    if (!this.#wire.terms.mayExport)
      throw new SqlError('denied', 'a role of yours lets nobody take results away as files');
    await this.#wall(client, tab, sql);
    const time = startTimer(client);
    const stop = () => job.cancel();
    const file = this.#dialect.file?.(job.outlet, format, stop) ?? new FileOut(job.outlet, format, stop);
    const end = await client.query(sql, file, { keepBytes: FILE_ROW_BYTES }).catch((error: unknown) => {
      throw file.failure ?? error;
    });
    if (file.failure) throw file.failure;
    file.end();
    job.outlet.tell({
      type: 'done',
      statement: 0,
      left: 0,
      tag: end.tag,
      rows: file.rows,
      ms: time(),
      more: false,
      transaction: client.transaction,
    });
  }

  async #explain(job: Job, client: SqlClient, tab: Tab, { sql, analyze }: RequestOf<'explain'>): Promise<void> {
    const { before, around, format, read, runs } = this.#dialect.explained(sql, analyze, client.version);
    if (this.#wire.terms.readOnly) await this.#wall(client, tab, sql);
    else if (runs) {
      if (this.#dialect.whyNotReadOnly(sql) !== undefined) await this.#requireDry(sql);
      requireNoTransaction(client);
      tab.isOurs = true;
      await client.tell(this.#dialect.begin);
    }
    job.from = -before.length;
    const time = startTimer(client);
    const rows = await askPlan(client, before + sql, around);
    const text = rows.map((row) => row.join('\t')).join('\n');
    const shaped = read ? read(text) : text;
    job.outlet.tell({ type: 'plan', format: shaped === undefined ? 'text' : format, text: shaped ?? text });
    job.outlet.tell({
      type: 'done',
      statement: 0,
      left: 0,
      tag: 'EXPLAIN',
      rows: 0,
      ms: time(),
      more: false,
      transaction: client.transaction,
    });
  }

  async #dryRun(job: Job, client: SqlClient, tab: Tab, { id, sql }: RequestOf<'dryRun'>): Promise<void> {
    this.#requireWriting();
    await this.#requireDry(sql);
    requireNoTransaction(client);
    tab.isOurs = true;
    await client.tell(this.#dialect.begin);
    const end = await client.query(
      sql,
      new RowsOut(job.outlet, { statement: 0, from: 0, to: sql.length }, (columns) => this.#typeNames(columns)),
      { maxRows: this.#wire.terms.webRows },
    );
    await client.letGo();
    // A trigger may have done it: there is nothing left to take back.
    if (client.transaction === 'none')
      throw new SqlError('conflict', 'it has ended the transaction that it was tried in: what it did may stand');
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    this.#settling.set(id, resolve);
    const timer = setTimeout(() => resolve(undefined), DRY_RUN_MS);
    job.cancel = () => resolve(false);
    if (job.isCancelled) resolve(false);
    client.onGone(() => resolve(undefined));
    job.outlet.tell({
      type: 'tried',
      rows: end.rows,
      tag: end.tag,
      until: new Date(Date.now() + DRY_RUN_MS).toISOString(),
    });
    const commit = await promise;
    clearTimeout(timer);
    this.#settling.delete(id);
    tab.isOurs = false;
    await client.tell(commit ? 'COMMIT' : 'ROLLBACK');
    job.outlet.tell({ type: 'settled', committed: commit === true, why: commit === undefined ? 'late' : 'asked' });
  }

  async #edit(job: Job, client: SqlClient, tab: Tab, { schema, table, changes }: RequestOf<'edit'>): Promise<void> {
    this.#requireWriting();
    requireNoTransaction(client);
    tab.isOurs = true;
    await client.tell(this.#dialect.begin);
    const change = await this.#aside((side) => {
      if (side.database !== client.database) throw new SqlError('conflict', ELSEWHERE);
      return this.#dialect.changes(side, { schema, table });
    });
    await writeChanges(client, changes, (asked) => change({ schema, table }, asked));
    await client.tell('COMMIT');
    tab.isOurs = false;
    job.outlet.tell({ type: 'edited', rows: changes.length });
  }

  async #requireDry(sql: string): Promise<void> {
    const why = await this.#aside((side) => this.#dialect.whyNotDry(sql, side));
    if (why !== undefined) throw new SqlError('bad_request', why);
  }

  #requireWriting(): void {
    if (this.#wire.terms.readOnly) throw new SqlError('read_only', 'only reading is allowed here');
  }

  #typeNames(columns: readonly Column[]): Promise<readonly string[]> | readonly string[] {
    if (columns.every(({ type }) => type !== '')) return columns.map(({ type }) => type);
    return this.#aside((side) => this.#dialect.typeNames(side, columns));
  }

  /** Whether rows can be edited is a question of its own: nobody waits for it, and where it cannot be told they cannot. */
  async #tellSource({ outlet }: Job, { database }: SqlClient, { rows, statement, text }: Ran): Promise<void> {
    const { columnsNow } = rows;
    const { readsSources } = this.#dialect;
    if (this.#wire.terms.readOnly || columnsNow.length === 0 || !(readsSources || columnsNow[0]?.source)) return;
    const sourceIn = async (side: SqlClient) =>
      side.database === database ? await this.#dialect.sourceOf(side, columnsNow, text) : undefined;
    const source = await this.#aside(sourceIn).catch(() => undefined);
    if (source) outlet.tell({ type: 'source', statement, ...source });
  }
}

interface Done {
  statement: number;
  left: number;
  more: boolean;
  time: () => Spent;
  /** Before the page hears that it is done: who asks then for what was run is told of this too. */
  kept?: (rows: number) => void;
}

interface Ran {
  rows: RowsOut;
  statement: number;
  text: string;
}

const ELSEWHERE = 'this tab went to another database: rows are edited in the one that it began in';
