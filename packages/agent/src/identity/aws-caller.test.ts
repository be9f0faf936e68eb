import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { findAwsCaller } from './aws-caller.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAENVIRONMENT00001', AWS_SECRET_ACCESS_KEY: 'secret' };
const find = (env: Record<string, string>) =>
  findAwsCaller({ env, signal: new AbortController().signal, now: () => 1_000 });

/** The service of an instance, at an address of this machine: the real one is never asked in tests. */
async function metadata(answers: Record<string, string>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-aws-ec2-metadata-token'] ?? ''}`.trim());
    const answer = request.method === 'PUT' ? 'a-token' : answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${port}` } };
}

const FOLDER = '/latest/meta-data/iam/security-credentials/';
const ROLE = { Code: 'Success', AccessKeyId: 'ASIAINSTANCE00000001', SecretAccessKey: 's', Token: 'session' };

test('credentials of the environment come first, for the STS of its region', async () => {
  const { asked, env } = await metadata({});

  expect(await find({ ...KEYS, ...env, AWS_REGION: 'eu-west-1' })).toEqual({
    keys: { accessKeyId: KEYS.AWS_ACCESS_KEY_ID, secretAccessKey: 'secret' },
    ...{ host: 'sts.eu-west-1.amazonaws.com', region: 'eu-west-1', now: 1_000 },
  });
  expect(await find({ ...KEYS, ...env, AWS_SESSION_TOKEN: 't', AWS_DEFAULT_REGION: 'cn-north-1' })).toMatchObject({
    keys: { sessionToken: 't' },
    host: 'sts.cn-north-1.amazonaws.com.cn',
  });
  expect(await find({ ...KEYS, ...env, AWS_REGION: 'evil.example/x?' })).toMatchObject({
    host: 'sts.amazonaws.com',
    region: 'us-east-1',
  });
  expect(asked).toEqual([]);
});

test('the role of the instance is asked for with a token', async () => {
  const { asked, env } = await metadata({
    [FOLDER]: 'web\n',
    [`${FOLDER}web`]: JSON.stringify(ROLE),
    '/latest/meta-data/placement/region': 'eu-central-1',
  });

  expect(await find(env)).toMatchObject({
    keys: { accessKeyId: ROLE.AccessKeyId, secretAccessKey: 's', sessionToken: 'session' },
    host: 'sts.eu-central-1.amazonaws.com',
  });
  expect(asked[0]).toBe('PUT /latest/api/token');
  expect(asked.slice(1).every((line) => line.endsWith(' a-token'))).toBe(true);
});

test.each([
  ['no role', {}],
  ['a role whose name leads elsewhere', { [FOLDER]: '../../../x' }],
  ['something else than credentials', { [FOLDER]: 'web', [`${FOLDER}web`]: '{"SecretAccessKey":"leaked"}' }],
  // What cannot be parsed is quoted by the words of the failure.
  ['credentials that are no JSON', { [FOLDER]: 'web', [`${FOLDER}web`]: 'leaked' }],
])('%s: it is said what to do, and nothing of what was heard', async (_, answers) => {
  const { env } = await metadata(answers);

  const failed = await find(env).catch((error: Error) => error);

  expect(failed).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/Give the instance a role, or set AWS_ACCESS_KEY_ID/),
  });
  expect(String(failed)).not.toContain('leaked');
});

test('an instance that must not be asked is not', async () => {
  await expect(find({ AWS_EC2_METADATA_DISABLED: 'true' })).rejects.toMatchObject({
    message: expect.stringContaining('AWS_EC2_METADATA_DISABLED'),
  });
});
