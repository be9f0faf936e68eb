import { appSpec } from '@gatehouse/contract/kinds/app/app-spec';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LocalAws, startLocalAws } from '../../../../testing/apps/aws/local-aws.ts';
import { directFetch } from '../../../../testing/aws/direct-fetch.ts';
import { consoleAddress } from './console-address.ts';
import { parseRoleArn } from './role-arn.ts';
import { createAwsSignIn, sessionName } from './sign-in-to-aws.ts';

const ADMIN = 'arn:aws:iam::123456789012:role/ops/admin';
const AUDIT = 'arn:aws:iam::123456789012:role/audit';
const KEY = { accessKeyId: 'AKIAGATEWAY', secretAccessKey: 'gateway-secret', region: 'eu-central-1' };

let aws: LocalAws;
beforeEach(async () => {
  aws = await startLocalAws({ ...KEY, roles: { [ADMIN]: '', [AUDIT]: 'ours-alone' } });
  vi.stubEnv('AWS_ACCESS_KEY_ID', KEY.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', KEY.secretAccessKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

function open(arn: string, { uri = 'cloud://aws', externalId = '', username = 'ann@example.com' } = {}) {
  const signIn = createAwsSignIn({
    region: KEY.region,
    stsEndpoint: aws.origin,
    federationEndpoint: `${aws.origin}/federation`,
    issuer: () => 'https://gate.example.com',
    cloudFetch: directFetch,
  });
  return signIn({ app: { spec: appSpec.parse({ uri, aws: { externalId } }) }, actor: { username }, arn });
}

test('somebody lands in the console under the role, and AWS knows who it was', async () => {
  const url = new URL(await open(ADMIN));

  expect(`${url.origin}${url.pathname}`).toBe(`${aws.origin}/federation`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    Action: 'login',
    Issuer: 'https://gate.example.com',
    Destination: 'https://console.aws.amazon.com/',
    SigninToken: expect.any(String),
  });
  expect(aws.redeem(url.searchParams.get('SigninToken') ?? '')).toBe(ADMIN);
  expect(aws.assumed).toMatchObject([{ RoleArn: ADMIN, RoleSessionName: 'ann@example.com', DurationSeconds: '3600' }]);
});

test('the external id of the application is sent, and a role that wants another is refused', async () => {
  await expect(open(AUDIT)).rejects.toMatchObject({
    code: 'denied',
    message: /does not let the gateway take the role/,
  });

  const url = new URL(await open(AUDIT, { externalId: 'ours-alone' }));

  expect(aws.redeem(url.searchParams.get('SigninToken') ?? '')).toBe(AUDIT);
});

test('a key that AWS does not know is said to be the gateway’s trouble, without the key', async () => {
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');

  const refused = await open(ADMIN).catch((error: unknown) => error);

  expect(refused).toMatchObject({ code: 'not_available', message: 'AWS does not take the credentials of the gateway' });
});

test('a sign-in endpoint that does not answer gives away no credentials', async () => {
  const signIn = createAwsSignIn({
    region: KEY.region,
    stsEndpoint: aws.origin,
    federationEndpoint: 'http://127.0.0.1:1/federation',
    issuer: () => 'https://gate.example.com',
    cloudFetch: directFetch,
  });
  const app = { spec: appSpec.parse({ uri: 'cloud://aws' }) };

  const failed = (await signIn({ app, actor: { username: 'ann' }, arn: ADMIN }).catch(
    (error: unknown) => error,
  )) as Error;

  expect(failed).toMatchObject({ code: 'target_unreachable' });
  expect(`${failed.stack}${JSON.stringify(failed)}${String(failed.cause)}`).not.toMatch(/ASIA|sessionKey/);
});

test.each([
  'arn:aws:iam::123456789012:user/ann',
  'arn:aws:iam::1:role/x',
  'arn:aws:sts::123456789012:assumed-role/x/y',
  `${ADMIN}\n`,
  `x${ADMIN}`,
  'arn:aws-evil:iam::123456789012:role/x',
  'arn:aws:iam::123456789012:role/a?b',
  '',
])('%j is no role', async (arn) => {
  expect(parseRoleArn(arn)).toBeUndefined();
  await expect(open(arn)).rejects.toMatchObject({ code: 'bad_request' });
  expect(aws.assumed).toEqual([]);
});

test.each([
  ['cloud://aws', 'aws', 'https://console.aws.amazon.com/'],
  ['cloud://aws', 'aws-cn', 'https://console.amazonaws.cn/'],
  ['https://console.aws.amazon.com/ec2/home', 'aws', 'https://console.aws.amazon.com/ec2/home'],
  ['https://CONSOLE.aws.amazon.com:443', 'aws', 'https://console.aws.amazon.com/'],
  ['https://console.amazonaws-us-gov.com', 'aws-us-gov', 'https://console.amazonaws-us-gov.com/'],
  ['https://console.aws.amazon.com', 'aws-cn', undefined],
  ['https://console.aws.amazon.com.evil.example', 'aws', undefined],
  ['https://console.aws.amazon.com@evil.example', 'aws', undefined],
  ['https://console.aws.amazon.com:8443', 'aws', undefined],
  ['https://evil.example/console.aws.amazon.com', 'aws', undefined],
  ['https://xconsole.aws.amazon.com', 'aws', undefined],
  ['http://console.aws.amazon.com', 'aws', undefined],
  ['cloud://awsx', 'aws', undefined],
] as const)('%s with a role of %s leads to %s', (uri, partition, address) => {
  expect(consoleAddress(uri, partition)).toBe(address);
});

test.each([
  ['ann', 'ann'],
  ['a', 'a_'],
  ['Ärger/mit leer', '_rger_mit_leer'],
  ['x'.repeat(80), 'x'.repeat(64)],
])('%j is called %j in the log of AWS', (username, name) => {
  expect(sessionName(username)).toBe(name);
});
