import { emptyAcl } from '@gatehouse/contract/access/acl';
import type { HeldName } from '@gatehouse/contract/kinds/held-names';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, fullAcl, listNamed } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

afterEach(closePage);

const NAMES = 'GET /v1/webapi/sites/one/app-names';
const FREE = 'DELETE /v1/webapi/sites/one/app-names/books';
const PATH = '/web/cluster/one/apps';

const held = (app: string, over: Partial<HeldName<'app'>> = {}): HeldName<'app'> => ({
  kind: 'app',
  name: app,
  app,
  group: 'team-a',
  since: '2026-11-15T03:00:00Z',
  offered: false,
  ...over,
});
const HELD = [held('wiki', { offered: true }), held('books'), held('books', { kind: 'host', name: 'books.example' })];

test('a name that is kept for an application that is away is shown, and freed after a question', async () => {
  const gateway = fakeGateway();
  let names = HELD;
  gateway.answer(NAMES, () => ({ body: names }));
  gateway.answer(FREE, () => {
    names = HELD.slice(0, 1);
    return { body: { freed: ['books', 'books.example'] } };
  });
  const user = userEvent.setup();
  await openPage(PATH, { gateway });

  await user.click(await screen.findByRole('button', { name: '1 name kept' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Names of applications that are away' }));
  expect(dialog.getByText('books.example')).toBeTruthy();
  expect(dialog.getByText(/team-a/)).toBeTruthy();
  expect(dialog.queryByText('wiki')).toBe(null);
  await user.click(dialog.getByRole('button', { name: 'Free the name books' }));
  expect(gateway.calls).not.toContain(FREE);
  const ask = within(await screen.findByRole('dialog', { name: 'Free the name books?' }));
  await user.click(ask.getByRole('button', { name: 'Free name' }));

  expect(await screen.findByText('The name books is free.')).toBeTruthy();
  expect(gateway.calls).toContain(FREE);
  await waitFor(() => expect(screen.queryByRole('button', { name: '1 name kept' })).toBe(null));
  expect(screen.queryByRole('dialog')).toBe(null);
});

test('a name that came back meanwhile is not freed, and the reason is told', async () => {
  const gateway = fakeGateway();
  gateway.answer(NAMES, { body: HELD });
  gateway.answer(FREE, { status: 409, body: failure('conflict', "agents offer 'books' now") });
  const user = userEvent.setup();
  await openPage(PATH, { gateway });

  await user.click(await screen.findByRole('button', { name: '1 name kept' }));
  await user.click(await screen.findByRole('button', { name: 'Free the name books' }));
  await user.click(await screen.findByRole('button', { name: 'Free name' }));

  expect(await screen.findByText(/agents offer 'books' now/i)).toBeTruthy();
});

test('it is shown where every application is away too', async () => {
  const gateway = fakeGateway();
  gateway.answer(NAMES, { body: HELD });
  gateway.answer(
    'GET /v1/webapi/sites/one/apps',
    listNamed(() => []),
  );
  await openPage(PATH, { gateway });

  expect(await screen.findByRole('button', { name: '1 name kept' })).toBeTruthy();
});

test('who may remove no application is not asked about names', async () => {
  const gateway = fakeGateway({ ...emptyAcl(), appServers: { ...fullAcl().appServers, remove: false } });
  gateway.answer(NAMES, { body: HELD });
  await openPage(PATH, { gateway });

  await screen.findAllByText(/grafana/);
  expect(gateway.calls).not.toContain(NAMES);
  expect(screen.queryByRole('button', { name: /name kept/ })).toBe(null);
});
