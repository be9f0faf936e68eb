/** The command line with a real sshd: a server from nothing to a login, and after a new installation. */
import { startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { startSshd } from '@gatehouse/testkit/sshd';
import { expect, onTestFinished, test } from 'vitest';
import { startCommandLine } from '../../../testing/command-line.ts';

test('a server is added, trusts the gateway, is signed in to, and is trusted again after its keys changed', async () => {
  const users = await makeOsUsers(1);
  const sshd = await startSshd();
  const line = await startCommandLine(() => startIdentityGateway());
  // sshd looks at its own clock.
  line.world.clock.now = Date.now();
  onTestFinished(async () => {
    await line.close();
    await sshd.stop();
    await users.remove();
  });
  const run = line.local;
  const signIn = () => run('nodes', 'test', 'web-1', '--login', users.names[0]!);

  const added = await run('nodes', 'add', 'web-1', sshd.addr, '--labels', 'env=prod');
  const untrusted = await signIn();
  sshd.trust((await run('ca', 'export')).printed.trim().split('\n'));
  const trusted = await signIn();

  expect(added.printed).toMatch(/^server 'web-1' added at \S+\npinned SHA256:\S+\nCompare them on the server:/);
  expect(untrusted).toMatchObject({ code: 1, printed: expect.stringContaining('✗ login') });
  expect(untrusted.printed).toContain("put the lines of 'gatehouse ca export'");
  expect(trusted.code).toBe(0);
  expect(trusted.printed).toContain(`'${users.names[0]}' can sign in to 'web-1'`);

  await sshd.replaceHostKeys();
  const changed = await signIn();
  const [, command = ''] =
    /accept it with: (gatehouse nodes trust-host-key \S+ --fingerprint \S+)\. /.exec(changed.printed) ?? [];
  expect(changed.code).toBe(1);
  expect((await run('nodes', 'trust-host-key', 'web-1')).printed).toContain(`  ${command}\n`);
  const wrong = await run('nodes', 'trust-host-key', 'web-1', '--fingerprint', `SHA256:${'A'.repeat(43)}`);
  expect(wrong.code).toBe(7);
  expect((await run(...command.split(' ').slice(1))).printed).toMatch(/^pinned SHA256:/);
  expect((await signIn()).code).toBe(0);
  expect((await run('nodes', 'trust-host-key', 'web-1')).printed).toContain('everything it shows is pinned');
});
