/** What a page has asked for and is not answered yet: each has its way to the page, may be cancelled, and ends in an answer whatever happens. */
import { GONE } from './lifetime.ts';
import { Outlet } from './outlet.ts';
import { SqlError, type TransactionState } from './sql-client.ts';

const MAX_JOBS = 200;
/** Characters of all that is not answered yet; one alone may be as long as a page may send. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

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

/** As the page sent it. */
type Request = { id: number };

export class Jobs {
  readonly #jobs = new Map<number, Job & { characters: number }>();
  readonly #send: (text: string) => void;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  get(id: number): Job | undefined {
    return this.#jobs.get(id);
  }

  /** Kept after it has answered, while its data is not taken or more of it may be asked for. */
  async do(
    request: Request,
    work: (job: Job) => Promise<void>,
    transaction?: () => TransactionState | undefined,
  ): Promise<void> {
    const { id } = request;
    const outlet = new Outlet(id, this.#send);
    const characters = charactersIn(request);
    if (this.#jobs.has(id) || this.#jobs.size >= MAX_JOBS || !this.#hasRoom(characters)) {
      const message = this.#jobs.has(id) ? `there is a request ${id} already` : 'too much is asked at once';
      outlet.tell({ type: 'failed', code: 'bad_request', message });
      return;
    }
    const job = { outlet, isCancelled: false, cancel() {}, statement: undefined, from: 0, characters };
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
    // Each is a connection of its own to the server: asked again and again, one is enough.
    if (!job || job.isCancelled) return;
    job.isCancelled = true;
    job.outlet.drop();
    job.cancel();
  }

  cancelAll(): void {
    for (const id of [...this.#jobs.keys()]) this.cancel(id);
  }

  #hasRoom(characters: number): boolean {
    if (this.#jobs.size === 0) return true;
    const waiting = [...this.#jobs.values()].reduce((sum, job) => sum + job.characters, 0);
    return waiting + characters <= MAX_CHARACTERS;
  }

  #fail(
    { outlet, isCancelled, statement, from }: Job,
    error: unknown,
    transaction: TransactionState | undefined,
  ): void {
    const failed =
      error instanceof SqlError
        ? error
        : new SqlError('internal', error instanceof Error ? error.message : 'it failed');
    // Where only the end of a connection stops what runs, that is how it was cancelled.
    const known = isCancelled && failed === GONE ? cancelled() : failed;
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

/** Of all texts in it. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + charactersIn(each), 0);
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
