import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sendTo } from '../../../testing/start-test-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const params = { clusterId: 'localhost' };
const refused = { status: 403 };
const EVERYTHING = '[{resources: [app_server], verbs: ["*"]}]';

let gateway: IdentityGateway;
let admin: TestBrowser;

async function person(name: string, roles: string[]): Promise<TestBrowser> {
  await gateway.addUser(name, { roles });
  return gateway.signedIn(name);
}
const body = (env: string, uri = 'http://10.0.0.9', more: object = {}) => ({ uri, labels: { env }, ...more }) as never;
const add = ({ send }: { send: Send }, name: string, ...given: Parameters<typeof body>) =>
  call(send, appRoutes.add, { params, body: { name, ...(body(...given) as object) } as never });
const update = ({ send }: { send: Send }, name: string, ...given: Parameters<typeof body>) =>
  call(send, appRoutes.update, { params: { ...params, name }, body: body(...given) });
const remove = ({ send }: { send: Send }, name: string) =>
  call(send, appRoutes.remove, { params: { ...params, name } });

beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  await makeRole(
    admin,
    'open',
    '{allow: {app_labels: {env: open}, aws_role_arns: ["arn:aws:iam::123456789012:role/Admin"]}}',
  );
  await makeRole(admin, 'keeper', `{allow: {rules: ${EVERYTHING}}}`);
  await makeRole(admin, 'reaches', `{allow: {app_labels: {env: [open, prod]}, rules: ${EVERYTHING}}}`);
  await gateway.addUser('ann', { roles: ['open'] });
  await add(admin, 'wiki', 'prod');
});
afterEach(() => gateway.close());

test('who cannot open an application opens it for nobody, by its labels, by a new entry, or by another address', async () => {
  const kim = await person('kim', ['keeper']);
  await add(admin, 'play', 'open', 'http://10.0.0.2');

  await expect(update(kim, 'wiki', 'open')).rejects.toMatchObject(refused);
  await expect(add(kim, 'alias', 'open')).rejects.toMatchObject(refused);
  await expect(update(kim, 'play', 'open')).rejects.toMatchObject(refused);
  await update(kim, 'play', 'open', 'http://10.0.0.2', { description: 'new' });
  await update(kim, 'wiki', 'nobody');
  await remove(kim, 'wiki');
  await expect(add(kim, 'wiki', 'open')).rejects.toMatchObject(refused);
  await add(kim, 'wiki', 'nobody');
  await update(admin, 'wiki', 'open');
});

test('who opens it gives that, but no role in a cloud that they do not have', async () => {
  const rob = await person('rob', ['reaches']);

  await update(rob, 'wiki', 'open');
  await expect(add(rob, 'aws', 'open', 'https://console.aws.amazon.com')).rejects.toMatchObject(refused);
});

test('a narrowed token, and who is held back more, open it for nobody', async () => {
  const rob = await person('rob', ['reaches']);
  const scope = { appServers: ['list', 'read', 'edit', 'create'] } as never;
  const { token } = await call(rob.send, apiTokenRoutes.create, { body: { name: 'narrow', scope } });
  await expect(
    update({ send: sendTo(gateway.app, { authorization: `Bearer ${token}` }) }, 'wiki', 'open'),
  ).rejects.toMatchObject(refused);

  await makeRole(admin, 'strict', '{options: {require_session_mfa: true}}');
  await expect(update(await person('eve', ['reaches', 'strict']), 'wiki', 'open')).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('require_session_mfa'),
  });
});
