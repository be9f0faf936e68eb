/** Opens recordings for sessions of statements: the recorder of any session, with the writer of statements on top. */
import type { createRecorder, RecordedSession } from './create-recorder.ts';
import { StatementWriter } from './statement-writer.ts';

export function recordStatements({ isOn, skip, settled, open }: ReturnType<typeof createRecorder>) {
  return {
    isOn,
    skip,
    settled,
    open: async (session: RecordedSession): Promise<StatementWriter> => new StatementWriter(await open(session)),
  };
}
