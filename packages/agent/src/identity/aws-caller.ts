/** Who this machine is in AWS: credentials of the environment, or else of the role that the instance has. */
import { request } from 'node:http';
import { STS_HOSTS, stsHostOf } from '@gatehouse/contract/reach/join-tokens/iam';
import type { StsCaller } from '@gatehouse/tunnel/aws/iam-proof';
import type { AwsKeys } from '@gatehouse/tunnel/aws/sign-aws';
import { z } from 'zod';
import { AgentFailure } from '../runtime/agent-failure.ts';
import { wholeAnswer } from './whole-answer.ts';

const METADATA = 'http://169.254.169.254';
const ANSWER_MS = 2_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const TOKEN_SECONDS = '60';

const sessionKeys = z.object({
  AccessKeyId: z.string().min(16).max(128),
  SecretAccessKey: z.string().min(1).max(256),
  Token: z.string().min(1).max(8192),
});
const roleName = z.string().regex(/^[\w+=,.@-]{1,64}$/);

export interface CallerDeps {
  env: Record<string, string | undefined>;
  signal: AbortSignal;
  now: () => number;
}

export async function findAwsCaller({ env, signal, now }: CallerDeps): Promise<StsCaller> {
  const fromEnv = keysIn(env);
  const { keys, place } = fromEnv ? { keys: fromEnv, place: undefined } : await askInstance(env, signal);
  const host = stsHostOf(env.AWS_REGION || env.AWS_DEFAULT_REGION || place || '');
  return { keys, host, region: STS_HOSTS.get(host) ?? 'us-east-1', now: now() };
}

function keysIn(env: CallerDeps['env']): AwsKeys | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) };
}

/** The service of the instance, version 2: a token first, which no page that a browser is led to could get. */
async function askInstance(env: CallerDeps['env'], signal: AbortSignal): Promise<{ keys: AwsKeys; place: string }> {
  if (env.AWS_EC2_METADATA_DISABLED === 'true')
    throw nobody('AWS_EC2_METADATA_DISABLED keeps the agent from asking the instance');
  const origin = env.AWS_EC2_METADATA_SERVICE_ENDPOINT || METADATA;
  try {
    const token = await ask(`${origin}/latest/api/token`, {
      ...{ method: 'PUT', signal },
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS },
    });
    const get = (path: string) =>
      ask(`${origin}/latest/meta-data/${path}`, {
        ...{ method: 'GET', signal },
        headers: { 'x-aws-ec2-metadata-token': token },
      });
    const role = roleName.parse((await get('iam/security-credentials/')).trim().split('\n')[0]);
    const read = sessionKeys.parse(JSON.parse(await get(`iam/security-credentials/${role}`)));
    const place = await get('placement/region').catch(() => '');
    const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken } = read;
    return { keys: { accessKeyId, secretAccessKey, sessionToken }, place: place.trim() };
  } catch (error) {
    signal.throwIfAborted();
    // Not what it said: that may be credentials.
    throw nobody(`the metadata service of the instance gave no role (${nameOf(error)})`);
  }
}

function nobody(why: string): AgentFailure {
  return new AgentFailure(
    'failed',
    `this machine cannot say who it is in AWS: ${why}. Give the instance a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
  );
}

/** In words of ours: those of others quote what they could not read. */
class NotGiven extends Error {}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it does not answer';
  if (error instanceof NotGiven) return error.message;
  return 'code' in error ? String(error.code) : 'it answers otherwise';
}

interface MetadataRequest {
  method: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}

async function ask(url: string, { method, headers, signal }: MetadataRequest): Promise<string> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  const call = request(url, { method, headers, signal: within, agent: false });
  const answer = wholeAnswer(call, MAX_ANSWER_BYTES, () => new NotGiven('its answer is too large'));
  call.end();
  const { status, text } = await answer;
  if (status !== 200) throw new NotGiven(`it answers with ${status}`);
  return text;
}
