/** What a program opens at the SSH door is written together with its recording: each commit waits for the disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { doorClient, openSshDoor } from '../../../testing/sessions/ssh-doors.ts';

test('a command and a terminal are in the store with their recordings in one transaction each', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-begun-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const world = await startServerWorld({ dataDir });
  onTestFinished(() => world.close());
  await world.trustGateway();
  await world.add({ name: 'web-1' });
  const client = await doorClient(await openSshDoor(world.gateway), world.ann);
  const { db } = world.gateway.storage;
  const alone: string[] = [];
  const insertInto = db.insertInto.bind(db);
  // What is written in a transaction goes by another object.
  db.insertInto = ((table: 'recording') => {
    alone.push(table);
    return insertInto(table);
  }) as typeof db.insertInto;

  const command = await client.ssh(`${world.logins[0]}@web-1@gate`, 'echo ran');
  const terminal = await client.ssh('-tt', `${world.logins[0]}@web-1@gate`, 'echo shown');

  expect([command.stdout, terminal.stdout]).toEqual(['ran\n', 'shown\r\n']);
  expect(await db.selectFrom('recording').select('sid').execute()).toHaveLength(2);
  expect(alone).not.toContain('recording');
});
