/** Agents that break the rules of keys: they are told off by the end of their stream, and open nothing beyond the bound. */
import { type Duplex, duplexPair } from 'node:stream';
import { writeMessage } from '@gatehouse/tunnel/messages';
import { expect, test, vi } from 'vitest';
import type { Resource } from '../../inventory/resource-store.ts';
import type { BackwardWay } from '../../sessions/backward.ts';
import { offerBackward } from './agent-keys.ts';

const resource = { id: 'n1', name: 'edge', owner: 'a1' } as Resource;
const connectionOf = (at: number) => at.toString(16).padStart(32, '0');

/** An agent whose every stream is told of, and a program that takes whatever comes. */
function setUp(onControl: (control: Duplex) => void) {
  const over = new AbortController();
  const told: [BackwardWay, string | undefined][] = [];
  const taken: string[] = [];
  const nears: Duplex[] = [];
  const controls: Duplex[] = [];
  const toAgent = async (_: unknown, _target: string, { metadata = {} }: { metadata?: Record<string, string> }) => {
    const [gateway, agent] = duplexPair();
    agent.on('error', () => {});
    if (metadata.take !== undefined) taken.push(metadata.take);
    else {
      controls.push(gateway);
      onControl(agent);
    }
    return gateway;
  };
  const offered = offerBackward(
    { toAgent },
    {
      async agent() {
        const [near, program] = duplexPair();
        nears.push(near);
        program.on('error', () => {}).resume();
        return near;
      },
      begun: (way, _at, failure) => void told.push([way, failure]),
    },
    { resource, login: 'ubuntu', user: 'ann', session: 's1', signal: over.signal },
  );
  return { offered, told, taken, nears, controls, over };
}

test('each connection that is told of is taken once, up to the bound, and all end with the session', async () => {
  const { offered, told, taken, nears, controls, over } = setUp((control) => {
    void writeMessage(control, { type: 'ready' });
    for (let at = 0; at < 10; at++) void writeMessage(control, { type: 'came', connection: connectionOf(at) });
  });
  await offered;
  await vi.waitFor(() => expect(nears).toHaveLength(10));

  expect(told).toEqual([['agent', undefined]]);
  expect(taken).toEqual(Array.from({ length: 10 }, (_, at) => connectionOf(at)));
  over.abort();
  await vi.waitFor(() => expect([...nears, ...controls].every(({ destroyed }) => destroyed)).toBe(true));
});

test('an agent that tells of more than it may have loses all of them', async () => {
  const { offered, taken, nears, controls } = setUp((control) => {
    void writeMessage(control, { type: 'ready' });
    for (let at = 0; at < 200; at++) void writeMessage(control, { type: 'came', connection: connectionOf(at) });
  });
  await offered;

  await vi.waitFor(() => expect(controls.every(({ destroyed }) => destroyed)).toBe(true));
  expect(taken.length).toBeLessThanOrEqual(32);
  await vi.waitFor(() => {
    expect(nears).toHaveLength(taken.length);
    expect(nears.every(({ destroyed }) => destroyed)).toBe(true);
  });
});

test.each([
  ['something else first', (control: Duplex) => writeMessage(control, { type: 'came', connection: connectionOf(1) })],
  ['no message at all', async (control: Duplex) => control.write(Buffer.alloc(64, 0xff))],
  ['nothing, and leaves', async (control: Duplex) => control.end()],
])('an agent that says %s forwards no keys, and that is told', async (_, say) => {
  const { offered, told, controls } = setUp((control) => void say(control));
  await offered;

  expect(told).toEqual([['agent', expect.stringMatching(/\w/)]]);
  expect(controls.every(({ destroyed }) => destroyed)).toBe(true);
});
