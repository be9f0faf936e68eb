import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { join as joinAgent } from '@gatehouse/gateway/testing/test-agent';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
let gateway: IdentityGateway;

beforeEach(async () => {
  line = await startCommandLine(() => startIdentityGateway());
  gateway = line.world;
});
afterEach(() => line.close());

const local = (...args: string[]) => line.local(...args);
const json = (...args: string[]) => line.json(...args);

test('a token is made with everything needed to join', async () => {
  const args = ['tokens', 'add', '--type=node', '--ttl=1h', '--uses', '2', '--labels', 'env=prod,url=a=b'];
  const made = await json(...args);

  expect(made).toMatchObject({
    token: expect.stringMatching(/^[0-9a-f]{32}$/),
    expires: new Date(gateway.clock.now + 3_600_000).toISOString(),
    command: expect.stringContaining(`/scripts/${made.token}/install-node.sh`),
    openSshCommand: expect.stringContaining('--openssh'),
    warning: expect.stringContaining('from its own machine only'),
    labels: [
      { name: 'env', value: 'prod' },
      { name: 'url', value: 'a=b' },
    ],
  });
  await joinAgent(gateway.send, { token: made.token, name: 'web-1' });
  expect(await json('tokens', 'ls')).toMatchObject([
    {
      id: made.id,
      uses: 1,
      usesLeft: 1,
      labels: [
        { name: 'env', value: 'prod' },
        { name: 'url', value: 'a=b' },
      ],
    },
  ]);
});

test('what is for scripts is on standard output, what is for people beside it', async () => {
  const { stdout, stderr, code } = await local('tokens', 'add');

  expect(code).toBe(0);
  expect(stdout).toMatch(/^[0-9a-f]{32}\n\nIt works until 2026-01-01T04:00:00.000Z/);
  expect(stdout).toContain('  sudo sh -c "$(curl -fsSL ');
  expect(stderr).toMatch(/^warning: /);
});

test('a token for databases comes with the command of their agent, and tells what it matches and signs for', async () => {
  const flags = ['--type=db', '--match', 'env=prod,env=test,team=*', '--hosts', 'db.inside,10.0.0.5'];
  const { stdout, code } = await local('tokens', 'add', ...flags);

  expect(code).toBe(0);
  expect(stdout).toContain('/install-database.sh');
  const { stdout: listed } = await local('tokens', 'ls');
  expect(listed).toContain('match:env=prod|test+team=*,hosts:db.inside+10.0.0.5');
  expect((await local('tokens', 'add', '--type=db', '--match', 'prod')).code).toBe(2);
  for (const { id } of await json('tokens', 'ls')) await local('tokens', 'rm', id);
});

test('tokens are listed without their secret and taken back by id or beginning', async () => {
  expect((await local('tokens', 'ls')).stdout).toBe('no join tokens\n');
  const [first, second] = [await json('tokens', 'add'), await json('tokens', 'add')];

  const { stdout } = await local('tokens', 'ls');
  expect(stdout).toContain(`${first.token.slice(0, 6)}…`);
  expect(stdout).not.toContain(first.token.slice(0, 12));
  expect((await local('tokens', 'rm', first.id)).stdout).toBe('join token taken back\n');
  expect((await local('tokens', 'rm', second.token)).code).toBe(0);
  expect((await local('tokens', 'ls')).stdout).toBe('no join tokens\n');
  expect((await local('tokens', 'rm', first.id)).code).toBe(4);
});

test.each([
  ['--type', 'planet'],
  ['--ttl', 'soon'],
  ['--uses', '0'],
  ['--labels', 'nonsense'],
  ['--labels', '=x'],
])('tokens add %s %s is a mistake on the command line', async (flag, value) => {
  expect((await local('tokens', 'add', flag, value)).code).toBe(2);
});

test('a token for applications says which, or that it is for all', async () => {
  const add = (...args: string[]) => local('tokens', 'add', '--type=app', ...args);

  expect(await add()).toMatchObject({ code: 2, stderr: expect.stringContaining("--apps '*'") });
  expect((await add('--apps', 'wiki,shop-*', '--own-labels', 'team', '--group', 'shop')).code).toBe(0);
  expect((await local('tokens', 'ls')).stdout).toContain('apps:wiki+shop-*,labels:team');
});

test('agents are listed and forgotten by name', async () => {
  expect((await local('agents', 'ls')).stdout).toBe('no agents\n');
  const { token } = await json('tokens', 'add');
  const { id } = await joinAgent(gateway.send, { token, name: 'web-1' });

  expect((await local('agents', 'ls')).stdout).toMatch(/^web-1 +away +\S+ +0 +1\.0\.0 +never +/m);
  expect(await json('agents', 'ls')).toMatchObject([{ id, name: 'web-1', connected: false }]);
  expect((await local('agents', 'rm', 'web-1')).stdout).toBe("agent 'web-1' forgotten\n");
  expect((await local('agents', 'rm', 'web-1')).code).toBe(4);
});
