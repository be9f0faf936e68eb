import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ANN,
  ORIGIN,
  type SsoGateway,
  startSsoGateway,
  visit,
} from '@gatehouse/gateway/testing/connectors/sso-gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, type Run, startCommandLine } from '../../testing/command-line.ts';

let line: CommandLine<SsoGateway>;
beforeEach(async () => {
  sentTo = [];
  line = await startCommandLine(() => startSsoGateway({ accounts: { ann: ANN } }));
  writeFileSync(join(line.folder, 'okta.json'), line.world.document());
});
afterEach(() => line.close());

/** Runs the command, and signs ann in at the address it shows. */
async function tried(...args: string[]): Promise<Run> {
  const walked = Promise.withResolvers<unknown>();
  const result = await line.run(['connectors', 'test', ...args, '--data-dir', line.folder], {
    onStderr: (text) => {
      const url = /http\S+\/sso\/go\/[^\s"]+/.exec(text)?.[0];
      if (url) walked.resolve(walk(url));
    },
  });
  await walked.promise;
  return result;
}

/** Where each was sent to. */
let sentTo: URL[] = [];
async function walk(url: string): Promise<void> {
  const { world, browser } = line.world;
  const opened = browser();
  world.signInAs('ann');
  const there = await visit(opened, url.slice(ORIGIN.length));
  sentTo.push(new URL(there));
  let at = (await world.follow(there, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
  while (at.startsWith('/v1/')) at = await visit(opened, at);
}

test('a draft is tried before it is saved: steps, claims, and the entry that gives each role', async () => {
  const { code, stdout, stderr } = await tried('-f', 'okta.json');

  expect(stderr).toMatch(/^Open http:\/\/localhost:3080\/v1\/webapi\/sso\/go\/\S+\nand sign in there/);
  expect(stdout).toMatch(
    /^✓ settings .*\n✓ discovery .*\n✓ redirect .*\n✓ token .*\n✓ identity .*\n✓ mapping .*\n✓ user .*\n/,
  );
  expect(stdout).toMatch(/^ {2}groups +staff, ops$/m);
  expect(stdout).toMatch(/^ {2}access +by claims_to_roles\[0\]$/m);
  expect(code).toBe(0);
  expect((await line.json('connectors', 'ls')).length).toBe(0);
});

test('the provider asks who it is where somebody else is to be tried', async () => {
  await line.world.save();

  await tried('okta');
  await tried('okta', '--as-somebody-else');

  expect(sentTo.map(({ searchParams }) => searchParams.get('prompt'))).toEqual([null, 'login']);
});

test('a saved one is tried with its own secret, and fails with exit code 1 where nothing gives a role', async () => {
  const spec = { claims_to_roles: [{ claim: 'groups', value: 'nobody', roles: ['access'] }] };
  await line.world.save(spec);

  const { code, stdout, stderr } = await tried('okta', '--format', 'json');

  const [url = '', error = ''] = stderr.split('\n');
  expect(JSON.parse(url)).toEqual({ url: expect.stringContaining('/v1/webapi/sso/go/') });
  expect(code).toBe(1);
  expect(JSON.parse(error).error.message).toContain("no entry of 'okta' gives ann@acme.example a role");
  expect(JSON.parse(stdout)).toMatchObject({ state: 'failed', unmatched: ['claims_to_roles[0]'], roles: [] });
});

test('users who came through a provider are told as such, and their roles are not edited', async () => {
  await line.world.save();
  await line.world.signIn(line.world.browser(), 'ann');

  const listed = await line.local('users', 'ls');
  const shown = await line.local('users', 'show', 'ann@acme.example');
  await line.world.storage.db.updateTable('user_identity').set({ linked_by: 'doubted' }).execute();
  const doubted = await line.local('users', 'show', 'ann@acme.example');
  const edited = await line.local('users', 'edit', 'ann@acme.example', '--roles=editor');
  const removed = await line.local('connectors', 'rm', 'okta', '--yes');

  expect(listed.stdout).toMatch(/^ann@acme\.example +access +oidc$/m);
  expect(shown.stdout).toMatch(
    /^# signs in through connector okta \(oidc\) as ann@acme\.example, subject \S+; confirmed /,
  );
  expect(shown.stdout).not.toContain('in doubt');
  expect(doubted.stdout).toMatch(/^# .*; in doubt since the account got new credentials, and signs nobody in/);
  expect(edited).toMatchObject({ code: 7, stderr: expect.stringContaining('comes through a sign-in provider (oidc)') });
  expect(removed.stdout).toBe(
    "connector 'okta' deleted; 1 user is signed out and cannot sign in through it any more\n",
  );
});
