/** A shell on a terminal by the SSH door, opened with a certificate of somebody's. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { call, type Send } from '@gatehouse/contract/wire/client';
import ssh2, { type ClientChannel } from 'ssh2';
import { certificateKey, signPlainly } from '../../src/kinds/node/engine/ssh2-patches/certificates.ts';
import { ed25519Blob, publicKeyLine } from '../../src/platform/crypto/ssh/public-key.ts';

export interface SshShell {
  /** Settles when the shell is over. */
  over: Promise<unknown>;
  drop(): void;
}

/** Throws where nobody is let in, or the shell says nothing. */
export async function openSshShell(port: number, { send }: { send: Send }, target: string): Promise<SshShell> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { cert } = await call(send, sshCertificateRoutes.issue, {
    body: { pub_key: publicKeyLine(ed25519Blob(privateKey)) },
  });
  const shown = certificateKey(privateKey, Buffer.from(cert.split(' ')[1] ?? '', 'base64'), () => true);
  const client = new ssh2.Client();
  const drop = () => void client.end();
  try {
    const ready = once(client, 'ready');
    client.on('error', () => {});
    client.connect({
      ...{ host: '127.0.0.1', port, username: target, hostVerifier: () => true },
      algorithms: { serverHostKey: ['ssh-ed25519'] },
      authHandler: [{ type: 'publickey', username: target, key: shown }] as never,
    });
    signPlainly(client, [shown]);
    await ready;
    const channel = await new Promise<ClientChannel>((resolve, reject) =>
      client.shell((error, opened) => (error ? reject(error) : resolve(opened))),
    );
    const over = new Promise<void>((resolve) => {
      channel.once('close', () => resolve());
      client.once('close', () => resolve());
    });
    let told = '';
    channel.stderr.on('data', (bytes: Buffer) => {
      told += bytes;
    });
    const heard = new Promise((resolve) => channel.once('data', () => resolve('in')));
    channel.on('data', () => {});
    if ((await Promise.race([heard, over])) !== 'in') throw new Error(`nobody was let in: ${told}`);
    return { over, drop };
  } catch (error) {
    drop();
    throw error;
  }
}
