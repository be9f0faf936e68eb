import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, test } from 'vitest';
import { supervise } from './supervised.ts';

const SCRIPT = `
until [ -e "$1/go" ]; do sleep 0.05; done
printf 'turn\\nstarted\\n'
cat >/dev/null
`;

test('what waits for its turn is given the time to start from that turn on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-turn-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const withinMs = 50;

  const starting = supervise(SCRIPT, [folder], { withinMs, turnMs: 60_000 });
  await Promise.race([starting, sleep(3 * withinMs)]);
  writeFileSync(join(folder, 'go'), '');

  const { stop } = await starting;
  await stop();
});
