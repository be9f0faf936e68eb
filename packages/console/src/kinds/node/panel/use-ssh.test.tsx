import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeGateway, NODES, pong } from '../../../../testing/fake-gateway.ts';
import { FINGERPRINT, withDoor } from '../../../../testing/fake-ssh.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

afterEach(closePage);

async function open(id: string, told: object) {
  const gateway = fakeGateway();
  for (const node of NODES) gateway.answer(`GET /v1/webapi/sites/one/nodes/${node.id}`, { body: node });
  gateway.answer('GET /v1/webapi/ping', { body: told });
  await openPage(`/web/cluster/one/nodes?open=${id}`, { gateway });
  return { gateway, panel: within(await screen.findByRole('complementary')) };
}

test('where the gateway has an SSH door, the panel has lines to copy for each way in, and its fingerprint', async () => {
  const { panel } = await open('id-web-01', withDoor(pong()));
  const user = userEvent.setup();

  await user.click(await panel.findByRole('tab', { name: 'Use ssh' }));

  const lines = within(panel.getByRole('tabpanel', { name: 'Use ssh' }));
  const texts = lines.getAllByRole('group').map((group) => group.querySelector('code')?.textContent);
  expect(texts).toEqual([
    'gatehouse login http://localhost:3080',
    'gatehouse config ssh --write',
    'ssh deploy@web-01.one',
    'deploy@web-01.one',
    'ssh -p 2222 deploy@web-01@ssh.example.com',
    'ssh -J ssh.example.com:2222 deploy@web-01',
    FINGERPRINT,
  ]);
  expect(window.location.search).toContain('tab=ssh');
  await user.click(within(lines.getByRole('group', { name: 'Shortest' })).getByRole('button'));
  expect(await navigator.clipboard.readText()).toBe('ssh -p 2222 deploy@web-01@ssh.example.com');
});

test('where any login may be typed, one’s own name stands in the lines', async () => {
  const { panel } = await open('id-web-02', withDoor(pong()));

  await userEvent.click(await panel.findByRole('tab', { name: 'Use ssh' }));

  expect(await panel.findByText('ssh maya@web-02.one')).toBeTruthy();
});

test('whom no role lets sign in there is shown no lines', async () => {
  const { gateway, panel } = await open('id-vault-01', withDoor(pong()));

  expect(await panel.findByText('Nobody is connected.')).toBeTruthy();
  expect(gateway.calls).toContain('GET /v1/webapi/ping');
  expect(panel.queryByRole('tab', { name: 'Use ssh' })).toBe(null);
});

test('a gateway without a door is silent about it', async () => {
  const { gateway, panel } = await open('id-web-01', pong());

  expect(await panel.findByText('Nobody is connected.')).toBeTruthy();
  expect(gateway.calls).toContain('GET /v1/webapi/ping');
  expect(panel.queryByRole('tab', { name: 'Use ssh' })).toBe(null);
});
