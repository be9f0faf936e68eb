import { beforeEach, expect, test, vi } from 'vitest';
import { FakePicture } from '../../../../testing/fake-picture.ts';
import { FakeSocket } from '../../../../testing/fake-socket.ts';
import { HIDDEN_MS, type LiveDesktop, startDesktop } from './live-desktop.ts';

const SID = '0b6ff1a0-5a4e-4c1e-9d57-6f8f9f1a2b3c';
const STATE = {
  ...{ type: 'state', sid: SID, desktop: { id: 'd1', name: 'win-1' }, login: 'ann', user: 'maya', mode: 'peer' },
  ...{ created: '2026-11-18T01:00:00Z', protocol: 'rdp', width: 1280, height: 800 },
  ...{ clipboard: true, directories: false, recorded: true },
};

class DesktopSocket extends FakeSocket {
  readonly bytes: number[][] = [];

  override send(data: string | Uint8Array): void {
    if (typeof data === 'string') super.send(data);
    else this.bytes.push([...data]);
  }
  sound(...bytes: number[]): void {
    this.dispatchEvent(new MessageEvent('message', { data: Uint8Array.of(3, ...bytes).buffer }));
  }
  draw(...bytes: number[]): void {
    this.dispatchEvent(new MessageEvent('message', { data: Uint8Array.of(1, ...bytes).buffer }));
  }
}

/** Counts what is played. */
const audio = {
  ...{ currentTime: 0, state: 'running', destination: {}, started: 0, closed: 0 },
  resume: async () => {},
  async close() {
    audio.closed += 1;
  },
  createBuffer: (_: number, count: number) => ({ duration: 0, getChannelData: () => new Float32Array(count) }),
  createBufferSource: () => ({
    connect() {},
    start() {
      audio.started += 1;
    },
  }),
};

/** What was chosen before. */
let wasLoud = false;
let sockets: DesktopSocket[] = [];
let pictures: FakePicture[] = [];
const latest = () => sockets.at(-1) as DesktopSocket;
const picture = () => pictures.at(-1) as FakePicture;
const turn = () => vi.advanceTimersByTimeAsync(0);

const begin = (): LiveDesktop =>
  startDesktop(
    { open: { desktop: 'win-1', login: 'ann', keyboard: 0x407, request: SID, password: 'secret' } },
    { width: 1280, height: 800, scale: 100 },
    document.createElement('canvas'),
    {
      openSocket: () => {
        sockets.push(new DesktopSocket());
        return latest() as unknown as WebSocket;
      },
      token: () => 'token-1',
      now: Date.now,
      loadClient: async () => (options) => {
        pictures.push(new FakePicture(options));
        return picture();
      },
      onSession: () => undefined,
      onCopied: () => undefined,
      sendBytes: async () => ({ status: 200, text: '{}' }),
      save: () => undefined,
      openAudio: () => audio as never,
      soundMemory: {
        wasOn: () => wasLoud,
        remember(isOn) {
          wasLoud = isOn;
        },
      },
    },
  );

beforeEach(() => {
  vi.useFakeTimers();
  wasLoud = false;
  sockets = [];
  pictures = [];
  return () => vi.useRealTimers();
});

test('it says who asks for what, and draws from the first byte on what comes before the client is there', async () => {
  const live = begin();
  latest().open();
  expect(latest().sent).toEqual([
    { type: 'hello', token: 'token-1' },
    {
      ...{ type: 'open', desktop: 'win-1', login: 'ann', keyboard: 0x407, request: SID, password: 'secret' },
      ...{ width: 1280, height: 800, scale: 100 },
    },
  ]);
  latest().hear(STATE);
  latest().hear({ type: 'segment', width: 1280, height: 800 });
  latest().draw(3, 0, 1);
  await turn();
  expect(picture().pushed).toEqual([]);
  picture().beReady();
  await turn();
  latest().draw(3, 0, 2);
  expect(picture().pushed).toEqual([
    [3, 0, 1],
    [3, 0, 2],
  ]);
  expect(live.view.get().isDrawn).toBe(false);
  picture().beConnected();
  await turn();
  expect(live.view.get().isDrawn).toBe(true);

  picture().options.onSend(Uint8Array.of(9, 9));
  expect(latest().bytes).toEqual([[1, 9, 9]]);
  live.leave();
});

test('a lost line is taken up again at the session that is there, without the password, and drawn by a new client', async () => {
  const live = begin();
  latest().open();
  latest().hear(STATE);
  latest().hear({ type: 'segment', width: 1280, height: 800 });
  await turn();
  latest().drop();
  expect(live.view.get().line).toMatchObject({ is: 'reconnecting', attempt: 1 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sockets).toHaveLength(2);
  latest().open();
  expect(latest().sent[1]).toEqual({ type: 'attach', sid: SID, width: 1280, height: 800 });
  latest().hear(STATE);
  latest().hear({ type: 'segment', width: 1024, height: 768 });
  await turn();
  expect(pictures.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  expect(live.view.get().size).toEqual({ width: 1024, height: 768 });
  live.leave();
});

test('whoever only looks on, or waits for a moderator, sends nothing and asks for no size', async () => {
  const live = begin();
  latest().open();
  latest().hear({ ...STATE, mode: 'observer' });
  latest().hear({ type: 'segment', width: 1280, height: 800 });
  await turn();
  const move = { is: 'move', x: 1, y: 1 } as const;
  live.act([move]);
  live.resize({ width: 800, height: 600, scale: 100 });
  live.copy({ text: 'x' });
  expect(picture()).toMatchObject({ acted: [], sizes: [], copied: [] });
  expect(picture().options.hasClipboard).toBe(false);

  latest().hear(STATE);
  latest().hear({ type: 'flow', flow: 'frozen', since: STATE.created, needs: [], could: [] });
  live.act([move]);
  expect(picture().acted).toEqual([]);
  latest().hear({ type: 'flow', flow: 'live', since: STATE.created, needs: [], could: [] });
  live.act([move]);
  live.resize({ width: 800, height: 600, scale: 100 });
  expect(picture()).toMatchObject({ acted: [move], sizes: [{ width: 800, height: 600, scale: 100 }] });
  live.leave();
});

test('a client that lost its thread gets a new one, and one that panicked takes the page with it', async () => {
  const live = begin();
  latest().open();
  latest().hear(STATE);
  latest().hear({ type: 'segment', width: 1280, height: 800 });
  await turn();
  live.copy({ text: 'to be pasted there' });
  picture().options.onEnd?.({ isBroken: false, reason: 'unexpected PDU' });
  expect(sockets).toHaveLength(2);
  latest().open();
  latest().hear(STATE);
  latest().hear({ type: 'segment', width: 1280, height: 800 });
  await turn();
  expect(live.view.get().broken).toBeUndefined();
  expect(picture().options.offered()).toEqual({ text: 'to be pasted there' });
  picture().options.onCopied?.({ text: 'newer' });
  expect(picture().options.offered()).toEqual({});
  picture().options.onEnd?.({ isBroken: true, reason: 'unreachable' });
  expect(live.view.get().broken).toEqual({ isBroken: true, reason: 'unreachable' });
  live.leave();
});

test('the host is told when nobody has looked for five minutes, and when somebody does again', async () => {
  const live = begin();
  latest().open();
  latest().hear(STATE);
  const told = () => latest().sent.filter((message) => (message as { type: string }).type === 'watch');
  const answer = () => {
    for (const message of latest().sent as { type: string; id: number }[])
      if (message.type === 'ping') latest().hear({ type: 'pong', id: message.id });
  };
  live.hide(true);
  for (let passed = 0; passed < HIDDEN_MS - 1_000; passed += 1_000) {
    await vi.advanceTimersByTimeAsync(1_000);
    answer();
  }
  expect(told()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(told()).toEqual([{ type: 'watch', isHidden: true }]);
  live.hide(false);
  expect(told()).toHaveLength(2);
  live.leave();
});

test('what is over draws nothing more, and says why', async () => {
  const live = begin();
  latest().open();
  latest().hear(STATE);
  latest().hear({ type: 'segment', width: 1280, height: 800 });
  await turn();
  latest().hear({ type: 'ended', cause: 'locked', message: 'the user maya is locked' });
  expect(live.view.get().line).toMatchObject({ is: 'ended', ended: { cause: 'locked' } });
  expect(picture().isClosed).toBe(true);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sockets).toHaveLength(1);
});

test('one that is recorded no longer is not said to be', () => {
  const live = begin();
  latest().open();
  latest().hear(STATE);
  expect(live.view.get().session?.recorded).toBe(true);
  latest().hear({ type: 'notice', kind: 'unrecorded', text: 'what follows is not recorded: the disk is full' });
  expect(live.view.get().session?.recorded).toBe(false);
  expect(live.view.get().notice?.kind).toBe('unrecorded');
  live.leave();
});

test('what the desktop plays is asked for by a click, again after a lost line, and never without', async () => {
  audio.started = 0;
  const live = begin();
  latest().open();
  latest().hear(STATE);
  const play = () => latest().sound(2, 0x44, 0xac, 0, 0, 1, 2, 3, 4);
  play();
  expect(audio.started).toBe(0);
  live.listen(true);
  expect(wasLoud).toBe(true);
  expect([live.view.get().isLoud, latest().sent.at(-1)]).toEqual([true, { type: 'sound', isOn: true }]);
  play();
  expect(audio.started).toBe(1);

  latest().drop();
  await vi.advanceTimersByTimeAsync(1_000);
  latest().open();
  latest().hear(STATE);
  expect(latest().sent).toContainEqual({ type: 'sound', isOn: true });
  live.listen(false);
  expect([live.view.get().isLoud, audio.closed, latest().sent.at(-1)]).toEqual([
    false,
    1,
    { type: 'sound', isOn: false },
  ]);
  play();
  expect(audio.started).toBe(1);
  live.leave();
});

test('who played it before hears it in a page that is loaded anew, until they switch it off', () => {
  audio.started = 0;
  wasLoud = true;
  const live = begin();
  latest().open();
  latest().hear(STATE);
  expect(live.view.get().isLoud).toBe(true);
  expect(latest().sent).toContainEqual({ type: 'sound', isOn: true });
  latest().sound(2, 0x44, 0xac, 0, 0, 1, 2, 3, 4);
  expect(audio.started).toBe(1);
  live.listen(false);
  expect(wasLoud).toBe(false);
  live.leave();
});
