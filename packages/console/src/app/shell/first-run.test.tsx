/** Home, for who may enrol and has nothing yet: led to enrolling once. */
import { emptyAcl } from '@gatehouse/contract/access/acl';
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const CHECK = 'GET /v1/webapi/sites/one/resources/check';
const WHAT = 'What do you want to reach?';
afterEach(closePage);

const at = () => window.location.pathname;
const kept = () => JSON.parse(localStorage.getItem(STORAGE_KEYS.discover) ?? 'null');

test('with nothing enrolled home leads to enrolling once, where this machine is offered first', async () => {
  const gateway = fakeGateway();
  gateway.answer(CHECK, { body: { hasResource: false } });
  await openPage('/web', { gateway });
  await screen.findByRole('heading', { name: WHAT });
  await screen.findByRole('button', { name: 'Begin with this machine' });
  await waitFor(() => expect(kept()).toEqual({ hasResource: false, hasVisited: true }));

  await openPage('/web', { gateway });
  await waitFor(() => expect(at()).toBe('/web/cluster/one/nodes'));
});

test('with something enrolled it leads to the list, and does not ask again', async () => {
  const gateway = fakeGateway();
  await openPage('/web', { gateway });
  await waitFor(() => expect(at()).toBe('/web/cluster/one/nodes'));
  await waitFor(() => expect(kept()).toEqual({ hasResource: true }));
  gateway.answer(CHECK, { body: { hasResource: false } });
  await openPage('/web', { gateway });
  await waitFor(() => expect(at()).toBe('/web/cluster/one/nodes'));
});

test('what cannot be asked leads nowhere else, and is asked again the next time', async () => {
  const gateway = fakeGateway();
  gateway.answer(CHECK, { status: 500, body: { error: { message: 'away' } } });
  await openPage('/web', { gateway });
  await waitFor(() => expect(at()).toBe('/web/cluster/one/nodes'));
  expect(kept()).toBeNull();
});

test('who may not enrol is not asked about', async () => {
  const acl = { ...emptyAcl(), nodes: { list: true, read: true, edit: false, create: false, remove: false } };
  const gateway = fakeGateway(acl);
  gateway.answer(CHECK, { body: { hasResource: false } });
  await openPage('/web', { gateway });
  await waitFor(() => expect(at()).toBe('/web/cluster/one/nodes'));
  expect(kept()).toBeNull();
});
