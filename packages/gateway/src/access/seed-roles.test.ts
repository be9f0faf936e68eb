import { UPGRADE_ACTOR } from '@gatehouse/contract/identity/own-actors';
import { rows } from '@gatehouse/contract/kinds/kinds';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMemoryStorage } from '../../testing/storage/memory-storage.ts';
import { createAudit } from '../platform/audit/emit.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { parseRole } from './document/role-document.ts';
import { READY_MADE_ROLES } from './ready-made-roles.ts';
import { deleteRole, findRole, listRoles, updateRole } from './role-store.ts';
import { seedRoles } from './seed-roles.ts';

let storage: Storage;
beforeEach(async () => {
  storage = await openMemoryStorage(() => 1);
});
afterEach(() => storage.close());

const audit = createAudit({ now: () => 2, clusterName: 'one', chain: 'gateway' });
const start = () => seedRoles({ db: storage.db, audit, now: () => 2 });
const contentOf = async (name: string) => (await findRole(storage.db, name))?.content;

/** As an earlier version left them, which knew fewer kinds. */
const EARLIER = 'kind: role\nversion: v6\nmetadata: {name: editor}\nspec: {allow: {node_labels: {env: dev}}}\n';
const age = (name: string) =>
  storage.db.updateTable('role').set({ content: EARLIER, revision: 'ready-made' }).where('name', '=', name).execute();

test('the ready-made roles can be read, and name every kind there is', () => {
  const [access, editor] = ['access', 'editor'].map((name) => parseRole(READY_MADE_ROLES[name]!).document.spec);

  const reached = Object.keys(access?.allow ?? {});
  expect(reached).toEqual(expect.arrayContaining(rows.map(({ labels }) => labels)));
  const recorded = rows.flatMap(({ principals }) => principals).filter(({ userTrait }) => userTrait !== undefined);
  expect(reached).toEqual(expect.arrayContaining(recorded.map(({ field }) => field)));
  expect(editor?.allow?.rules?.[0]?.resources).toEqual(expect.arrayContaining(rows.flatMap(({ rules }) => rules)));
  expect(Object.values(READY_MADE_ROLES).flatMap((content) => parseRole(content).notes)).toEqual([]);
});

test('one that nobody has changed follows the version, under another revision, and the log tells it', async () => {
  await start();
  await age('editor');

  await start();
  await start();

  expect(await contentOf('editor')).toBe(READY_MADE_ROLES.editor);
  expect((await findRole(storage.db, 'editor'))?.revision).not.toBe('ready-made');
  const events = await storage.db.selectFrom('event').selectAll().execute();
  expect(events.map(({ code, user, data }) => ({ code, user, ...JSON.parse(data) }))).toMatchObject([
    { code: 'GH130I', user: UPGRADE_ACTOR, name: 'editor', before: EARLIER, after: READY_MADE_ROLES.editor },
  ]);
});

test('one that somebody has changed stays as it is, and one that was deleted stays away', async () => {
  await start();
  await storage.db.transaction().execute(async (tx) => {
    const { revision } = (await findRole(tx, 'editor'))!;
    await updateRole(tx, { name: 'editor', content: EARLIER, by: 'ann', now: 1 }, revision);
    await deleteRole(tx, 'auditor');
  });

  await start();

  expect(await contentOf('editor')).toBe(EARLIER);
  expect((await listRoles(storage.db)).map(({ name }) => name)).toEqual(['access', 'editor']);
  expect(await storage.db.selectFrom('event').selectAll().execute()).toEqual([]);
});
