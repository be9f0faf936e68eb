/** Opens recordings for sessions with desktops: the recorder of any session, with the writer of pictures on top. */
import type { OutputRate } from '../output-rate.ts';
import type { createRecorder, RecordedSession } from './create-recorder.ts';
import { DesktopWriter } from './desktop-writer.ts';

export function recordDesktops(
  { isOn, skip, settled, open }: ReturnType<typeof createRecorder>,
  outputRate: Pick<OutputRate, 'printed'>,
) {
  return {
    isOn,
    skip,
    settled,
    open: async (session: RecordedSession): Promise<DesktopWriter> =>
      new DesktopWriter(await open(session), { outputRate }),
  };
}
