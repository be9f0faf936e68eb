/** Against a real sshd: who gets in, who does not, and what is said about it. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import type { TestSshd } from '@gatehouse/testkit/sshd';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  credentialOf,
  execute,
  listen,
  newKey,
  nodeFor,
  type SshWorld,
  startOwn,
  startSshWorld,
} from '../../../../testing/kinds/node/ssh-world.ts';
import { fingerprint, parsePublicKey } from '../../../platform/crypto/ssh/public-key.ts';

const run = promisify(execFile);

let world: SshWorld;
beforeAll(async () => {
  world = await startSshWorld();
});
afterAll(() => world?.close());

describe('user certificates', () => {
  test('open the account they name, and the server logs for whom and for which session', async () => {
    const connection = await world.open();

    expect(await execute(connection, 'id -un')).toBe(world.logins[0]!);
    expect(connection.hostKey).toBe(fingerprint(parsePublicKey(world.sshd.hostKey()).blob));
    // Written by another process of the server than the one that answers.
    await expect
      .poll(() => world.sshd.log())
      .toMatch(new RegExp(`Accepted publickey for ${world.logins[0]!} .* ID user=ann session=s1`));
  });

  test('are read by ssh-keygen as they were meant', async () => {
    const file = join(world.sshd.folder, 'minted-cert.pub');
    const blob = world.certificate({ criticalOptions: { 'source-address': '10.0.0.0/8' } });
    writeFileSync(file, `ssh-ed25519-cert-v01@openssh.com ${blob.toString('base64')}\n`);

    const { stdout } = await run('ssh-keygen', ['-L', '-f', file]);

    expect(stdout).toContain('ssh-ed25519-cert-v01@openssh.com user certificate');
    expect(stdout).toContain('Key ID: "user=ann session=s1"');
    expect(stdout).toMatch(
      new RegExp(`Principals:\\s+${world.logins[0]!}\\s+Critical Options:\\s+source-address 10.0.0.0/8`),
    );
    expect(stdout).toMatch(/Extensions:\s+permit-pty/);
  });

  test('carry what the server must enforce', async () => {
    const forced = world.certificate({ criticalOptions: { 'force-command': 'echo forced' } });
    const fromHere = world.certificate({ criticalOptions: { 'source-address': '127.0.0.1/32' } });

    expect(await execute(await world.open({ credential: credentialOf(forced) }), 'id -un')).toBe('forced');
    expect(await execute(await world.open({ credential: credentialOf(fromHere) }), 'id -un')).toBe(world.logins[0]!);
  });

  test.each<[string, () => Buffer]>([
    ['by an unknown authority', () => world.certificate({}, newKey())],
    ['that has expired', () => world.certificate({ validBefore: Date.now() - 1_000 })],
    ['for another account', () => world.certificate({ principals: [world.logins[1]!] })],
    ['of another key', () => world.certificate({ subject: newKey() })],
    ['bound to another address', () => world.certificate({ criticalOptions: { 'source-address': '10.0.0.0/8' } })],
    ['that is one of a host', () => world.certificate({ kind: 'host' })],
    [
      'that was tampered with',
      () => {
        const blob = world.certificate();
        blob[blob.length - 5]! ^= 1;
        return blob;
      },
    ],
  ])('%s are refused', async (_, make) => {
    const refused = world.open({ credential: credentialOf(make()) });

    await expect(refused).rejects.toMatchObject({ name: 'SshFailure', code: 'denied', stage: 'login' });
  });

  test('by an unknown authority, for an unknown login or a wrong clock are explained the same way, with all reasons', async () => {
    await expect(world.open({ credential: credentialOf(world.certificate({}, newKey())) })).rejects.toMatchObject({
      reason: 'not_accepted',
      message: `the server 'web-1' refused the certificate for '${world.logins[0]!}': it does not trust the authority SHA256:test, has no login '${world.logins[0]!}', or its clock is wrong`,
      next: expect.stringContaining('gatehouse ca export'),
    });
    const validBefore = Math.floor(Date.now() / 1000) * 1000 - 2 * 86_400_000;
    const validAfter = validBefore - 60_000;
    const late = world.open({ credential: credentialOf(world.certificate({ validAfter, validBefore })) });
    await expect(late).rejects.toMatchObject({
      reason: 'not_accepted',
      message: expect.stringContaining('its clock is wrong'),
      next: expect.stringContaining(
        `valid from ${new Date(validAfter).toISOString()} to ${new Date(validBefore).toISOString()}`,
      ),
    });
    const unknown = world.certificate({ principals: ['nobody-here'] });
    await expect(world.open({ login: 'nobody-here', credential: credentialOf(unknown) })).rejects.toMatchObject({
      reason: 'not_accepted',
    });
  });

  test('of the new and of the leaving authority are both offered', async () => {
    const connection = await world.open({
      credential: credentialOf(world.certificate({}, newKey()), world.certificate()),
    });

    expect(await execute(connection, 'id -un')).toBe(world.logins[0]!);
  });

  test('that were taken before the login was refused are told apart', async () => {
    const strict = await startOwn({ settings: ['PermitRootLogin no'] });

    await expect(
      world.open(
        {
          node: nodeFor(strict, { hostKeys: [strict.hostKey()] }),
          login: 'root',
          credential: credentialOf(world.certificate({ principals: ['root'] })),
        },
        strict,
      ),
    ).rejects.toMatchObject({ reason: 'login_refused', next: expect.stringContaining('PermitRootLogin') });
  });

  test('do not hide that the server wants another factor, or none at all of this sort', async () => {
    const twice = await startOwn({
      settings: ['KbdInteractiveAuthentication yes', 'AuthenticationMethods publickey,keyboard-interactive'],
    });
    const never = await startOwn({ settings: ['PubkeyAuthentication no', 'KbdInteractiveAuthentication yes'] });
    const at = (server: TestSshd) => world.open({ node: nodeFor(server, { hostKeys: [server.hostKey()] }) }, server);

    await expect(at(twice)).rejects.toMatchObject({
      reason: 'other_factor',
      message: expect.stringContaining('keyboard-interactive'),
    });
    await expect(at(never)).rejects.toMatchObject({
      reason: 'not_accepted',
      message: expect.stringContaining('takes no certificates at all'),
    });
  });

  test('can be tried without signing anybody in', async () => {
    const probe = world.certificate({ keyId: 'only-asking' });
    const { closed, close } = await world.open({ until: 'probe', credential: credentialOf(probe) });
    close();
    await closed;

    await expect.poll(() => world.sshd.log()).toContain('Accepted certificate ID "only-asking"');
    expect(world.sshd.log()).not.toMatch(/Accepted publickey .*only-asking/);
    await expect(
      world.open({ until: 'probe', credential: credentialOf(world.certificate({}, newKey())) }),
    ).rejects.toMatchObject({
      reason: 'not_accepted',
    });
  });
});

describe('connections that come to nothing', () => {
  test('are told from each other', async () => {
    const silent = await listen(() => {});
    const web = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const gone = await listen((socket) => socket.destroy());
    const at = async (port: number) => world.open({ stream: await world.dial(port), handshakeMs: 300 });

    await expect(at(silent)).rejects.toMatchObject({ reason: 'timed_out', stage: 'handshake' });
    await expect(at(web)).rejects.toMatchObject({ reason: 'protocol' });
    await expect(at(gone)).rejects.toMatchObject({ name: 'SshFailure', code: 'target_unreachable' });
  });

  test('end when nobody waits any longer, before and after the login', async () => {
    const [early, late] = [new AbortController(), new AbortController()];
    const silent = await listen(() => {});
    const waiting = world.open({ stream: await world.dial(silent), signal: early.signal });
    early.abort();
    await expect(waiting).rejects.toMatchObject({ reason: 'lost' });

    const connection = await world.open({ signal: late.signal });
    late.abort();
    await connection.closed;
  });

  test('need no socket: any stream of bytes will do', async () => {
    const socket = await world.dial();
    const stream = Duplex.from({ readable: socket, writable: socket });

    expect(await execute(await world.open({ stream }), 'id -un')).toBe(world.logins[0]!);
  });
});
