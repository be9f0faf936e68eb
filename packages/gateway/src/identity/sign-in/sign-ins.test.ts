import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

const GONE = { code: 'not_signed_in' };
const list = (browser: TestBrowser) => call(browser.send, signInsRoutes.list, {});
const status = (browser: TestBrowser) => call(browser.send, signInRoutes.status, {});

test('users see their own sign-ins with device and address, and which one they are using', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  await gateway.addUser('bob');
  await gateway.signedIn('bob');
  const ann = await gateway.signedIn('ann');
  gateway.clock.advance(60_000);
  await gateway.signedIn('ann');

  const items = await list(ann);

  expect(items).toMatchObject([
    { kind: 'browser', device: 'Firefox on Linux', address: '127.0.0.1', current: expect.any(Boolean) },
    { kind: 'browser' },
  ]);
  expect(items.filter(({ current }) => current)).toHaveLength(1);
  expect(items.find(({ current }) => current)?.lastActive).toBe(new Date(gateway.clock.now).toISOString());
});

test('ending another of one’s own sign-ins works at once, ending a stranger’s looks like an unknown one', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  await gateway.addUser('bob');
  const bob = await gateway.signedIn('bob');
  const lost = await gateway.signedIn('ann');
  const ann = await gateway.signedIn('ann');
  const bobs = (await list(bob))[0]?.id ?? '';
  const other = (await list(ann)).find(({ current }) => !current)?.id ?? '';

  await call(ann.send, signInsRoutes.end, { params: { id: other } });

  await expect(status(lost)).rejects.toMatchObject(GONE);
  expect(await status(ann)).toEqual({ message: 'ok' });
  const stranger = call(ann.send, signInsRoutes.end, { params: { id: bobs } });
  await expect(stranger).rejects.toMatchObject({ status: 404 });
  expect(await status(bob)).toEqual({ message: 'ok' });
});

test('administrators see and end the sign-ins of a user; others may not', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  await gateway.addUser('root', { roles: ['editor'] });
  const root = await gateway.signedIn('root');
  const ann = await gateway.signedIn('ann');
  const second = await gateway.signedIn('ann');

  const [first] = await call(root.send, signInsRoutes.listOfUser, { params: { username: 'ann' } });
  await call(root.send, signInsRoutes.endOfUser, { params: { username: 'ann', id: first?.id ?? '' } });

  const left = await Promise.allSettled([status(ann), status(second)]);
  expect(left.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await call(root.send, signInsRoutes.endAllOfUser, { params: { username: 'ann' } });
  await expect(status(ann)).rejects.toMatchObject(GONE);
  await expect(status(second)).rejects.toMatchObject(GONE);
  expect((await gateway.events()).filter(({ code }) => code === 'GH101I')).toMatchObject([
    { user: 'root', data: { name: 'ann' } },
    { user: 'root', data: { name: 'ann' } },
  ]);
  const again = await gateway.signedIn('ann');
  const refused = call(again.send, signInsRoutes.listOfUser, { params: { username: 'root' } });
  await expect(refused).rejects.toMatchObject({ code: 'denied' });
});

test('changing the password ends the other browsers of the user and keeps the one it was changed in', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const elsewhere = await gateway.signedIn('ann');
  const here = await gateway.signedIn('ann');

  const body = { old_password: btoa(PASSWORD), new_password: btoa('a new password') };
  await call(here.send, passwordRoutes.change, { body });

  await expect(status(elsewhere)).rejects.toMatchObject(GONE);
  await expect(status(here)).resolves.toMatchObject({ message: 'ok' });
});
