/** The agent of one key, as the programs of OpenSSH speak to it. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mintCertificate } from '@gatehouse/gateway/platform/crypto/ssh/certificate';
import { ed25519Blob, fingerprint } from '@gatehouse/gateway/platform/crypto/ssh/public-key';
import { expect, onTestFinished, test } from 'vitest';
import { serveAgent } from './serve-agent.ts';

const run = promisify(execFile);

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const certificate = mintCertificate(generateKeyPairSync('ed25519').privateKey, {
    ...{ kind: 'user', subject: key, keyId: 'try', principals: ['gatehouse-person'] },
    ...{ validAfter: Date.now() - 1_000, validBefore: Date.now() + 60_000 },
  });
  const agent = await serveAgent(folder, { key, certificate });
  onTestFinished(() => {
    agent.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, key, certificate, agent, env: { ...process.env, SSH_AUTH_SOCK: agent.path } };
}

test('ssh-add finds the certificate, ssh-keygen signs by it, and nothing but the socket lies in the folder', async () => {
  const { folder, key, certificate, env } = await start();
  expect(readdirSync(folder)).toEqual(['agent']);
  expect(statSync(folder).mode & 0o077).toBe(0);
  const { stdout: listed } = await run('ssh-add', ['-l'], { env });
  expect(listed).toContain(fingerprint(ed25519Blob(key)));
  expect(listed).toContain('(ED25519-CERT)');

  const text = join(folder, 'text');
  writeFileSync(text, 'signed by who holds the key');
  writeFileSync(join(folder, 'id-cert.pub'), `ssh-ed25519-cert-v01@openssh.com ${certificate.toString('base64')}\n`);
  await run('ssh-keygen', ['-Y', 'sign', '-f', join(folder, 'id-cert.pub'), '-n', 'file', text], { env });
  const checked = run('ssh-keygen', ['-Y', 'check-novalidate', '-n', 'file', '-s', `${text}.sig`]);
  checked.child.stdin?.end('signed by who holds the key');
  expect((await checked).stdout).toContain('Good "file" signature');
});

test('what is no message ends that connection alone, and what is not known is refused', async () => {
  const { agent, env } = await start();
  const said = async (bytes: Buffer) => {
    const socket = connect(agent.path);
    const parts: Buffer[] = [];
    socket.on('data', (part) => {
      parts.push(part);
      socket.end();
    });
    socket.on('error', () => {});
    socket.write(bytes);
    await once(socket, 'close');
    return Buffer.concat(parts).toString('hex');
  };
  expect(await said(Buffer.from('ffffffff0b', 'hex'))).toBe('');
  expect(await said(Buffer.from('00000000', 'hex'))).toBe('');
  // An extension, and a request to sign that ends too early.
  expect(await said(Buffer.from('000000011b', 'hex'))).toBe('0000000105');
  expect(await said(Buffer.from('000000050d00000fff', 'hex'))).toBe('0000000105');
  expect((await run('ssh-add', ['-l'], { env })).stdout).toContain('ED25519-CERT');
});
