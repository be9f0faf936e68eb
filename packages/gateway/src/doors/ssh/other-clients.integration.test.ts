/** Programs that are not OpenSSH at the SSH door, and programs that drive it in their own way: each as Debian has it. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { type DoorClient, doorClient, openSshDoor, runProgram } from '../../../testing/sessions/ssh-doors.ts';

let world: ServerWorld;
let port: number;
let login: string;
let client: DoorClient;
beforeAll(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  port = await openSshDoor(world.gateway);
  login = world.logins[0];
});
afterAll(() => world?.close());
beforeEach(async () => {
  client = await doorClient(port, world.ann);
});

const inDir = (name: string) => join(client.dir, name);
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const hashAt = (name: string) => hashOf(readFileSync(inDir(name)));
function someFile(): string {
  const bytes = randomBytes(2_000_000);
  writeFileSync(inDir('local'), bytes);
  return hashOf(bytes);
}

/** As PuTTY keeps keys: with the certificate inside, and the host's key told beforehand. */
async function puttyOptions(): Promise<string[]> {
  const made = await client.run('puttygen', [inDir('id'), '-O', 'private', '-o', inDir('plain.ppk')]);
  expect(made).toMatchObject({ code: 0 });
  const joined = ['--certificate', inDir('id-cert.pub'), '-O', 'private', '-o', inDir('id.ppk')];
  expect(await client.run('puttygen', [inDir('plain.ppk'), ...joined])).toMatchObject({ code: 0 });
  const scanned = await client.run('ssh-keyscan', ['-t', 'ed25519', '-p', String(port), '127.0.0.1']);
  writeFileSync(inDir('host.pub'), scanned.stdout.replace(/^\S+ /, ''));
  const { stdout } = await client.run('ssh-keygen', ['-lf', inDir('host.pub')]);
  const fingerprint = /SHA256:\S+/.exec(stdout)?.[0] ?? '';
  return ['-batch', '-noagent', '-P', String(port), '-i', inDir('id.ppk'), '-hostkey', fingerprint];
}
const puttyEnv = () => ({ HOME: client.dir });

test('plink runs commands, with input, errors, status and a terminal, and forwards a port', async () => {
  const options = [...(await puttyOptions()), '-l', `${login}@web-1`];
  const plink = (args: string[], input: string | Buffer = '') =>
    client.run('plink', [...options, ...args], { input, env: puttyEnv() });

  expect(await plink(['127.0.0.1', 'echo out; echo err >&2; id -un; exit 7'])).toMatchObject({
    ...{ code: 7, stdout: `out\n${login}\n` },
    stderr: expect.stringContaining('err\n'),
  });
  const counted = await plink(['127.0.0.1', 'wc -c'], Buffer.alloc(1_000_000, 0x61));
  expect(counted.stdout).toBe('1000000\n');
  expect((await plink(['-t', '127.0.0.1', 'tty; exit 4'])).stdout).toMatch(/\/dev\/pts\//);
  const banner = await plink(['-nc', `127.0.0.1:${world.sshd.port}`, '127.0.0.1']);
  expect(banner.stdout).toMatch(/^SSH-2\.0-OpenSSH/);
});

test('psftp copies files there and back', async () => {
  const options = await puttyOptions();
  const hash = someFile();
  writeFileSync(
    inDir('batch'),
    `put ${inDir('local')} putty\nmkdir of-putty\nmv putty of-putty/it\nls of-putty\nget of-putty/it ${inDir('back')}\n`,
  );
  const ran = await client.run('psftp', [...options, '-l', `${login}@web-1`, '-b', inDir('batch'), '127.0.0.1'], {
    env: puttyEnv(),
  });

  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout).toMatch(/ it$/m);
  expect(hashAt('back')).toBe(hash);
});

test('dbclient, which knows no certificates, comes with a key that a browser let in', async () => {
  // The key is let in once, by ssh; dbclient has the same one.
  const key = inDir('dropbear-id');
  await client.run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  writeFileSync(
    inDir('askpass'),
    `#!/bin/sh\nprintf '%s' "$1" > ${inDir('question')}\nwhile [ ! -e ${inDir('answered')} ]; do sleep 0.05; done\n`,
    { mode: 0o755 },
  );
  const asking = client.run(
    'ssh',
    [
      ...['-F', '/dev/null', '-p', String(port), '-i', key, '-o', 'IdentitiesOnly=yes', '-o', 'IdentityAgent=none'],
      ...['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', `${login}@web-1@127.0.0.1`, 'true'],
    ],
    { env: { SSH_ASKPASS: inDir('askpass'), SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' } },
  );
  const requestId = await vi.waitFor(
    () => /\/web\/cli\/([\w-]+)/.exec(readFileSync(inDir('question'), 'utf8'))?.[1] ?? expect.fail('not asked yet'),
    { timeout: SOON_MS },
  );
  await call(world.ann.send, cliLoginRoutes.answer, {
    params: { requestId },
    body: { action: 'accept', keepKey: true },
  });
  writeFileSync(inDir('answered'), '');
  expect(await asking).toMatchObject({ code: 0 });
  await client.run('dropbearconvert', ['openssh', 'dropbear', key, inDir('dropbear')]);
  const dbclient = (args: string[], input: string | Buffer = '') =>
    client.run('dbclient', ['-y', '-y', '-i', inDir('dropbear'), '-p', String(port), '-l', `${login}@web-1`, ...args], {
      input,
      env: puttyEnv(),
    });

  expect(await dbclient(['127.0.0.1', 'echo out; id -un; exit 7'])).toMatchObject({
    code: 7,
    stdout: `out\n${login}\n`,
  });
  expect((await dbclient(['127.0.0.1', 'wc -c'], Buffer.alloc(1_000_000, 0x61))).stdout).toBe('1000000\n');
  // It wants a terminal of its own for one there.
  const onTerminal = `dbclient -t -y -y -i ${inDir('dropbear')} -p ${port} -l ${login}@web-1 127.0.0.1 tty`;
  const typed = await client.run('script', ['-qec', onTerminal, '/dev/null'], { env: puttyEnv() });
  expect(typed.stdout).toMatch(/\/dev\/pts\//);
  // Not the end of its input at once: it would be gone before the server says anything.
  const far = client.start('dbclient', [
    '-y',
    '-y',
    '-i',
    inDir('dropbear'),
    '-p',
    String(port),
    '-l',
    `${login}@web-1`,
    '-B',
    `127.0.0.1:${world.sshd.port}`,
    '127.0.0.1',
  ]);
  const [heard] = await new Promise<Buffer[]>((resolve) =>
    far.stdout?.once('data', (bytes: Buffer) => resolve([bytes])),
  );
  expect(String(heard)).toMatch(/^SSH-2\.0-OpenSSH/);
});

const python = async (script: string) => {
  writeFileSync(inDir('script.py'), script);
  const args = [inDir('script.py'), String(port), `${login}@web-1`, client.dir, String(world.sshd.port)];
  return await runProgram('/usr/bin/python3', args);
};

test('paramiko runs commands, copies files and forwards, all over one connection', async () => {
  const hash = someFile();
  const ran = await python(`
import sys, paramiko, threading
port, user, folder, sshd = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
key = paramiko.Ed25519Key.from_private_key_file(folder + '/id')
key.load_certificate(folder + '/id-cert.pub')
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
client.connect('127.0.0.1', port, user, pkey=key, allow_agent=False, look_for_keys=False)
_, out, err = client.exec_command('echo out; echo err >&2; exit 7')
print(out.read().decode().strip(), err.read().decode().strip(), out.channel.recv_exit_status())
files = client.open_sftp()
files.put(folder + '/local', 'of-paramiko')
files.get('of-paramiko', folder + '/back')
print(files.stat('of-paramiko').st_size)
def one(at, into):
    _, out, _ = client.exec_command('echo %d' % at)
    into[at] = out.read().decode().strip()
answers = {}
threads = [threading.Thread(target=one, args=(at, answers)) for at in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(all(answers[at] == str(at) for at in range(20)))
way = client.get_transport().open_channel('direct-tcpip', ('127.0.0.1', sshd), ('127.0.0.1', 0))
print(way.recv(7).decode())
shell = client.invoke_shell(width=132, height=43)
shell.send('stty size; exit 3\\n')
text = b''
while True:
    more = shell.recv(4096)
    if not more: break
    text += more
print(b'43 132' in text, shell.recv_exit_status())
client.close()
`);

  expect(
    ran.stderr.replaceAll(/.*(CryptographyDeprecationWarning|Blowfish|TripleDES|"class":|"cipher":).*\n/g, ''),
  ).toBe('');
  expect(ran.stdout.split('\n')).toEqual(['out err 7', '2000000', 'True', 'SSH-2.0', 'True 3', '']);
  expect(hashAt('back')).toBe(hash);
});

test('asyncssh runs commands, copies files and forwards, all over one connection', async () => {
  const hash = someFile();
  const ran = await python(`
import sys, asyncio, asyncssh
port, user, folder, sshd = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
async def main():
    key = (folder + '/id', folder + '/id-cert.pub')
    known = open(folder + '/known_hosts').read()
    async with asyncssh.connect('127.0.0.1', port, username=user, client_keys=[key], agent_path=None,
                                config=None, known_hosts=asyncssh.import_known_hosts(known)) as connection:
        ran = await connection.run('cat; echo err >&2; exit 7', input='in')
        print(ran.stdout, ran.stderr.strip(), ran.exit_status)
        many = await asyncio.gather(*[connection.run('echo %d' % at) for at in range(20)])
        print(all(each.stdout.strip() == str(at) for at, each in enumerate(many)))
        async with connection.start_sftp_client() as files:
            await files.put(folder + '/local', 'of-asyncssh')
            await files.get('of-asyncssh', folder + '/back')
            print(await files.getsize('of-asyncssh'))
        reader, writer = await connection.open_connection('127.0.0.1', sshd)
        print((await reader.read(7)).decode())
        writer.close()
        process = await connection.create_process('stty size', term_type='xterm', term_size=(132, 43))
        print((await process.wait()).stdout.strip())
asyncio.run(main())
`);

  expect(
    ran.stderr.replaceAll(
      /.*(CryptographyDeprecationWarning|ARC4|Blowfish|CAST|SEED|IDEA|TripleDES|_cipher|Cipher).*\n/g,
      '',
    ),
  ).toBe('');
  expect(ran.stdout.split('\n')).toEqual(['in err 7', 'True', '2000000', 'SSH-2.0', '43 132', '']);
  expect(hashAt('back')).toBe(hash);
});

test('ansible reaches many hosts at once, runs modules and copies files', async () => {
  const hash = someFile();
  const names = Array.from({ length: 4 }, (_, at) => `h${at}`);
  writeFileSync(inDir('hosts'), `${names.map((name) => `${name} ansible_host=web-1.localhost`).join('\n')}\n`);
  mkdirSync(inDir('ansible'));
  writeFileSync(
    inDir('ansible.cfg'),
    [
      '[defaults]',
      `inventory = ${inDir('hosts')}`,
      `remote_user = ${login}`,
      'host_key_checking = True',
      'interpreter_python = /usr/bin/python3',
      `local_tmp = ${inDir('ansible')}`,
      '[ssh_connection]',
      `ssh_args = -F ${client.config} -o ControlMaster=auto -o ControlPersist=2s`,
      `control_path_dir = ${inDir('ansible')}`,
      'pipelining = False',
      '',
    ].join('\n'),
  );
  const env = { ANSIBLE_CONFIG: inDir('ansible.cfg'), HOME: client.dir, ANSIBLE_NOCOLOR: '1' };
  const ansible = (...args: string[]) => client.run('ansible', ['all', '-o', '-f', '4', ...args], { env });

  const ping = await ansible('-m', 'ping');
  expect(ping.code, ping.stdout + ping.stderr).toBe(0);
  expect(ping.stdout.match(/"ping": "pong"/g)).toHaveLength(names.length);
  const copied = await ansible('-m', 'copy', '-a', `src=${inDir('local')} dest=of-ansible-{{ inventory_hostname }}`);
  expect(copied.code, copied.stdout + copied.stderr).toBe(0);
  const looked = await client.ssh(`${login}@web-1.localhost`, 'sha256sum of-ansible-*');
  expect(looked.stdout.split(hash)).toHaveLength(names.length + 1);
});

test('what VS Code does: a script into bash over a connection with SOCKS, and its server reached through that', async () => {
  const socks = await freePort();
  const child = client.start('ssh', [
    ...['-T', '-F', client.config, '-D', String(socks), '-o', 'ConnectTimeout=15', `${login}@web-1.localhost`, 'bash'],
  ]);
  let heard = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    heard += bytes;
  });
  child.stdin?.write(`
echo "running=="; uname -s
mkdir -p .vscode-server && head -c 3000000 /dev/urandom > .vscode-server/package
cd .vscode-server && python3 -u -m http.server --bind 127.0.0.1 0 > log 2>&1 &
for try in $(seq 200); do grep -q "port [0-9]" .vscode-server/log 2>/dev/null && break; sleep 0.05; done
echo "listeningOn==$(sed -n 's/.*port \\([0-9]*\\).*/\\1/p' .vscode-server/log | head -1)=="
sha256sum .vscode-server/package
`);
  const [, far] = await vi.waitFor(() => /listeningOn==(\d+)==[\s\S]*package/.exec(heard) ?? expect.fail(heard), {
    timeout: SOON_MS,
  });
  const fetch = (name: string) =>
    client.run('curl', [
      '-sS',
      '--socks5-hostname',
      `127.0.0.1:${socks}`,
      '-o',
      inDir(name),
      `http://127.0.0.1:${far}/package`,
    ]);
  const many = await Promise.all(Array.from({ length: 12 }, (_, at) => fetch(`part-${at}`)));

  expect(many.map(({ code }) => code)).toEqual(many.map(() => 0));
  expect(new Set(many.map((_, at) => hashAt(`part-${at}`)))).toEqual(new Set([/([0-9a-f]{64}) /.exec(heard)?.[1]]));
  // The script goes on as long as the window is open, and ends with it.
  child.stdin?.end('kill %1; exit 0\n');
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
});
