import { createServer, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AppError } from '../platform/std/app-error.ts';
import { createReach } from './create-reach.ts';
import type { Target } from './reach.ts';

const who = { user: 'ann', session: 's1' };
const OWN_PORT = 3080;
const own = { ownPorts: () => [OWN_PORT], isUnderBase: (host: string) => host.endsWith('gate.example') };

/** On the machine of the gateway by default, where the listeners of these tests are. */
function at(addr: string, wanted: Partial<Target> = {}): Target {
  return { addr, through: 'gateway', mayBeThisMachine: true, ...wanted };
}

async function listen(greet: (socket: Socket) => void = () => {}): Promise<{ port: number; accepted: Socket[] }> {
  const accepted: Socket[] = [];
  const listener: Server = createServer((socket) => {
    accepted.push(socket);
    greet(socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy();
    listener.close();
  });
  const address = listener.address();
  return { port: typeof address === 'object' && address ? address.port : 0, accepted };
}

const nobody = {
  isConnected: () => false,
  open: async (): Promise<never> => {
    throw new AppError('target_unreachable', "the agent 'edge' is not connected");
  },
  ping: async (): Promise<never> => {
    throw new AppError('target_unreachable', "the agent 'edge' is not connected");
  },
};

test('a name of many addresses is no way to look through a network: the first eight are dialled', async () => {
  const { port, accepted } = await listen();
  const others = Array.from({ length: 8 }, (_, each) => `127.0.1.${each + 1}`);
  const dial = (addresses: string[]) =>
    createReach({ own, agents: nobody, lookup: async () => addresses }).dial(at(`many.example:${port}`), { who });

  await expect(dial([...others, '127.0.0.1'])).rejects.toMatchObject({ code: 'target_unreachable' });
  expect(accepted).toHaveLength(0);
  (await dial([...others.slice(1), '127.0.0.1'])).destroy();
});

test('a name is asked for once, and what it was then is what is dialled', async () => {
  const { port, accepted } = await listen();
  let asked = 0;
  const lookup = async () => {
    asked += 1;
    return asked === 1 ? ['127.0.0.1'] : ['127.0.0.9'];
  };
  const reach = createReach({ own, agents: nobody, lookup });

  const way = await reach.way(at(`db.example:${port}`), { who });
  const stream = await way.dial();
  stream.destroy();

  expect(way.tell).toBe('directly, db.example is 127.0.0.1');
  expect(asked).toBe(1);
  expect(accepted).toHaveLength(1);
});

test('the next address of a name is tried where the first does not answer', async () => {
  const { port } = await listen();
  const reach = createReach({ own, agents: nobody, lookup: async () => ['127.0.0.77', '127.0.0.1'] });

  const stream = await reach.dial(at(`db.example:${port}`), { who });

  expect(stream.destroyed).toBe(false);
  stream.destroy();
});

test('who knows better what to do about an agent is not spoken over', async () => {
  const refuse = async (): Promise<never> => {
    throw new AppError('target_unreachable', 'it is connected to another gateway', { fields: { next: 'go there' } });
  };
  const reach = createReach({ own, agents: { isConnected: () => true, open: refuse, ping: refuse } });

  await expect(reach.dial(at('db.inside:22', { through: { agent: 'a1' } }), { who })).rejects.toMatchObject({
    fields: { next: 'go there' },
  });
});

test('what cannot be reached is told with the reason and what to do', async () => {
  const { port } = await listen();
  const reach = createReach({ own, agents: nobody, lookup: () => Promise.reject(new Error('ENOTFOUND')) });
  const late = createReach({ own, agents: nobody, lookup: () => new Promise(() => {}) });

  await expect(reach.dial(at('nowhere.example:22'), { who })).rejects.toMatchObject({
    code: 'target_unreachable',
    message: "the name 'nowhere.example' cannot be resolved by the gateway",
    fields: { next: expect.stringContaining('name service') },
  });
  await expect(reach.dial(at(`127.0.0.77:${port}`), { who })).rejects.toMatchObject({
    message: `127.0.0.77:${port} refuses the connection: nothing listens there`,
    fields: { next: 'start the server there, or correct the port' },
  });
  await expect(late.dial(at('slow.example:22'), { who, timeoutMs: 20 })).rejects.toMatchObject({
    code: 'target_unreachable',
  });
});

test('a stream ends with the signal it was asked for with', async () => {
  const { port } = await listen();
  const [before, after] = [new AbortController(), new AbortController()];
  const reach = createReach({ own, agents: nobody });

  const stream = await reach.dial(at(`127.0.0.1:${port}`), { who, signal: after.signal });
  after.abort();
  before.abort();

  expect(stream.destroyed).toBe(true);
  await expect(reach.dial(at(`127.0.0.1:${port}`), { who, signal: before.signal })).rejects.toMatchObject({
    code: 'target_unreachable',
  });
});

test('a server behind an agent is dialled by that agent, for whom it is told', async () => {
  const opened: unknown[] = [];
  const agents = {
    isConnected: () => true,
    ping: async () => 3.2,
    open: async (...asked: unknown[]) => {
      opened.push(asked);
      return new PassThrough();
    },
  };
  const reach = createReach({
    own,
    agents,
    lookup: () => Promise.reject(new Error('the gateway does not know that network')),
  });

  await reach.dial(at('db.inside:22', { through: { agent: 'a1' } }), { who });
  await reach.dial(at('db.inside:22', { through: { agent: 'a2' } }), { who });

  expect(opened).toEqual([
    ['a1', 'tcp:db.inside:22', { metadata: who }],
    ['a2', 'tcp:db.inside:22', { metadata: who }],
  ]);
});

test('an agent that is away, and one that does not want to, are told apart', async () => {
  const refusal = new StreamRefused('not_allowed', 'not in its list');
  const unwilling = {
    isConnected: () => true,
    ping: async () => 1,
    open: async (): Promise<never> => {
      throw new AppError('denied', "the configuration of the agent 'edge' does not allow it", { cause: refusal });
    },
  };
  const inside = at('db.inside:22', { through: { agent: 'a1' } });

  await expect(createReach({ own, agents: nobody }).dial(inside, { who })).rejects.toMatchObject({
    code: 'target_unreachable',
    fields: { next: expect.stringContaining('start the agent') },
  });
  await expect(createReach({ own, agents: unwilling }).dial(inside, { who })).rejects.toMatchObject({
    code: 'denied',
    cause: refusal,
    fields: { next: 'let the configuration of the agent allow db.inside:22' },
  });
});

describe('several agents', () => {
  const inside = at('db.inside:22', { through: { anyOf: ['a1', 'a2', 'a3'] } });
  /** Agents of which some are connected and some get there. */
  function fleet(connected: string[], good: string[]) {
    const asked: string[] = [];
    const agents = {
      isConnected: (agent: string) => connected.includes(agent),
      ping: async () => 1,
      open: async (agent: string) => {
        asked.push(agent);
        if (good.includes(agent)) return new PassThrough();
        throw new AppError('target_unreachable', `the agent '${agent}' could not get there`, {
          cause: new StreamRefused('unreachable', 'nothing listens there'),
        });
      },
    };
    return { asked, reach: createReach({ own, agents }) };
  }

  test('are tried in turn until one gets there, and those that are away are left out', async () => {
    const { asked, reach } = fleet(['a1', 'a2'], ['a2']);

    for (let dialled = 0; dialled < 4; dialled++) await reach.dial(inside, { who });

    expect(asked.filter((agent) => agent === 'a2')).toHaveLength(4);
    expect(new Set(asked)).toEqual(new Set(['a1', 'a2']));
  });

  test('share the work', async () => {
    const { asked, reach } = fleet(['a1', 'a2', 'a3'], ['a1', 'a2', 'a3']);

    for (let dialled = 0; dialled < 6; dialled++) await reach.dial(inside, { who });

    expect([...asked].sort()).toEqual(['a1', 'a1', 'a2', 'a2', 'a3', 'a3']);
  });

  test('of which none is connected, or none gets there, are told apart', async () => {
    await expect(fleet([], []).reach.dial(inside, { who })).rejects.toMatchObject({
      message: 'no agent that reaches it is connected',
      fields: { next: 'start one of its agents' },
    });
    await expect(fleet(['a1', 'a2'], []).reach.dial(inside, { who })).rejects.toMatchObject({
      message: expect.stringContaining('could not get there'),
      fields: { next: 'look from the machine of the agent whether db.inside:22 can be reached' },
    });
  });

  test('that answer when nobody waits any more are not left open', async () => {
    const late = Promise.withResolvers<PassThrough>();
    const open = vi.fn(() => late.promise);
    const leave = new AbortController();
    const dialling = createReach({ own, agents: { isConnected: () => true, ping: async () => 1, open } }).dial(inside, {
      who,
      signal: leave.signal,
    });
    const refused = expect(dialling).rejects.toThrow('the session is over');
    await vi.waitFor(() => expect(open).toHaveBeenCalledOnce());

    leave.abort(new AppError('target_unreachable', 'the session is over'));
    await refused;
    const stream = new PassThrough();
    late.resolve(stream);

    await vi.waitFor(() => expect(stream.destroyed).toBe(true));
    expect(open).toHaveBeenCalledOnce();
  });
});

test('TLS is around what is dialled, and why it was not accepted is told', async () => {
  const { port } = await listen((socket) => void socket.end('no TLS here'));
  const tls = { name: 'db.example', ca: '', insecureSkipVerify: false, protocols: ['http/1.1'] };

  await expect(
    createReach({ own, agents: nobody }).dial(at(`127.0.0.1:${port}`, { tls }), { who }),
  ).rejects.toMatchObject({
    code: 'target_unreachable',
    message: expect.stringContaining("its certificate or TLS is not accepted for 'db.example'"),
    fields: { next: expect.any(String) },
  });
});

test('looking a name up, connecting and shaking hands share one deadline', async () => {
  const { port, accepted } = await listen();
  const tls = { name: 'db.example', ca: '', insecureSkipVerify: false, protocols: ['http/1.1'] };
  const timers = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => timers.mockRestore());
  const reach = createReach({ own, agents: nobody, lookup: async () => ['127.0.0.1'] });

  const dialling = reach.dial(at(`db.example:${port}`, { tls }), { who, timeoutMs: 200 });

  await expect(dialling).rejects.toThrow('it does not finish the TLS handshake in time');
  expect(timers.mock.calls).toEqual([[200]]);
  expect(accepted).toHaveLength(1);
});

describe('addresses that are never dialled', () => {
  const dialling = (addr: string, addresses: string[], wanted: Partial<Target> = {}) => {
    const lookup = async () => addresses;
    return createReach({ own, agents: nobody, lookup }).way(at(addr, wanted), { who });
  };

  test.each([
    ['169.254.169.254'],
    ['::ffff:169.254.169.254'],
    ['64:ff9b::a9fe:a9fe'],
    ['fd00:ec2::254'],
    ['fe80::1'],
    ['100.100.100.200'],
    ['0.0.0.0'],
  ])('where a name leads to %s, alone or beside another', async (address) => {
    await expect(dialling('innocent.example:22', [address])).rejects.toMatchObject({ code: 'denied' });
    await expect(dialling('innocent.example:22', ['192.0.2.1', address])).rejects.toMatchObject({ code: 'denied' });
  });

  test('where clouds give out credentials, through an agent', async () => {
    const asked: unknown[] = [];
    const agents = {
      isConnected: () => true,
      ping: async () => asked.push('ping'),
      open: async () => asked.push('open') as never,
    };
    const reach = createReach({ own, agents });

    await expect(reach.dial(at('169.254.169.254:80', { through: { agent: 'a1' } }), { who })).rejects.toMatchObject({
      code: 'denied',
    });
    expect(asked).toEqual([]);
  });

  test('the gateway itself, by its name or its machine', async () => {
    await expect(dialling(`x.example:${OWN_PORT}`, ['127.0.0.1'])).rejects.toMatchObject({ code: 'denied' });
    await expect(dialling(`gate.example:${OWN_PORT}`, ['192.0.2.1'])).rejects.toMatchObject({ code: 'denied' });
  });

  test.each([['gate.example'], ['wiki.gate.example'], ['Gate.Example'], ['gate.example.']])(
    'the gateway itself as %s, from here and through an agent',
    async (host) => {
      const asked: unknown[] = [];
      const agents = {
        isConnected: () => true,
        ping: async () => asked.push('ping'),
        open: async () => asked.push('open') as never,
      };
      const reach = createReach({ own, agents, lookup: async () => ['192.0.2.1'] });
      const addr = `${host}:${OWN_PORT}`;

      await expect(reach.dial(at(addr), { who })).rejects.toMatchObject({ code: 'denied' });
      await expect(reach.dial(at(addr, { through: { agent: 'a1' } }), { who })).rejects.toMatchObject({
        code: 'denied',
      });
      expect(asked).toEqual([]);
    },
  );

  test.each([['127.0.0.1'], ['127.9.9.9'], ['::1'], ['::ffff:127.0.0.1']])(
    'the machine of the gateway at %s, unless an administrator entered the server there: open and closed ports sound alike',
    async (address) => {
      const { port, accepted } = await listen();
      const told = async (open: number) =>
        dialling(`rebound.example:${open}`, [address], { mayBeThisMachine: false }).catch(({ code, message }) => [
          code,
          message,
        ]);

      expect(await told(port)).toEqual(['denied', 'rebound.example is the machine the gateway runs on']);
      expect(await told(1)).toEqual(await told(port));
      expect(accepted).toEqual([]);
      expect((await dialling(`here.example:${port}`, [address])).tell).toContain('directly');
    },
  );

  test.each([
    ['its name', 'Store.example.:5432', ['192.0.2.7']],
    ['its address', '192.0.2.7:5432', []],
    ['another name for it', 'alias.example:5432', ['192.0.2.9', '::ffff:192.0.2.7']],
  ])('what the gateway keeps its own data in, by %s', async (_by, addr, leads) => {
    const lookup = async (host: string) => (host === 'store.example' ? ['192.0.2.7'] : leads);
    const guarded = createReach({
      agents: nobody,
      own: { ...own, store: { host: 'store.example', port: 5432 } },
      lookup,
    });

    await expect(guarded.dial(at(addr), { who })).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining('keeps its own data'),
    });
  });

  test('what the gateway keeps its own data in on this machine, by any of its addresses', async () => {
    const { port, accepted } = await listen();
    const guarded = (host: string) => createReach({ agents: nobody, own: { ...own, store: { host, port } } });

    await expect(guarded('localhost').dial(at(`127.0.0.1:${port}`), { who })).rejects.toMatchObject({ code: 'denied' });
    await expect(guarded('127.0.0.9').dial(at(`127.0.0.1:${port}`), { who })).rejects.toMatchObject({ code: 'denied' });
    expect(accepted).toEqual([]);
  });

  test('what the gateway keeps its own data in, through an agent', async () => {
    const guarded = createReach({ agents: nobody, own: { ...own, store: { host: 'store.example', port: 5432 } } });
    const target = at('STORE.example:5432', { through: { agent: 'a1' } });

    await expect(guarded.dial(target, { who })).rejects.toMatchObject({ code: 'denied' });
  });
});
