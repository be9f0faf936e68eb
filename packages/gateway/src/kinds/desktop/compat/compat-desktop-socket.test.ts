/** The desktop socket of the wire reference: what its clients say and are told. Session and drawing process only note what they are given. */
import { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SignedInSocket } from '../../../identity/sockets/signed-in-socket.ts';
import type { Sockets } from '../../../identity/sockets/sockets.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { encodeMove } from '../../../sessions/desktop/compat/compat-messages.ts';
import type { DesktopVoice } from '../../../sessions/desktop/decoder/desktop-decoder.ts';
import { type OpenDesktop, PasswordWanted } from '../desktop-sessions.ts';
import type { DesktopWire } from '../desktop-viewer.ts';
import { type CompatDesktopDeps, serveCompatDesktopSocket } from './compat-desktop-socket.ts';
import { movePdu } from './typed-input.ts';

const QUERY = { username: 'ann', width: '801', height: '100' };
const MOVE = encodeMove(5, 6);
const TILE = { left: 0, top: 0, width: 64, height: 64, png: Buffer.from('png') };

const bytes = { authenticatorData: 'YWE', clientDataJSON: 'YWE', signature: 'YWE', userHandle: 'YWE' };
const KEY_ANSWER = { id: 'YWE', type: 'public-key', rawId: 'YWE', extensions: {}, response: bytes };
function answerOf(answer: object): Buffer {
  const body = Buffer.from(JSON.stringify(answer));
  return Buffer.concat([Buffer.from([10, 0x6e, 0, 0, body.length >> 8, body.length & 0xff]), body]);
}

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  /** It never answers that it has heard a close. */
  isDeaf = false;
  bufferedAmount = 0;
  sent: Buffer[] = [];
  closed: number | undefined;
  send(data: Buffer, _options: object, done?: (error?: Error) => void) {
    this.sent.push(Buffer.from(data));
    done?.();
  }
  close(code: number) {
    if (this.readyState !== 1) return;
    this.closed = code;
    this.readyState = this.isDeaf ? 2 : 3;
    if (!this.isDeaf) this.emit('close', code);
  }
  ping() {}
  terminate() {
    this.close(1006);
  }
  /** Texts that it was told, each with how bad it is. */
  notes() {
    return this.sent
      .filter(([type]) => type === 28)
      .map((message) => `${message.toString('utf8', 5, message.length - 1)} (${message.at(-1)})`);
  }
}

class FakeDesktop {
  heard: Buffer[] = [];
  files: string[] = [];
  folders = { hear: (_viewer: object, bytes: Buffer) => void this.files.push(bytes.toString('hex')) };
  ended: string[] = [];
  isDetached = false;
  wire!: DesktopWire;
  hosted = {
    end: undefined,
    options: { clipboard: true },
    enter: () => {},
    leave: (_id: string, how: string) => void this.ended.push(how),
    finish: ({ message }: { message: string }) => void this.ended.push(message),
  };
  attach({ wire }: { wire: DesktopWire }) {
    this.wire = wire;
    return {};
  }
  begin() {
    this.wire.tell({ type: 'segment', width: 800, height: 200 });
  }
  detach() {
    this.isDetached = true;
  }
  hear(_viewer: object, bytes: Buffer) {
    this.heard.push(bytes);
  }
}

let opening: (opened: OpenDesktop) => Promise<FakeDesktop>;
let serve: (opened: SignedInSocket, request: object) => void;
let desktop: FakeDesktop;
let asked: OpenDesktop[];
let voice: DesktopVoice;
let did: string[];
let copied: () => Promise<void>;
const proveAgain = vi.fn(async () => undefined);

beforeEach(() => {
  desktop = new FakeDesktop();
  asked = [];
  did = [];
  proveAgain.mockClear();
  opening = async () => desktop;
  copied = async () => {};
  const add = vi.fn();
  const deps = {
    desktops: {
      open(opened: OpenDesktop) {
        asked.push(opened);
        return opening(opened);
      },
    },
    identity: { askForFactor: async () => ({ webauthn_challenge: { publicKey: {} } }), proveAgain },
    startDecoder: () => ({
      openClient(given: DesktopVoice) {
        voice = given;
        return {
          begin: async ({ width }: { width: number }) => void did.push(`begin ${width}`),
          feed: async (pdus: Buffer[]) => void did.push(`feed ${pdus.join(' ')}`),
          look: async () => ({ tiles: [TILE] }),
          async copy(text: string) {
            did.push(`copy ${text}`);
            await copied();
          },
          close: () => {},
        };
      },
      close: async () => void did.push('close'),
    }),
    log: silentLog,
  };
  serveCompatDesktopSocket({ add } as unknown as Sockets, deps as unknown as CompatDesktopDeps);
  serve = add.mock.calls[0]![2];
});

const settled = () => new Promise((resolve) => void setImmediate(resolve));
async function connect({ isDeaf = false, ...query }: { isDeaf?: boolean; [name: string]: unknown } = QUERY) {
  const socket = Object.assign(new FakeSocket(), { isDeaf });
  const opened = { socket, caller: { username: 'ann', signInId: 's' }, asked: () => {}, active: vi.fn() };
  serve(opened as unknown as SignedInSocket, { params: { name: 'win-1' }, query, headers: {}, ip: '::1', id: 'r' });
  await settled();
  return { socket, active: opened.active };
}
async function drawn() {
  const connected = await connect();
  desktop.wire.picture(Buffer.from('pdu'), () => {});
  await settled();
  return connected;
}

test('what the address asks for is opened, without a password; what the host sends is drawn and sent as tiles', async () => {
  const { socket } = await drawn();
  expect(asked[0]?.wanted).toMatchObject({ type: 'open', desktop: 'win-1', login: 'ann', width: 800, height: 200 });
  expect(asked[0]?.wanted.password).toBeUndefined();
  expect(did).toEqual(['begin 800', 'feed pdu']);
  expect(socket.sent.map(([type]) => type)).toEqual([27]);
  socket.close(1000);
  expect([did.at(-1), desktop.isDetached, desktop.ended]).toEqual(['close', true, ['left']]);
});

test('its client speaks for itself; what is typed waits for the first picture, and never cuts into what that says', async () => {
  const { socket, active } = await connect();
  voice.said(Buffer.from('0300000802f08028', 'hex'));
  socket.emit('message', MOVE);
  expect(desktop.heard.map((pdu) => pdu.toString('hex'))).toEqual(['0300000802f08028']);
  expect(active).not.toHaveBeenCalled();
  desktop.wire.picture(Buffer.from('pdu'), () => {});
  await settled();
  voice.said(Buffer.from('03000008', 'hex'));
  socket.emit('message', MOVE);
  voice.said(Buffer.from('02f08028', 'hex'));
  expect(desktop.heard.slice(1).map((pdu) => pdu.toString('hex'))).toEqual([
    movePdu({ x: 5, y: 6 }).toString('hex'),
    '0300000802f08028',
  ]);
  expect(active).toHaveBeenCalledOnce();
});

test('the clipboard passes both ways, only where roles let it', async () => {
  const { socket } = await drawn();
  const said = Buffer.concat([Buffer.from('0600000002', 'hex'), Buffer.from('hi')]);
  socket.emit('message', said);
  voice.copied('there');
  expect(did.at(-1)).toBe('copy hi');
  expect(socket.sent.at(-1)?.toString('latin1')).toBe('\x06\0\0\0\x05there');
  desktop.hosted.options.clipboard = false;
  socket.emit('message', Buffer.from('060000000178', 'hex'));
  expect(did.at(-1)).toBe('copy hi');
});

test('a second factor is asked for and given by message 10', async () => {
  opening = async ({ proveFactor }) => {
    await proveFactor();
    return desktop;
  };
  const { socket } = await connect();
  expect(socket.sent[0]?.subarray(0, 2).toString('hex')).toBe('0a6e');
  const said = answerOf({ webauthnAssertionResponse: KEY_ANSWER });
  socket.emit('message', said.subarray(0, 6));
  socket.emit('message', said.subarray(6));
  await settled();
  expect(socket.notes()).toEqual([]);
  expect(proveAgain).toHaveBeenCalledWith(
    expect.anything(),
    expect.objectContaining({ key: KEY_ANSWER }),
    expect.anything(),
  );
  expect(did).toEqual(['begin 800']);
});

test('a third is told that two are drawn, and comes in when one has gone', async () => {
  const [first] = [await connect(), await connect()];
  const third = await connect();
  expect(third.socket.notes()).toEqual([expect.stringMatching(/^2 desktops are drawn by this gateway.*\(2\)$/)]);
  expect(third.socket.closed).toBe(1000);
  first!.socket.close(1001);
  expect((await connect()).socket.closed).toBeUndefined();
});

test.each([
  [new PasswordWanted('type it'), /^no password is stored for this login, and this client cannot ask for one/],
  [new AppError('denied', 'you may not'), /^you may not/],
  [new Error('secret inside'), /^the gateway failed; its log says why/],
])('%s is told in words and closes it', async (error, words) => {
  opening = () => Promise.reject(error);
  const { socket } = await connect();
  expect(socket.notes()).toEqual([expect.stringMatching(words)]);
  expect([socket.notes()[0]?.endsWith('(2)'), socket.closed]).toEqual([true, 1000]);
});

test('what nobody understands closes it, notices are warnings, and an end is told', async () => {
  expect((await connect({ username: 'ann' })).socket.notes()).toEqual([expect.stringContaining('are needed (2)')]);
  const { socket } = await drawn();
  desktop.wire.tell({ type: 'notice', kind: 'idle_soon', text: 'soon' });
  desktop.wire.end({ cause: 'idle', message: 'nobody typed' } as never);
  expect(socket.notes()).toEqual(['soon (1)', 'nobody typed (2)']);
  expect(socket.closed).toBe(1000);

  const other = await drawn();
  other.socket.emit('message', Buffer.from([99]));
  expect(other.socket.notes()).toEqual(['message 99 is not known here (2)']);
});

test('what is said of a directory passes both ways, in words where it is not shared, and what waits to leave counts', async () => {
  const announced = Buffer.from('0b000000000000000200000003646f63', 'hex');
  const dialled = Promise.withResolvers<FakeDesktop>();
  opening = () => dialled.promise;
  const { socket } = await connect();
  socket.emit('message', announced);
  expect(socket.sent[0]?.toString('hex')).toBe('0c0000000100000002');
  expect(socket.notes()).toEqual(['a directory can be shared once the desktop is there (1)']);
  dialled.resolve(desktop);
  await settled();
  socket.emit('message', announced);
  const answered = Buffer.from('12000000070000000114', 'hex');
  expect(desktop.files).toEqual(['0b000000000000000200000003646f63']);
  socket.emit('message', answered.subarray(0, 9));
  expect(desktop.files.at(-1)).toBe('120000000700000001');

  const sent = vi.fn();
  let left = () => {};
  socket.send = (data, _options, done) => {
    socket.sent.push(Buffer.from(data));
    left = () => done?.();
  };
  desktop.wire.files(Buffer.from('0c0000000000000002', 'hex'), sent);
  expect([socket.sent.at(-1)?.toString('hex'), desktop.wire.unsent()]).toEqual(['0c0000000000000002', 9]);
  left();
  expect([desktop.wire.unsent(), sent.mock.calls.length]).toEqual([0, 1]);
  desktop.wire.tell({ type: 'shared', is: 'off', name: 'doc', why: 'no longer' });
  expect(socket.notes().at(-1)).toBe('no longer (1)');
});

test('who is refused is heard no more, and keeps nobody out though they never hang up', async () => {
  opening = () => Promise.reject(new AppError('denied', 'you may not'));
  for (let left = 200; left > 0; left -= 1) {
    const { socket } = await connect({ ...QUERY, isDeaf: true });
    expect(socket.notes()).toEqual(['you may not (2)']);
    expect([socket.closed, socket.readyState, socket.listenerCount('message')]).toEqual([1000, 2, 0]);
  }
  opening = async () => desktop;
  expect((await drawn()).socket.sent.map(([type]) => type)).toEqual([27]);
});

test('who is asked for a second factor keeps nobody out until it is given', async () => {
  const given = Promise.withResolvers<void>();
  opening = async ({ proveFactor }) => {
    await proveFactor();
    return desktop;
  };
  proveAgain.mockReturnValueOnce(given.promise as never);
  const asked = [await connect(), await connect()];
  opening = async () => desktop;
  const [first, second] = [await connect(), await connect()];
  expect([first.socket.closed, second.socket.closed]).toEqual([undefined, undefined]);
  asked[0]!.socket.emit('message', answerOf(KEY_ANSWER));
  given.resolve();
  await settled();
  expect(asked[0]!.socket.notes()).toEqual([expect.stringMatching(/^2 desktops are drawn by this gateway/)]);
});

test('of clipboards that come faster than they are taken, the last is given', async () => {
  const { socket } = await drawn();
  const copying = Promise.withResolvers<void>();
  copied = () => copying.promise;
  for (const text of ['a', 'b', 'c']) socket.emit('message', Buffer.from(`\x06\0\0\0\x01${text}`));
  expect(did.slice(-1)).toEqual(['copy a']);
  copying.resolve();
  await settled();
  expect(did.slice(-2)).toEqual(['copy a', 'copy c']);
  socket.emit('message', Buffer.from('\x06\0\0\0\x01d'));
  await settled();
  expect(did.at(-1)).toBe('copy d');
});

test('who has gone while the host was dialled is not waited for', async () => {
  const dialled = Promise.withResolvers<FakeDesktop>();
  opening = () => dialled.promise;
  const { socket } = await connect();
  socket.close(1001);
  dialled.resolve(desktop);
  await settled();
  expect(desktop.ended).toEqual(['the page was closed']);
  expect(did).toEqual([]);
});

test('who leaves while their key is looked at keeps no place', async () => {
  opening = async ({ proveFactor }) => {
    await proveFactor();
    return desktop;
  };
  const proving = Promise.withResolvers<undefined>();
  proveAgain.mockImplementation(() => proving.promise);
  for (let at = 0; at < 2; at += 1) {
    const { socket } = await connect();
    socket.emit('message', answerOf(KEY_ANSWER));
    await settled();
    socket.close(1001);
  }
  proving.resolve(undefined);
  await settled();
  proveAgain.mockImplementation(async () => undefined);
  const later = await connect();
  later.socket.emit('message', answerOf(KEY_ANSWER));
  await settled();
  expect(later.socket.notes()).toEqual([]);
});
