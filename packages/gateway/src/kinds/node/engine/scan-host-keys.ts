/** Asks a server which host keys it has. Each is proved by a whole key exchange; nobody is signed in. */
import type { Duplex } from 'node:stream';
import { VERSION } from '@gatehouse/contract/std/version';
import { Client, type ConnectConfig } from 'ssh2';
import { publicKeyLine } from '../../../platform/crypto/ssh/public-key.ts';
import { boundWrites } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { hearWholeIdent } from '../../../platform/crypto/ssh/ssh2/whole-ident.ts';
import { ALGORITHMS, MAX_GREETING_BYTES } from './connect-ssh.ts';
import { plainAlgorithms } from './host-trust.ts';
import { SshFailure } from './ssh-failure.ts';

export interface ScanRequest {
  /** Opens a connection to the server; called once per type of key. */
  dial(): Promise<Duplex>;
  addr: string;
  handshakeMs?: number;
}

const HANDSHAKE_MS = 10_000;
/** Types that are asked for one after the other; a server shows one key per connection. */
const TYPES = [['ssh-ed25519'], ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'], ['ssh-rsa']];

/** Lines of public keys, the strongest first; throws an `SshFailure` when none was shown. */
export async function scanHostKeys({ dial, addr, handshakeMs = HANDSHAKE_MS }: ScanRequest): Promise<string[]> {
  const keys: string[] = [];
  for (const types of TYPES) {
    const key = await askFor(await dial(), plainAlgorithms(types), { addr, handshakeMs });
    if (key) keys.push(publicKeyLine(key));
  }
  if (keys.length > 0) return keys;
  throw new SshFailure('protocol', `the server at ${addr} shows no host key of a type that is known here`, {
    stage: 'handshake',
    next: 'make one on the server: ssh-keygen -A',
  });
}

/** Undefined when the server has no key of these types. */
function askFor(
  stream: Duplex,
  algorithms: readonly string[],
  { addr, handshakeMs }: { addr: string; handshakeMs: number },
): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const client = new Client();
  let shown: Buffer | undefined;
  const fail = (reason: 'timed_out' | 'protocol', message: string, cause?: unknown) =>
    reject(new SshFailure(reason, message, { stage: 'handshake', next: `look at what listens at ${addr}`, cause }));
  const timer = setTimeout(
    () => fail('timed_out', `no SSH server answered at ${addr} within ${handshakeMs / 1000} s`),
    handshakeMs,
  ).unref();
  client.on('error', (error) => {
    if (error.message.includes('no matching host key format')) resolve(undefined);
    else fail('protocol', `what answers at ${addr} does not speak SSH as it should: ${error.message}`, error);
  });
  client.once('close', () => fail('protocol', `the server at ${addr} closed the connection`));
  client.once('handshake', () => resolve(shown));
  boundWrites(stream);
  hearWholeIdent(stream, MAX_GREETING_BYTES);
  client.connect({
    sock: stream,
    username: '-',
    ident: `Gatehouse_${VERSION}`,
    readyTimeout: 0,
    algorithms: { ...ALGORITHMS, serverHostKey: algorithms },
    authHandler: (_methods: unknown, _partial: unknown, next: (auth: false) => void) => next(false),
    hostVerifier: (blob: Buffer) => {
      shown = blob;
      return true;
    },
  } as unknown as ConnectConfig);
  return promise.finally(() => {
    clearTimeout(timer);
    stream.destroy();
  });
}
