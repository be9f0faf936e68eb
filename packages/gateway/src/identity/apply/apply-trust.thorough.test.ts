/** Trusts as documents: given back without their token, and changed together with the roles they name. */
import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { join, startCluster, type TestCluster } from '../../../testing/federation/two-clusters.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const params = { clusterId: '-current-' };
let root: TestCluster;
let leaf: TestCluster;
beforeAll(async () => {
  [root, leaf] = await Promise.all([startCluster('home'), startCluster('east')]);
  await join(root, leaf);
});
afterAll(async () => {
  await Promise.all([root?.close(), leaf?.close()]);
});

const apply = (documents: string, more: { dryRun?: boolean; by?: TestBrowser } = {}) =>
  call((more.by ?? leaf.admin).send, applyRoutes.apply, {
    params,
    body: { documents, dryRun: more.dryRun ?? false },
  });
const documentsOf = async (by = leaf.admin) =>
  (await call(by.send, applyRoutes.export, { params, query: { kinds: 'trusted_cluster' } })).documents;
const mapOf = async () => (await call(leaf.admin.send, trustedClusterRoutes.list, {}))?.[0]?.roleMap;

test('what is given back is taken again, unchanged, and holds no token', async () => {
  const text = await documentsOf();

  expect(text).toContain('trusted_cluster');
  expect(text).not.toContain('token');
  expect((await apply(text)).items).toMatchObject([{ kind: 'trusted_cluster', name: 'root', action: 'unchanged' }]);
});

test('a map is changed with the role that it names, all or nothing, and told', async () => {
  const before = await mapOf();
  const text = await documentsOf();
  const { spec, ...rest } = JSON.parse(text) as { spec: object };
  const changed = JSON.stringify({ ...rest, spec: { ...spec, role_map: [{ remote: 'dev', local: ['night'] }] } });
  const night = 'kind: role\nversion: v7\nmetadata: {name: night}\nspec: {}\n';

  await expect(apply(changed)).rejects.toThrow('night');
  const { items } = await apply(`${changed}\n---\n${night}`, { dryRun: true });
  expect(items.map(({ action }) => action)).toEqual(['changed', 'created']);
  expect(items[0]?.diff).toContain('night');
  expect(await mapOf()).toEqual(before);
  await apply(`${changed}\n---\n${night}`);

  expect(await mapOf()).toEqual([{ remote: 'dev', local: ['night'] }]);
  expect((await leaf.events()).map(({ code }) => code)).toContain('GH143I');
});

test('a document makes no trust, leads to no other root, and is nothing for who may not change trusts', async () => {
  const text = await documentsOf();
  await leaf.addUser('ann', { roles: ['access'] });
  const ann = await leaf.signedIn('ann');

  await expect(apply(text.replace(/name(["']?): ?(["']?)root/, 'name$1: $2other'))).rejects.toThrow('clusters join');
  await expect(apply(text.replace(root.origin, 'https://other.example.com'))).rejects.toThrow(
    "'spec.web_proxy_addr' cannot be changed",
  );
  await expect(apply(text, { by: ann })).rejects.toMatchObject({ status: 403 });
  await expect(documentsOf(ann)).rejects.toMatchObject({ status: 403 });
});
