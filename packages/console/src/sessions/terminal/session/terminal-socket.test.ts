import { UNTAKEN_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeTerminalGateway, outputFrame, SID } from '../../../../testing/terminal/fake-terminal-gateway.ts';
import { OPENING_MS, PING_EVERY_MS, SILENT_MS } from '../../../shared/session-line/session-line.ts';
import {
  type Challenge,
  connectTerminal,
  type LineState,
  type TerminalNews,
  type TerminalSocket,
  type Wanted,
} from './terminal-socket.ts';

const OPEN: Wanted = { open: { server: 'web-01', login: 'root', request: '7c9e6679-7425-40de-944b-e07fc1f90ae7' } };
const bytes = (text: string) => new TextEncoder().encode(text);
const running: TerminalSocket[] = [];

function start(wanted: Wanted = OPEN, gateway = fakeTerminalGateway()) {
  const lines: LineState[] = [];
  const told: TerminalNews[] = [];
  const asked: Challenge[] = [];
  const latencies: unknown[] = [];
  const shown: number[] = [];
  let writers = 0;
  const socket = connectTerminal(
    wanted,
    { cols: 80, rows: 24 },
    {
      openSocket: gateway.openSocket,
      token: () => 'token-1',
      now: Date.now,
      drawWriter: () => {
        writers += 1;
        return writers.toString(16).padStart(16, '0');
      },
      onLine: (line) => void lines.push(line),
      onState: () => {},
      onOutput: (output, drawn) => {
        shown.push(...output);
        drawn();
      },
      onScreen: ({ ansi }) => {
        shown.splice(0, shown.length, ...new TextEncoder().encode(ansi));
      },
      onTold: (each) => void told.push(each),
      onFactor: (challenge) => void asked.push(challenge),
      onLatency: (latency) => void latencies.push(latency),
    },
  );
  running.push(socket);
  const shownText = () => new TextDecoder().decode(new Uint8Array(shown));
  return { gateway, socket, lines, told, asked, latencies, shownText };
}

test('what cannot be the name of a pod is told once, and asked of no gateway', () => {
  const exec = { cluster: 'prod', namespace: 'shop', pod: 'Web!', request: '7c9e6679-7425-40de-944b-e07fc1f90ae7' };
  const { lines, gateway } = start({ exec });

  vi.advanceTimersByTime(120_000);

  expect(lines).toEqual([
    { is: 'refused', refused: { type: 'refused', code: 'bad_request', message: "'Web!' is no name of a pod" } },
  ]);
  expect(gateway.lines).toHaveLength(0);
});

test('what the gateway does not understand is told, and not said again and again', () => {
  const { lines, gateway } = start();
  gateway.lines[0]?.open();
  gateway.lines[0]?.drop(1008, 'the message is not understood');

  vi.advanceTimersByTime(120_000);

  expect(lines.at(-1)).toMatchObject({ is: 'refused', refused: { message: 'the message is not understood' } });
  expect(gateway.lines).toHaveLength(1);
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const socket of running.splice(0)) socket.stop();
  vi.useRealTimers();
});

test('it says who it is, asks for the terminal, and passes bytes both ways', () => {
  const { gateway, socket, lines, shownText } = start();
  gateway.lines[0]?.open();
  gateway.print('hello\r\n');
  socket.type(bytes('ls\r'));

  expect(gateway.lines[0]?.sent.slice(0, 2)).toMatchObject([
    { type: 'hello', token: 'token-1' },
    { type: 'open', server: 'web-01', login: 'root', cols: 80, rows: 24 },
  ]);
  expect(lines.map(({ is }) => is)).toEqual(['connecting', 'open']);
  expect(shownText()).toBe('hello\r\n');
  expect(gateway.typedText()).toBe('ls\r');
});

test('what is typed before the terminal is there waits for it', () => {
  const { gateway, socket } = start();
  socket.type(bytes('uptime\r'));
  expect(gateway.typedText()).toBe('');
  gateway.lines[0]?.open();

  expect(gateway.typedText()).toBe('uptime\r');
});

/** Cuts the n-th line after each possible number of messages, noticed or not, while both sides keep talking. */
test.each(['noticed', 'silent'])('no byte is lost or repeated by a cut at any message (%s)', (how) => {
  for (let cut = 0; cut <= 40; cut += 1) {
    const { gateway, socket, shownText } = start();
    for (let turn = 0; turn < 30; turn += 1) {
      const line = gateway.lines.at(-1);
      if (turn === 0 && line) line.left = cut;
      // Each later line lives a little longer, so that some end in the middle of catching up.
      if (turn > 0 && turn < 10 && line && line.left === Number.POSITIVE_INFINITY) line.left = turn + (cut % 7);
      if (line && !line.isClosed) line.open();
      gateway.print(`line ${turn} is printed;`);
      socket.type(bytes(`typed ${turn};`));
      if (line && line.left <= 0 && how === 'noticed') line.drop();
      vi.advanceTimersByTime(OPENING_MS + PING_EVERY_MS + SILENT_MS + 12_000);
    }
    gateway.lines.at(-1)?.open();
    vi.advanceTimersByTime(OPENING_MS * 2);
    gateway.lines.at(-1)?.open();

    expect(shownText(), `cut ${cut}`).toBe(gateway.printedText());
    expect(gateway.typedText(), `cut ${cut}`).toBe(Array.from({ length: 30 }, (_, i) => `typed ${i};`).join(''));
    expect(gateway.opened.size).toBe(1);
    socket.stop();
  }
});

test('after a cut it attaches with what it has, says that it tries, and when', () => {
  const { gateway, lines } = start();
  gateway.lines[0]?.open();
  gateway.print('0123456789');
  gateway.lines[0]?.drop();
  const waiting = lines.at(-1);
  vi.advanceTimersByTime(400);
  gateway.lines[1]?.open();

  expect(waiting).toMatchObject({ is: 'reconnecting', attempt: 1 });
  expect(waiting && 'retryAt' in waiting && waiting.retryAt).toBeGreaterThan(0);
  expect(gateway.lines[1]?.sent[1]).toMatchObject({ type: 'attach', sid: SID, from: 10 });
  expect(lines.at(-1)).toEqual({ is: 'open' });
});

test('a person need not wait for the next try', () => {
  const { gateway, socket } = start();
  gateway.lines[0]?.open();
  for (let tries = 0; tries < 6; tries += 1) {
    gateway.lines.at(-1)?.drop();
    socket.check();
    expect(gateway.lines).toHaveLength(tries + 2);
  }
});

test('a line that does not answer is given up', () => {
  const { gateway, lines } = start();
  gateway.lines[0]?.open();
  vi.advanceTimersByTime(1);
  const line = gateway.lines[0];
  if (line) line.left = 0;
  vi.advanceTimersByTime(PING_EVERY_MS + SILENT_MS + 1);

  expect(line?.isClosed).toBe(true);
  expect(lines.at(-1)?.is).toBe('reconnecting');
});

test('what the page has drawn is said, seldom', () => {
  const { gateway } = start();
  gateway.lines[0]?.open();
  gateway.print('x'.repeat(700));
  vi.advanceTimersByTime(100);
  const seen = gateway.lines[0]?.sent.filter(({ type }) => type === 'seen');

  expect(seen).toEqual([{ type: 'seen', offset: 700 }]);
});

test('input runs only so far ahead of a shell that does not read', () => {
  const gateway = fakeTerminalGateway();
  const { socket } = start(OPEN, gateway);
  const line = gateway.lines[0];
  let sent = 0;
  if (line)
    line.onSent = (message) => {
      if (message instanceof Uint8Array) sent += message.length - 9;
      else if (message.type === 'open') line.hear(gateway.state(0, String(message.writer)));
    };
  line?.open();
  socket.type(new Uint8Array(UNTAKEN_BYTES * 2));
  expect(sent).toBe(UNTAKEN_BYTES);
  line?.hear({ type: 'taken', offset: 1000 });

  expect(sent).toBe(UNTAKEN_BYTES + 1000);
});

test('a hole in the output is asked for again instead of shown', () => {
  const { gateway, shownText } = start();
  gateway.lines[0]?.open();
  gateway.print('abc');
  gateway.lines[0]?.hear(outputFrame(5, bytes('fgh')));

  expect(shownText()).toBe('abc');
  expect(gateway.lines[0]?.isClosed).toBe(true);
  gateway.lines[1]?.open();
  expect(gateway.lines[1]?.sent[1]).toMatchObject({ type: 'attach', from: 3 });
});

test('a page that was reloaded goes on where it left off, with what was not yet taken', () => {
  const first = start();
  first.gateway.lines[0]?.open();
  first.gateway.print('before ');
  first.socket.type(bytes('one '));
  const line = first.gateway.lines[0];
  if (line) line.left = 0;
  first.socket.type(bytes('two'));
  const leftOff = first.socket.leftOff();
  first.socket.stop();
  first.gateway.print('after');

  const second = start({ attach: { sid: SID }, ...(leftOff ? { leftOff } : {}) }, first.gateway);
  first.gateway.lines.at(-1)?.open();

  expect(first.gateway.lines.at(-1)?.sent[1]).not.toHaveProperty('from');
  expect(second.shownText()).toBe('before after');
  expect(first.gateway.typedText()).toBe('one two');
});

test('a holder that forgot who typed is met by another writer, and nothing is lost', () => {
  const { gateway, socket } = start();
  gateway.lines[0]?.open();
  socket.type(bytes('first '));
  gateway.lines[0]?.drop();
  socket.type(bytes('second'));
  gateway.typed.clear();
  vi.advanceTimersByTime(400);
  gateway.lines[1]?.open();
  gateway.lines[2]?.open();

  expect(gateway.typed.get('0000000000000002')?.length).toBe('second'.length);
});

test.each([
  ['ended', { type: 'ended', cause: 'exited', message: 'the shell exited', exitCode: 0 }],
  ['refused', { type: 'refused', code: 'denied', message: 'no' }],
])('after "%s" it neither types nor comes back', (is, reply) => {
  const { gateway, socket, lines } = start();
  gateway.lines[0]?.open();
  gateway.lines[0]?.hear(reply);
  gateway.lines[0]?.drop();
  socket.type(bytes('x'));
  vi.advanceTimersByTime(60_000);

  expect(lines.at(-1)).toEqual({ is, [is]: reply });
  expect(gateway.lines).toHaveLength(1);
  expect(gateway.typedText()).toBe('');
});

test('what cannot be reached for now, as a leaf that restarts, is tried again once there was a session', () => {
  const { gateway, lines } = start();
  const away = { type: 'refused', code: 'target_unreachable', message: "'east' is not connected" };
  gateway.lines[0]?.open();
  gateway.lines[0]?.drop();
  vi.advanceTimersByTime(400);
  const again = gateway.lines[1];
  if (again) again.onSent = () => {};
  again?.open();
  again?.hear(away);

  expect(lines.at(-1)).toMatchObject({ is: 'reconnecting' });
  vi.advanceTimersByTime(700);
  gateway.lines[2]?.open();
  expect(lines.at(-1)).toEqual({ is: 'open' });

  const other = start(OPEN, fakeTerminalGateway());
  const [first] = other.gateway.lines;
  if (first) first.onSent = () => {};
  first?.open();
  first?.hear(away);
  expect(other.lines.at(-1)).toEqual({ is: 'refused', refused: away });
});

test('a second factor is asked for and answered in the same line, however long that takes', () => {
  const { gateway, socket, asked } = start();
  const line = gateway.lines[0];
  if (line) line.onSent = () => {};
  line?.open();
  line?.hear({ type: 'factor', challenge: { totp_challenge: true, webauthn_challenge: null } });
  vi.advanceTimersByTime(120_000);
  socket.answerFactor({ code: '123456' });

  expect(asked).toEqual([{ totp_challenge: true, webauthn_challenge: null }]);
  expect(line?.sent.at(-1)).toEqual({ type: 'factor', code: '123456' });
  expect(gateway.lines).toHaveLength(1);
});

test('both halves of the way are measured', () => {
  const { gateway, latencies } = start();
  gateway.lines[0]?.open();
  vi.advanceTimersByTime(2_500);

  expect(latencies).toEqual(Array.from({ length: 3 }, () => ({ gatewayMs: 0, serverMs: 2 })));
});

test('a new size is told once, and again to whoever answers next', () => {
  const { gateway, socket } = start();
  gateway.lines[0]?.open();
  socket.resize(100, 30);
  socket.resize(100, 30);
  gateway.lines[0]?.drop();
  vi.advanceTimersByTime(400);
  gateway.lines[1]?.open();

  expect(gateway.lines[0]?.sent.filter(({ type }) => type === 'resize')).toEqual([
    { type: 'resize', cols: 100, rows: 30 },
  ]);
  expect(gateway.lines[1]?.sent[1]).toMatchObject({ cols: 100, rows: 30 });
});

test('what is not one of our messages is ignored', () => {
  const { gateway, shownText } = start();
  gateway.lines[0]?.open();
  gateway.lines[0]?.hear({ type: 'virus' });
  gateway.lines[0]?.hear(new Uint8Array([9, 9]));
  gateway.print('fine');

  expect(shownText()).toBe('fine');
});

test('what was on its way when it was held up goes out again, and what is typed meanwhile does not', () => {
  const { gateway, socket, told } = start();
  const [line] = gateway.lines;
  line?.open();
  const flow = (is: string, taken: number) =>
    line?.hear({ type: 'flow', flow: is, since: '2026-11-15T03:00:00Z', taken, needs: [], could: [] });
  socket.type(bytes('one '));
  const pass = line?.onSent;
  // Store up at the gateway: nothing is taken, and the page does not know yet.
  if (line) line.onSent = () => {};
  socket.type(bytes('two '));
  flow('frozen', 4);
  socket.type(bytes('never '));
  if (line && pass) line.onSent = pass;
  flow('live', 4);
  socket.type(bytes('three'));

  expect(gateway.typedText()).toBe('one two three');
  expect(told.map((each) => each.type === 'flow' && each.flow)).toEqual(['frozen', 'live']);
});

test('without a network the line is lost at once, and a page that is put away leaves as one whose network was', () => {
  const { gateway, socket, lines } = start();
  gateway.lines[0]?.open();
  socket.offline();
  expect(lines.at(-1)).toMatchObject({ is: 'reconnecting' });
  expect(gateway.lines[0]?.closeCode).toBe(4000);

  socket.check();
  gateway.lines[1]?.open();
  socket.putAway();
  expect(gateway.lines[1]?.closeCode).toBe(4000);
});
