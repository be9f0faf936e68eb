import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIRST_DISPLAY, startXrdp, XRDP_SOCKETS, XRDP_TURN_MS } from './xrdp.ts';

/** An account that is nobody's. */
const SOMEBODY = 54_321;

test('where sessions of somebody who is gone listened, those of the next one can', {
  timeout: XRDP_TURN_MS,
}, async () => {
  const left = join(XRDP_SOCKETS, `xrdpapi_${FIRST_DISPLAY}`);
  const first = await startXrdp();
  try {
    writeFileSync(left, '');
    chownSync(left, SOMEBODY, SOMEBODY);
  } finally {
    await first.stop();
  }

  const second = await startXrdp();
  const isLeft = existsSync(left);
  await second.stop();

  expect(isLeft).toBe(false);
});
