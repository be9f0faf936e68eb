/** A real gateway that records into a bucket, killed while a session runs and while the bucket is away: nothing is lost. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type S3Server, startS3Server } from '../../../testing/recordings/s3-server.ts';
import { type ProcessWorld, SERVER, startProcessWorld } from '../../../testing/sessions/process-world.ts';
import { connectTerminal, opening } from '../../../testing/sessions/terminal-client.ts';

const params = { clusterId: '-current-' };
let s3: S3Server;
let world: ProcessWorld;

beforeAll(async () => {
  s3 = await startS3Server();
  world = await startProcessWorld({
    GATEHOUSE_RECORDINGS: `s3://${s3.options.bucket}/gate?endpoint=${encodeURIComponent(s3.options.endpoint ?? '')}`,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  });
});
afterAll(async () => {
  await world?.close();
  await s3?.close();
});

test('killed in the middle and with the bucket away, the session is recorded whole and ends up in the bucket', {
  timeout: 120_000,
}, async () => {
  const coverage = () => call(world.owner, recordingUpkeepRoutes.coverage, { params });
  const request = opening(SERVER, world.login);
  const first = connectTerminal(world.tab, request);
  const { sid } = await first.state;
  first.type('stty -echo; PS1=; echo "before $((1+1))"\n');
  await first.until(/before 2/);
  await world.gateway.crashAndRestart();
  const attach = { type: 'attach', sid, from: first.end(), cols: 80, rows: 24, writer: request.writer } as const;
  const second = await vi.waitFor(async () => {
    const client = connectTerminal(world.tab, attach, { after: first });
    await client.state;
    return client;
  }, 20_000);
  s3.cutAfter(0);
  second.send({ type: 'end' });
  await second.told('ended');

  const path = join(world.gateway.dataDir, 'recordings', `${sid}.rec`);
  await vi.waitFor(async () => expect((await coverage()).gaps).toMatchObject([{ sid, cause: 'not_uploaded' }]), {
    timeout: 20_000,
    interval: 300,
  });
  expect(existsSync(path)).toBe(true);
  await world.gateway.crashAndRestart();
  s3.cutAfter(undefined);
  await vi.waitFor(async () => expect(await coverage()).toMatchObject({ sessions: 1, recorded: 1, gaps: [] }), {
    timeout: 30_000,
    interval: 300,
  });

  expect(existsSync(path)).toBe(false);
  const verdict = await world.gateway.command('recordings', 'verify', sid);
  expect(verdict).toMatchObject({ code: 0, stdout: expect.stringContaining('is as it was written') });
  const cast = await world.gateway.command('recordings', 'export', sid);
  expect(cast.stdout).toContain('before 2');
});
