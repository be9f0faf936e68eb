/** A real sshd, accounts on this machine, an authority it trusts, and connections to it. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { type SshdOptions, startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import { onTestFinished } from 'vitest';
import { connectSsh, type SshConnection, type SshRequest } from '../../../src/kinds/node/engine/connect-ssh.ts';
import { mintCertificate, type NewCertificate } from '../../../src/platform/crypto/ssh/certificate.ts';
import { ed25519Blob, publicKeyLine } from '../../../src/platform/crypto/ssh/public-key.ts';

export const newKey = () => generateKeyPairSync('ed25519').privateKey;
const authority = newKey();
const userKey = newKey();
const AUTHORITY_LINE = publicKeyLine(ed25519Blob(authority));

export interface SshWorld {
  sshd: TestSshd;
  /** Accounts that exist. */
  logins: readonly string[];
  /** By the authority that is trusted, for the first account, unless told. */
  certificate(over?: Partial<NewCertificate>, by?: KeyObject): Buffer;
  /** Signed in with such a certificate, unless told; closed with the test. */
  open(over?: Partial<SshRequest>, server?: TestSshd): Promise<SshConnection>;
  dial(port?: number): Promise<Socket>;
  close(): Promise<void>;
}

export async function startSshWorld(): Promise<SshWorld> {
  const users = await makeOsUsers(2);
  const sshd = await startSshd({ trusts: [AUTHORITY_LINE], hostKeys: ['ed25519', 'rsa', 'ecdsa'] });
  const login = users.names[0]!;
  const certificate: SshWorld['certificate'] = (over = {}, by = authority) =>
    mintCertificate(by, {
      kind: 'user',
      subject: userKey,
      keyId: 'user=ann session=s1',
      principals: [login],
      validAfter: Date.now() - 60_000,
      validBefore: Date.now() + 60_000,
      extensions: ['permit-pty'],
      ...over,
    });
  const dial = (port = sshd.port) =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(socket)).once('error', reject);
    });
  return {
    sshd,
    logins: users.names,
    certificate,
    dial,
    async open(over = {}, server = sshd) {
      const connection = await connectSsh({
        stream: await dial(server.port),
        node: nodeFor(server, { hostKeys: [server.hostKey()] }),
        login,
        credential: credentialOf(certificate()),
        ...over,
      });
      onTestFinished(() => connection.close());
      return connection;
    },
    async close() {
      await sshd.stop();
      await users.remove();
    },
  };
}

export function credentialOf(...blobs: Buffer[]): SshRequest['credential'] {
  return { key: userKey, certificates: blobs.map((blob) => ({ blob, authority: 'SHA256:test' })) };
}

export function nodeFor(server: TestSshd, over: Partial<SshRequest['node']> = {}): SshRequest['node'] {
  return { name: 'web-1', addr: server.addr, hostKeys: [], hostAuthorities: [], ...over };
}

/** Another sshd that trusts the same authority, stopped with the test. */
export async function startOwn(options: SshdOptions = {}): Promise<TestSshd> {
  const own = await startSshd({ trusts: [AUTHORITY_LINE], ...options });
  onTestFinished(() => own.stop());
  return own;
}

export function execute({ client }: SshConnection, command: string): Promise<string> {
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

/** A server of another sort on a free port, closed with the test. */
export async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
