/** One connection of a workbench: what is asked of it waits its turn, and a result that is not at its end is kept for a while. */
import { CURSOR_MS } from '@gatehouse/contract/kinds/db/editor';
import type { RowsOut } from './rows-out.ts';
import { type SqlClient, SqlError } from './sql-client.ts';

interface OpenRows {
  id: number;
  rows: RowsOut;
  statement: number;
  timer: NodeJS.Timeout;
}

export class Tab {
  readonly #open: () => Promise<SqlClient>;
  #client: Promise<SqlClient> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #kept: OpenRows | undefined;
  #isClosed = false;
  /** What runs now. */
  running: number | undefined;
  /** Runs in a transaction that is not the page's: read-only, or tried. */
  isOurs = false;

  constructor(open: () => Promise<SqlClient>) {
    this.#open = open;
  }

  async client(): Promise<SqlClient> {
    // What waited for its turn would open one that nobody closes any more.
    if (this.#isClosed) throw new SqlError('closed', 'the tab is closed');
    this.#client ??= this.#open().then((client) => {
      client.onGone(() => {
        this.#client = undefined;
        this.#forget();
      });
      return client;
    });
    // One that could not be opened is tried anew when something is asked again.
    this.#client.catch(() => {
      this.#client = undefined;
    });
    return this.#client;
  }

  /** As it is, without opening one. */
  get opened(): Promise<SqlClient> | undefined {
    return this.#client;
  }

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  keep(kept: Omit<OpenRows, 'timer'>, letGo: () => void): void {
    this.#forget();
    this.#kept = { ...kept, timer: setTimeout(letGo, CURSOR_MS).unref() };
  }

  kept(id: number): OpenRows | undefined {
    return this.#kept?.id === id ? this.#kept : undefined;
  }

  get keptId(): number | undefined {
    return this.#kept?.id;
  }

  #forget(): void {
    clearTimeout(this.#kept?.timer);
    this.#kept = undefined;
  }

  /** The rest of a result, and the transaction that was begun for it. */
  async letGo(): Promise<void> {
    this.#forget();
    const client = await this.#client;
    await client?.letGo();
    if (!client || !this.isOurs) return;
    this.isOurs = false;
    await client.tell('ROLLBACK');
  }

  close(): void {
    this.#isClosed = true;
    this.#forget();
    void this.#client?.then(
      (client) => client.close(),
      () => {},
    );
    this.#client = undefined;
  }
}
