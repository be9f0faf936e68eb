import type { NamedKind } from '@gatehouse/contract/kinds/kinds';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IdentityGateway } from '../../testing/identity-gateway.ts';
import { addSixthKind, SIXTH } from '../../testing/kinds/sixth-kind.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { FreedNames } from './held-names.ts';

const load = async () => ({
  ...(await import('@gatehouse/contract/access/roles/roles')),
  ...(await import('@gatehouse/contract/kinds/held-names')),
  ...(await import('@gatehouse/contract/reach/join-tokens/join-tokens')),
  ...(await import('@gatehouse/contract/wire/client')),
  ...(await import('../../testing/identity-gateway.ts')),
  ...(await import('../kinds/kinds.ts')),
  ...(await import('./held-names.ts')),
  ...(await import('./name-handlers.ts')),
});
let product: Awaited<ReturnType<typeof load>>;
let gateway: IdentityGateway;
const cluster = 'localhost';

beforeAll(async () => {
  addSixthKind({ shared: { hosts: false } });
  product = await load();
  Object.assign(product.KIND_DEEDS, { [SIXTH]: () => ({}) });
  gateway = await product.startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const content =
    "kind: role\nversion: v6\nmetadata: {name: keeper}\nspec: {allow: {printer_labels: {'*': '*'}, rules: [{resources: [printer], verbs: ['*']}]}}\n";
  await product.call(admin.send, product.roleRoutes.create, { body: { content } });
  await gateway.setRoles('admin', ['editor', 'keeper']);
  const held = [
    { id: 'laser', holder: 'team-a' },
    { id: 'ink', holder: 'team-b' },
  ];
  await gateway.storage.db.transaction().execute(async (tx) => {
    for (const each of held) await product.takeNames(tx, { cluster, kind: SIXTH, host: '', now: 0, ...each });
  });
});
afterAll(() => gateway?.close());

const actorWith = (...roles: string[]) => {
  const subject = { username: 'ann', roles, traits: {} };
  return { ...subject, signInId: 's', acl: gateway.access.aclOf(subject) } as unknown as Actor;
};

test('names of a sixth kind whose things are shared are seen and freed by those who may remove it', async () => {
  const told: FreedNames[] = [];
  const deps = { db: gateway.storage.db, access: gateway.access };
  const handlers = product.nameHandlers(deps, SIXTH, async (_, freed) => void told.push(freed));
  const names = async (actor: Actor) =>
    await handlers.names({ actor, cluster } as Parameters<typeof handlers.names>[0]);
  const free = (actor: Actor) =>
    handlers.free({ actor, cluster, params: { name: 'laser' }, exchange: { address: '' } } as unknown as Parameters<
      typeof handlers.free
    >[0]);
  const routes = product.heldNameRoutes(SIXTH as string, {
    noun: 'printer',
    acl: 'printers',
    shared: { hosts: false },
  });

  expect(routes.free.path).toBe('/v1/webapi/sites/:clusterId/printer-names/:name');
  expect(routes.names.reply.parse(await names(actorWith('keeper')))).toEqual([
    { kind: 'printer', name: 'ink', printer: 'ink', group: 'team-b', since: expect.any(String), offered: false },
    { kind: 'printer', name: 'laser', printer: 'laser', group: 'team-a', since: expect.any(String), offered: false },
  ]);
  expect(await names(actorWith('access'))).toEqual([]);
  await expect(free(actorWith('access'))).rejects.toMatchObject({ code: 'not_found' });
  expect(await free(actorWith('keeper'))).toEqual({ freed: ['laser'] });
  expect(told).toEqual([{ user: 'ann', name: 'laser', hosts: [], group: 'team-a' }]);
  expect(await names(actorWith('keeper'))).toHaveLength(1);
});

test('a token for names of different agents is refused with the command that frees one', async () => {
  const admin = await gateway.signedIn('admin');
  await gateway.storage.db.transaction().execute(async (tx) => {
    await product.takeNames(tx, { cluster, kind: SIXTH, id: 'matrix', host: '', holder: 'team-c', now: 0 });
  });
  const body = { roles: ['Printer' as never], offers: { [`${SIXTH as NamedKind}s`]: ['ink', 'matrix'] } };

  await expect(product.call(admin.send, product.joinTokenRoutes.create, { body: body as never })).rejects.toThrow(
    'free one first with: gatehouse printers free',
  );
});
