import { beforeAll, expect, test, vi } from 'vitest';
import { addKindOfSharedNames, addSixthKind, SIXTH } from '../../testing/kinds/sixth-kind.ts';
import type { Action, Connect } from './action.ts';

/** Read after the row is in the table. */
const load = async () => ({
  ...(await import('./bind-access.ts')),
  ...(await import('./compile-role.ts')),
  ...(await import('./containment.ts')),
  ...(await import('./decide.ts')),
  ...(await import('./document/role-document.ts')),
  ...(await import('./explain.ts')),
  ...(await import('./lock-cache.ts')),
  ...(await import('./principals-for.ts')),
  ...(await import('./role-cache.ts')),
  ...(await import('./session-options.ts')),
});
let product: Awaited<ReturnType<typeof load>>;

beforeAll(async () => {
  addSixthKind();
  addKindOfSharedNames();
  product = await load();
});

const SILENT = { subscribe: () => ({ close() {} }) };
const print = (queue: string, tray?: string) =>
  ({
    type: 'connect',
    kind: SIXTH,
    resource: { id: 'p1', name: 'laser', labels: { floor: '2' }, owner: '' },
    queue,
    ...(tray === undefined ? {} : { tray }),
  }) as unknown as Connect;

function roleOf(name: string, spec: object) {
  const { compileRole, parseRole } = product;
  return compileRole(parseRole(JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec })).document);
}

function access(spec: object) {
  return product.bindAccess([roleOf('clerk', spec)], { username: 'ann', traits: {} });
}

test('a kind that is only a row is allowed by its own labels and names, and by nothing else', () => {
  const { decide } = product;
  const clerk = access({ allow: { printer_labels: { floor: '2' }, printer_queues: ['ann'], printer_trays: ['a4'] } });
  const see = { type: 'see', kind: SIXTH, resource: { name: 'laser', labels: { floor: '2' } } } as Action;

  expect(decide(clerk, see).allowed).toBe(true);
  expect(decide(clerk, print('ann')).allowed).toBe(true);
  expect(decide(clerk, print('ann', 'a4')).allowed).toBe(true);
  expect(decide(clerk, print('root')).allowed).toBe(false);
  expect(decide(clerk, print('ann', 'a3')).allowed).toBe(false);
  expect(decide(access({ allow: { node_labels: { '*': '*' }, logins: ['ann'] } }), print('ann')).allowed).toBe(false);
});

test('a star allows any name where its row says so, and nothing elsewhere', () => {
  const allow = { printer_labels: { '*': '*' }, printer_queues: ['*', 'ann'], printer_trays: ['*'] };
  const { notes } = product.parseRole(
    JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'clerk' }, spec: { allow } }),
  );

  expect(product.decide(access({ allow }), print('ann', 'a3')).allowed).toBe(true);
  expect(product.decide(access({ allow }), print('root')).allowed).toBe(false);
  expect(notes).toEqual([expect.stringContaining("spec.allow.printer_queues: '*' is a pattern")]);
});

test('a name that is forbidden is not shown in another case, where its row says that case does not count', () => {
  const held = access({
    allow: { printer_labels: { '*': '*' }, printer_queues: ['Ann', 'joe'] },
    deny: { printer_queues: ['ann'] },
  });

  expect(product.principalsFor(held, SIXTH, { floor: '2' }, 'printer_queues' as never)).toEqual(['joe']);
});

test('where names add up, two people cannot lend somebody more than either has', () => {
  const roles = ['alto', 'bass'].map((name) =>
    roleOf(name, { allow: { choir_labels: { '*': '*' }, choir_voices: [name] } }),
  );
  const person = (username: string, held: typeof roles) => ({
    access: product.bindAccess(held, { username, traits: {} }),
    username,
    traits: {},
  });
  const others = roles.map((role) => person(`who has ${role.name}`, [role]));

  expect(product.excessOver(person('ann', roles), others)).toEqual({
    role: 'bass',
    path: 'spec.allow.choir_labels',
    type: 'gives',
  });
});

test('its refusal says what is missing, in its own words', () => {
  const clerk = access({ allow: { printer_labels: { '*': '*' }, printer_queues: ['ann'] } });

  expect(product.explain(clerk, print('root'))).toMatchObject({
    allowed: false,
    change: [{ type: 'add-principal', role: 'clerk', field: 'printer_queues', value: 'root' }],
  });
});

test('a stored role that cannot be read denies it, as it denies every kind there is', async () => {
  const rows = [{ name: 'broken', content: 'kind: role\nversion: v99\n', revision: 'r', created: 0, updated: 0 }];
  const query = { select: () => query, selectAll: () => query, orderBy: () => query, execute: async () => rows };
  const log = { error: vi.fn() };
  const cache = await product.openRoleCache({
    db: { selectFrom: () => query } as never,
    feed: SILENT as never,
    log: log as never,
    onChange() {},
  });
  const allowed = JSON.stringify({
    kind: 'role',
    version: 'v6',
    metadata: { name: 'clerk' },
    spec: { allow: { printer_labels: { '*': '*' }, printer_queues: ['ann'] } },
  });
  const clerk = product.compileRole(product.parseRole(allowed).document);
  const held = product.bindAccess([clerk, cache.get('broken')!], { username: 'ann', traits: {} });

  expect(log.error).toHaveBeenCalledOnce();
  expect(product.decide(held, print('ann')).allowed).toBe(false);
});

test('locks on it, and on who somebody becomes there, hold', async () => {
  const lock = (kind: string, name: string) => ({
    id: 'l',
    target_kind: kind,
    target: name,
    message: '',
    created: 0,
    created_by: 'root',
    expires: null,
  });
  const against = async (kind: string, name: string) => {
    const rows = [lock(kind, name)];
    const query: Record<string, unknown> = {};
    for (const step of ['selectAll', 'select', 'where', 'orderBy']) query[step] = () => query;
    query.execute = async () => rows;
    const cache = await product.openLockCache({
      db: { selectFrom: () => query } as never,
      feed: SILENT as never,
      now: () => 1,
      onChange() {},
    });
    return cache.against(print('ann'));
  };

  expect(await against('printer', 'laser')).toBeDefined();
  expect(await against('printer', 'p1')).toBeDefined();
  expect(await against('login', 'ANN')).toBeDefined();
  expect(await against('printer', 'other')).toBeUndefined();
  expect(await against('node', 'laser')).toBeUndefined();
});

test('how strictly it is recorded is asked of itself, not of servers', () => {
  const options = (record_session: object) => product.sessionOptions(access({ options: { record_session } }));

  expect(options({ ssh: 'strict' }).recording[SIXTH]).toBe('best_effort');
  expect(options({ ssh: 'strict' }).recording.node).toBe('strict');
  expect(options({ ssh: 'strict' }).recording.kube).toBe('best_effort');
  expect(options({ default: 'strict', ssh: 'best_effort' }).recording).toMatchObject({
    [SIXTH]: 'strict',
    kube: 'strict',
    node: 'best_effort',
  });
});
