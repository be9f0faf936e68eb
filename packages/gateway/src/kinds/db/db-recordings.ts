/** The recordings of sessions with databases: one for each session, however many connections it has, from its first byte to its last answer. */
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Log } from '../../platform/std/log.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import { noteRecording, openRecording } from '../../sessions/open-recording.ts';
import type { StatementRecorder, StatementRecorders } from '../../sessions/statements/statement-recorder.ts';
import { DbFailure } from './engine/db-failure.ts';

export interface DbRecordings {
  readonly isOn: boolean;
  /** What is written with each session that is to be recorded; undefined: nothing is recorded. */
  readonly noted: ReturnType<typeof noteRecording>;
  /** For one connection of the session. */
  attach(hosted: HostedSession): AttachedRecording;
  /** Resolves when those of sessions that are over are given to the disk. */
  settled(): Promise<void>;
}

export interface AttachedRecording {
  /** Nothing may pass before. Rejects, with what the client is told, where a role does not let it go on unrecorded. */
  ready: Promise<void>;
  /** Undefined until then, and where nothing is recorded. */
  readonly recorder: StatementRecorder | undefined;
  /** Nothing more comes of this connection. */
  detach(): void;
}

/** Connections of an ended session tell their last answers so long: longer than each of them may take to its end. */
const LAST_ANSWERS_MS = 5_000;

export function createDbRecordings(deps: { recorder: StatementRecorders | undefined; log: Log }): DbRecordings {
  const open = new Map<string, OpenRecording>();
  const closing = new Set<Promise<void>>();
  return {
    isOn: deps.recorder?.isOn ?? false,
    noted: noteRecording(deps.recorder),
    attach(hosted) {
      let known = open.get(hosted.id);
      if (!known) {
        const made = new OpenRecording(deps, hosted);
        known = made;
        open.set(hosted.id, made);
        const over = made.over.then(() => {
          open.delete(hosted.id);
          closing.delete(over);
        });
        whenAborted(hosted.signal, () => closing.add(over));
      }
      return known.attach();
    },
    async settled() {
      await Promise.all(closing);
    },
  };
}

class OpenRecording {
  readonly over: Promise<void>;
  readonly #hosted: HostedSession;
  readonly #ready: Promise<void>;
  readonly #closed = Promise.withResolvers<void>();
  #recorder: StatementRecorder | undefined;
  #connections = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ recorder, log }: { recorder: StatementRecorders | undefined; log: Log }, hosted: HostedSession) {
    this.#hosted = hosted;
    this.over = this.#closed.promise;
    this.#ready = this.#open(openRecording(recorder, hosted, { log }));
    // Whoever waits for it hears of it.
    this.#ready.catch(() => {});
    whenAborted(hosted.signal, () => void this.#ready.catch(() => {}).then(() => this.#ended()));
  }

  attach(): AttachedRecording {
    this.#connections += 1;
    let isAttached = true;
    const current = () => this.#recorder;
    return {
      ready: this.#ready,
      get recorder() {
        return current();
      },
      detach: () => {
        if (!isAttached) return;
        isAttached = false;
        this.#connections -= 1;
        if (this.#hosted.end && this.#connections === 0) void this.#ready.catch(() => {}).then(() => this.#close());
      },
    };
  }

  async #open(opening: Promise<StatementRecorder | undefined>): Promise<void> {
    const hosted = this.#hosted;
    try {
      this.#recorder = await opening;
    } catch (error) {
      throw new DbFailure('unrecorded', errorMessage(error), { cause: error });
    }
    this.#recorder?.onFailed((reason) => {
      this.#recorder = undefined;
      hosted.session.recorded = false;
      // Elsewhere the log has told it, and the session goes on.
      if (hosted.isStrictlyRecorded)
        hosted.finish({ cause: 'unrecorded', message: `it cannot be recorded any more: ${reason}` });
    });
    this.#recorder?.onFull((reason) => hosted.finish({ cause: 'unrecorded', message: `it was ended: ${reason}` }));
  }

  #ended(): void {
    if (this.#connections === 0) this.#close();
    else this.#timer ??= setTimeout(() => this.#close(), LAST_ANSWERS_MS);
  }

  #close(): void {
    clearTimeout(this.#timer);
    const { end, released } = this.#hosted;
    if (released) this.#recorder?.release();
    else this.#recorder?.close(end ?? { cause: 'closed', message: '' });
    this.#recorder = undefined;
    this.#closed.resolve();
  }
}
