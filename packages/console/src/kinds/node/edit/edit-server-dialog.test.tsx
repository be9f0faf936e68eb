import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, fullAcl, NODES } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

afterEach(closePage);

const PUT = 'PUT /v1/webapi/sites/one/nodes/id-web-01';
const PATH = '/web/cluster/one/nodes?open=id-web-01';
const [WEB] = NODES;
const effects = {
  items: [
    { user: 'ann', gained: [], lost: ['www'] },
    { user: 'ops', gained: ['root', '*'], lost: [] },
  ],
  hidden: 2,
};

async function open(path = `${PATH}&do=edit`, gateway = fakeGateway()) {
  for (const node of NODES) gateway.answer(`GET /v1/webapi/sites/one/nodes/${node.id}`, { body: node });
  gateway.answer(PUT, { body: { node: WEB, effects } });
  const page = await openPage(path, { gateway });
  return { ...page, gateway, user: userEvent.setup() };
}

const dialog = async () => within(await screen.findByRole('dialog', { name: 'Edit web-01' }));

test('labels are changed after who gains and loses by them was told', async () => {
  const { user, gateway } = await open(PATH);
  await user.click(await screen.findByRole('button', { name: 'Edit server' }));
  const form = await dialog();
  expect(gateway.calls).not.toContain(PUT);

  await user.click(form.getByRole('button', { name: 'Remove env=prod' }));
  await user.type(form.getByLabelText(/^Labels/), 'note=two words{Enter}');
  expect(await form.findByText('ann can no longer sign in as www')).toBeTruthy();
  expect(form.getByText('ops can sign in as root, any name')).toBeTruthy();
  expect(form.getByText(/2 more people/)).toBeTruthy();
  const labels = { role: 'web', note: 'two words' };
  await waitFor(() => expect(gateway.bodies.at(-1)).toEqual({ labels, dryRun: true }));
  await user.click(form.getByRole('button', { name: 'Save' }));

  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  expect(gateway.bodies[gateway.calls.lastIndexOf(PUT)]).toEqual({ labels });
});

test('what cannot be saved is said at its field at once, and what the gateway refuses in the dialog', async () => {
  const { user, gateway } = await open();
  const form = await dialog();

  await user.type(form.getByLabelText('Name'), ' x');
  expect(form.getByText('Write letters, digits, dots, dashes or underscores.')).toBeTruthy();
  await user.clear(form.getByLabelText('Address'));
  expect(form.getByText('Write it as HOST:PORT.')).toBeTruthy();
  await user.type(form.getByLabelText(/^Labels/), 'nonsense{Enter}');
  expect(form.getByText('Write “nonsense” as name=value.')).toBeTruthy();
  await user.click(form.getByRole('button', { name: 'Save' }));
  expect(gateway.calls).not.toContain(PUT);
  await user.click(form.getByRole('button', { name: 'Remove nonsense' }));
  await user.clear(form.getByLabelText('Name'));
  await user.type(form.getByLabelText('Name'), 'web-09');
  await user.type(form.getByLabelText('Address'), '10.0.0.5:22');
  gateway.answer(PUT, { status: 409, body: failure('conflict', "a server is called 'web-09'") });
  await user.click(form.getByRole('button', { name: 'Save' }));

  expect(await form.findByText("A server is called 'web-09'.")).toBeTruthy();
  expect(gateway.bodies[gateway.calls.lastIndexOf(PUT)]).toEqual({ name: 'web-09', addr: '10.0.0.5:22' });
});

test('one that an agent announces says where it is changed', async () => {
  await open('/web/cluster/one/nodes?open=id-web-02&do=edit');

  expect(await screen.findByText(/Its agent says what this server is called/)).toBeTruthy();
});

test('who may not change servers is offered nothing and led nowhere', async () => {
  const acl = fullAcl();
  acl.nodes.edit = false;
  await open(`${PATH}&do=edit`, fakeGateway(acl));

  expect(await screen.findByRole('button', { name: 'Remove server' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Edit server' })).toBe(null);
  expect(screen.queryByRole('dialog')).toBe(null);
});
