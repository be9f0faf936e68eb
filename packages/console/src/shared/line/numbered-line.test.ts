import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectLine, type LineState, MAX_WAIT_MS, OPENING_MS } from './numbered-line.ts';

type Reply = { id: number; text: string };

/** A socket that a test speaks through. */
class Wire extends EventTarget {
  readonly sent: Record<string, unknown>[] = [];
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {}
  opens(): void {
    this.dispatchEvent(new Event('open'));
  }
  says(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: message }));
  }
  closes(code: number, reason = ''): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }));
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const wires: Wire[] = [];
  const states: LineState<object>[] = [];
  const challenges: unknown[] = [];
  const line = connectLine<object, Reply>({
    openSocket: () => {
      const wire = new Wire();
      wires.push(wire);
      return wire as unknown as WebSocket;
    },
    token: () => 'token',
    now: Date.now,
    opening: { user: 'app' },
    lost: (id, message) => ({ id, text: `lost: ${message}` }),
    hear(said, ears) {
      const reply = said as { type: string; id: number; message: string; text: string };
      if (reply.type === 'ready') ears.ready(reply);
      else if (reply.type === 'factor') ears.factor(reply as never);
      else if (reply.type === 'ended') ears.ended({ cause: 'idle', message: reply.message });
      else if (reply.type === 'answer') ears.answer(reply);
    },
    onLine: (state) => states.push(state),
    onFactor: (challenge) => challenges.push(challenge),
  });
  const ready = () => {
    const wire = wires.at(-1)!;
    wire.opens();
    wire.says({ type: 'ready' });
    return wire;
  };
  return { line, wires, states, challenges, ready };
}

test('it says hello with the token, opens, and is asked only when it is ready', () => {
  const { line, wires, ready } = open();
  expect(line.ask({ type: 'list' }, () => true)).toBeUndefined();
  const wire = ready();

  expect(line.ask({ type: 'list' }, () => true)).toBe(1);
  expect(wire.sent).toEqual([
    { type: 'hello', token: 'token' },
    { type: 'open', user: 'app' },
    { type: 'list', id: 1 },
  ]);
  expect(wires).toHaveLength(1);
});

test('answers go to whoever asked, until nothing more is expected', () => {
  const { line, ready } = open();
  const wire = ready();
  const heard: string[] = [];
  line.ask({}, ({ text }) => {
    heard.push(`one ${text}`);
    return text === 'last';
  });
  line.ask({}, ({ text }) => heard.push(`two ${text}`) > 0);
  for (const [id, text] of [
    [1, 'a'],
    [2, 'b'],
    [2, 'unasked'],
    [1, 'last'],
    [1, 'unasked'],
    [9, 'unknown'],
  ])
    wire.says({ type: 'answer', id, text });

  expect(heard).toEqual(['one a', 'two b', 'one last']);
  expect(line.forget(1)).toBe(false);
});

test('a line that is lost is told to whoever waits, and tried again sooner or later, spread out', () => {
  const { line, wires, states, ready } = open();
  const wire = ready();
  const heard: Reply[] = [];
  line.ask({}, (answer) => heard.push(answer) > 0);
  wire.closes(1006);

  expect(heard).toEqual([{ id: 1, text: 'lost: ' }]);
  expect(states.at(-1)).toMatchObject({ is: 'lost', attempt: 1 });
  for (let attempt = 2; attempt < 12; attempt++) {
    vi.advanceTimersByTime(MAX_WAIT_MS);
    expect(wires).toHaveLength(attempt);
    wires.at(-1)!.closes(1006);
  }
  vi.advanceTimersByTime(MAX_WAIT_MS);
  ready();
  expect(states.at(-1)).toMatchObject({ is: 'ready' });
});

test('what it says is not understood: it is not said again and again', () => {
  const { wires, states, ready } = open();
  ready().closes(1008, 'the message is not understood');

  expect(states.at(-1)).toEqual({
    is: 'refused',
    refused: { code: 'bad_request', message: 'the message is not understood' },
  });
  vi.advanceTimersByTime(10 * MAX_WAIT_MS);
  expect(wires).toHaveLength(1);
});

test('an end is final until somebody opens it again', () => {
  const { line, wires, states, ready } = open();
  ready().says({ type: 'ended', message: 'nothing was done' });
  expect(states.at(-1)).toEqual({ is: 'ended', ended: { cause: 'idle', message: 'nothing was done' } });
  vi.advanceTimersByTime(10 * MAX_WAIT_MS);
  expect(wires).toHaveLength(1);
  line.again();

  expect(wires).toHaveLength(2);
});

test('a gateway that says nothing while it opens is given up, but nobody is hurried who looks for a key', () => {
  const { line, wires, states, challenges } = open();
  wires[0]!.opens();
  wires[0]!.says({ type: 'factor' });
  vi.advanceTimersByTime(3 * OPENING_MS);
  expect([challenges.length, states.at(-1)]).toEqual([1, { is: 'connecting' }]);
  line.answerFactor({ code: '123456' } as never);
  vi.advanceTimersByTime(OPENING_MS);

  expect(states.at(-1)).toMatchObject({ is: 'lost', attempt: 1 });
});

test('what a line said that was let go of counts no more', () => {
  const { line, wires, states, ready } = open();
  const wire = ready();
  wire.closes(1006);
  vi.advanceTimersByTime(MAX_WAIT_MS);
  const before = states.length;
  wire.says({ type: 'ready' });
  wire.closes(1006);

  expect(states).toHaveLength(before);
  expect(wires).toHaveLength(2);
  line.stop();
  vi.advanceTimersByTime(10 * MAX_WAIT_MS);
  expect(wires).toHaveLength(2);
});
