import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, listNodes, NODES, node } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const MADE = {
  id: 'a'.repeat(32),
  // A machine that is busy takes a minute from here to the page.
  expiry: new Date(Date.now() + 4 * 3_600_000 + 1_200_000).toISOString(),
  method: 'token',
  suggestedLabels: [{ name: RESOURCE_ID_LABEL, value: 'u-1' }],
  gatehouse: {
    command: 'sudo sh -c "$(curl -fsSL https://one.example.com/scripts/aaa/install-node.sh)"',
    openSshCommand: 'sudo sh -c "$(curl …)" install-node.sh --openssh',
    tokenId: 't-1',
  },
};

async function open(gateway = fakeGateway(), search = '?flow=server') {
  gateway.answer('POST /v1/webapi/token', { body: MADE });
  const { sockets } = await openPage(`/web/discover${search}`, { gateway });
  await screen.findByRole('heading', { name: 'Linux server' });
  return { gateway, sockets, user: userEvent.setup() };
}

const step = () => new URLSearchParams(window.location.search).get('step');
const next = () => screen.getByRole('button', { name: 'Go on' });
const command = () => screen.findByRole('region', { name: 'Command for the new server' });

test('it makes a token with labels, shows the command in other forms, and how long it works', async () => {
  const { gateway, user } = await open();

  await user.click(await screen.findByRole('button', { name: 'Go on' }));
  await user.type(await screen.findByLabelText(/^Labels/), 'env=prod,team=pay,');
  await user.click(screen.getByRole('button', { name: 'Make the command' }));
  expect((await command()).textContent).toBe(MADE.gatehouse.command);
  expect(gateway.bodies[gateway.calls.indexOf('POST /v1/webapi/token')]).toEqual({
    roles: ['Node'],
    labels: { env: 'prod', team: 'pay' },
  });
  expect(step()).toBe('run');
  expect(screen.getByText(/^Works for another \d:\d\d:\d\d$/)).toBeTruthy();
  await user.click(screen.getByRole('tab', { name: 'cloud-init' }));
  expect((await command()).textContent).toBe(
    `#cloud-config\nruncmd:\n  - |\n    ${MADE.gatehouse.command.slice('sudo '.length)}\n`,
  );

  // Nothing that joins is kept where a script could find it later.
  const stored = JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage });
  expect(stored).not.toContain(MADE.id);
  expect(window.location.href).not.toContain(MADE.id);
  expect(stored).toContain('team=pay');
});

test('a server with its own sshd has its own command, and a line without the script', async () => {
  const gateway = fakeGateway();
  gateway.answer('POST /v1/webapi/token', { body: MADE });
  await openPage('/web/discover?flow=openssh', { gateway });
  const user = userEvent.setup();
  expect((await screen.findByRole<HTMLInputElement>('radio', { name: /OpenSSH/ })).checked).toBe(true);
  await user.click(next());
  await user.type(await screen.findByLabelText(/^Labels/), 'env=prod,team=pay,');
  await user.click(screen.getByRole('button', { name: 'Make the command' }));

  expect((await command()).textContent).toBe(MADE.gatehouse.openSshCommand);
  await user.click(screen.getByText('Without the script'));
  expect(screen.getByText("gatehouse nodes add NAME HOST:22 --labels 'env=prod,team=pay'")).toBeTruthy();
});

test('it waits until the server has joined, and leads on to its logins', async () => {
  const gateway = fakeGateway();
  let joined = false;
  gateway.answer('GET /v1/webapi/sites/one/nodes', (query) =>
    query.get('search') === `${RESOURCE_ID_LABEL} u-1`
      ? { body: { items: joined ? [node('new-01')] : [], startKey: '', totalCount: joined ? 1 : 0 } }
      : listNodes(() => NODES)(query),
  );
  const { user, sockets } = await open(gateway);
  await user.click(await screen.findByRole('button', { name: 'Go on' }));
  await user.click(await screen.findByRole('button', { name: 'Make the command' }));
  expect(await screen.findByText('Waiting for it to join…')).toBeTruthy();
  expect(next().hasAttribute('disabled')).toBe(true);

  joined = true;
  sockets[0]?.hear({ type: 'resources' });

  expect(await screen.findByText('new-01 has joined')).toBeTruthy();
  await user.click(next());
  await waitFor(() => expect(step()).toBe('principals'));
  expect(await screen.findByRole('heading', { name: 'Logins on new-01' })).toBeTruthy();
});

test('labels that cannot be read, and what the gateway refuses, are said', async () => {
  const { gateway, user } = await open();
  gateway.answer('POST /v1/webapi/token', { status: 403, body: failure('denied', 'you may not make tokens') });

  await user.click(await screen.findByRole('button', { name: 'Go on' }));
  await user.type(await screen.findByLabelText(/^Labels/), 'prod,');
  expect(await screen.findByText('Write “prod” as name=value.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Make the command' }));
  expect(gateway.calls).not.toContain('POST /v1/webapi/token');
  await user.click(screen.getByRole('button', { name: 'Remove prod' }));
  await user.click(screen.getByRole('button', { name: 'Make the command' }));

  expect(await screen.findByText('You may not make tokens.')).toBeTruthy();
});

test('a gateway that only its own machine reaches says how to change that', async () => {
  const gateway = fakeGateway();
  const { user } = await open(gateway);
  const warning = 'this gateway can be reached from its own machine only';
  gateway.answer('POST /v1/webapi/token', { body: { ...MADE, gatehouse: { ...MADE.gatehouse, warning } } });

  await user.click(await screen.findByRole('button', { name: 'Go on' }));
  await user.click(await screen.findByRole('button', { name: 'Make the command' }));

  expect(await screen.findByText(/Other machines cannot reach this gateway yet/)).toBeTruthy();
  await user.click(screen.getByText('Give it an address and a certificate'));
  expect(screen.getByRole('region', { name: 'Settings of the gateway' }).textContent).toContain(
    'GATEHOUSE_PUBLIC_ADDR',
  );
});

test('several that joined are a table, counted, and those that were refused are told beside it', async () => {
  const gateway = fakeGateway();
  const at = new Date().toISOString();
  gateway.answer('GET /v1/webapi/sites/one/nodes', () => ({ body: { items: [], startKey: '', totalCount: 0 } }));
  gateway.answer('GET /v1/webapi/tokens/t-1/progress', {
    body: {
      ...{ uses: 2, fetched: [], expires: MADE.expiry },
      joined: ['edge-1', 'edge-2'].map((name) => ({
        ...{ agent: `a-${name}`, name, at, address: '10.0.0.8', offered: 1, notTaken: [] },
        resources: [{ kind: 'node', name }],
      })),
      refused: [{ at, address: '10.0.0.9', name: 'edge-3', reason: 'the name belongs to another agent' }],
    },
  });
  const { user } = await open(gateway);
  await user.click(screen.getByRole('button', { name: 'Choose something else' }));
  await user.click(await screen.findByRole('radio', { name: 'Several at once' }));
  await user.click(screen.getByRole('button', { name: /^Linux server/ }));
  await user.click(await screen.findByRole('button', { name: 'Go on' }));
  await user.clear(await screen.findByLabelText(/^How many/));
  await user.type(screen.getByLabelText(/^How many/), '3');
  await user.click(screen.getByRole('button', { name: 'Make the command' }));

  const table = await screen.findByRole('table', { name: 'Who joined' });
  expect([...table.querySelectorAll('tbody th')].map((cell) => cell.textContent)).toEqual(['edge-1', 'edge-2']);
  expect(screen.getAllByText('2 of 3').length).toBeGreaterThan(0);
  expect(screen.getByText('edge-3 was not let in')).toBeTruthy();
  expect(screen.queryByText('edge-1 joined')).toBe(null);
});
