import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OKTA } from '../../../../testing/fake-connectors.ts';
import { failure, fakeGateway } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

const CHECK = 'POST /v1/webapi/sso/check';

beforeEach(() => {
  // happy-dom lays nothing out, and the editor asks where its text stands.
  Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
});
afterEach(closePage);

async function open(path: string, gateway = fakeGateway()) {
  const page = await openPage(path, { gateway });
  return { ...page, user: userEvent.setup() };
}

test('nobody is told off for a field of a new one they have not come to yet', async () => {
  const gateway = fakeGateway();
  const empty = { column: 14, message: 'must not be empty' };
  const issues = ['spec.issuer_url', 'spec.client_id'].map((path, at) => ({ path, line: 9 + at, ...empty }));
  gateway.answer(CHECK, { status: 400, body: { ...failure('bad_request', 'wrong'), fields: { issues } } });
  const { user } = await open('/web/sso/new/oidc?tab=settings', gateway);
  const issuer = await screen.findByLabelText('Issuer');
  const client = screen.getByLabelText('Client id');
  await waitFor(() => expect(gateway.calls).toContain(CHECK));
  // It stands beside the text meanwhile, for those who write there.
  await screen.findAllByText(/must not be empty/);
  const form = within(screen.getByRole('region', { name: 'Form' }));

  expect(form.queryByText(/must not be empty/)).toBeNull();
  await user.click(issuer);
  await user.click(client);
  expect(issuer.getAttribute('aria-invalid')).toBe('true');
  expect(client.getAttribute('aria-invalid')).not.toBe('true');
});

test('whoever goes on past fields that are wrong finds each of them marked, and the step not done', async () => {
  const gateway = fakeGateway();
  const empty = { column: 14, message: 'must not be empty' };
  const paths = ['spec.issuer_url', 'spec.client_id', 'spec.claims_to_roles[0].value', 'spec.traits[0].to'];
  const issues = paths.map((path, at) => ({ path, line: 9 + at, ...empty }));
  gateway.answer(CHECK, { status: 400, body: { ...failure('bad_request', 'wrong'), fields: { issues } } });
  const { user } = await open('/web/sso/new/oidc?tab=settings', gateway);
  await user.click(await screen.findByRole('button', { name: 'Add a trait' }));
  await user.click(screen.getByRole('button', { name: 'Go on to the test' }));
  const steps = within(screen.getByRole('list', { name: 'Steps' }));
  await waitFor(() =>
    expect(steps.getByRole('button', { name: /Settings/ }).textContent).toContain('something to mend'),
  );
  expect(steps.getByRole('button', { name: /Over there/ }).textContent).toContain('done');
  await user.click(steps.getByRole('button', { name: /Settings/ }));

  for (const label of ['Issuer', 'Client id', 'Trait']) {
    const field = screen.getByLabelText(label);
    expect(field.getAttribute('aria-invalid')).toBe('true');
    const told = (field.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id));
    expect(told.map((each) => each?.textContent).join(' ')).toContain('must not be empty');
  }
  expect(screen.getByLabelText('Value').getAttribute('aria-invalid')).toBe('true');
});

test('a name that cannot be is told at its field, in words alone', async () => {
  const gateway = fakeGateway();
  const issues = [
    { path: 'metadata.name', line: 1, column: 50, message: 'stands for something else: choose another name' },
  ];
  gateway.answer(CHECK, {
    status: 400,
    body: { ...failure('bad_request', 'Line 1, column 50: no'), fields: { issues } },
  });
  const { user } = await open('/web/sso/new/oidc', gateway);
  const name = await screen.findByLabelText('Name');

  expect(await screen.findByText('Stands for something else: choose another name.')).toBeTruthy();
  expect(name.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('They are known once the name above is right.')).toBeTruthy();
  expect(document.body.textContent).not.toContain('column 50');
  await user.clear(name);
  await user.tab();
  expect(screen.getByText('Give it a name.')).toBeTruthy();
});

test('what is wrong with a name is told where its text is seen, by the line it stands in there', async () => {
  const gateway = fakeGateway();
  const issues = [
    { path: 'metadata.name', line: 1, column: 50, message: 'stands for something else: choose another name' },
  ];
  gateway.answer(CHECK, { status: 400, body: { ...failure('bad_request', 'wrong'), fields: { issues } } });
  const { user } = await open('/web/sso/new/oidc?tab=settings', gateway);
  await screen.findByRole('button', { name: /stands for something else/ });
  const others = [{ path: 'spec.client_id', line: 8, column: 14, message: 'must not be empty' }];
  gateway.answer(CHECK, { status: 400, body: { ...failure('bad_request', 'wrong'), fields: { issues: others } } });
  await user.type(screen.getByLabelText('Issuer'), 'https://id.example');

  expect(await screen.findByRole('button', { name: /Line 4, column 9.*stands for something else/ })).toBeTruthy();
  expect(screen.getByRole('button', { name: /Over there something to mend/ })).toBeTruthy();
});

test('nobody goes on with a name that cannot be, and sees no address of another name', async () => {
  const { user, gateway } = await open('/web/sso/new/oidc');
  await screen.findByText('https://one.example.com/v1/webapi/oidc/callback/okta');
  const issues = [{ path: 'metadata.name', line: 1, column: 50, message: 'must be letters, digits and dashes' }];
  gateway.answer(CHECK, { status: 400, body: { ...failure('bad_request', 'no'), fields: { issues } } });
  const name = screen.getByLabelText('Name');
  await user.type(name, '/..');

  // At once: an address that is copied before the gateway has answered is the wrong one.
  expect(screen.queryByText(/webapi\/oidc\/callback/)).toBeNull();
  expect(await screen.findByText('Must be letters, digits and dashes.')).toBeTruthy();
  const goOn = screen.getByRole('button', { name: 'Go on to settings' });
  expect(goOn.getAttribute('aria-disabled')).toBe('true');
  await user.click(goOn);
  const steps = within(screen.getByRole('list', { name: 'Steps' }));
  await user.click(steps.getByRole('button', { name: /Settings/ }));
  expect(screen.getByLabelText('Name')).toBe(name);
  expect(steps.getByRole('button', { name: /Over there/ }).textContent).not.toContain('done');
});

test('nobody goes on without a name', async () => {
  const { user } = await open('/web/sso/new/oidc');
  const name = await screen.findByLabelText('Name');
  await user.clear(name);
  expect(screen.getByRole('button', { name: 'Go on to settings' }).getAttribute('aria-disabled')).toBe('true');
  await user.click(within(screen.getByRole('list', { name: 'Steps' })).getByRole('button', { name: /Settings/ }));

  expect(screen.getByLabelText('Name')).toBe(name);
  expect(screen.getByText('Give it a name.')).toBeTruthy();
  expect(screen.queryByText(/webapi\/oidc\/callback/)).toBeNull();
});

test('a name that another connector has, of whatever kind, is told at once', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/saml', { body: [{ ...OKTA, id: 'saml:corp', kind: 'saml', name: 'corp' }] });
  const { user } = await open('/web/sso/new/oidc', gateway);
  const name = await screen.findByLabelText('Name');
  await user.clear(name);
  await user.type(name, 'corp');

  expect(await screen.findByText('Another connector is called corp already: choose another name.')).toBeTruthy();
  expect(name.getAttribute('aria-invalid')).toBe('true');
  expect(screen.queryByText(/webapi\/oidc\/callback/)).toBeNull();
  expect(screen.getByRole('button', { name: 'Go on to settings' }).getAttribute('aria-disabled')).toBe('true');
});

test('after each step the keyboard goes on where the next begins', async () => {
  const { user } = await open('/web/sso/new/oidc');
  expect(await screen.findByRole('heading', { name: 'What to do at your provider' })).toBeTruthy();
  await screen.findByText(/webapi\/oidc\/callback/);
  const goOn = async (name: string) => {
    screen.getAllByRole('button', { name }).at(-1)?.focus();
    await user.keyboard('{Enter}');
  };
  await goOn('Go on to settings');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Issuer')));
  await goOn('Go on to the test');
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Test'));
  await goOn('Review and save');
  await waitFor(() => expect(document.activeElement?.textContent).toBe('What will be saved'));
  await goOn('Test and roles');
  await goOn('Settings');
  await goOn('Over there');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')));
});

test('an entry that was just added is told off only when it is left', async () => {
  const { user, gateway } = await open('/web/sso/new/oidc?tab=settings');
  const issues = [{ path: 'spec.claims_to_roles[1].value', line: 20, column: 14, message: 'must not be empty' }];
  gateway.answer(CHECK, { status: 400, body: { ...failure('bad_request', 'wrong'), fields: { issues } } });
  await user.click(await screen.findByRole('button', { name: 'Add an entry' }));
  await screen.findAllByText(/must not be empty/);
  const form = within(screen.getByRole('region', { name: 'Form' }));

  expect(form.queryByText(/must not be empty/)).toBeNull();
  await user.click(form.getByRole('button', { name: 'Done' }));
  expect(form.getByText('value: must not be empty')).toBeTruthy();
});

test('a secret that a provider cannot do without is asked for at its field', async () => {
  const { user } = await open('/web/sso/new/github?tab=settings');
  const secret = await screen.findByLabelText('Client secret');
  expect(secret.getAttribute('aria-invalid')).not.toBe('true');
  await user.click(screen.getByRole('button', { name: 'Go on to the test' }));
  await user.click(screen.getByRole('button', { name: /Settings something to mend/ }));
  const again = await screen.findByLabelText('Client secret');
  expect(again.getAttribute('aria-invalid')).toBe('true');
  await user.type(again, 'hush');

  expect(again.getAttribute('aria-invalid')).not.toBe('true');
});

test('what is refused for one field stands at that field', async () => {
  const gateway = fakeGateway();
  const message =
    "'spec.redirect_url' leads to https://other.example, and this gateway is https://one.example.com: leave it out";
  gateway.answer(CHECK, {
    status: 400,
    body: { ...failure('bad_request', message), fields: { field: 'spec.redirect_url' } },
  });
  await open('/web/sso/oidc/okta', gateway);

  const field = await screen.findByLabelText('Another callback address');
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(screen.getByRole('button', { name: /Line 1.*leads to/ })).toBeTruthy();
});

test('a new one of GitHub holds no name that was not typed, and shows what one looks like', async () => {
  await open('/web/sso/new/github?tab=settings');
  const organisation = (await screen.findByLabelText('Organisation')) as HTMLInputElement;
  const team = screen.getByLabelText('Team') as HTMLInputElement;

  expect([organisation.value, team.value]).toEqual(['', '']);
  expect([organisation.placeholder, team.placeholder]).toEqual(['acme', 'platform']);
  expect(document.activeElement).not.toBe(team);
});

test('of SAML nobody is asked how often groups are checked again, and its metadata is said to answer later', async () => {
  const gateway = fakeGateway();
  const enter = ['callback', 'metadata'].map((what) => ({ what, value: `https://one.example.com/${what}` }));
  gateway.answer(CHECK, { body: { name: 'saml', notes: [], enter } });
  const { user } = await open('/web/sso/new/saml', gateway);
  expect(await screen.findByText(/answers only once this connector is saved/)).toBeTruthy();
  expect(screen.getByText(/or ACS\.$/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Go on to settings' }));
  await screen.findByLabelText('Second factor');

  expect(screen.queryByLabelText('Groups are checked again every')).toBeNull();
});

test('what is seldom needed stays open while somebody empties a field of it', async () => {
  const { user } = await open('/web/sso/new/oidc?tab=settings');
  await user.click(await screen.findByText('Seldom needed'));
  const prompt = screen.getByLabelText('Prompt');
  await user.type(prompt, 'x');
  await waitFor(() => expect(prompt.closest('details')?.open).toBe(true));
  await user.clear(prompt);

  expect(prompt.closest('details')?.open).toBe(true);
});

test('what is seldom needed opens again for what is wrong in it, though somebody has closed it', async () => {
  const gateway = fakeGateway();
  const { user } = await open('/web/sso/oidc/okta?tab=settings', gateway);
  const fold = () => screen.getByLabelText('Prompt').closest('details');
  await user.click(await screen.findByText('Seldom needed'));
  await user.type(screen.getByLabelText('Prompt'), 'x');
  await waitFor(() => expect(fold()?.open).toBe(true));
  await user.click(screen.getByText('Seldom needed'));
  await waitFor(() => expect(fold()?.open).toBe(false));
  const issues = [{ path: 'spec.prompt', line: 9, column: 3, message: 'must be one of none, login' }];
  gateway.answer(CHECK, { status: 400, body: { ...failure('bad_request', 'wrong'), fields: { issues } } });
  await user.type(screen.getByLabelText('Client id'), '2');

  await waitFor(() => expect(fold()?.open).toBe(true));
  expect(screen.getByLabelText('Prompt').getAttribute('aria-invalid')).toBe('true');
});
