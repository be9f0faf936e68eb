import { gatewaySettingRoutes } from '@gatehouse/contract/console/gateway-settings';
import { call } from '@gatehouse/contract/wire/client';
import { expect, onTestFinished, test } from 'vitest';
import { startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { loadConfig } from '../../platform/config/load-config.ts';
import { shownConfig } from '../../platform/config/show-config.ts';

test('administrators read how the gateway is set up and where, without secrets; nobody else does', async () => {
  const env = { GATEHOUSE_STORAGE_URL: 'postgres://gate:hunter2@db/gate', GATEHOUSE_SECOND_FACTOR: 'on' };
  const gateway = await startIdentityGateway({ shown: shownConfig(loadConfig({ env, cwd: '/nonexistent' })) });
  onTestFinished(() => gateway.close());
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('ann', { roles: ['access', 'auditor'] });
  const [admin, ann] = [await gateway.signedIn('admin'), await gateway.signedIn('ann')];

  const { version, signInHours, settings } = await call(admin.send, gatewaySettingRoutes.read, {});

  expect(signInHours).toBe(12);
  expect(version).toMatch(/^\d+\.\d+/);
  expect(settings).toContainEqual({ key: 'auth.secondFactor', value: 'on', source: 'GATEHOUSE_SECOND_FACTOR' });
  expect(settings).toContainEqual({ key: 'storage.url', value: '[secret]', source: 'GATEHOUSE_STORAGE_URL' });
  expect(JSON.stringify(settings)).not.toContain('hunter2');
  for (const send of [ann.send, gateway.send])
    await expect(call(send, gatewaySettingRoutes.read, {})).rejects.toMatchObject({ status: 403 });
});
