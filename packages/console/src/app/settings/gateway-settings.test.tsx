import { emptyAcl } from '@gatehouse/contract/access/acl';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fakeGateway } from '../../../testing/fake-gateway.ts';
import { openPage } from '../../../testing/open-page.tsx';

const CALL = 'GET /v1/webapi/gatewaysettings';
const SETTINGS = [
  { key: 'auth.secondFactor', value: 'on', source: 'gatehouse.yaml:4:17' },
  { key: 'audit.retentionDays', value: 0, source: 'default' },
  { key: 'recordings.mode', value: 'gateway', source: 'default' },
  { key: 'canJoinSessions', value: false, source: 'GATEHOUSE_CAN_JOIN_SESSIONS' },
  { key: 'log.level', value: 'info', source: 'default' },
];

test('an administrator reads how the gateway is set up, and where each thing is set', async () => {
  const gateway = fakeGateway();
  gateway.answer(CALL, { body: { version: '0.1.0', signInHours: 12, settings: SETTINGS } });
  await openPage('/web/settings', { gateway });

  const group = await screen.findByRole('region', { name: 'Gateway' });

  expect(await within(group).findByText('0.1.0')).toBeTruthy();
  const row = (name: string) => within(group).getByText(name).nextElementSibling?.textContent;
  expect(row('A sign-in lasts')).toBe('12 hoursalways: it cannot be set');
  expect(row('Second factor')).toBe('required, of any kindauth.secondFactor, gatehouse.yaml:4:17');
  expect(row('Audit events stay')).toBe('for everaudit.retentionDays, by default');
  expect(row('Recording')).toBe('on, as roles sayrecordings.mode, by default');
  expect(row('Joining sessions')).toBe('nobody maycanJoinSessions, GATEHOUSE_CAN_JOIN_SESSIONS');
  expect(within(group).queryByText('info')).toBeNull();
});

test('why it cannot be read is told in its place', async () => {
  const gateway = fakeGateway();
  const error = { message: 'the store does not answer', code: 'bad_request', requestId: 'r' };
  gateway.answer(CALL, { status: 400, body: { error } });
  await openPage('/web/settings', { gateway });

  expect(await screen.findByText(/cannot be read: .*the store does not answer/)).toBeTruthy();
});

test('who does not look after the gateway is not shown it, and it is not asked for', async () => {
  const gateway = fakeGateway(emptyAcl());
  await openPage('/web/settings', { gateway });

  expect(await screen.findByRole('heading', { name: 'Settings' })).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Gateway' })).toBeNull();
  expect(gateway.calls.filter((call) => String(call).includes('gatewaysettings'))).toEqual([]);
});
