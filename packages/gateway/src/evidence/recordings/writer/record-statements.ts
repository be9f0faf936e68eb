/** Opens recordings for sessions of statements: the recorder of any session, with the writer of statements on top. */
import type { OpenedHow } from '../../../sessions/recorder.ts';
import type { createRecorder, RecordedSession } from './create-recorder.ts';
import { StatementWriter } from './statement-writer.ts';

export function recordStatements({ isOn, begins, skip, settled, open }: ReturnType<typeof createRecorder>) {
  return {
    isOn,
    begins,
    skip,
    settled,
    open: async (session: RecordedSession, _?: object, how?: OpenedHow): Promise<StatementWriter> =>
      new StatementWriter(await open(session, how)),
  };
}
