/** Against a real sshd: who gets in, who does not, and what is said about it. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { makeOsUsers, type OsUsers } from '@gatehouse/tools/os-users';
import { type SshdOptions, startSshd, type TestSshd } from '@gatehouse/tools/sshd';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { mintCertificate, type NewCertificate } from '../../ssh-keys/certificate.ts';
import { ed25519Blob, fingerprint, parsePublicKey, publicKeyLine } from '../../ssh-keys/public-key.ts';
import { connectSsh, type SshConnection, type SshRequest } from './connect-ssh.ts';
import { scanHostKeys } from './scan-host-keys.ts';

const run = promisify(execFile);
const newKey = () => generateKeyPairSync('ed25519').privateKey;
const authority = newKey();
const userKey = newKey();
const AUTHORITY_LINE = publicKeyLine(ed25519Blob(authority));

let users: OsUsers;
let sshd: TestSshd;
beforeAll(async () => {
  users = await makeOsUsers(2);
  sshd = await startSshd({ trusts: [AUTHORITY_LINE], hostKeys: ['ed25519', 'rsa', 'ecdsa'] });
});
afterAll(async () => {
  await sshd?.stop();
  await users?.remove();
});

const login = () => users.names[0]!;

function certificate(over: Partial<NewCertificate> = {}, by: KeyObject = authority): Buffer {
  return mintCertificate(by, {
    kind: 'user',
    subject: userKey,
    keyId: 'user=ann session=s1',
    principals: [login()],
    validAfter: Date.now() - 60_000,
    validBefore: Date.now() + 60_000,
    extensions: ['permit-pty'],
    ...over,
  });
}

const credentialOf = (...blobs: Buffer[]) => ({
  key: userKey,
  certificates: blobs.map((blob) => ({ blob, authority: 'SHA256:test' })),
});

async function dial(port = sshd.port): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

async function open(over: Partial<SshRequest> = {}, server = sshd): Promise<SshConnection> {
  const connection = await connectSsh({
    stream: await dial(server.port),
    node: { name: 'web-1', addr: server.addr, hostKeys: [server.hostKey()], hostAuthorities: [] },
    login: login(),
    credential: credentialOf(certificate()),
    ...over,
  });
  onTestFinished(() => connection.close());
  return connection;
}

function execute({ client }: SshConnection, command: string): Promise<string> {
  return new Promise((resolve, reject) =>
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      let text = '';
      channel.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      channel.on('close', () => resolve(text.trim()));
    }),
  );
}

const nodeFor = (server: TestSshd, over: Partial<SshRequest['node']> = {}) => ({
  name: 'web-1',
  addr: server.addr,
  hostKeys: [] as string[],
  hostAuthorities: [] as string[],
  ...over,
});

async function startOwn(options: SshdOptions = {}): Promise<TestSshd> {
  const own = await startSshd({ trusts: [AUTHORITY_LINE], ...options });
  onTestFinished(() => own.stop());
  return own;
}

describe('user certificates', () => {
  test('open the account they name, and the server logs for whom and for which session', async () => {
    const connection = await open();

    expect(await execute(connection, 'id -un')).toBe(login());
    expect(connection.hostKey).toBe(fingerprint(parsePublicKey(sshd.hostKey()).blob));
    expect(sshd.log()).toMatch(new RegExp(`Accepted publickey for ${login()} .* ID user=ann session=s1`));
  });

  test('are read by ssh-keygen as they were meant', async () => {
    const file = join(sshd.folder, 'minted-cert.pub');
    const blob = certificate({ criticalOptions: { 'source-address': '10.0.0.0/8' } });
    writeFileSync(file, `ssh-ed25519-cert-v01@openssh.com ${blob.toString('base64')}\n`);

    const { stdout } = await run('ssh-keygen', ['-L', '-f', file]);

    expect(stdout).toContain('ssh-ed25519-cert-v01@openssh.com user certificate');
    expect(stdout).toContain('Key ID: "user=ann session=s1"');
    expect(stdout).toMatch(new RegExp(`Principals:\\s+${login()}\\s+Critical Options:\\s+source-address 10.0.0.0/8`));
    expect(stdout).toMatch(/Extensions:\s+permit-pty/);
  });

  test('carry what the server must enforce', async () => {
    const forced = certificate({ criticalOptions: { 'force-command': 'echo forced' } });
    const fromHere = certificate({ criticalOptions: { 'source-address': '127.0.0.1/32' } });

    expect(await execute(await open({ credential: credentialOf(forced) }), 'id -un')).toBe('forced');
    expect(await execute(await open({ credential: credentialOf(fromHere) }), 'id -un')).toBe(login());
  });

  test.each<[string, () => Buffer]>([
    ['by an unknown authority', () => certificate({}, newKey())],
    ['that has expired', () => certificate({ validBefore: Date.now() - 1_000 })],
    ['for another account', () => certificate({ principals: [users.names[1]!] })],
    ['of another key', () => certificate({ subject: newKey() })],
    ['bound to another address', () => certificate({ criticalOptions: { 'source-address': '10.0.0.0/8' } })],
    ['that is one of a host', () => certificate({ kind: 'host' })],
    [
      'that was tampered with',
      () => {
        const blob = certificate();
        blob[blob.length - 5]! ^= 1;
        return blob;
      },
    ],
  ])('%s are refused', async (_, make) => {
    const refused = open({ credential: credentialOf(make()) });

    await expect(refused).rejects.toMatchObject({ name: 'SshFailure', code: 'denied', stage: 'login' });
  });

  test('by an unknown authority or for an unknown login are explained the same way, with both reasons', async () => {
    await expect(open({ credential: credentialOf(certificate({}, newKey())) })).rejects.toMatchObject({
      reason: 'not_accepted',
      message: `the server 'web-1' refused the certificate for '${login()}': it does not trust the authority SHA256:test, or has no login '${login()}'`,
      next: expect.stringContaining('gatehouse ca export'),
    });
    const unknown = certificate({ principals: ['nobody-here'] });
    await expect(open({ login: 'nobody-here', credential: credentialOf(unknown) })).rejects.toMatchObject({
      reason: 'not_accepted',
    });
  });

  test('of the new and of the leaving authority are both offered', async () => {
    const connection = await open({ credential: credentialOf(certificate({}, newKey()), certificate()) });

    expect(await execute(connection, 'id -un')).toBe(login());
  });

  test('that were taken before the login was refused are told apart', async () => {
    const strict = await startOwn({ settings: ['PermitRootLogin no'] });

    await expect(
      open(
        {
          node: nodeFor(strict, { hostKeys: [strict.hostKey()] }),
          login: 'root',
          credential: credentialOf(certificate({ principals: ['root'] })),
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
    const at = (server: TestSshd) => open({ node: nodeFor(server, { hostKeys: [server.hostKey()] }) }, server);

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
    const probe = certificate({ keyId: 'only-asking' });
    const { closed, close } = await open({ until: 'probe', credential: credentialOf(probe) });
    close();
    await closed;

    expect(sshd.log()).toContain('Accepted certificate ID "only-asking"');
    expect(sshd.log()).not.toMatch(/Accepted publickey .*only-asking/);
    await expect(open({ until: 'probe', credential: credentialOf(certificate({}, newKey())) })).rejects.toMatchObject({
      reason: 'not_accepted',
    });
  });
});

describe('host keys', () => {
  test('that are pinned are believed, of whichever type', async () => {
    for (const type of ['ed25519', 'ecdsa', 'rsa'] as const) {
      const node = nodeFor(sshd, { hostKeys: [sshd.hostKey(type)] });
      expect((await open({ node })).hostKey).toBe(fingerprint(parsePublicKey(sshd.hostKey(type)).blob));
    }
  });

  test('that changed are refused with both fingerprints and the command that accepts the new one', async () => {
    const own = await startOwn();
    const old = own.hostKey();
    await own.replaceHostKeys();
    const [was, is] = [old, own.hostKey()].map((line) => fingerprint(parsePublicKey(line).blob));

    await expect(open({ node: nodeFor(own, { hostKeys: [old] }) }, own)).rejects.toMatchObject({
      reason: 'host_key',
      code: 'target_unreachable',
      message: `the host key of 'web-1' at ${own.addr} is not the pinned one: it shows ${is} (ssh-ed25519), expected was ${was}`,
      next: expect.stringContaining(`gatehouse nodes trust-host-key web-1 --fingerprint ${is}`),
      hostKey: { fingerprint: is, type: 'ssh-ed25519', pinned: [was] },
    });
    expect(own.log()).not.toContain('Accepted');
  });

  test('of another type than the pinned one are refused by name', async () => {
    const own = await startOwn({ hostKeys: ['rsa'] });

    await expect(open({ node: nodeFor(own, { hostKeys: [sshd.hostKey('ed25519')] }) }, own)).rejects.toMatchObject({
      reason: 'host_key',
      hostKey: { type: 'ssh-rsa' },
    });
  });

  test('are never believed when nothing is pinned', async () => {
    await expect(open({ node: nodeFor(sshd) })).rejects.toMatchObject({ reason: 'host_key' });
  });

  test('are all found by a scan, each proved by the server', async () => {
    expect(await scanHostKeys({ dial: () => dial(), addr: sshd.addr })).toEqual([
      sshd.hostKey('ed25519'),
      sshd.hostKey('ecdsa'),
      sshd.hostKey('rsa'),
    ]);
  });
});

describe('host certificates', () => {
  test.each([
    ['ed25519', 'ed25519'],
    ['ed25519', 'rsa'],
    ['ecdsa', 'ecdsa'],
  ] as const)('of %s keys by authorities with %s keys are believed', async (type, signer) => {
    const own = await startOwn({ hostKeys: [type] });
    const trusted = (await own.certify('web-1.example,127.0.0.1', { type, authority: signer })).split(' ').slice(0, 2);
    const node = nodeFor(own, { hostAuthorities: [trusted.join(' ')] });

    const connection = await open({ node }, own);

    expect(await execute(connection, 'id -un')).toBe(login());
    expect(connection.hostKey).toBe(fingerprint(parsePublicKey(own.hostKey(type)).blob));
  });

  test('are refused for another name, by another authority, when they have ended, and when nobody is trusted', async () => {
    const own = await startOwn();
    const line = async (...args: Parameters<TestSshd['certify']>) =>
      (await own.certify(...args)).split(' ').slice(0, 2).join(' ');
    const refused = (hostAuthorities: string[]) =>
      expect(open({ node: nodeFor(own, { hostAuthorities }) }, own)).rejects;
    const good = await line('127.0.0.1');

    await refused([publicKeyLine(ed25519Blob(newKey()))]).toMatchObject({
      message: expect.stringContaining('is not trusted'),
    });
    await refused([]).toMatchObject({ reason: 'host_key' });
    await line('other.example');
    await refused([good]).toMatchObject({
      message: "the server 'web-1' is not believed: its certificate is not for '127.0.0.1' but for other.example",
    });
    await line('127.0.0.1', { more: ['-V', '20200101:20200102'] });
    await refused([good]).toMatchObject({ message: expect.stringContaining('its certificate ended at 2020-01-02') });
    expect(own.log()).not.toContain('Accepted');
  });

  test('that were stolen do not help a server without the key inside', async () => {
    const own = await startOwn();
    const trusted = (await own.certify('127.0.0.1')).split(' ').slice(0, 2).join(' ');
    const thief = await startOwn();
    await thief.certify('127.0.0.1');
    const replaced = await showingTheOthers(thief, own);

    const refused = open({ stream: await dial(replaced.port), node: nodeFor(own, { hostAuthorities: [trusted] }) });

    await expect(refused).rejects.toMatchObject({ stage: 'handshake', message: expect.stringContaining('signature') });
    expect(replaced.count).toBe(1);
    expect(thief.log()).not.toContain('Accepted');
  });

  test('hold through many new exchanges of keys in one connection', async () => {
    const own = await startOwn({ settings: ['RekeyLimit 1M'] });
    const trusted = (await own.certify('127.0.0.1')).split(' ').slice(0, 2).join(' ');
    const connection = await open({ node: nodeFor(own, { hostAuthorities: [trusted] }) }, own);
    let exchanges = 0;
    connection.client.on('handshake', () => {
      exchanges += 1;
    });

    const bytes = await new Promise<number>((resolve, reject) =>
      connection.client.exec('head -c 20000000 /dev/zero', (error, channel) => {
        if (error) return reject(error);
        let count = 0;
        channel.on('data', (chunk: Buffer) => {
          count += chunk.length;
        });
        channel.on('close', () => resolve(count));
      }),
    );

    expect(bytes).toBe(20_000_000);
    expect(exchanges).toBeGreaterThanOrEqual(15);
  });
});

describe('connections that come to nothing', () => {
  test('are told from each other', async () => {
    const silent = await listen(() => {});
    const web = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const gone = await listen((socket) => socket.destroy());
    const at = async (port: number) => open({ stream: await dial(port), handshakeMs: 300 });

    await expect(at(silent)).rejects.toMatchObject({ reason: 'timed_out', stage: 'handshake' });
    await expect(at(web)).rejects.toMatchObject({ reason: 'protocol' });
    await expect(at(gone)).rejects.toMatchObject({ name: 'SshFailure', code: 'target_unreachable' });
  });

  test('end when nobody waits any longer, before and after the login', async () => {
    const [early, late] = [new AbortController(), new AbortController()];
    const silent = await listen(() => {});
    const waiting = open({ stream: await dial(silent), signal: early.signal });
    early.abort();
    await expect(waiting).rejects.toMatchObject({ reason: 'lost' });

    const connection = await open({ signal: late.signal });
    late.abort();
    await connection.closed;
  });

  test('need no socket: any stream of bytes will do', async () => {
    const socket = await dial();
    const stream = Duplex.from({ readable: socket, writable: socket });

    expect(await execute(await open({ stream }), 'id -un')).toBe(login());
  });
});

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** A server that shows the certificate of another one in place of its own, as a thief of certificates would. */
async function showingTheOthers(thief: TestSshd, owner: TestSshd) {
  const certificateOf = (server: TestSshd) =>
    Buffer.from(readFileSync(join(server.folder, 'host_ed25519-cert.pub'), 'utf8').split(' ')[1]!, 'base64');
  const [own, stolen] = [certificateOf(thief), certificateOf(owner)];
  expect(stolen).toHaveLength(own.length);
  const replaced = { port: 0, count: 0 };
  replaced.port = await listen((client) => {
    const server = connect(thief.port, '127.0.0.1');
    server.on('error', () => {});
    client.pipe(server);
    server.on('data', (chunk: Buffer) => {
      const at = chunk.indexOf(own);
      if (at >= 0) {
        stolen.copy(chunk, at);
        replaced.count += 1;
      }
      client.write(chunk);
    });
    server.on('close', () => client.destroy());
  });
  return replaced;
}
