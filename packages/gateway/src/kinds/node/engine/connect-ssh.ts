/** One SSH connection over any stream of bytes, signed in with a certificate, to a server that proved who it is. */

import type { Duplex } from 'node:stream';
import { VERSION } from '@gatehouse/contract/std/version';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { containFollowed } from '@gatehouse/tunnel/contain';
import { Client, type ConnectConfig } from 'ssh2';
import type { SshCredential } from '../../../platform/crypto/ssh/certificate.ts';
import { fingerprint } from '../../../platform/crypto/ssh/public-key.ts';
import { boundPackets, boundWrites } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { handKnownKeys } from '../../../platform/crypto/ssh/ssh2/cipher-reuse.ts';
import { hearWholeIdent } from '../../../platform/crypto/ssh/ssh2/whole-ident.ts';
import { explainEnd, type LoginTries } from './explain-end.ts';
import { createHostTrust, type HostTrust, type SshTarget } from './host-trust.ts';
import { SshFailure } from './ssh-failure.ts';
import { certificateKey, readAsPlainKey, signPlainly } from './ssh2-patches/certificates.ts';

handKnownKeys();

export interface SshRequest {
  /** To the server, open already; taken over. */
  stream: Duplex;
  node: SshTarget;
  login: string;
  credential: SshCredential;
  /** Ends the waiting, and later the connection. */
  signal?: AbortSignal;
  /** From the first byte to agreed keys. */
  handshakeMs?: number;
  /** From agreed keys to being let in. */
  loginMs?: number;
  /** `probe` stops when the server has said that it would take the certificate: nobody is signed in. */
  until?: 'login' | 'probe';
  /** The server has proved who it is; the login follows. */
  onHandshake?: () => void;
  now?: () => number;
}

export interface SshConnection {
  client: Client;
  /** Fingerprint of the key the server proved. */
  hostKey: string;
  /** Resolves when it is over, for whatever reason. */
  closed: Promise<void>;
  /** Says goodbye and closes, whether or not the server answers. */
  close(): void;
}

const HANDSHAKE_MS = 10_000;
const LOGIN_MS = 20_000;
/** What a server may say before its name. */
export const MAX_GREETING_BYTES = 64 * 1024;
/** A server that has vanished is noticed after about a minute. */
const KEEP_ALIVE = { keepaliveInterval: 15_000, keepaliveCountMax: 3 };

/** No ChaCha20: without a native addon it costs twice the CPU. No SHA-1 and no compression. */
export const ALGORITHMS = {
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
} as const;

/** Rejects with an `SshFailure`; the stream is closed then. */
export async function connectSsh(request: SshRequest): Promise<SshConnection> {
  const { stream, node, login, credential, signal, now = Date.now } = request;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // It may be rejected before anybody waits for it.
  promise.catch(() => {});
  const client = new Client();
  const trust = createHostTrust(node, now);
  const tries: LoginTries = { stage: 'handshake', signed: false, methods: undefined, partial: false };
  let hostKey = '';

  const keys = credential.certificates.map(({ blob }) =>
    certificateKey(credential.key, blob, () => {
      tries.signed = true;
      if (request.until !== 'probe') return true;
      resolve();
      return false;
    }),
  );
  const authHandler = loginWith(keys, login, tries);
  const verify = hostVerifier(client, trust, {
    onBelieved: (plain) => {
      hostKey = fingerprint(plain);
    },
    reject,
  });

  const closed = new Promise<void>((done) => void client.once('close', done));
  const failed = (error: Error | undefined) => reject(explainEnd(error, { ...request, tries }));
  // Stays for good: an error nobody listens to would end the process.
  client.on('error', failed);
  client.once('close', () => failed(undefined));
  client.once('ready', () => resolve());
  const timer = restartableTimer((ms) =>
    reject(
      new SshFailure(
        'timed_out',
        `the server '${node.name}' did not finish the SSH ${tries.stage} within ${ms / 1000} s`,
        {
          stage: tries.stage,
          next: 'look at the load and the log of the server; a firewall that swallows data looks like this too',
        },
      ),
    ),
  );
  timer.start(request.handshakeMs ?? HANDSHAKE_MS);
  client.once('handshake', () => {
    tries.stage = 'login';
    timer.start(request.loginMs ?? LOGIN_MS);
    request.onHandshake?.();
  });
  const forget = whenAborted(signal, () => {
    reject(
      new SshFailure('lost', 'the connection was given up', {
        stage: tries.stage,
        next: 'try again',
        cause: signal?.reason,
      }),
    );
    stream.destroy();
  });
  void closed.then(forget);

  boundWrites(stream);
  hearWholeIdent(stream, MAX_GREETING_BYTES);
  // Whatever else a server makes ssh2 fail at costs it this connection.
  containFollowed(stream, { where: 'ssh server', address: node.addr, cut: () => stream.destroy() });
  try {
    client.connect({
      sock: stream,
      username: login,
      ident: `Gatehouse_${VERSION}`,
      readyTimeout: 0,
      ...KEEP_ALIVE,
      algorithms: { ...ALGORITHMS, serverHostKey: trust.algorithms },
      authHandler,
      hostVerifier: verify,
    } as unknown as ConnectConfig);
    // Without its addon ssh2 writes a packet in several pieces: Nagle's delay would make each keystroke wait 40 ms.
    client.setNoDelay(true);
    signPlainly(client, keys);
    boundPackets(client, () => stream.destroy());
    await promise;
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    timer.stop();
  }
  return {
    client,
    hostKey,
    closed,
    close() {
      client.end();
      // A server that does not answer the goodbye must not keep the connection.
      setTimeout(() => stream.destroy(), 1_000).unref();
    },
  };
}

/** Shows one certificate after the other, and remembers what the server says to them. */
function loginWith(keys: readonly object[], username: string, tries: LoginTries) {
  let next = 0;
  return (methods: string[] | null, partial: boolean | null, answer: (auth: unknown) => void) => {
    tries.methods = methods ?? undefined;
    tries.partial = partial === true;
    const key = keys[next];
    next += 1;
    const mayTry = methods === null || methods.includes('publickey');
    // A certificate that was taken and then refused will not be liked better with another signature.
    answer(key && mayTry && !tries.partial && !tries.signed ? { type: 'publickey', username, key } : false);
  };
}

/** Asked at every exchange of keys, the first and each later one. */
function hostVerifier(
  client: Client,
  trust: HostTrust,
  { onBelieved, reject }: { onBelieved(plain: Buffer): void; reject(error: unknown): void },
) {
  return (blob: Buffer): boolean => {
    try {
      const { plain, certified } = trust.check(blob);
      if (certified) readAsPlainKey(client, blob, plain);
      onBelieved(plain);
      return true;
    } catch (error) {
      reject(error);
      return false;
    }
  };
}

function restartableTimer(onEnd: (ms: number) => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    start(ms: number) {
      clearTimeout(timer);
      timer = setTimeout(() => onEnd(ms), ms).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
