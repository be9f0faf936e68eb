/** What a host of a desktop says before its messages are only passed on, and what it is called that it goes or says nothing. */
import type { Duplex } from 'node:stream';
import { StreamBytes } from '../../../platform/std/stream-bytes.ts';
import { CLOSED_BY_HOST, DesktopFailure, type DesktopStep, LOST_HOST } from './desktop-link.ts';

const SILENT =
  'look at the machine: something takes connections at that address and says nothing, as where it hangs or another service listens there';

export class ByteSource extends StreamBytes {
  readonly #signal: AbortSignal;

  /** `step`: what it is during which the host may go. */
  constructor(stream: Duplex, step: DesktopStep, signal: AbortSignal) {
    const failure = (message: string, options?: ConstructorParameters<typeof DesktopFailure>[3]) =>
      new DesktopFailure(step, 'gone', message, options);
    super(stream, {
      closed: () => failure(CLOSED_BY_HOST),
      silent: () => failure('the host does not answer in time', { next: SILENT }),
      lost: (error) => (error instanceof DesktopFailure ? error : failure(LOST_HOST, { cause: error })),
    });
    this.#signal = signal;
  }

  override take(count: number): Promise<Buffer> {
    return super.take(count, this.#signal);
  }
}
