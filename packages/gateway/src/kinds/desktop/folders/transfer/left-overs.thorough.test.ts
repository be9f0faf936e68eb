/** What a gateway that was killed left of transfer folders is gone when the next one has started. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startIdentityGateway } from '../../../../../testing/identity-gateway.ts';

test('left-overs are removed at the start, and nothing else of the data folder', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-left-'));
  const folder = join(dataDir, 'desktop-transfers');
  mkdirSync(folder);
  writeFileSync(join(folder, `${'0'.repeat(64)}.sealed`), 'left');
  writeFileSync(join(folder, 'other'), 'kept');
  const gateway = await startIdentityGateway({ dataDir });
  onTestFinished(async () => {
    await gateway.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await expect.poll(() => readdirSync(folder)).toEqual(['other']);
});
