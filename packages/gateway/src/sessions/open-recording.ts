/** Opens the recording of a session that begins, as the roles of its owner want it. */

import { AppError } from '../platform/std/app-error.ts';
import type { Log } from '../platform/std/log.ts';
import { isDiskFull } from '../platform/storage/errors.ts';
import type { Tx } from '../platform/storage/tables.ts';
import type { HostedSession } from './host/hosted-session.ts';
import type { Session, SessionEnd } from './host/session-store.ts';
import type { BegunTogether, Recorder } from './recorder.ts';

const UNRECORDED: SessionEnd = {
  cause: 'unrecorded',
  message: 'a role of yours lets it go on only while it is recorded, and it is not: open it again',
};

/** Sessions whose recordings were noted with them, until they are opened. Of one whose transaction failed nobody has the object. */
const noted = new WeakSet<object>();

/** What is written with a session that is to be recorded. */
export function noteRecording(
  recorder: BegunTogether | undefined,
): ((tx: Tx, session: Pick<Session, 'id' | 'recorded'>) => Promise<void>) | undefined {
  return (
    recorder &&
    (async (tx, session) => {
      if (!session.recorded) return;
      await recorder.begins(tx, session.id);
      noted.add(session);
    })
  );
}

/** Undefined: it goes on without one. Throws where a role does not let it. */
export async function openRecording<Writer, Options>(
  recorder: Recorder<Writer, Options> | undefined,
  hosted: Pick<HostedSession, 'session' | 'isStrictlyRecorded' | 'parts' | 'finish'>,
  { options, log }: { options?: Options; log: Log },
): Promise<Writer | undefined> {
  const { session } = hosted;
  if (!recorder) return undefined;
  if (!session.recorded) {
    if (recorder.isOn) endOnceStrict(hosted);
    await recorder.skip(session, recorder.isOn ? 'a role turns it off' : 'it is turned off for this cluster');
    return undefined;
  }
  try {
    return await recorder.open(session, options, { isNew: noted.delete(session) });
  } catch (error) {
    log.error({ error, sessionId: session.id }, 'a session cannot be recorded');
    if (hosted.isStrictlyRecorded)
      throw new AppError(
        'unavailable',
        `it cannot be recorded, and a role of yours wants it to be: ${isDiskFull(error) ? 'the disk is full' : 'the log of the gateway says why'}`,
      );
    session.recorded = false;
    endOnceStrict(hosted);
    return undefined;
  }
}

/** It goes on without one, until a role that does not let it is given to its owner. */
function endOnceStrict(hosted: Pick<HostedSession, 'isStrictlyRecorded' | 'parts' | 'finish'>): void {
  hosted.parts.attach({
    onTerms() {
      if (hosted.isStrictlyRecorded) hosted.finish(UNRECORDED);
    },
  });
}
