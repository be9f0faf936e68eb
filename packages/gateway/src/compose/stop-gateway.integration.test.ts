/** A gateway that is told to stop ends in time, whatever is open, and the next one goes on where it left. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type BusyWorld, startBusyWorld } from '../../testing/busy-world.ts';
import { connectTerminal } from '../../testing/sessions/terminal-client.ts';

/** Above what the framework gives a closing hook by itself. */
const DRAIN_SECONDS = 18;
const FRAMEWORK_MS = 10_000;
/** For a machine that is busy with other things. */
const SLACK_MS = 10_000;
const NEVER_MS = 90_000;

let busy: BusyWorld;
beforeAll(async () => {
  busy = await startBusyWorld({ GATEHOUSE_DRAIN_SECONDS: String(DRAIN_SECONDS), GATEHOUSE_LOG_LEVEL: 'info' });
});
afterEach(() => busy.letGo());
afterAll(() => busy?.close());

const gateway = () => busy.world.gateway;

/** What the log says of how a session ended; nothing while it goes on. */
async function endOf(sid: string): Promise<string[]> {
  const { stdout } = await gateway().command('audit', 'export', '--from', '1h');
  const lines = stdout.split('\n').filter((line) => line.includes(sid) && line.includes('"session.end"'));
  return lines.map(() => 'session.end');
}

async function comeBack(sid: string) {
  const again = connectTerminal(busy.world.tab, {
    type: 'attach',
    sid,
    from: 0,
    cols: 80,
    rows: 24,
    writer: '0123456789abcdef',
  });
  await again.state;
  return again;
}

test('everything is open and nobody lets go: it ends with the drain time, in order, and the next goes on', {
  timeout: 240_000,
}, async () => {
  const { ssh, sshSid, agent, agentSid } = await busy.openAll();
  agent.type('mark=kept-$$\n');
  // Typed at a gateway that is told to stop in the same moment it may be lost.
  await agent.until(/mark=kept/);
  const before = gateway().output().length;

  const end = await gateway().end(['SIGTERM'], { withinMs: NEVER_MS });
  const said = gateway().output().slice(before);

  expect({ ...end, said }).toMatchObject({ code: 0, said: expect.stringContaining('"msg":"stopped"') });
  expect(end?.tookMs).toBeLessThan(DRAIN_SECONDS * 1000 + SLACK_MS);
  expect(ssh.replies).toContainEqual(expect.objectContaining({ type: 'notice', kind: 'ends_soon' }));
  expect(existsSync(join(gateway().dataDir, 'gatehouse.pid'))).toBe(false);

  busy.letGo();
  await gateway().start();
  const again = await comeBack(agentSid);
  again.type('echo "it was $mark"\n');
  await again.until(/it was kept-\d+/, 30_000);
  expect(await endOf(agentSid)).toEqual([]);
  expect(await endOf(sshSid)).toEqual(['session.end']);
  again.send({ type: 'end' });
  await again.told('ended');
});

test('who finishes within the drain time is waited for, and it ends right after', async () => {
  const { client } = await busy.terminal('openssh');
  const stopping = gateway().end(['SIGTERM'], { withinMs: NEVER_MS });
  // Half of what people have of it: a busy machine needs some of the rest for what they still do.
  await sleep((DRAIN_SECONDS * 1000) / 3);
  client.type('echo still-$((40+2))\n');
  await client.until(/still-42/);
  client.type('exit\n');
  await client.told('ended');
  client.cut();

  expect(await stopping).toMatchObject({ code: 0 });
  await gateway().start();
});

test('a second signal ends it at once, and the data folder is free', async () => {
  const { sid } = await busy.terminal('agent');
  await busy.terminal('openssh');

  const end = await gateway().end(['SIGTERM', 'SIGINT'], { withinMs: NEVER_MS });

  expect(end).toMatchObject({ code: 1 });
  expect(end?.tookMs).toBeLessThan(FRAMEWORK_MS - 1_000);
  expect(gateway().output()).toContain('stopped at once by SIGINT');
  await gateway().start();
  const again = await comeBack(sid);
  again.send({ type: 'end' });
  await again.told('ended');
});

test('what waits for nobody ends soon: open pages, and kept connections to an application', async () => {
  await busy.holdPages();

  const end = await gateway().end(['SIGINT'], { withinMs: NEVER_MS });

  expect(end).toMatchObject({ code: 0 });
  expect(end?.tookMs).toBeLessThan((DRAIN_SECONDS * 1000 * 2) / 3);
  await gateway().start();
});

test('an agent that is told to stop ends as well, with its shells, files and connections', {
  timeout: 180_000,
}, async () => {
  const { agentSid } = await busy.openAll();
  const began = performance.now();

  expect(await busy.world.stopAgent()).toBe(0);
  expect(performance.now() - began).toBeLessThan(20_000);
  await expect.poll(() => endOf(agentSid), { timeout: 20_000 }).toEqual(['session.end']);
});
