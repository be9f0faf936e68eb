/** What a page has asked for and is not answered yet: each has its way to the page, may be cancelled, and ends in an answer whatever happens. */
import { Outlet } from './outlet.ts';
import { SqlError, type TransactionState } from './sql-client.ts';

const MAX_JOBS = 200;

export interface Job {
  outlet: Outlet;
  isCancelled: boolean;
  /** How to cancel what runs for it now. */
  cancel: () => void;
  /** Which of its statements. */
  statement: number | undefined;
  /** Where that begins in what was sent. */
  from: number;
}

export class Jobs {
  readonly #jobs = new Map<number, Job>();
  readonly #send: (text: string) => void;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  get(id: number): Job | undefined {
    return this.#jobs.get(id);
  }

  /** Kept after it has answered, while its data is not taken or more of it may be asked for. */
  async do(
    id: number,
    work: (job: Job) => Promise<void>,
    transaction?: () => TransactionState | undefined,
  ): Promise<void> {
    const outlet = new Outlet(id, this.#send);
    if (this.#jobs.has(id) || this.#jobs.size >= MAX_JOBS) {
      const message = this.#jobs.has(id) ? `there is a request ${id} already` : 'too much is asked at once';
      outlet.tell({ type: 'failed', code: 'bad_request', message });
      return;
    }
    const job: Job = { outlet, isCancelled: false, cancel() {}, statement: undefined, from: 0 };
    this.#jobs.set(id, job);
    await this.answer(id, job, work, transaction);
  }

  /** `more`: of one that has answered before. */
  async answer(
    id: number,
    job: Job,
    work: (job: Job) => Promise<void>,
    transaction?: () => TransactionState | undefined,
  ): Promise<void> {
    try {
      await work(job);
    } catch (error) {
      this.#jobs.delete(id);
      this.#fail(job, error, transaction?.());
    }
  }

  done(id: number): void {
    this.#jobs.delete(id);
  }

  cancel(id: number): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    job.isCancelled = true;
    job.outlet.drop();
    job.cancel();
  }

  cancelAll(): void {
    for (const id of [...this.#jobs.keys()]) this.cancel(id);
  }

  #fail(
    { outlet, isCancelled, statement, from }: Job,
    error: unknown,
    transaction: TransactionState | undefined,
  ): void {
    const known =
      error instanceof SqlError
        ? error
        : new SqlError('internal', error instanceof Error ? error.message : 'it failed');
    const { code, message, detail, hint, position } = known;
    outlet.tell({
      type: 'failed',
      code: isCancelled ? 'cancelled' : code,
      message,
      ...(statement === undefined ? {} : { statement }),
      ...(detail === undefined ? {} : { detail }),
      ...(hint === undefined ? {} : { hint }),
      ...(position === undefined ? {} : { position: Math.max(0, from + position) }),
      ...(known instanceof ChangeError ? { change: known.change } : {}),
      ...(transaction === undefined ? {} : { transaction }),
    });
  }
}

/** One of several changes that are made together. */
export class ChangeError extends SqlError {
  readonly change: number;
  constructor(change: number, error: SqlError) {
    const { detail, hint } = error;
    super(error.code, error.message, {
      ...(detail === undefined ? {} : { detail }),
      ...(hint === undefined ? {} : { hint }),
    });
    this.change = change;
  }
}

export function cancelled(): SqlError {
  return new SqlError('cancelled', 'it was cancelled');
}
