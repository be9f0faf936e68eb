import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AppWorld, makeRole, startAppWorld } from '../../../../testing/apps/app-world.ts';
import { type LocalAws, startLocalAws } from '../../../../testing/apps/aws/local-aws.ts';

const KEY = { accessKeyId: 'AKIAGATEWAY', secretAccessKey: 'gateway-secret', region: 'eu-central-1' };
const READ = 'arn:aws:iam::123456789012:role/ops/read';
const ADMIN = 'arn:aws:iam::123456789012:role/admin';
const params = { clusterId: 'localhost' };

let aws: LocalAws;
let world: AppWorld;
beforeEach(async () => {
  aws = await startLocalAws({ ...KEY, roles: { [READ]: '', [ADMIN]: '' } });
  vi.stubEnv('AWS_ACCESS_KEY_ID', KEY.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', KEY.secretAccessKey);
  world = await startAppWorld({
    aws: { region: KEY.region, stsEndpoint: aws.origin, federationEndpoint: `${aws.origin}/federation` },
  });
  await makeRole(
    world.admin,
    'cloud',
    `{allow: {app_labels: {env: dev}, aws_role_arns: ['${READ}', '*-unused'], rules: [{resources: [app_server], verbs: [list, read]}]}}`,
  );
  await world.gateway.addUser('cleo', { roles: ['cloud'] });
  await world.add('aws', 'cloud://aws');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
  await aws.close();
});

const launchWith = async (arn: string) => {
  const cleo = await world.gateway.signedIn('cleo');
  return call(cleo.send, appRoutes.launch, { body: { fqdn: 'aws.localhost', arn } });
};
const events = async (code: string) => (await world.gateway.events()).filter((event) => event.code === code);

test('the roles somebody has are listed, and one of them opens the console, audited with its name', async () => {
  const cleo = await world.gateway.signedIn('cleo');
  const { items } = await call(cleo.send, appRoutes.list, { params });
  expect(items).toMatchObject([{ name: 'aws', awsConsole: true, awsRoles: [{ display: 'read', arn: READ }] }]);

  const url = new URL((await launchWith(READ)).url);

  expect(url.searchParams.get('Destination')).toBe('https://console.aws.amazon.com/');
  expect(aws.redeem(url.searchParams.get('SigninToken') ?? '')).toBe(READ);
  expect(aws.assumed).toMatchObject([{ RoleSessionName: 'cleo' }]);
  await vi.waitFor(async () =>
    expect(await events('T2007I')).toMatchObject([{ user: 'cleo', data: { app_name: 'aws', aws_role_arn: READ } }]),
  );
});

test('a role that nobody gave is refused before AWS is asked', async () => {
  await expect(launchWith(ADMIN)).rejects.toMatchObject({ code: 'denied' });
  await expect(launchWith('arn:aws:iam::999999999999:role/ops/read')).rejects.toMatchObject({ code: 'denied' });
  await expect(launchWith('')).rejects.toMatchObject({ code: 'bad_request' });

  expect(aws.assumed).toEqual([]);
});
