import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, fullAcl, NODES } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';
import { addRecordings, recording } from '../../../../testing/recordings/fake-recordings.ts';
import { openSession } from '../../../../testing/sessions/open-session.ts';

afterEach(closePage);

const NOBODY = { items: [], startKey: '', totalCount: 0 };

const PATH = '/web/cluster/one/nodes';
const CONNECT = 'POST /v1/webapi/sites/one/diagnostics/connections';

async function open(path: string, gateway = fakeGateway()) {
  gateway.answer('POST /v1/webapi/sites/one/mfa/required', { body: { required: false } });
  for (const node of NODES) gateway.answer(`GET /v1/webapi/sites/one/nodes/${node.id}`, { body: node });
  const page = await openPage(path, { gateway });
  return { ...page, user: userEvent.setup(), panel: within(await screen.findByRole('complementary')) };
}

const trace = (step: string, more = {}) => ({
  traceType: 'CONNECTIVITY',
  status: 'SUCCESS',
  details: `${step} is fine`,
  gatehouse: { step, durationMs: 12 },
  ...more,
});

test('a row opens what is known about its server, and Escape closes it', async () => {
  const { user, panel } = await open(`${PATH}?open=id-web-02`);

  expect(await panel.findByText('Debian 13, x64')).toBeTruthy();
  expect(panel.getByText('Its own agent')).toBeTruthy();
  expect(panel.getByText('any you type')).toBeTruthy();
  const fact = (name: string) => panel.getByText(name).nextElementSibling?.textContent;
  expect(fact('Status')).toContain('Its agent is connected.');
  expect(fact('Last used')).toBe('never used');
  expect(fact('Address')).toBe('Through its agent');
  expect(panel.getByRole('button', { name: 'Copy Id' })).toBeTruthy();
  expect(panel.getByText('gatehouse agents rm web-02')).toBeTruthy();
  await user.click(panel.getByRole('button', { name: /env/ }));
  await waitFor(() => expect(window.location.search).toContain('labels'));
  await user.keyboard('{Escape}');

  await waitFor(() => expect(screen.queryByRole('complementary')).toBe(null));
});

test('the details tell who is there, what was recorded, and lead to files and to who can reach it', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/one/sessions', {
    body: {
      sessions: [
        openSession({
          id: 's-1',
          owner: 'tomas',
          login: 'deploy',
          server_id: 'id-web-01',
          participantModes: ['observer'],
        }),
        openSession({ id: 's-2', owner: 'ines', server_id: 'id-vault-01' }),
      ],
    },
  });
  addRecordings(gateway, [recording('r-1', { owner: 'ann', login: 'root' })]);
  gateway.answer('POST /v1/webapi/sites/-current-/access/who', {
    body: { resource: { kind: 'node', id: 'id-web-01', name: 'web-01', labels: [] }, ...NOBODY },
  });
  const { user, panel } = await open(`${PATH}?open=id-web-01`, gateway);

  const live = await panel.findByRole('link', { name: 'tomas as deploy' });
  expect(live.getAttribute('href')).toBe('/web/cluster/one/console/session/s-1?mode=observer');
  expect(panel.queryByText(/ines/)).toBe(null);
  const played = await panel.findByRole('link', { name: 'ann as root' });
  expect(played.getAttribute('href')).toBe('/web/cluster/one/session/r-1?recordingType=ssh');
  expect(panel.getByRole('link', { name: 'Browse files' }).getAttribute('href')).toBe(
    '/web/cluster/one/files/id-web-01/deploy',
  );
  await user.click(panel.getByRole('button', { name: 'Who can reach it' }));

  expect(await screen.findByText('Nobody can reach it.')).toBeTruthy();
  expect(gateway.bodies.at(-1)).toEqual({ resource: 'id-web-01', startKey: '' });
});

test('who may know of neither recordings nor people is told of neither', async () => {
  const acl = fullAcl();
  acl.users.list = false;
  acl.recordedSessions.list = false;
  const gateway = fakeGateway(acl);
  const { panel } = await open(`${PATH}?open=id-vault-01`, gateway);

  expect(await panel.findByText('Nobody is connected.')).toBeTruthy();
  expect(panel.queryByRole('region', { name: 'Last recordings' })).toBe(null);
  expect(panel.queryByRole('button', { name: 'Who can reach it' })).toBe(null);
  expect(panel.queryByRole('link', { name: 'Browse files' })).toBe(null);
  expect(gateway.calls.filter((call) => call.includes('/recordings'))).toEqual([]);
});

test('a test tells each step, what failed and what to do next, and can be repeated', async () => {
  const { user, gateway, panel } = await open(`${PATH}?open=id-web-01&tab=test`);
  gateway.answer(CONNECT, {
    body: {
      id: 'd-1',
      success: false,
      message: 'no answer from 10.0.0.4:22',
      traces: [
        trace('access'),
        trace('reach'),
        trace('tcp', {
          status: 'FAILED',
          error: 'no answer from 10.0.0.4:22',
          gatehouse: { step: 'tcp', durationMs: 5000, next: 'look whether its firewall lets the gateway in' },
        }),
      ],
    },
  });

  await user.clear(await panel.findByLabelText('Login'));
  await user.type(panel.getByLabelText('Login'), 'root{Enter}');
  expect(await panel.findByText('No answer from 10.0.0.4:22.')).toBeTruthy();
  const steps = panel.getAllByRole('listitem').map((item) => item.textContent);
  expect(steps[0]).toBe('Access12 msAccess is fine.');
  expect(steps[2]).toContain('5,000 ms');
  expect(steps[2]).toContain('Next: Look whether its firewall lets the gateway in.');
  expect(steps[4]).toContain('Not tried');
  expect(panel.getAllByRole('img', { name: 'Worked' })).toHaveLength(2);
  expect(gateway.bodies.at(-1)).toEqual({
    resource_kind: 'node',
    resource_name: 'id-web-01',
    ssh_principal: 'root',
  });
  gateway.answer(CONNECT, {
    body: {
      id: 'd-2',
      success: true,
      message: '',
      traces: ['access', 'reach', 'tcp', 'ssh', 'login'].map((s) => trace(s)),
    },
  });
  await user.click(panel.getByRole('button', { name: 'Test again' }));

  expect(await panel.findByText('Everything works.')).toBeTruthy();
  expect(panel.getAllByRole('img', { name: 'Worked' })).toHaveLength(5);
});

test('a second factor that a role asks for is asked for', async () => {
  const { user, gateway, panel } = await open(`${PATH}?open=id-web-01&tab=test`);
  gateway.answer('POST /v1/webapi/sites/one/mfa/required', { body: { required: true } });
  gateway.answer('POST /v1/webapi/mfa/authenticatechallenge', {
    body: { webauthn_challenge: null, totp_challenge: true },
  });
  gateway.answer(CONNECT, { body: { id: 'd-1', success: true, message: '', traces: [trace('access')] } });

  await user.click(await panel.findByRole('button', { name: 'Test connection' }));
  await user.type(await panel.findByLabelText('Code of your authenticator app'), '123456{Enter}');

  expect(await panel.findByText('Everything works.')).toBeTruthy();
  expect(gateway.bodies.at(-1)).toMatchObject({ ssh_principal: 'deploy', mfa_response: { totp_code: '123456' } });
});

test('the steps of a server with an agent are those there are', async () => {
  const { user, gateway, panel } = await open(`${PATH}?open=id-web-02&tab=test`);
  gateway.answer(CONNECT, {
    body: { id: 'd-1', success: true, message: '', traces: ['access', 'reach', 'login'].map((s) => trace(s)) },
  });

  await user.click(await panel.findByRole('button', { name: 'Test connection' }));

  expect(await panel.findByText('Everything works.')).toBeTruthy();
  expect(panel.getAllByRole('listitem')).toHaveLength(3);
});

test('a server with plain OpenSSH is removed after one question', async () => {
  const { user, gateway, panel } = await open(`${PATH}?open=id-web-01`);
  gateway.answer('DELETE /v1/webapi/sites/one/nodes/id-web-01', { body: { message: 'ok' } });

  await user.click(await panel.findByRole('button', { name: 'Remove server' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove web-01?' }));
  await user.click(dialog.getByRole('button', { name: 'Remove server' }));

  expect(await screen.findByText('web-01 was removed.')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('complementary')).toBe(null));
});

test('somebody who may neither test nor remove is offered neither', async () => {
  const acl = fullAcl();
  acl.nodes.remove = false;
  acl.tokens.remove = false;
  acl.connectionDiagnostic.create = false;
  const { panel } = await open(`${PATH}?open=id-web-01`, fakeGateway(acl));

  expect(await panel.findByText('10.0.0.4:22')).toBeTruthy();
  expect(panel.queryByRole('tab', { name: 'Test connection' })).toBe(null);
  expect(panel.queryByRole('button', { name: 'Remove server' })).toBe(null);
});

test('a server that is gone says so', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/one/nodes/id-x', { status: 404, body: failure('not_found', 'no') });
  await openPage(`${PATH}?open=id-x`, { gateway });

  expect(await screen.findByText(/id-x is no longer there/)).toBeTruthy();
});
