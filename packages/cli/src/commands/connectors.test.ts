import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { call } from '@gatehouse/contract/wire/client';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type CommandLine, startCommandLine } from '../../testing/command-line.ts';

const OKTA = `# ours
kind: oidc
version: v3
metadata:
  name: okta
spec:
  issuer_url: http://127.0.0.1:1
  client_id: gatehouse
  claims_to_roles:
    - { claim: groups, value: ops, roles: [access] }
  traits:
    - { from: unix_login, to: logins }
`;

const GITHUB = `kind: github
version: v3
metadata: { name: github }
spec:
  client_id: Iv1
  teams_to_roles:
    - { organization: acme, team: ops, roles: [access] }
`;

let line: CommandLine<IdentityGateway>;
beforeEach(async () => {
  line = await startCommandLine(() => startIdentityGateway());
  write('okta.yaml', OKTA);
  write('okta.secret', 's3cret-of-okta\n');
});
afterEach(() => line.close());

const write = (name: string, text: string) => writeFileSync(join(line.folder, name), text);
const connectors = (...args: string[]) => line.local('connectors', ...args);
const at = (typed: string[], ...args: string[]) =>
  line.run(['connectors', ...args, '--data-dir', line.folder], { typed });
const create = () => connectors('create', '-f', 'okta.yaml', '--secret-file', 'okta.secret');
/** An editor that replaces one text by another. */
const editing = (from: string, to: string, ...args: string[]) =>
  line.run(['connectors', 'edit', 'okta', ...args, '--data-dir', line.folder], {
    env: { EDITOR: `sed -i 's#${from}#${to}#'` },
  });

test('a connector is made with a secret from a file, listed, and printed without it', async () => {
  const made = await create();
  const listed = await connectors('ls');
  const got = await connectors('get', 'okta');
  const json = await line.json('connectors', 'show', 'okta');

  expect(made.printed).toBe(`connector 'okta' made
Enter at the provider:
  callback address     http://localhost:3080/v1/webapi/oidc/callback/okta
  back-channel logout  http://localhost:3080/v1/webapi/oidc/backchannel/okta
Try it: gatehouse connectors test okta
`);
  expect(listed.printed).toMatch(/^NAME +KIND .*\nokta +oidc +- +0 +- +on\n$/);
  expect(got.printed).toBe(OKTA);
  expect(json).toMatchObject({ name: 'okta', kind: 'oidc', hasSecret: true, content: OKTA });
  expect(await line.json('connectors', 'ls')).toMatchObject([{ name: 'okta' }]);
  expect((await line.local('names', 'connectors')).stdout).toBe('okta\n');
  expect((await line.local('get', 'connectors')).stdout).toBe(OKTA);
});

test('somebody at the terminal is asked for the secret, and a wrong kind or name is told', async () => {
  expect((await at(['typed-secret'], 'create', '-f', 'okta.yaml')).code).toBe(0);
  expect((await line.json('connectors', 'get', 'okta')).hasSecret).toBe(true);

  write('role.yaml', 'kind: role\nversion: v6\nmetadata: {name: x}\nspec: {}\n');
  expect(await connectors('create', '-f', 'role.yaml')).toMatchObject({
    code: 2,
    stderr: "gatehouse: line 1, column 7: 'kind' must be one of github, oidc, saml\n",
  });
  write('odic.yaml', OKTA.replace('kind: oidc', 'kind: odic'));
  expect(await connectors('create', '-f', 'odic.yaml')).toMatchObject({
    code: 2,
    stderr: "gatehouse: line 2, column 7: 'kind' must be one of github, oidc, saml; did you mean 'oidc'?\n",
  });
  write('none.yaml', OKTA.replace('kind: oidc\n', ''));
  expect(await connectors('create', '-f', 'none.yaml')).toMatchObject({
    code: 2,
    stderr: "gatehouse: line 2, column 1: 'kind' is missing: it must be one of github, oidc, saml\n",
  });
  expect(await create()).toMatchObject({ code: 7, stderr: expect.stringContaining("'okta' exists already") });
  expect(await connectors('get', 'nope')).toMatchObject({ code: 4 });
});

test('without a terminal a client goes without a secret only where that is said', async () => {
  write('github.yaml', GITHUB);
  const wanted =
    "'spec.client_secret' is missing, and nobody is here to be asked for it: name a file that holds it with --secret-file";
  const orPublic = `${wanted}, or say --no-secret if the provider knows this gateway as a public client`;

  const forgotten = await connectors('create', '-f', 'okta.yaml');
  const tried = await connectors('test', '-f', 'okta.yaml');
  const github = await connectors('create', '-f', 'github.yaml');
  const never = await connectors('create', '-f', 'github.yaml', '--no-secret');
  const both = await connectors('create', '-f', 'okta.yaml', '--no-secret', '--secret-file', 'okta.secret');
  const empty = await at([''], 'create', '-f', 'okta.yaml');

  expect(forgotten).toMatchObject({ code: 2, stderr: `gatehouse: ${orPublic}\n` });
  expect(tried).toMatchObject({ code: 2, stderr: `gatehouse: ${orPublic}\n` });
  expect(github).toMatchObject({ code: 2, stderr: `gatehouse: ${wanted}\n` });
  expect(never).toMatchObject({ code: 2, stderr: expect.stringContaining('a github connector always needs one') });
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--no-secret and --secret-file') });
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('--no-secret') });
  expect((await connectors('ls')).printed).toBe('no connectors\n');

  const open = await connectors('create', '-f', 'okta.yaml', '--no-secret');
  expect(open.printed).toContain("connector 'okta' made\n");
  expect(open.printed).toContain('public client');
  expect(await line.json('connectors', 'get', 'okta')).toMatchObject({ hasSecret: false });
});

test('a role that does not exist is told with its line, and the one that was probably meant', async () => {
  write('okta.yaml', OKTA.replace('[access]', '[acess, nobody-has-this]'));

  const made = await create();

  expect(made.printed).toContain(
    "line 10: role 'acess' does not exist: nobody gets it until it does; did you mean 'access'?\n",
  );
  expect(made.printed).toContain("line 10: role 'nobody-has-this' does not exist: nobody gets it until it does\n");
});

test('what a SAML provider is to be told is called as it calls it', async () => {
  write(
    'corp.yaml',
    'kind: saml\nversion: v2\nmetadata: {name: corp}\nspec:\n  entity_descriptor_url: https://idp.example.com/metadata\n  attributes_to_roles:\n    - {name: groups, value: ops, roles: [access]}\n',
  );

  const made = await connectors('create', '-f', 'corp.yaml');

  expect(made.printed).toMatch(/^ {2}ACS address +http:\/\/localhost:3080\/v1\/webapi\/saml\/acs\/corp$/m);
  expect(made.printed).not.toContain('callback');
});

test('an edit that makes another client of one without a secret has to say so again', async () => {
  await connectors('create', '-f', 'okta.yaml', '--no-secret');

  const same = await editing('value: ops', 'value: platform');
  const other = await editing('127.0.0.1:1', '127.0.0.1:2');
  const said = await editing('127.0.0.1:1', '127.0.0.1:2', '--no-secret');

  expect(same.code).toBe(0);
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('--secret-file') });
  expect(said.code).toBe(0);
});

test('an edit keeps the secret, and asks for it again only where it would go to somebody else', async () => {
  await create();

  const changed = await editing('value: ops', 'value: platform');
  const moved = await editing('127.0.0.1:1', '127.0.0.1:2');
  const given = await editing('127.0.0.1:1', '127.0.0.1:2', '--secret-file', 'okta.secret');

  expect(changed.printed).toBe("connector 'okta' changed\n");
  expect(moved).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/enter 'spec.client_secret' again.*: name a file that holds it with --secret-file/),
  });
  const kept = /what you wrote is in (\S+)/.exec(moved.stderr)?.[1] ?? '';
  expect(parse(readFileSync(kept, 'utf8')).spec.issuer_url).toBe('http://127.0.0.1:2');
  expect(given.code).toBe(0);
  expect(await line.json('connectors', 'get', 'okta')).toMatchObject({
    hasSecret: true,
    content: OKTA.replace('127.0.0.1:1', '127.0.0.1:2').replace('ops', 'platform'),
  });
  expect((await editing('nothing', 'nothing')).printed).toBe('nothing changed\n');
});

test('a new secret is taken though the document stays as it is', async () => {
  await create();
  const before = await line.json('connectors', 'get', 'okta');
  write('new.secret', 'another one\n');

  const given = await editing('nothing', 'nothing', '--secret-file', 'new.secret');

  expect(given.printed).toContain("connector 'okta' changed\n");
  const after = await line.json('connectors', 'get', 'okta');
  expect(after).toMatchObject({ hasSecret: true, content: before.content });
  expect(after.revision).not.toBe(before.revision);
});

test('what somebody else changed meanwhile is not overwritten', async () => {
  await create();
  const go = join(line.folder, 'go');
  const slow = `while [ ! -e ${go} ]; do sleep 0.05; done; sed -i 's#ops#mine#'`;

  const mine = line.run(['connectors', 'edit', 'okta', '--data-dir', line.folder], { env: { EDITOR: slow } });
  const theirs = await editing('ops', 'theirs');
  write('go', '');

  expect(theirs.code).toBe(0);
  expect(await mine).toMatchObject({ code: 7, stderr: expect.stringContaining('changed by somebody else meanwhile') });
  expect((await connectors('get', 'okta')).stdout).toBe(OKTA.replace('ops', 'theirs'));
});

test('a connector is deleted when somebody says yes, and what ends is told', async () => {
  await create();

  const alone = await connectors('rm', 'okta');
  const no = await at(['n'], 'rm', 'okta');
  const yes = await at(['y'], 'rm', 'okta');

  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("to delete connector 'okta', say --yes") });
  expect(no).toMatchObject({ code: 1, stderr: 'gatehouse: nothing was deleted\n' });
  expect(yes.printed).toContain("connector 'okta' deleted; whoever came through it is signed out");
  expect(await connectors('rm', 'okta', '--yes')).toMatchObject({ code: 4 });
});

test('users who came through a connector that is gone are listed as that', async () => {
  await create();
  await line.world.addUser('ann');
  await line.world.addUser('bob');
  await line.world.storage.db.updateTable('user').set({ given_by: 'okta' }).where('name', '=', 'ann').execute();
  await connectors('rm', 'okta', '--yes');

  const { printed } = await line.local('users', 'ls');

  expect(printed).toMatch(/^ann +okta \(removed\)$/m);
  expect(printed).toMatch(/^bob +access +local$/m);
  expect(await line.json('users', 'ls')).toMatchObject([
    { name: 'ann', authType: 'local', formerConnector: 'okta' },
    { name: 'bob', authType: 'local' },
  ]);
});

test('users are linked to somebody at a provider, shown with it, and unlinked', async () => {
  await create();
  await line.world.addUser('ann');

  const linked = await line.local('users', 'link', 'ann', '--connector', 'okta', '--subject', '00u7');
  const shown = await line.local('users', 'show', 'ann');
  const json = await line.json('users', 'get', 'ann');
  const twice = await line.local('users', 'link', 'ann', '--connector', 'okta', '--subject', '00u8');
  const unlinked = await line.local('users', 'unlink', 'ann', '--connector', 'okta');

  expect(linked.printed).toBe(
    "'00u7' of connector 'okta' signs in as 'ann' from now on, with the roles and traits that the connector then gives in place of theirs; with the first sign-in, password, devices, tokens, sign-ins and links to other connectors from before end\n",
  );
  expect(shown.stdout).toMatch(/^# signs in through connector okta \(oidc\) as 00u7, subject 00u7\nkind: user\n/);
  expect(json.identities).toMatchObject([{ connector: 'okta', subject: '00u7' }]);
  expect(twice).toMatchObject({ code: 7 });
  expect(unlinked.printed).toBe("'ann' cannot sign in through connector 'okta' any more\n");
  expect((await line.json('users', 'get', 'ann')).identities).toEqual([]);
  expect((await line.world.events()).filter(({ code }) => code === 'GH150I').map(({ data }) => data.action)).toEqual([
    'linked',
    'unlinked',
  ]);
});

test('a provider that does not answer fails the test, with exit code 1', async () => {
  await create();

  const tested = await connectors('test', 'okta');
  const draft = await connectors('test', '-f', 'okta.yaml', '--format', 'json');

  expect(tested.code).toBe(1);
  expect(tested.stdout).toMatch(/✓ settings .*\n✗ discovery .*127\.0\.0\.1:1/);
  expect(draft.code).toBe(1);
  expect(JSON.parse(draft.stdout)).toMatchObject({ state: 'failed', connector: 'okta' });
  expect(await connectors('test')).toMatchObject({ code: 2 });
  expect(await connectors('test', 'okta', '-f', 'okta.yaml')).toMatchObject({ code: 2 });
});

test('login through a connector begins at its provider and comes back to the page with the code', async () => {
  await create();
  const { app, addUser, signedIn } = line.world;
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = `http://localhost:${(app.server.address() as AddressInfo).port}`;
  await addUser('ann');
  const browser = await signedIn('ann');
  const shown = Promise.withResolvers<URL>();
  const login = (connector: string) =>
    line.run(['login', address, '--connector', connector], {
      onStderr: (text) => shown.resolve(new URL(/^Open (\S+)/.exec(text)?.[1] ?? 'about:blank')),
    });

  const through = login('okta');
  const url = await shown.promise;
  const back = new URL(url.searchParams.get('redirect_url') ?? '');
  const requestId = /^\/web\/cli\/([0-9a-f]+)$/.exec(back.pathname)?.[1] ?? '';
  await call(browser.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'deny' } });

  expect([url.pathname, url.searchParams.get('connector_id')]).toEqual(['/v1/webapi/oidc/login/web', 'okta']);
  expect(url.origin).toBe(back.origin);
  expect((await through).code).toBe(5);
  expect(await login('nope')).toMatchObject({ code: 2, stderr: expect.stringContaining("'nope' is not known") });
});
