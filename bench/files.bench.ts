/** What the gateway costs when files are copied: 200 MB each way through it, beside sftp and scp straight to the same sshd, taking turns. */
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { signInToProcess } from '@gatehouse/gateway/testing/sessions/process-people';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { startSshd } from '@gatehouse/testkit/sshd';

const BYTES = 200_000_000;
const ROUNDS = 2;
/** Of the better of sftp and scp, in the same run; sftp encrypts in C, the gateway in JavaScript, twice where it speaks TLS. */
const MIN_RATIO = 0.2;

const users = await makeOsUsers(1);
const login = users.names[0] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-files-bench-'));
const sshd = await startSshd();
const gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off', GATEHOUSE_LOG_LEVEL: 'warn' });
try {
  process.exitCode = await measure();
} finally {
  await gateway.stop();
  await sshd.stop();
  await users.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<number> {
  const local = join(folder, 'local.bin');
  execFileSync('sh', ['-c', `head -c ${BYTES} /dev/urandom > ${local}`]);
  execFileSync('runuser', ['-u', login, '--', 'sh', '-c', `head -c ${BYTES} /dev/urandom > ~/remote.bin`]);
  const direct = await directCopies();
  const through = await throughGateway();
  const ways: Record<string, () => Promise<void>> = {
    'sftp up': () => direct.sftp(`put ${local} up-sftp.bin`),
    'scp up': () => direct.scp(local, `${login}@127.0.0.1:up-scp.bin`),
    'gateway up': () => through.upload(local),
    'sftp down': () => direct.sftp(`get remote.bin ${join(folder, 'down-sftp.bin')}`),
    'scp down': () => direct.scp(`${login}@127.0.0.1:remote.bin`, join(folder, 'down-scp.bin')),
    'gateway down': () => through.download(),
  };
  const rates = new Map<string, number[]>(Object.keys(ways).map((way) => [way, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [way, copy] of Object.entries(ways)) {
      const from = performance.now();
      await copy();
      // The first round warms everything up.
      if (round > 0) rates.get(way)?.push(BYTES / 1e3 / (performance.now() - from));
    }
  }
  const median = (way: string) => (rates.get(way) ?? []).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  for (const way of Object.keys(ways))
    process.stdout.write(`${way.padEnd(14)} ${median(way).toFixed(0).padStart(5)} MB/s\n`);
  const ratios = ['up', 'down'].map(
    (to) => median(`gateway ${to}`) / Math.max(median(`sftp ${to}`), median(`scp ${to}`)),
  );
  process.stdout.write(`gateway memory: at most ${peakMegabytes()} MB\n`);
  process.stdout.write(`gateway / direct: up ${ratios[0]?.toFixed(2)}, down ${ratios[1]?.toFixed(2)}\n`);
  return ratios.every((ratio) => ratio >= MIN_RATIO) ? 0 : 1;
}

/** Of the gateway's process, over its whole life. */
function peakMegabytes(): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid()}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1000);
}

/** A certificate of an authority of our own, which sshd trusts beside the gateway's. */
async function directCopies() {
  const [authority, key] = [join(folder, 'authority'), join(folder, 'key')];
  for (const file of [authority, key]) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  execFileSync('ssh-keygen', ['-q', '-s', authority, '-I', 'bench', '-n', login, `${key}.pub`]);
  const gatewayLines = (await gateway.command('ca', 'export')).stdout.trim().split('\n');
  sshd.trust([
    ...gatewayLines,
    execFileSync('cat', [`${authority}.pub`])
      .toString()
      .trim(),
  ]);
  const options = [
    '-q',
    '-i',
    key,
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    'UserKnownHostsFile=/dev/null',
    '-P',
    String(sshd.port),
  ];
  return {
    async sftp(command: string) {
      const batch = join(folder, 'batch');
      writeFileSync(batch, `${command}\n`);
      execFileSync('sftp', [...options, '-b', batch, `${login}@127.0.0.1`], { stdio: 'ignore' });
    },
    async scp(from: string, to: string) {
      execFileSync('scp', [...options, from, to], { stdio: 'ignore' });
    },
  };
}

async function throughGateway() {
  const added = await gateway.command('nodes', 'add', 'bench', sshd.addr);
  if (added.code !== 0) throw new Error(added.stderr);
  const spec = `{allow: {logins: [${login}], node_labels: {'*': '*'}}}`;
  await call(localSend(gateway.dataDir), roleRoutes.create, {
    body: { content: `kind: role\nversion: v6\nmetadata: {name: copier}\nspec: ${spec}\n` },
  });
  const tab = await signInToProcess(gateway, 'ann', 'copier');
  const csrf = /grv_csrf=([0-9a-f]+)/.exec(tab.headers.cookie ?? '')?.[1] ?? '';
  const raw = (path: string, init: RequestInit = {}) => {
    const headers = { ...tab.headers, authorization: `Bearer ${tab.token}`, 'x-csrf-token': csrf, ...init.headers };
    return fetch(`${gateway.origin}${path}`, { ...init, headers, duplex: 'half' } as RequestInit);
  };
  const send: Send = async ({ method, url, body }) => {
    const json = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
    const reply = await raw(url, { method, ...json });
    return { status: reply.status, text: await reply.text() };
  };
  const site = { clusterId: '-current-' };
  const { id, home } = await call(send, fileRoutes.open, { params: site, body: { server: 'bench', login } });
  const params = { ...site, fileSession: id };
  return {
    async upload(local: string) {
      const query = { folder: home, name: 'up-gateway.bin', upload: '0123456789abcdef', size: BYTES, replace: 'true' };
      const body = Readable.toWeb(createReadStream(local, { highWaterMark: 1024 * 1024 })) as unknown as BodyInit;
      const reply = await raw(pathFor(fileRoutes.write.path, params) + queryString(query), { method: 'PUT', body });
      if (reply.status !== 200) throw new Error(await reply.text());
      if (statSync(join(home, 'up-gateway.bin')).size !== BYTES) throw new Error('not all of it arrived');
    },
    async download() {
      const reply = await raw(pathFor(fileRoutes.read.path, params) + queryString({ path: join(home, 'remote.bin') }));
      let got = 0;
      for await (const piece of reply.body ?? []) got += piece.length;
      if (got !== BYTES) throw new Error(`only ${got} bytes came`);
    },
  };
}
