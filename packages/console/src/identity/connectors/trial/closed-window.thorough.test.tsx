import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeGateway } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

const WAITING = {
  id: 't-1',
  kind: 'oidc',
  connector: 'okta',
  state: 'waiting',
  steps: [{ step: 'settings', status: 'passed', message: 'read' }],
  claims: {},
  counts: {},
  roles: [],
  unmatched: [],
  traits: {},
  dropped: [],
  user: '',
  outcome: '',
  lacking: [],
  expires: '2026-11-15T04:00:00Z',
};
const SAID = /If you closed it, nothing more will/;

beforeEach(() => {
  // happy-dom lays nothing out, and the editor asks where its text stands.
  Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
  // As it is once it was led to another site: severed, it always calls itself closed.
  const other = { document: document.implementation.createHTMLDocument(), location: { replace: vi.fn() } };
  vi.spyOn(window, 'open').mockReturnValue({ ...other, closed: false, close: vi.fn() } as unknown as Window);
});
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

async function waiting() {
  const gateway = fakeGateway();
  const user = userEvent.setup();
  await openPage('/web/sso/oidc/okta?tab=test', { gateway });
  gateway.answer('POST /v1/webapi/sso/test', {
    body: { id: 't-1', url: 'https://one.example.com/v1/webapi/sso/go/t-1' },
  });
  gateway.answer('GET /v1/webapi/sso/test/t-1', { body: WAITING });
  await user.click(await screen.findByRole('button', { name: 'Test' }));
  await screen.findByText('Waiting for you to sign in in the other window.');
  return { gateway, user };
}

test('who closes the window and is back at the page is told that nothing came of it, and may begin again', async () => {
  const { gateway, user } = await waiting();
  expect(screen.queryByText(SAID)).toBeNull();
  fireEvent.focus(window);
  await screen.findByText(SAID);

  gateway.answer('POST /v1/webapi/sso/test', {
    body: { id: 't-2', url: 'https://one.example.com/v1/webapi/sso/go/t-2' },
  });
  gateway.answer('GET /v1/webapi/sso/test/t-2', { body: { ...WAITING, id: 't-2' } });
  await user.click(screen.getByRole('button', { name: 'Test again' }));

  await waitFor(() => expect(screen.queryByText(SAID)).toBeNull());
  expect(window.open).toHaveBeenCalledTimes(2);
});

test('who comes back with an answer is not told that there is none', async () => {
  const { gateway } = await waiting();
  const failed = [{ step: 'settings', status: 'failed', message: 'nobody answers there' }];
  gateway.answer('GET /v1/webapi/sso/test/t-1', { body: { ...WAITING, state: 'failed', steps: failed } });
  fireEvent.focus(window);

  expect(await screen.findByText('Nobody answers there.')).toBeTruthy();
  expect(screen.queryByText(SAID)).toBeNull();
});
