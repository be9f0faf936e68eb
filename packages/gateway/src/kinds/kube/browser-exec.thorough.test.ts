/** Shells in pods that pages open: as whom, how they end, and who gets none. */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { podObject } from '@gatehouse/testkit/kube/kube-seed';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type KubeWorld, startKubeWorld } from '../../../testing/kube/kube-world.ts';
import { connectTerminal, tabOf } from '../../../testing/sessions/terminal-client.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS } from '../../../testing/takeaways.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const EVERYTHING = "kubernetes_resources: [{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}]";
const DEV = `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${EVERYTHING}`;

let world: KubeWorld;
beforeAll(async () => {
  const bare = podObject('default', 'bare', { containers: [{ name: 'main', image: 'example.test/distroless:1' }] });
  world = await startKubeWorld({ cluster: { objects: [podObject('default', 'web'), bare] } });
  await world.cluster.running('default', 'bare');
  await world.cluster.running('default', 'web');
  await makeTakeawayRoles(world.admin);
});
afterAll(() => world?.close());

function openShell(who: TestBrowser, more: { user?: string; pod?: string } = {}) {
  const page = connectTerminal(tabOf(world.gateway.app, who), {
    ...{ type: 'exec', cluster: 'prod', namespace: 'default', pod: 'web', ...more },
    ...{ cols: 90, rows: 30, writer: randomBytes(8).toString('hex'), request: randomUUID() },
  });
  onTestFinished(() => page.cut());
  return page;
}

const codesOf = async (sid: string) =>
  (await world.gateway.events()).filter(({ data }) => data.sid === sid).map(({ code }) => code);

test('a page opens a shell in a pod, types into it and hears how it ended', async () => {
  const who = await world.person('paula', DEV);
  const page = openShell(who);
  const { sid, server, survives } = await page.state;
  page.type('stty size; echo $0; exit 4\r');

  expect(await page.told('ended')).toMatchObject({ cause: 'exited', exitCode: 4 });
  expect(page.text()).toContain('30 90');
  expect(page.text()).toContain('bash');
  expect([server.name, survives]).toEqual(['prod', false]);
  expect(await codesOf(sid)).not.toContain('T3002E');
});

test('a page is there as one of the users that roles give, and as no other', async () => {
  const who = await world.person(
    'uma',
    DEV.replace('kubernetes_groups', 'kubernetes_users: [uma, deploy], kubernetes_groups'),
  );
  const { sid } = await openShell(who, { user: 'deploy' }).state;

  expect(await openShell(who, { user: 'root' }).told('refused')).toMatchObject({
    code: 'denied',
    message: expect.stringContaining("'root'"),
  });
  const begun = (await world.gateway.events()).find(({ code, data }) => code === 'T2000I' && data.sid === sid);
  expect(begun?.data).toMatchObject({ user: 'uma', kubernetes_users: ['deploy'] });
});

test.each(TAKEAWAY_NAMES.filter((name) => name !== 'a moderator is asked for'))(
  'a shell of a page ends, with its process, when %s',
  async (what) => {
    const name = `shell-${TAKEAWAY_NAMES.indexOf(what)}`;
    const who = await world.person(name, DEV);
    const page = openShell(who);
    await page.state;
    page.type('echo pid-$$-here; exec sleep 987\r');
    const pid = await vi.waitFor(() => {
      const found = /pid-(\d+)-here/.exec(page.text())?.[1];
      expect(found).toBeDefined();
      return Number(found);
    }, SOON_MS);
    await TAKEAWAYS[what](world.admin, name, [`role-${name}`]);

    await page.closed;
    await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), SOON_MS);
  },
);

test('where a container has no shell the page is told what helps', async () => {
  const page = openShell(await world.person('bea', DEV), { pod: 'bare' });

  const { message } = await page.told('ended');
  expect(message).toContain('executable file not found');
  expect(message).toContain("'Debug container'");
});

test('a page that may not is told why', async () => {
  const who = await world.person('nora', `kubernetes_labels: {env: dev}, kubernetes_groups: [view], ${EVERYTHING}`);
  const page = openShell(who);

  expect(await page.told('refused')).toMatchObject({
    code: 'denied',
    message: expect.stringContaining('create pods/exec'),
  });
});
