/** Opens recordings for sessions that are terminals: the recorder of any session, with the writer of terminals on top. */
import type { OpenedHow } from '../../../sessions/recorder.ts';
import type { OutputRate } from '../output-rate.ts';
import type { createRecorder, RecordedSession } from './create-recorder.ts';
import { TerminalWriter } from './terminal-writer.ts';

export function recordTerminals(
  { isOn, begins, skip, settled, open }: ReturnType<typeof createRecorder>,
  outputRate: Pick<OutputRate, 'printed'>,
) {
  return {
    isOn,
    begins,
    skip,
    settled,
    open: async (session: RecordedSession, { input = false } = {}, how?: OpenedHow): Promise<TerminalWriter> =>
      new TerminalWriter(await open(session, how), { input, outputRate }),
  };
}
