/** What is said of what somebody enrols: what the command does, what joined and is not seen, what is under way, and that a passed test is one. */
import { LOOK_HEADER, RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeGateway, fullAcl, node } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const SITE = '/v1/webapi/sites/one';
const CONNECT = `POST ${SITE}/diagnostics/connections`;
const END = new Date(Date.now() + 4 * 3_600_000).toISOString();
const MADE = {
  ...{ id: 'a'.repeat(32), expiry: END, method: 'token' },
  suggestedLabels: [{ name: RESOURCE_ID_LABEL, value: 'u-1' }],
  gatehouse: {
    command: `sudo sh -c "$(curl -fsSL 'https://one.example.com:443/scripts/${'a'.repeat(32)}/install-node.sh')"`,
    openSshCommand: 'sudo sh -c trust',
    tokenId: 't-1',
  },
};
const at = new Date().toISOString();
const joined = (name: string) => ({
  ...{ agent: `a-${name}`, name, at, address: '10.0.0.8', offered: 1, notTaken: [] },
  resources: [{ kind: 'node', name }],
});
const refused = { at, address: '10.0.0.9', name: 'edge-3', reason: 'the name belongs to another agent' };

function gatewayThatHeard(progress: object, gateway = fakeGateway()) {
  gateway.answer('POST /v1/webapi/token', { body: MADE });
  gateway.answer(`GET ${SITE}/nodes`, { body: { items: [], startKey: '', totalCount: 0 } });
  gateway.answer('GET /v1/webapi/tokens/t-1/progress', {
    body: { uses: 0, fetched: [], joined: [], refused: [], expires: END, ...progress },
  });
  return gateway;
}

async function makeCommand(flow: string) {
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Go on' }));
  await user.click(await screen.findByRole('button', { name: 'Make the command' }));
  await screen.findByRole('region', { name: 'Command for the new server' });
  expect(new URLSearchParams(window.location.search).get('flow')).toBe(flow);
  return user;
}

test('a machine that joined and that no role of one’s own sees is named, with the way to one’s roles', async () => {
  const gateway = gatewayThatHeard({ uses: 1, joined: [joined('web-9')] });
  await openPage('/web/discover?flow=server', { gateway });
  await makeCommand('server');

  expect(await screen.findByText('web-9 joined, but none of your roles sees it')).toBeTruthy();
  const lead = screen.getByRole('link', { name: 'Change your roles' });
  expect(lead.getAttribute('href')).toBe('/web/users?open=maya');
});

test('who may not change users is told what to send about it', async () => {
  const acl = fullAcl();
  const gateway = fakeGateway({ ...acl, users: { ...acl.users, edit: false } });
  await openPage('/web/discover?flow=server', {
    gateway: gatewayThatHeard({ uses: 1, joined: [joined('web-9')] }, gateway),
  });
  await makeCommand('server');

  expect(await screen.findByText('maya enrolled web-9 and has no role that reaches its labels.')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Change your roles' })).toBe(null);
});

test('the list of what is under way counts who joined and who was refused since', async () => {
  const gateway = gatewayThatHeard({
    uses: 2,
    joined: [joined('edge-1'), joined('edge-2')],
    refused: [refused, refused],
  });
  await openPage('/web/discover?flow=server', { gateway });
  const user = await makeCommand('server');
  await user.click(screen.getByRole('button', { name: 'Choose something else' }));
  await user.click(await screen.findByRole('button', { name: 'Leave' }));

  const underWay = within(await screen.findByRole('region', { name: /^Under way/ }));
  // The same machine that tries twice is one.
  expect(await underWay.findByText('2 have joined, 1 refused')).toBeTruthy();
});

test.each([
  ['server', /one program and one service/, /tells sshd to trust/],
  ['openssh', /tells sshd to trust/, /one program and one service/],
])('beside the command of %s stands what it does there', async (flow, does, other) => {
  await openPage(`/web/discover?flow=${flow}`, { gateway: gatewayThatHeard({}) });
  await makeCommand(flow);

  const section = screen.getByRole('heading', { name: 'What it does there' }).closest('section');
  expect(section?.textContent).toMatch(does);
  expect(section?.textContent).not.toMatch(other);
});

test('after a test that passed nothing offers to finish without one; after one that failed it is offered', async () => {
  const gateway = gatewayThatHeard({});
  const server = node('web-1', { addr: '10.0.0.5:22' });
  gateway.answer(`GET ${SITE}/nodes/${server.id}`, { body: server });
  gateway.answer(`POST ${SITE}/mfa/required`, { body: { required: false } });
  const said = (success: boolean) => ({ body: { id: 'd-1', success, message: 'no', traces: [] } });
  await openPage(`/web/discover?flow=server&step=test&id=${server.id}`, { gateway });
  const user = userEvent.setup();
  const without = () => screen.queryByRole('button', { name: 'Finish without a test' });

  gateway.answer(CONNECT, said(false));
  await user.click(await screen.findByRole('button', { name: /^Test/ }));
  expect(await screen.findByText('No.')).toBeTruthy();
  expect(without()).not.toBe(null);
  gateway.answer(CONNECT, said(true));
  await user.click(await screen.findByRole('button', { name: /^Test/ }));
  expect(await screen.findByText('Everything works.')).toBeTruthy();
  expect(without()).toBe(null);
});

test('the script is read before the command is run: this gateway is asked for it, and it is told that nobody came', async () => {
  const gateway = gatewayThatHeard({});
  const path = `/scripts/${'a'.repeat(32)}/install-node.sh`;
  gateway.answer(`GET ${path}`, { body: 'set -eu; echo from the script' });
  await openPage('/web/discover?flow=server', { gateway });
  const user = await makeCommand('server');
  expect(screen.getByRole('timer').textContent).toMatch(/^Works for another \d:\d\d:\d\d$/);

  const read = screen.getByRole('button', { name: 'Read the script first' });
  await user.click(read);

  const dialog = within(await screen.findByRole('dialog', { name: 'What the command runs' }));
  expect(dialog.getByRole('region', { name: 'Script that the command runs' }).textContent).toContain('from the script');
  expect(gateway.lastHeaders().get(LOOK_HEADER)).toBe('1');
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBe(null);
  expect(document.activeElement).toBe(read);

  gateway.answer(`GET ${path}`, { status: 429, body: { error: { code: 'too_many', message: 'not now' } } });
  await user.click(read);
  expect(await screen.findByText(/not now/i)).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBe(null);
});

test('a command for several says how many it is for', async () => {
  await openPage('/web/discover', { gateway: gatewayThatHeard({}) });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('radio', { name: 'Several at once' }));
  await user.click(await screen.findByRole('button', { name: /^Linux server/ }));
  await user.click(await screen.findByRole('button', { name: 'Go on' }));
  await user.type(await screen.findByLabelText(/^How many/), '{Control>}a{/Control}20');
  await user.click(await screen.findByRole('button', { name: 'Make the command' }));

  expect(await screen.findByText(/For 20 machines, and no more\./)).toBeTruthy();
  expect(screen.queryByText(/any number/)).toBe(null);
});

const EARLIER = `GET ${SITE}/diagnostics/connections`;

test('beside a test stands what came of those before, and under way what the last one stopped at, with the labels', async () => {
  const gateway = gatewayThatHeard({});
  const server = node('web-1', { addr: '10.0.0.5:22' });
  gateway.answer(`GET ${SITE}/nodes/${server.id}`, { body: server });
  gateway.answer(`POST ${SITE}/mfa/required`, { body: { required: false } });
  const before = [
    { id: 'd-3', at, success: false, message: 'the server refuses root', step: 'login' },
    { id: 'd-1', at, success: true, message: 'fine' },
  ];
  gateway.answer(EARLIER, (query) => ({
    body: { items: query.get('resource_kind') === 'node' && query.get('resource_name') === server.id ? before : [] },
  }));
  gateway.answer(CONNECT, { body: { id: 'd-3', success: false, message: 'nothing listens there', traces: [] } });
  await openPage('/web/discover?flow=server&step=describe', { gateway });
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText(/^Labels/), 'env=prod,');
  history.pushState({}, '', `/web/discover?flow=server&step=test&id=${server.id}`);
  window.dispatchEvent(new PopStateEvent('popstate'));

  const list = await screen.findByRole('complementary', { name: 'Earlier' });
  expect(await within(list).findByText('The server refuses root.')).toBeTruthy();
  expect(within(list).getByText('Everything worked.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: /^Test/ }));
  // The one that stands beside it is not told twice.
  await waitFor(() => expect(within(list).queryByText('The server refuses root.')).toBe(null));

  await user.click(screen.getByRole('button', { name: 'Choose something else' }));
  await user.click(await screen.findByRole('button', { name: 'Leave' }));
  const underWay = within(await screen.findByRole('region', { name: /^Under way/ }));
  expect(underWay.getByText('Test stopped: nothing listens there')).toBeTruthy();
  expect(underWay.getByTitle('env: prod')).toBeTruthy();
});

test('at the end its name leads to its own place in the list', async () => {
  const gateway = gatewayThatHeard({});
  const server = node('web-1', { addr: '10.0.0.5:22' });
  gateway.answer(`GET ${SITE}/nodes/${server.id}`, { body: server });
  await openPage(`/web/discover?flow=server&step=done&id=${server.id}`, { gateway });

  const place = await screen.findByRole('link', { name: 'web-1' });
  expect(place.getAttribute('href')).toBe(`/web/cluster/one/nodes?open=${server.id}`);
});
