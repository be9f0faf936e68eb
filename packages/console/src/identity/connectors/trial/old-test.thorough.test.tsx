import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeGateway } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

const FAILED = {
  id: 't-1',
  kind: 'oidc',
  connector: 'okta',
  state: 'failed',
  steps: [{ step: 'settings', status: 'failed', message: 'nobody answers there' }],
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

beforeEach(() => {
  // happy-dom lays nothing out, and the editor asks where its text stands.
  Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
  vi.spyOn(window, 'open').mockReturnValue(null);
});
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

test('a test that failed is said to be old once the settings were changed', async () => {
  const gateway = fakeGateway();
  const user = userEvent.setup();
  await openPage('/web/sso/oidc/okta?tab=test', { gateway });
  gateway.answer('POST /v1/webapi/sso/test', {
    body: { id: 't-1', url: 'https://one.example.com/v1/webapi/sso/go/t-1' },
  });
  gateway.answer('GET /v1/webapi/sso/test/t-1', { body: FAILED });
  await user.click(await screen.findByRole('button', { name: 'Test' }));
  await screen.findByText('Nobody answers there.');
  expect(screen.queryByText(/what is told here is of before/)).toBeNull();
  const list = within(screen.getByRole('list', { name: 'Steps' }));
  await user.click(list.getByRole('button', { name: /Settings/ }));
  await user.type(await screen.findByLabelText('Issuer'), '/two');
  await user.click(list.getByRole('button', { name: /Test/ }));

  expect(await screen.findByText(/what is told here is of before/)).toBeTruthy();
});
