/** Real ssh at the door of a root, led to a hostile SSH server of an honest leaf, and to a hostile leaf: it ends in words, and nobody else notices. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import ssh2, { type Connection, type Session } from 'ssh2';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../testing/connection-tests/server-world.ts';
import { startCluster, type TestCluster } from '../../testing/federation/two-clusters.ts';
import { type HostileLeaf, joinAsHostileLeaf, ready } from '../../testing/relay/hostile-leaf-door.ts';
import { makeLeaf } from '../../testing/relay/leaf-world.ts';
import { type DoorClient, doorClient, openSshDoor, type Ran } from '../../testing/sessions/ssh-doors.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

const STEERING = '\u001b]0;owned\u0007\u001b[31m';
const PIECE = Buffer.alloc(32 * 1024, 0x41);
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-hostile-'));
execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(folder, 'key')]);
const keys = { private: readFileSync(join(folder, 'key')), public: readFileSync(join(folder, 'key.pub'), 'utf8') };

let root: TestCluster;
let leaf: ServerWorld;
let hostile: HostileLeaf;
let ann: TestBrowser;
let port: number;
let login: string;
let client: DoorClient;
/** What the server of the honest leaf does to whoever connects next. */
let serve: (socket: Socket) => void;
const tcp = createServer((socket) => {
  socket.on('error', () => {});
  serve(socket);
});
beforeAll(async () => {
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  root = await startCluster('home');
  // sshd looks at its own clock; whoever signed in before is long gone then.
  root.clock.now = Date.now();
  root.admin = await root.signedIn('admin');
  leaf = await startServerWorld();
  await leaf.trustGateway();
  await leaf.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await leaf.add({ name: 'web-1' });
  const { port: at } = tcp.address() as { port: number };
  const [type = '', key = ''] = keys.public.trim().split(' ');
  await leaf.add({ name: 'evil', addr: `127.0.0.1:${at}`, hostKeys: [`${type} ${key}`] });
  login = leaf.logins[0];
  await makeLeaf(root, leaf.gateway, [{ remote: 'access', local: ['dev'] }]);
  hostile = await joinAsHostileLeaf(root, 'hostile');
  ann = await root.signedIn('ann');
  port = await openSshDoor(root);
});
afterAll(async () => {
  await hostile?.close();
  tcp.close();
  rmSync(folder, { recursive: true, force: true });
  await leaf?.close();
  await root?.close();
});
beforeEach(async () => {
  root.clock.now = leaf.gateway.clock.now = Date.now();
  client = await doorClient(port, ann);
});

/** As long as somebody takes it. */
function say(stream: Duplex, piece: () => Buffer): void {
  const more = () => {
    if (stream.destroyed || !stream.writable) return;
    // Not all at once: what is sent over a websocket is never refused.
    if (stream.write(piece())) setImmediate(more);
    else stream.once('drain', more);
  };
  more();
}

const NO_SSH: [what: string, speak: (stream: Duplex) => void][] = [
  ['garbage', (stream) => say(stream, () => randomBytes(8_192))],
  ['lines without an end', (stream) => say(stream, () => Buffer.from(`${'x'.repeat(78)}\r\n`))],
  ['one line without an end', (stream) => say(stream, () => PIECE)],
  [
    'a packet of four gigabytes',
    (stream) => {
      stream.write('SSH-2.0-evil\r\n');
      stream.write(Buffer.alloc(4, 0xff));
      say(stream, () => PIECE);
    },
  ],
];

/** Both gateways serve whoever comes after it. */
async function othersGoOn(): Promise<void> {
  expect(await client.ssh(`${login}@web-1.localhost`, 'echo fine')).toEqual({ code: 0, stdout: 'fine\n', stderr: '' });
}

function endedInWords({ code, stdout, stderr }: Ran): void {
  expect([code, stdout]).toEqual([255, '']);
  expect(stderr).toMatch(/^gatehouse: .{10,}/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters terminals are steered with
  expect(stderr).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/);
}

test.each(NO_SSH)('a server of a leaf that says %s is told of in words', async (_, speak) => {
  serve = speak;

  endedInWords(await client.ssh(`${login}@evil.localhost`, 'true'));
  await othersGoOn();
});

test.each(NO_SSH)('a leaf that says %s where SSH is expected is told of in words', async (_, speak) => {
  hostile.speak = (stream, socket) => {
    ready(socket);
    speak(stream);
  };

  endedInWords(await client.ssh(`${login}@web-1+hostile@gate`, 'true'));
  await othersGoOn();
});

test('what a leaf says instead of SSH steers no terminal, and is no longer than a line', async () => {
  hostile.speak = (_stream, socket) => {
    socket.send(JSON.stringify({ type: 'failed', code: 'denied', message: `${STEERING}${'no '.repeat(5_000)}` }));
    socket.close();
  };

  const ran = await client.ssh(`${login}@web-1+hostile@gate`, 'true');

  endedInWords(ran);
  expect(ran.stderr).toContain('no no no');
  expect(ran.stderr.length).toBeLessThan(400);
});

interface Raw {
  channelData(id: number, bytes: Buffer): void;
  exitSignal(id: number, name: string, core: boolean, words: string): void;
  exitStatus(id: number, code: number): void;
  channelClose(id: number): void;
  channelOpenFail(id: number, reason: number, words: string): void;
  x11(id: number, window: number, packetBytes: number, info: object): void;
  openssh_authAgent(id: number, window: number, packetBytes: number): void;
  forwardedTcpip(id: number, window: number, packetBytes: number, info: object): void;
}

/** SSH as far as a command, and then what it wants. */
function speakSsh(
  stream: Duplex,
  onExec: (raw: Raw, id: number, client: Connection) => void,
  onSession?: (raw: Raw, accept: () => Session, reject: () => void) => void,
): void {
  const server = new ssh2.Server({ hostKeys: [keys.private] }, (there: Connection) => {
    const { _protocol: raw } = there as unknown as { _protocol: Raw };
    there.on('error', () => {});
    there.on('authentication', (context) => context.accept());
    there.on('session', (accept, reject) => {
      if (onSession) return onSession(raw, accept, reject);
      const session = accept();
      session.on('exec', (accepted) => {
        const channel = accepted();
        channel.on('error', () => {});
        onExec(raw, (channel as unknown as { outgoing: { id: number } }).outgoing.id, there);
      });
    });
  });
  (server as unknown as { injectSocket(stream: Duplex): void }).injectSocket(
    'remoteAddress' in stream ? stream : Object.assign(stream, { remoteAddress: '', setNoDelay: () => stream }),
  );
}

const AT: [whose: string, target: () => string, listen: (speak: (stream: Duplex) => void) => void][] = [
  [
    'a server of a leaf',
    () => `${login}@evil.localhost`,
    (speak) => {
      serve = speak;
    },
  ],
  [
    'a leaf',
    () => `${login}@web-1+hostile@gate`,
    (speak) => {
      hostile.speak = (stream, socket) => {
        ready(socket);
        // A leaf shows the key of its own door: whichever, the tunnel has proved it.
        speak(stream);
      };
    },
  ],
];

test.each(AT)(
  '%s that ends a command by a signal nobody knows, or refuses it in words that steer, is told of in plain ones',
  async (_, target, listen) => {
    listen((stream) =>
      speakSsh(stream, (raw, id) => {
        raw.exitSignal(id, `${STEERING}KILL`, true, STEERING);
        raw.channelClose(id);
      }),
    );
    endedInWords(await client.ssh(target(), 'true'));
    listen((stream) =>
      speakSsh(
        stream,
        () => {},
        (raw, _accept, reject) => {
          const fail = raw.channelOpenFail.bind(raw);
          raw.channelOpenFail = (id) => fail(id, 2, `${STEERING}${'no room '.repeat(3_000)}`);
          reject();
        },
      ),
    );
    const refused = await client.ssh(target(), 'true');

    endedInWords(refused);
    expect(refused.stderr.length).toBeLessThan(600);
    await othersGoOn();
  },
);

test.each(AT)(
  'channels that %s opens unasked reach no program, and the command ends as it did',
  async (_, target, listen) => {
    const info = {
      boundAddr: '127.0.0.1',
      boundPort: 22,
      remoteAddr: '127.0.0.1',
      remotePort: 1,
      originAddr: 'x',
      originPort: 1,
    };
    listen((stream) =>
      speakSsh(stream, (raw, id) => {
        raw.forwardedTcpip(id + 40, 1_000, 32_768, info);
        raw.x11(id + 41, 1_000, 32_768, info);
        raw.openssh_authAgent?.(id + 42, 1_000, 32_768);
        setTimeout(() => {
          raw.channelData(id, Buffer.from('done\n'));
          raw.exitStatus(id, 7);
          raw.channelClose(id);
        }, 200);
      }),
    );

    expect(await client.ssh('-A', '-o', 'ForwardAgent=no', target(), 'true')).toEqual({
      ...{ code: 7, stdout: 'done\n', stderr: '' },
    });
  },
);

test('what a leaf asks before it lets somebody in is shown to nobody, and asked without end it ends', async () => {
  let asked = 0;
  hostile.speak = (stream, socket) => {
    ready(socket);
    const server = new ssh2.Server({ hostKeys: [keys.private] }, (there: Connection) => {
      there.on('error', () => {});
      there.on('authentication', (context) => {
        if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
        asked += 1;
        context.prompt([{ prompt: `${STEERING}your password: `, echo: true }], STEERING, () =>
          context.reject(['keyboard-interactive']),
        );
      });
    });
    (server as unknown as { injectSocket(stream: Duplex): void }).injectSocket(
      Object.assign(stream, { remoteAddress: '', setNoDelay: () => stream }),
    );
  };
  const ran = await client.ssh(`${login}@web-1+hostile@gate`, 'true');

  expect(ran).toMatchObject({ code: 255, stdout: '' });
  expect(ran.stderr).not.toContain('password');
  expect(ran.stderr).not.toContain('\u001b');
  expect(asked).toBe(1);
  await othersGoOn();
});
