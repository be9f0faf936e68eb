import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, listNodes, NODES, node } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

afterEach(closePage);

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

async function open(gateway = fakeGateway()) {
  gateway.answer('POST /v1/webapi/token', { body: MADE });
  const { sockets } = await openPage('/web/cluster/one/nodes?do=add', { gateway });
  const dialog = within(await screen.findByRole('dialog', { name: 'Add server' }));
  return { gateway, sockets, dialog, user: userEvent.setup() };
}

test('it makes a token with labels, shows the command for either way, and how long it works', async () => {
  const { gateway, dialog, user } = await open();

  await user.type(dialog.getByLabelText(/^Labels/), 'env=prod,team=pay,');
  await user.click(dialog.getByRole('button', { name: 'Make the command' }));
  expect((await dialog.findByRole('region', { name: 'Command for the new server' })).textContent).toBe(
    MADE.gatehouse.command,
  );
  expect(gateway.bodies[gateway.calls.indexOf('POST /v1/webapi/token')]).toEqual({
    roles: ['Node'],
    labels: { env: 'prod', team: 'pay' },
  });
  expect(dialog.getByText(/ends in 4 hours/)).toBeTruthy();
  await user.click(dialog.getByRole('radio', { name: /OpenSSH/ }));
  expect(dialog.getByRole('region', { name: 'Command for the new server' }).textContent).toBe(
    MADE.gatehouse.openSshCommand,
  );
  await user.click(dialog.getByText('Without the script'));

  expect(dialog.getByText("gatehouse nodes add NAME HOST:22 --labels 'env=prod,team=pay'")).toBeTruthy();
});

test('it waits until the server has joined and offers to connect', async () => {
  const gateway = fakeGateway();
  let joined = false;
  gateway.answer('GET /v1/webapi/sites/one/nodes', (query) =>
    query.get('search') === `${RESOURCE_ID_LABEL} u-1`
      ? { body: { items: joined ? [node('new-01')] : [], startKey: '', totalCount: joined ? 1 : 0 } }
      : listNodes(() => NODES)(query),
  );
  const { dialog, user, sockets } = await open(gateway);
  await user.click(dialog.getByRole('button', { name: 'Make the command' }));
  expect(await dialog.findByText('Waiting for it to join…')).toBeTruthy();

  joined = true;
  sockets[0]?.hear({ type: 'resources' });

  expect(await dialog.findByText('Joined: new-01')).toBeTruthy();
  expect(dialog.getByRole('link', { name: 'Connect to new-01 as root' })).toBeTruthy();
});

test('labels that cannot be read, and what the gateway refuses, are said', async () => {
  const { gateway, dialog, user } = await open();
  gateway.answer('POST /v1/webapi/token', { status: 403, body: failure('denied', 'you may not make tokens') });

  await user.type(dialog.getByLabelText(/^Labels/), 'prod,');
  expect(await dialog.findByText('Write “prod” as name=value.')).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Make the command' }));
  expect(gateway.calls).not.toContain('POST /v1/webapi/token');
  await user.click(dialog.getByRole('button', { name: 'Remove prod' }));
  await user.click(dialog.getByRole('button', { name: 'Make the command' }));

  expect(await dialog.findByText('You may not make tokens.')).toBeTruthy();
});

test('a gateway that only its own machine reaches says how to change that', async () => {
  const gateway = fakeGateway();
  const { dialog, user } = await open(gateway);
  expect(dialog.queryByText(/Other machines cannot reach/)).toBe(null);
  const warning = 'this gateway can be reached from its own machine only';
  gateway.answer('POST /v1/webapi/token', { body: { ...MADE, gatehouse: { ...MADE.gatehouse, warning } } });

  await user.click(dialog.getByRole('button', { name: 'Make the command' }));

  expect(await dialog.findByText(/Other machines cannot reach this gateway yet/)).toBeTruthy();
  await user.click(dialog.getByText('Give it an address and a certificate'));
  expect(dialog.getByRole('region', { name: 'Settings of the gateway' }).textContent).toContain(
    'GATEHOUSE_PUBLIC_ADDR',
  );
});
