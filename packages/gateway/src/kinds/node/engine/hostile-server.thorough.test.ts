/** SSH servers that send more than they may, or make us send without reading: they lose the connection, and memory stays. */
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { expect, onTestFinished, test } from 'vitest';
import { credentialOf, newKey } from '../../../../testing/kinds/node/ssh-world.ts';
import { mintCertificate } from '../../../platform/crypto/ssh/certificate.ts';
import { boundWrites } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import type { ShellEvents, ShellOver } from '../../../sessions/terminal/shell.ts';
import { connectSsh } from './connect-ssh.ts';
import { openSshShell } from './ssh-shell.ts';

const PIECE = Buffer.alloc(32 * 1024, 0x41);

/** What of ssh2 a server that keeps no rules would do. */
interface Raw {
  _protocol: {
    channelOpenConfirm(to: number, from: number, window: number, packetBytes: number): void;
    channelData(id: number, bytes: Buffer): void;
    channelExtData(id: number, bytes: Buffer, type: number): void;
  };
}

interface Hostile {
  /** The largest packet it says it takes. */
  packetBytes?: number;
  onShell(channel: ServerChannel, raw: Raw['_protocol'], id: number): void;
}

async function openHostile({ onShell, packetBytes }: Hostile) {
  const keys = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
  const server = new ssh2.Server({ hostKeys: [keys.private] }, (client: Connection) => {
    client.on('error', () => {});
    const { _protocol: raw } = client as unknown as Raw;
    const confirm = raw.channelOpenConfirm.bind(raw);
    raw.channelOpenConfirm = (to, from, window, bytes) => confirm(to, from, window, packetBytes ?? bytes);
    client.on('authentication', (context) => context.accept());
    client.on('session', (accept) => {
      const session = accept();
      session.on('pty', (accepted) => accepted?.());
      session.on('env', (accepted) => accepted?.());
      session.on('shell', (accepted) => {
        const channel = accepted();
        const { id } = (channel as unknown as { outgoing: { id: number } }).outgoing;
        onShell(channel, (client as unknown as Raw)._protocol, id);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const stream = await new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket)).once('error', reject);
  });
  const subject = newKey();
  const times = { validAfter: Date.now() - 60_000, validBefore: Date.now() + 60_000 };
  const blob = mintCertificate(newKey(), {
    ...{ kind: 'user', subject, keyId: 'ann', principals: ['ann'], extensions: ['permit-pty'], ...times },
  });
  const [type = '', key = ''] = keys.public.split(' ');
  const connection = await connectSsh({
    stream,
    node: { name: 'evil', addr: `127.0.0.1:${port}`, hostKeys: [`${type} ${key}`], hostAuthorities: [] },
    login: 'ann',
    credential: credentialOf(blob),
  });
  const over = Promise.withResolvers<ShellOver>();
  const heard = { bytes: 0 };
  const nothing = () => {};
  const events: ShellEvents = {
    ...{ begin: nothing, taken: nothing, size: nothing, echo: nothing, program: nothing, away: nothing, back: nothing },
    output: (bytes) => {
      heard.bytes += bytes.length;
    },
    over: over.resolve,
  };
  const shell = await openSshShell({
    connection,
    name: 'evil',
    size: { cols: 80, rows: 24 },
    program: { term: 'xterm' },
    events,
  });
  onTestFinished(() => shell.end('over'));
  return { shell, over: over.promise, heard, stream };
}

test.each([
  ['its output', (raw: Raw['_protocol'], id: number) => raw.channelData(id, PIECE)],
  ['its errors', (raw: Raw['_protocol'], id: number) => raw.channelExtData(id, PIECE, 1)],
])('a server that pays no heed to the window with %s is cut off', async (_, send) => {
  // Nobody reads: what was passed on stays at nothing.
  const { over, heard, stream } = await openHostile({
    onShell(channel, raw, id) {
      const timer = setInterval(() => {
        if (channel.destroyed) clearInterval(timer);
        else for (let piece = 0; piece < 64; piece++) send(raw, id);
      }, 5);
      channel.on('close', () => clearInterval(timer));
      channel.on('error', () => clearInterval(timer));
      setTimeout(() => clearInterval(timer), 10_000).unref();
    },
  });

  expect((await over).reason).toMatch('more than it was asked for');
  expect(heard.bytes).toBeLessThan(3 * 1024 * 1024);
  await sleep(0);
  expect(stream.readableLength).toBeLessThan(1024 * 1024);
});

test('a server that reads nothing of what it is sent is cut off before that fills the memory', () => {
  const deaf = new Duplex({ read() {}, write() {} });
  deaf.on('error', () => {});
  boundWrites(deaf);

  for (let turn = 0; turn < 10_000 && !deaf.destroyed; turn++) deaf.write(PIECE);

  expect(deaf.destroyed).toBe(true);
  expect(deaf.writableLength).toBeLessThan(17 * 1024 * 1024);
});

test('a server that takes no packets of any size loses the connection, and the gateway does not stand still', async () => {
  const { shell, over } = await openHostile({
    onShell: () => {},
    packetBytes: 0,
  }).then(
    (opened) => opened,
    (error: Error) => ({ shell: undefined, over: Promise.resolve({ reason: error.message } as ShellOver) }),
  );
  shell?.input('w', 0, Buffer.from('x'));
  expect((await over).reason).toMatch(/gave no shell|was lost/);
});
