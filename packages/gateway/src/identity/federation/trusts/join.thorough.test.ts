import { randomUUID } from 'node:crypto';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { remoteClusterRoutes, trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  EVERYBODY,
  join,
  startCluster,
  type TestCluster,
  trustContent,
} from '../../../../testing/federation/two-clusters.ts';
import { readEntry, writeEntry } from './entry.ts';

let root: TestCluster;
let leaf: TestCluster;
beforeEach(async () => {
  [root, leaf] = await Promise.all([startCluster('localhost'), startCluster('east')]);
});
afterEach(async () => {
  await Promise.all([root.close(), leaf.close()]);
});

const codes = async (cluster: TestCluster) => (await cluster.events()).map(({ code }) => code);
const newToken = (ttlSeconds?: number) =>
  call(root.admin.send, trustedClusterRoutes.createToken, { body: ttlSeconds === undefined ? {} : { ttlSeconds } });
const create = (content: string) => call(leaf.admin.send, trustedClusterRoutes.create, { body: { content } });
const validate = (token: string, entry: string) =>
  call(root.send, trustedClusterRoutes.validate, { body: { token, certificate_authorities: [entry] } });
const entryOf = async (cluster: TestCluster, change: object = {}) => {
  const { entry } = await call(cluster.send, trustedClusterRoutes.key, {});
  return Buffer.from(JSON.stringify({ ...readEntry(entry), ...change })).toString('base64');
};

test('a leaf joins by a token and the key of the root, and both tell of it', async () => {
  const made = await join(root, leaf);

  const { fingerprint } = await call(root.send, trustedClusterRoutes.key, {});
  expect(made).toMatchObject({ name: 'root', rootName: 'localhost', rootKey: fingerprint, status: 'offline' });
  const [known] = (await call(root.admin.send, remoteClusterRoutes.list, {})) ?? [];
  expect(known).toMatchObject({ name: 'east', status: 'offline', labels: {}, createdBy: 'admin' });
  expect(known!.key).toBe((await call(leaf.send, trustedClusterRoutes.key, {})).fingerprint);
  expect(await codes(root)).toEqual(expect.arrayContaining(['T7002I', 'T7000I']));
  expect(await codes(leaf)).toContain('T7000I');
});

test('the token is nowhere in what is kept and told at the leaf, and only its hash at the root', async () => {
  const { token, rootKey } = await newToken();
  const made = await create(trustContent('root', { token, root_key: rootKey, web_proxy_addr: root.origin }));

  expect(made.content).not.toContain(token);
  expect(JSON.stringify(await leaf.storage.db.selectFrom('trusted_cluster').selectAll().execute())).not.toContain(
    token,
  );
  expect(JSON.stringify(await root.storage.db.selectFrom('cluster_join_token').selectAll().execute())).not.toContain(
    token,
  );
  for (const cluster of [root, leaf]) {
    expect(JSON.stringify(await cluster.events())).not.toContain(token);
    expect(cluster.logged()).not.toContain(token);
  }
});

test('a token is good once, and not after its time', async () => {
  const { token } = await newToken(60);
  root.clock.advance(60_000);
  await expect(validate(token, await entryOf(leaf))).rejects.toThrow('the token is not good');

  const again = await newToken();
  await validate(again.token, await entryOf(leaf));
  const other = await entryOf(leaf, { clusterId: randomUUID(), name: 'west' });
  await expect(validate(again.token, other)).rejects.toThrow('the token is not good');
  expect((await root.events()).filter(({ code }) => code === 'GH222W')).toMatchObject([{ data: { what: 'join' } }]);
});

test('two that show one token at the same moment are one leaf', async () => {
  const { token } = await newToken();
  const entries = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => entryOf(leaf, { clusterId: randomUUID(), name })),
  );

  const tried = await Promise.allSettled(entries.map((entry) => validate(token, entry)));

  expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await call(root.admin.send, remoteClusterRoutes.list, {})).toHaveLength(1);
});

test.each([
  ['its own cluster', async () => entryOf(root), 'cannot be its own leaf'],
  ['the name of the root', async () => entryOf(leaf, { name: 'localhost' }), "another cluster is called 'localhost'"],
  ['a name that cannot be one', async () => entryOf(leaf, { name: '../east' }), 'letters, digits'],
  ['something else than an entry', async () => 'AAAA', 'only Gatehouse clusters'],
  ['another version of entries', async () => entryOf(leaf, { v: 2 }), 'only Gatehouse clusters'],
])('%s is not let join, and the token stays good', async (_, make, words) => {
  const { token } = await newToken();
  await expect(validate(token, await make())).rejects.toThrow(words);

  expect(await codes(root)).toContain('GH222W');
  await validate(token, await entryOf(leaf));
});

test('one that is known joins again by its key, with its labels, and by another key only after it was removed', async () => {
  await join(root, leaf);
  await call(root.admin.send, remoteClusterRoutes.update, {
    params: { name: 'east' },
    body: { labels: { env: 'prod' } },
  });
  await validate((await newToken()).token, await entryOf(leaf));
  expect(await call(root.admin.send, remoteClusterRoutes.list, {})).toMatchObject([{ labels: { env: 'prod' } }]);

  const other = await entryOf(leaf, { key: 'A'.repeat(43) });
  await expect(validate((await newToken()).token, other)).rejects.toThrow('gatehouse clusters rm east');
  const twin = await entryOf(leaf, { clusterId: randomUUID() });
  await expect(validate((await newToken()).token, twin)).rejects.toThrow("another cluster is called 'east'");
  await call(root.admin.send, remoteClusterRoutes.remove, { params: { name: 'east' } });
  await validate((await newToken()).token, other);
});

test('a token for one more leaf opens nothing of one that is known: not its keys, not its name, not its tunnel', async () => {
  await join(root, leaf);
  const rows = () => root.storage.db.selectFrom('remote_cluster').select(['id', 'name', 'key', 'next']).execute();
  const before = await rows();
  const mine = 'B'.repeat(43);

  // Id and key of a leaf are for everybody to read; a key of the stranger's beside them would be let in as that leaf.
  await validate((await newToken()).token, await entryOf(leaf, { next: mine }));
  expect(await rows()).toEqual(before);
  const renamed = await entryOf(leaf, { name: 'elsewhere' });
  await expect(validate((await newToken()).token, renamed)).rejects.toThrow("known here as 'east'");
  for (const change of [{}, { key: mine, next: before[0]!.key }]) {
    const twin = await entryOf(leaf, { clusterId: randomUUID(), name: 'a-first', ...change });
    await expect(validate((await newToken()).token, twin)).rejects.toThrow("the cluster 'east' has this key here");
  }
  expect(await rows()).toEqual(before);
});

test('a root that shows another key than the command says stops the join before the token is sent', async () => {
  const { token } = await newToken();
  const root_key = `SHA256:${'A'.repeat(43)}`;

  await expect(create(trustContent('root', { token, root_key, web_proxy_addr: root.origin }))).rejects.toThrow(
    /the root's key is SHA256:.*, the command says SHA256:A.*somebody is in between/,
  );
  await validate(token, await entryOf(leaf));
});

test('a document that cannot be joined by says why', async () => {
  const { token, rootKey: root_key } = await newToken();
  const web_proxy_addr = root.origin;
  const cases = [
    [{ root_key, web_proxy_addr }, "'spec.token' is missing"],
    [{ token, web_proxy_addr }, "'spec.root_key' is missing"],
    [{ token, root_key, web_proxy_addr: 'http://192.0.2.1' }, 'must be the address'],
    [{ token, root_key, web_proxy_addr: 'https://root.example/web' }, 'must be the address'],
    [
      { token, root_key, web_proxy_addr, role_map: [{ remote: 'x', local: ['nothing'] }] },
      "'nothing', which is not there",
    ],
    [{ token, root_key, web_proxy_addr: leaf.origin }, 'is the gateway itself'],
  ] as const;
  for (const [spec, words] of cases) await expect(create(trustContent('root', spec as never))).rejects.toThrow(words);
  await expect(create(trustContent('a/b', { token, root_key, web_proxy_addr }))).rejects.toThrow('metadata.name');
});

test('a trust that its root has ended is removed before the leaf joins again', async () => {
  await join(root, leaf);
  await leaf.identity.federation.noteRoot('root', 'this cluster was removed there');

  for (const name of ['root', 'other'])
    await expect(join(root, leaf, { name })).rejects.toThrow('gatehouse clusters rm root');
  await call(leaf.admin.send, trustedClusterRoutes.remove, { params: { name: 'root' } });
  expect(await join(root, leaf)).toMatchObject({ name: 'root' });
});

test('after it was made only what is let in changes', async () => {
  const made = await join(root, leaf);
  const update = (content: string) =>
    call(leaf.admin.send, trustedClusterRoutes.update, { params: { name: 'root' }, body: { content } });
  const spec = { root_key: made.rootKey!, web_proxy_addr: root.origin };

  const off = await update(trustContent('root', { ...spec, enabled: false, role_map: EVERYBODY }));
  expect(off).toMatchObject({ enabled: false, status: 'disabled', roleMap: EVERYBODY });
  await expect(update(trustContent('root', { ...spec, web_proxy_addr: 'https://else.example' }))).rejects.toThrow(
    "'spec.web_proxy_addr' cannot be changed",
  );
  await expect(update(trustContent('other', spec))).rejects.toThrow('cannot be renamed');
  await expect(update(trustContent('root', { ...spec, token: 'a'.repeat(32) }))).rejects.toThrow('was spent');
  expect(await codes(leaf)).toContain('GH143I');
  await call(leaf.admin.send, trustedClusterRoutes.remove, { params: { name: 'root' } });
  expect(await codes(leaf)).toContain('T7001I');
  expect(await call(leaf.admin.send, trustedClusterRoutes.list, {})).toEqual([]);
});

test('whoever saves a map must hold its local roles, or be able to edit roles', async () => {
  const made = await join(root, leaf);
  await leaf.addUser('keeper', { roles: ['keeper', 'access'] });
  const role =
    'kind: role\nversion: v6\nmetadata: {name: keeper}\nspec: {allow: {rules: [{resources: [trusted_cluster], verbs: ["*"]}]}}';
  await call(leaf.admin.send, roleRoutes.create, { body: { content: role } });
  const keeper = await leaf.signedIn('keeper');
  const update = (local: string[], remote = 'dev') =>
    call(keeper.send, trustedClusterRoutes.update, {
      params: { name: 'root' },
      body: {
        content: trustContent('root', {
          root_key: made.rootKey!,
          web_proxy_addr: root.origin,
          role_map: [{ remote, local }],
        }),
      },
    });

  await expect(update(['editor'])).rejects.toThrow('only those who hold it');
  await expect(update(['$1'], '^(.*)$')).rejects.toThrow('only those who may edit roles');
  await expect(update(['keeper'])).resolves.toMatchObject({ roleMap: [{ remote: 'dev', local: ['keeper'] }] });
});

test('which leaves somebody sees is decided by the labels of these; one without is seen by all', async () => {
  await join(root, leaf);
  await root.addUser('ann', { roles: ['access'] });
  const ann = await root.signedIn('ann');
  const names = async (who = ann) => (await call(who.send, clusterRoutes.sites, {})).map(({ name }) => name);
  expect(await names()).toEqual(['localhost', 'east']);

  await call(root.admin.send, remoteClusterRoutes.update, {
    params: { name: 'east' },
    body: { labels: { env: 'prod' } },
  });
  expect(await names()).toEqual(['localhost']);
  const content = 'kind: role\nversion: v6\nmetadata: {name: prod}\nspec: {allow: {cluster_labels: {env: prod}}}';
  await call(root.admin.send, roleRoutes.create, { body: { content } });
  await root.setRoles('ann', ['access', 'prod']);
  await root.settled();
  expect(await names()).toEqual(['localhost', 'east']);
  expect(await call(ann.send, clusterRoutes.sites, {})).toMatchObject([{}, { leaf: true, status: 'offline' }]);
});

test('a map is tried before it is saved: what it gives, and what to think about', async () => {
  await join(root, leaf);
  const preview = (role_map: typeof EVERYBODY) =>
    call(leaf.admin.send, trustedClusterRoutes.previewMap, {
      body: { role_map, remote: ['dev', 'ops'], trust: 'root' },
    });

  expect(await preview([{ remote: '^d(.*)$', local: ['access'] }])).toEqual({
    roles: [
      { remote: 'dev', local: ['access'] },
      { remote: 'ops', local: [] },
    ],
    visitors: [],
    warnings: [],
  });
  expect((await preview([{ remote: '*', local: ['editor'] }])).warnings[0]).toContain('take this cluster over');
  await expect(preview([{ remote: '^($', local: ['access'] }])).rejects.toThrow('role_map.0.remote');
});

test('a key that was rotated is told with the one before, until it signs', async () => {
  const before = await call(root.send, trustedClusterRoutes.key, {});
  const after = await call(root.admin.send, trustedClusterRoutes.rotateKey, { body: { overlapSeconds: 60 } });

  expect(after).toMatchObject({ fingerprint: before.fingerprint, next: { from: expect.any(String) } });
  root.clock.advance(60_000);
  expect((await call(root.send, trustedClusterRoutes.key, {})).fingerprint).toBe(after.next!.fingerprint);
  expect(await codes(root)).toContain('GH223I');
});

test('an entry is read as it was written', () => {
  const key = { id: 'k', publicKey: 'A'.repeat(43), created: 0, signsFrom: 0 };
  const own = { clusterId: randomUUID(), name: 'east', version: '1.0.0' };
  expect(readEntry(writeEntry(own, { current: key, next: undefined }))).toEqual({ v: 1, ...own, key: key.publicKey });
});
