/** SSH servers that keep no order in what they say of a command or a forward: each has an end all the same, and nothing else is harmed. */
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import ssh2, { type Connection } from 'ssh2';
import { expect, onTestFinished, test } from 'vitest';
import { credentialOf, newKey } from '../../../../testing/kinds/node/ssh-world.ts';
import { mintCertificate } from '../../../platform/crypto/ssh/certificate.ts';
import type { CommandEnd } from '../../../sessions/commands/running-command.ts';
import { connectSsh } from './connect-ssh.ts';
import { runOverSsh } from './ssh-command.ts';
import { forwardsOverSsh } from './ssh-forward.ts';

/** What of ssh2 a server that keeps no rules would say; each takes the number of a channel first. */
interface Raw {
  channelData(id: number, bytes: Buffer): void;
  channelExtData(id: number, bytes: Buffer, type: number): void;
  channelEOF(id: number): void;
  channelClose(id: number): void;
  channelSuccess(id: number): void;
  channelFailure(id: number): void;
  channelWindowAdjust(id: number, bytes: number): void;
  channelOpenConfirm(to: number, from: number, window: number, packetBytes: number): void;
  channelOpenFail(id: number, reason: number, words: string): void;
  exitStatus(id: number, code: number): void;
  exitSignal(id: number, name: string, core: boolean, words: string): void;
  forwardedTcpip(id: number, window: number, packetBytes: number, info: object): void;
  x11(id: number, window: number, packetBytes: number, info: object): void;
  requestSuccess(bytes?: Buffer): void;
}

const BYTES = Buffer.alloc(1_000, 0x41);
const SAID: readonly ((raw: Raw, id: number) => void)[] = [
  (raw, id) => raw.channelData(id, BYTES),
  (raw, id) => raw.channelExtData(id, BYTES, 1),
  (raw, id) => raw.channelExtData(id, BYTES, 7),
  (raw, id) => raw.channelEOF(id),
  (raw, id) => raw.channelClose(id),
  (raw, id) => raw.channelSuccess(id),
  (raw, id) => raw.channelFailure(id),
  (raw, id) => raw.channelWindowAdjust(id, 0xffff_ffff),
  (raw, id) => raw.channelOpenConfirm(id, id, 0xffff_ffff, 32_768),
  (raw, id) => raw.channelOpenFail(id, 1, 'x'.repeat(30_000)),
  (raw, id) => raw.exitStatus(id, 0xffff_ffff),
  (raw, id) => raw.exitSignal(id, 'KILL', true, 'x'.repeat(30_000)),
  (raw, id) => raw.x11(id + 100, 1_000, 32_768, { originAddr: 'x', originPort: 1 }),
  (raw) => raw.requestSuccess(Buffer.alloc(4)),
];

interface Said {
  what: number;
  off: number;
}
const said: fc.Arbitrary<Said[]> = fc.array(
  fc.record({
    what: fc.nat({ max: SAID.length - 1 }),
    // Mostly of the channel that there is, sometimes of one that is not.
    off: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) }),
  }),
  { maxLength: 30 },
);

const at = (...what: number[]): [Said[]] => [what.map((each) => ({ what: each, off: 0 }))];
/** Errors and output behind the end of a channel, before and after what was asked for was answered. */
const BEHIND_THE_END = [at(3, 1), at(5, 3, 1), at(3, 0), at(5, 3, 0), at(4, 1), at(5, 4, 0), at(5, 3, 3, 4, 4)];

async function connected(lines: () => readonly Said[]) {
  const keys = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
  const server = new ssh2.Server({ hostKeys: [keys.private] }, (client: Connection) => {
    client.on('error', () => {});
    const { _protocol: raw } = client as unknown as { _protocol: Raw };
    const speak = (id: number) => {
      for (const { what, off } of lines()) SAID[what]?.(raw, id + off);
      // Whatever was said, it is gone then.
      setTimeout(() => client.end(), 30);
    };
    client.on('authentication', (context) => context.accept());
    client.on('session', (accept) => {
      const session = accept();
      session.on('exec', () =>
        speak((session as unknown as { _chanInfo: { outgoing: { id: number } } })._chanInfo.outgoing.id),
      );
    });
    client.on('tcpip', (accept) => {
      const channel = accept();
      channel.on('error', () => {});
      speak((channel as unknown as { outgoing: { id: number } }).outgoing.id);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const [type = '', key = ''] = keys.public.split(' ');
  const node = { name: 'evil', addr: `127.0.0.1:${port}`, hostKeys: [`${type} ${key}`], hostAuthorities: [] };
  return async () => {
    const stream = await new Promise<Socket>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(socket)).once('error', reject);
    });
    const subject = newKey();
    const times = { validAfter: Date.now() - 60_000, validBefore: Date.now() + 60_000 };
    const blob = mintCertificate(newKey(), {
      ...{ kind: 'user', subject, keyId: 'ann', principals: ['ann'], extensions: ['permit-pty'], ...times },
    });
    return await connectSsh({ stream, node, login: 'ann', credential: credentialOf(blob) });
  };
}

test('a command has one end, whatever is said of it', async () => {
  let lines: readonly Said[] = [];
  const come = await connected(() => lines);
  await fc.assert(
    fc.asyncProperty(said, async (given) => {
      lines = given;
      const signal = new AbortController().signal;
      const connection = await come();
      const close = () => connection.close();
      const lease = { giveBack: close, retire: close, cut: close };
      const program = { type: 'command', command: 'true', env: {} } as const;
      const end = await runOverSsh({ connection, ...lease, name: 'evil', program, signal }).then(
        async (running): Promise<CommandEnd | Error> => {
          running.stdout.resume();
          running.stderr.resume();
          running.stdin.on('error', () => {}).end('input');
          running.signal('TERM');
          return await running.ended;
        },
        (error: Error) => error,
      );
      if (end instanceof Error) expect(end.message.length).toBeLessThan(5_000);
      else expect(['exit', 'signal', 'lost']).toContain(end.kind);
      await connection.closed;
    }),
    { numRuns: 40, examples: BEHIND_THE_END },
  );
});

test('a forward has one end, whatever is said of it', async () => {
  let lines: readonly Said[] = [];
  const come = await connected(() => lines);
  await fc.assert(
    fc.asyncProperty(said, async (given) => {
      lines = given;
      const connection = await come();
      const forwards = forwardsOverSsh(connection, 'evil', new AbortController().signal);
      const stream = await forwards.open({ type: 'tcp', host: 'db', port: 1 }).catch((error: Error) => {
        expect(error.message.length).toBeLessThan(5_000);
        return undefined;
      });
      if (stream && !stream.destroyed) {
        stream.resume().write('input');
        await new Promise((resolve) => stream.once('close', resolve));
      }
      forwards.close();
      await connection.closed;
    }),
    { numRuns: 40, examples: BEHIND_THE_END },
  );
});
