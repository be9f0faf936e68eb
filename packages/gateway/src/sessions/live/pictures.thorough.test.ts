import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveScreen } from '@gatehouse/contract/sessions/live-frames';
import { expect, test, vi } from 'vitest';
import { silentLog } from '../../std/log.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createPictures } from './pictures.ts';

/** A thread that one of the sessions makes turn in a circle. */
const HANGS = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (request) => {
      if (request === 'close') return parentPort.close();
      if (request.type !== 'draw') return;
      while (request.sid === 'evil');
      parentPort.postMessage({ sid: request.sid, cols: 80, rows: 24, ansi: 'drawn' });
    });
  `)}`,
);

test('a session on whose output the drawing thread hangs is not drawn any more, and the others are again', async () => {
  const recent = () => ({ from: 0, end: 1, parts: [], size: { cols: 80, rows: 24 } });
  const terminal = { hosted: { flow: 'live' }, recent } as unknown as Terminal;
  const warn = vi.fn();
  const log = { ...silentLog, warn };
  const pictures = createPictures({ terminal: () => terminal, log, silenceMs: 300, worker: HANGS });
  const seen: LiveScreen[] = [];

  pictures.look('evil', (screen) => seen.push(screen));
  pictures.look('good', (screen) => seen.push(screen));
  await vi.waitFor(() => expect(seen.map(({ sid }) => sid)).toEqual(['good']), 15_000);
  await sleep(700);

  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toEqual({ sessionId: 'evil' });
  await pictures.close();
});
