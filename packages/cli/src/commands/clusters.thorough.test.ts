import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { startCluster, type TestCluster } from '@gatehouse/gateway/testing/federation/two-clusters';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../../testing/command-line.ts';

let root: CommandLine<TestCluster>;
let leaf: CommandLine<TestCluster>;

beforeEach(async () => {
  root = await startCommandLine(() => startCluster('hq'));
  leaf = await startCommandLine(() => startCluster('east'));
});
afterEach(async () => {
  await root.close();
  await leaf.close();
});

async function join(...more: string[]) {
  const { token, rootKey } = await root.json('clusters', 'token');
  return leaf.local('clusters', 'join', root.world.origin, '--token', token, '--root-key', rootKey, ...more);
}

test('a token comes with the key of the root and what to type at the leaf', async () => {
  const made = await root.json('clusters', 'token', '--ttl', '15m');

  expect(made).toMatchObject({
    token: expect.stringMatching(/^[0-9a-f]{32}$/),
    expires: new Date(root.world.clock.now + 900_000).toISOString(),
    rootKey: expect.stringMatching(/^SHA256:/),
    command: `gatehouse clusters join http://localhost:3080 --token ${made.token} --root-key ${made.rootKey}`,
  });
});

test('a leaf joins under the name of the root, with what its roles mean here', async () => {
  const { code, stdout } = await join('--map', 'dev=access,auditor', '--map', '^a=(.*)$=access', '--traits', 'logins');

  expect(stdout).toContain("Joined the root 'hq' as its leaf. Its people are 'hq/NAME' here.");
  expect(code).toBe(0);
  await expect.poll(async () => (await root.local('clusters', 'ls')).stdout).toMatch(/^east +leaf +online/m);
  expect(await leaf.json('clusters', 'ls')).toMatchObject([
    { name: 'east', is: 'own', status: 'online' },
    {
      name: 'hq',
      is: 'root',
      status: 'online',
      roleMap: [
        { remote: 'dev', local: ['access', 'auditor'] },
        { remote: '^a=(.*)$', local: ['access'] },
      ],
    },
  ]);
  expect(await root.json('clusters', 'ls')).toMatchObject([{ name: 'hq' }, { name: 'east', is: 'leaf' }]);
});

test('what the root or the leaf refuses is told, with the code for it', async () => {
  expect(await join('--map', 'dev=nothing')).toMatchObject({ code: 2, stderr: expect.stringContaining("'nothing'") });
  expect(await join('--map', 'dev')).toMatchObject({ code: 2, stderr: expect.stringContaining('dev=access') });
  const wrong = await join('--map', '^dev=access', '--map', 'dev=nothing', '--ca-pin', 'x');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('--ca-pin must be');
  expect(wrong.stderr).not.toContain('line ');
  expect((await join('--map', '^dev=access', '--map', 'dev=nothing')).stderr).toMatch(
    /--map is an expression only between \^ and \$.*\n.*--map names the role 'nothing'/,
  );
  expect(await root.local('clusters', 'token', '--ttl', '2d')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--ttl.*at most a day/),
  });
  expect(await root.local('clusters', 'rotate-key', '--overlap', '500d')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--overlap.*at most 366 days/),
  });
  expect(await join('--root-key', `SHA256:${'A'.repeat(43)}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('somebody is in between'),
  });
  expect(await join()).toMatchObject({ code: 0, stdout: expect.stringContaining('nobody comes in') });
  expect(await join('--name', 'again')).toMatchObject({ code: 7, stderr: expect.stringContaining("as 'hq'") });
});

test('labels are set and taken away, and a leaf and a root are removed by their names', async () => {
  await join('--name', 'east');
  expect(await root.json('clusters', 'label', 'east', 'env=prod,region=eu')).toMatchObject({
    labels: { env: 'prod', region: 'eu' },
  });
  expect((await root.local('clusters', 'label', 'east', 'env=prod')).stdout).toBe(
    'east: env=prod\nOnly roles whose cluster_labels fit show it now.\n',
  );
  expect(await root.json('clusters', 'label', 'east', '')).toMatchObject({ labels: {} });
  expect(await root.local('clusters', 'label', 'west', 'a=b')).toMatchObject({ code: 4 });
  expect(await root.local('clusters', 'rm', 'west')).toMatchObject({ code: 4 });

  expect(await root.local('clusters', 'rm', 'east', '--root')).toMatchObject({ code: 4 });
  expect(await root.local('clusters', 'rm', 'east')).toMatchObject({ code: 0, stdout: 'leaf removed\n' });
  expect(await leaf.local('clusters', 'rm', 'east')).toMatchObject({ code: 0, stdout: 'trust ended\n' });
});

test('a new key is announced with the time it signs from, or signs at once', async () => {
  const { fingerprint } = await root.json('clusters', 'rotate-key', '--overlap', '7d').then(({ next }) => next);
  expect(await root.local('clusters', 'rotate-key')).toMatchObject({ code: 7 });
  const made = await root.json('clusters', 'rotate-key', '--overlap', '0');

  expect(made.next).toBeUndefined();
  expect(made.fingerprint).not.toBe(fingerprint);
});

test('commands ask a leaf under the sign-in at the root, and refuse what is not asked of leaves', async () => {
  await join('--map', '*=access,editor');
  await expect.poll(async () => (await root.local('clusters', 'ls')).stdout).toMatch(/^east +leaf +online/m);
  const { token } = await call(root.world.admin.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
  const env = { GATEHOUSE_ADDRESS: root.world.origin, GATEHOUSE_TOKEN: token };
  const at = (...args: string[]) => root.run([...args, '--cluster', 'east'], { env });

  expect(await at('locks', 'add', '--login', 'root', '--force', '--reason', 'not on Sunday')).toMatchObject({
    stderr: '',
    code: 0,
  });
  expect((await leaf.local('locks', 'ls')).stdout).toContain('not on Sunday');
  expect((await root.local('locks', 'ls')).stdout).not.toContain('not on Sunday');
  expect((await at('nodes', 'ls')).code).toBe(0);
  expect(await at('users', 'ls')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('this is not asked of other clusters'),
  });
  expect(await root.run(['nodes', 'ls', '--cluster', 'nowhere'], { env })).toMatchObject({
    stderr: expect.stringContaining("cluster 'nowhere' not found"),
  });
});
