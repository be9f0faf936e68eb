import { duplexPair } from 'node:stream';
import { HELD_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FakePty, fakePty } from '../../../../testing/fake-pty.ts';
import { type ShellClientOptions, shellClient, WRITER } from '../../../../testing/shell-client.ts';
import { silentLog } from '../../../runtime/log.ts';
import { type AttachRequest, Shell, type ShellDeps } from './shell.ts';

let pty: FakePty;
const hangUp = vi.fn(async () => {});
const onGone = vi.fn();
const RAW = { canonical: false, echo: false };
beforeEach(() => {
  hangUp.mockClear();
  onGone.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

function openShell(settings: ShellDeps['settings'] = async () => RAW): Shell {
  return new Shell({
    login: 'ann',
    size: { cols: 80, rows: 24 },
    shellName: '-bash',
    openPty(_size, onData) {
      pty = fakePty(onData);
      return pty;
    },
    settings,
    hangUp,
    onEnd: () => {},
    onGone,
    log: silentLog,
  });
}

function attach(shell: Shell, request: Partial<AttachRequest> = {}, options: ShellClientOptions = {}) {
  const [near, far] = duplexPair();
  // As streams of a tunnel do.
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
  shell.attach(far, { from: 0, graceMs: 60_000, ...request });
  return shellClient(near, options);
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

test('everybody who is attached reads everything from the byte they asked for', async () => {
  const shell = openShell();
  const first = attach(shell);
  pty.print('hello ');
  await first.until(/hello /);
  const second = attach(shell, { from: 3 });

  pty.print('world');
  await Promise.all([first.until(/world/), second.until(/world/)]);

  expect([first.text(), second.text()]).toEqual(['hello world', 'lo world']);
  expect(await second.state).toMatchObject({ start: 0, end: 6, login: 'ann', pid: 4711, cols: 80, rows: 24 });
});

test('a lost gateway loses nothing in either direction', async () => {
  const shell = openShell();
  const first = attach(shell);
  pty.print('one\n');
  await first.until(/one/);
  first.type('ab');
  await vi.waitFor(() => expect(pty.input()).toBe('ab'));
  first.detach();
  pty.print('two\n');

  const second = attach(shell, { from: 4 }, { typed: 1 });
  second.type('bc');
  await second.until(/two/);

  expect(second.text()).toBe('two\n');
  expect((await second.state).taken).toEqual({ [WRITER]: 2 });
  expect(pty.input()).toBe('abc');
});

test('input the program does not read waits, and is told as taken only when it was', async () => {
  const shell = openShell();
  const client = attach(shell);
  pty.takes(2);

  client.type('abcd');
  const taken = () => client.frames.filter(({ type }) => type === 'taken');
  await vi.waitFor(() => expect(taken()).toEqual([{ type: 'taken', writer: WRITER, offset: 2 }]));
  pty.takes(100);

  await vi.waitFor(() => expect(taken().at(-1)).toEqual({ type: 'taken', writer: WRITER, offset: 4 }));
  expect(pty.input()).toBe('abcd');
});

test('whoever comes back is told what runs now, also where nothing was printed since', async () => {
  const shell = openShell();
  const first = attach(shell);
  pty.program = 'sleep';
  first.type('\r');
  await vi.waitFor(() => expect(first.frames).toContainEqual({ type: 'program', program: 'sleep' }));
  pty.program = '-bash';

  expect((await attach(shell).state).program).toBe('');
});

test('a hole in the input cuts the attachment and gives the shell nothing', async () => {
  const shell = openShell();
  const client = attach(shell);

  client.send({ type: 'input', writer: WRITER, offset: 5, bytes: Buffer.from('rm') });
  await client.closed;

  expect(pty.input()).toBe('');
});

test('with nobody attached the terminal waits when the buffer is full, and goes on when it was stored', async () => {
  const shell = openShell();
  for (let size = 0; size < HELD_BYTES; size += 64 * 1024) {
    expect(pty.paused).toBe(false);
    pty.print(Buffer.alloc(64 * 1024));
  }
  expect(pty.paused).toBe(true);

  const client = attach(shell, {}, { keeps: true, discards: true });
  await vi.waitFor(() => expect(client.end()).toBe(HELD_BYTES));

  await vi.waitFor(() => expect(pty.paused).toBe(false));
});

test('the terminal waits for a gateway that does not pass output on, long before the buffer is full', async () => {
  const shell = openShell();
  const client = attach(shell, { ahead: 100_000 });
  for (let size = 0; size < 300_000; size += 4_000) pty.print(Buffer.alloc(4_000));
  await vi.waitFor(() => expect([client.end(), pty.paused]).toEqual([100_000, true]));

  client.send({ type: 'seen', offset: 100_000 });
  await vi.waitFor(() => expect(client.end()).toBe(200_000));
  client.send({ type: 'seen', offset: 250_000 });
  await vi.waitFor(() => expect([client.end(), pty.paused]).toEqual([300_000, false]));
});

test('a size and what it belongs to are seen in the same place by everybody, also later', async () => {
  const shell = openShell();
  const first = attach(shell);
  pty.print('narrow');
  await first.until(/narrow/);
  first.resize({ cols: 100, rows: 40 });
  await vi.waitFor(() => expect(pty.sizes).toEqual([{ cols: 100, rows: 40 }]));
  pty.print('wide');
  await first.until(/wide/);

  const late = attach(shell);
  await late.until(/wide/);
  const latest = attach(shell, { from: 8 });

  const size = { type: 'size', offset: 6, cols: 100, rows: 40 };
  expect(first.frames.filter(({ type }) => type === 'size')).toEqual([size]);
  expect(await late.state).toMatchObject({ cols: 80, rows: 24 });
  expect(late.frames.filter(({ type }) => type === 'size')).toEqual([size]);
  expect(await latest.state).toMatchObject({ cols: 100, rows: 40 });
});

test('a question for a password is told, with the program that asks', async () => {
  let settings = { canonical: true, echo: false };
  const client = attach(openShell(async () => settings));
  pty.program = 'sudo';

  pty.print('password: ');
  await vi.waitFor(() => expect(client.frames.some(({ type }) => type === 'echo')).toBe(true));

  expect(client.frames).toContainEqual({ type: 'echo', offset: 10, echo: false });
  expect(client.frames).toContainEqual({ type: 'program', program: 'sudo' });
  pty.program = '-bash';
  settings = RAW;
  client.type('secret\r');
  pty.print('\r\n$ ');
  await vi.waitFor(() => expect(client.frames).toContainEqual({ type: 'echo', offset: 14, echo: true }));
  expect(client.frames).toContainEqual({ type: 'program', program: '' });
});

test('a question that comes long after its program is told as well, though it ends no line', async () => {
  let settings = { canonical: true, echo: true };
  const client = attach(openShell(async () => settings));
  pty.program = 'ssh';
  client.type('ssh far\r');
  pty.print('ssh far\r\n');
  await vi.waitFor(() => expect(client.frames).toContainEqual({ type: 'program', program: 'ssh' }));
  await new Promise((resolve) => setTimeout(resolve, 60));

  settings = { canonical: true, echo: false };
  pty.print('password: ');

  await vi.waitFor(() => expect(client.frames).toContainEqual({ type: 'echo', offset: 19, echo: false }), 3_000);
});

test('the exit comes after the last output, to who was there and to who comes later', async () => {
  const shell = openShell();
  const first = attach(shell);
  pty.print('bye');
  pty.ends({ code: 3 });

  expect(await first.exit).toEqual({ code: 3 });
  expect(first.text()).toBe('bye');
  const late = attach(shell, { from: 1 });
  expect(await late.exit).toEqual({ code: 3 });
  expect(late.text()).toBe('ye');
  expect(onGone).not.toHaveBeenCalled();
});

test('a shell whose end was seen and whose output is stored is forgotten at once', async () => {
  const shell = openShell();
  const client = attach(shell, {}, { keeps: true });
  pty.print('bye');
  await client.until(/bye/);
  pty.ends({ code: 0 });
  await client.closed;

  await vi.waitFor(() => expect(onGone).toHaveBeenCalledOnce());
});

test('after the grace time alone it is hung up, and what it still prints holds nothing up', async () => {
  const shell = openShell();
  attach(shell, { graceMs: 30 }).detach();
  pty.print(Buffer.alloc(HELD_BYTES));
  expect(hangUp).not.toHaveBeenCalled();

  await vi.waitFor(() => expect(hangUp).toHaveBeenCalledOnce());
  expect(pty.paused).toBe(false);
  pty.ends({ signal: 'SIGHUP' });

  await vi.waitFor(() => expect(onGone).toHaveBeenCalledOnce());
});

test('who comes back within the grace time finds it alive', async () => {
  const shell = openShell();
  attach(shell, { graceMs: 40 }).detach();
  await turn();
  const back = attach(shell, { graceMs: 60_000 });
  await new Promise((resolve) => setTimeout(resolve, 80));

  expect(hangUp).not.toHaveBeenCalled();
  pty.print('still here');
  await back.until(/still here/);
});

test('an end by the gateway carries its reason', async () => {
  const shell = openShell();
  const client = attach(shell);

  client.hangUp('the user closed the tab');
  await vi.waitFor(() => expect(hangUp).toHaveBeenCalledWith(pty));
  pty.ends({ signal: 'SIGHUP' });

  expect(await client.exit).toEqual({ signal: 'SIGHUP', reason: 'the user closed the tab' });
});

test('who is told to go may print last words, however much of a full terminal was read at once', async () => {
  const shell = openShell();
  // One read short of full, and then as much as one turn reads.
  pty.print(Buffer.alloc(HELD_BYTES - 1));
  pty.print(Buffer.alloc(256 * 1024));
  expect(pty.paused).toBe(true);

  await shell.hangUp('the agent stops');

  expect(pty.paused).toBe(false);
});

test('who is told to go may print last words, however little of it a gateway takes, and no more than those', async () => {
  const shell = openShell();
  const client = attach(shell, { ahead: 1_000 });
  pty.print(Buffer.alloc(2 * 1024 * 1024));
  await vi.waitFor(() => expect([client.end(), pty.paused]).toEqual([1_000, true]));

  await shell.hangUp('the user closed the tab');
  expect(pty.paused).toBe(false);
  // It does not go, and prints on and on.
  let words = 0;
  for (; !pty.paused && words < HELD_BYTES; words += 4_096) pty.print(Buffer.alloc(4_096));

  expect(words).toBe(256 * 1024);
});
