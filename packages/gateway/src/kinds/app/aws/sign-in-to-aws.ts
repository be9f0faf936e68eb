/**
 * Signs somebody in to the console of AWS under a role they may take: the gateway assumes the role under their name and
 * trades what it gets for a sign-in token. The credentials themselves never leave the gateway.
 */
import type { Credentials } from '@aws-sdk/client-sts';
import { z } from 'zod';
import type { AwsConfig } from '../../../platform/config/aws-schema.ts';
import type { Who } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { BoundedFetch } from '../../../reach/direct/bounded-fetch.ts';
import type { ListedApp } from '../app-directory.ts';
import { consoleAddress, PARTITION_HOSTS } from './console-address.ts';
import { parseRoleArn } from './role-arn.ts';

export interface AwsSignInOptions extends AwsConfig {
  /** AWS leads people back here when the sign-in to its console has ended. */
  issuer(): string;
  /** To the sign-in of AWS, or to what the configuration puts in its place. */
  cloudFetch: BoundedFetch;
}

interface Wanted {
  app: Pick<ListedApp, 'spec'>;
  actor: Pick<Who, 'username'>;
  /** Allowed already: the session was opened with it. */
  arn: string;
}

/** The longest that a role which is assumed from another role can be held. */
const SESSION_SECONDS = 3600;
const TIMEOUT_MS = 15_000;

const signInToken = z.object({ SigninToken: z.string().min(1) });

export function createAwsSignIn(options: AwsSignInOptions): (wanted: Wanted) => Promise<string> {
  return async ({ app, actor, arn }) => {
    const role = parseRoleArn(arn);
    if (!role) throw new AppError('bad_request', `'${arn}' is no role of AWS`);
    const { spec } = app;
    const destination = consoleAddress(spec.uri, role.partition);
    if (!destination) {
      throw new AppError('bad_request', `the role '${arn}' does not belong to the console at ${spec.uri}`);
    }
    const credentials = await assumeRole(options, {
      arn,
      sessionName: sessionName(actor.username),
      externalId: spec.aws.externalId,
    });
    const federation = options.federationEndpoint ?? PARTITION_HOSTS[role.partition].federation;
    const token = await tradeForToken(options.cloudFetch, federation, credentials);
    const login = { Action: 'login', Issuer: options.issuer(), Destination: destination, SigninToken: token };
    return `${federation}?${new URLSearchParams(login)}`;
  };
}

interface Assuming {
  arn: string;
  sessionName: string;
  externalId: string;
}

async function assumeRole({ region, stsEndpoint }: AwsConfig, { arn, sessionName, externalId }: Assuming) {
  // Loaded when somebody first opens the console: no start waits for it.
  const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient({ region, maxAttempts: 2, ...(stsEndpoint ? { endpoint: stsEndpoint } : {}) });
  try {
    const command = new AssumeRoleCommand({
      RoleArn: arn,
      RoleSessionName: sessionName,
      DurationSeconds: SESSION_SECONDS,
      ...(externalId === '' ? {} : { ExternalId: externalId }),
    });
    const { Credentials: given } = await client.send(command, { abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!given) throw new AppError('target_unreachable', 'STS gave no credentials');
    return given;
  } catch (error) {
    throw toAppError(error, arn);
  } finally {
    client.destroy();
  }
}

/** As AWS writes it: `{"sessionId":…}`. Without a duration, which it refuses for roles assumed from a role. */
async function tradeForToken(
  fetch: BoundedFetch,
  federation: string,
  { AccessKeyId, SecretAccessKey, SessionToken }: Credentials,
) {
  const session = JSON.stringify({
    sessionId: AccessKeyId,
    sessionKey: SecretAccessKey,
    sessionToken: SessionToken,
  });
  const query = new URLSearchParams({ Action: 'getSigninToken', Session: session });
  try {
    const response = await fetch(`${federation}?${query}`, { headers: { accept: 'application/json' } });
    if (!response.ok) throw new Error(`it answered with ${response.status}`);
    return signInToken.parse(await response.json()).SigninToken;
  } catch (error) {
    // The cause of a failed fetch holds the address, and that the credentials: only what we say ourselves goes on.
    const why = error instanceof Error && /^it answered with \d+$/.test(error.message) ? `: ${error.message}` : '';
    throw new AppError('target_unreachable', `the sign-in of AWS did not give a token${why}`);
  }
}

/** Who it was, in CloudTrail. Other characters are not taken there; two is the least. */
export function sessionName(username: string): string {
  return username
    .replaceAll(/[^\w+=,.@-]/g, '_')
    .slice(0, 64)
    .padEnd(2, '_');
}

const NO_CREDENTIALS = new Set(['CredentialsProviderError', 'TokenProviderError']);
const REFUSED = new Set(['AccessDenied', 'AccessDeniedException', 'ValidationError', 'ExpiredTokenException']);
const NOT_KNOWN = new Set(['InvalidClientTokenId', 'SignatureDoesNotMatch', 'UnrecognizedClientException']);

function toAppError(error: unknown, arn: string): AppError {
  if (error instanceof AppError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (NO_CREDENTIALS.has(name)) {
    return new AppError('not_available', 'the gateway has no credentials of AWS: give it some in its environment', {
      cause: error,
    });
  }
  if (NOT_KNOWN.has(name)) {
    return new AppError('not_available', 'AWS does not take the credentials of the gateway', { cause: error });
  }
  if (REFUSED.has(name)) {
    return new AppError('denied', `AWS does not let the gateway take the role '${arn}': ${message}`, { cause: error });
  }
  return new AppError('target_unreachable', 'STS does not answer', { cause: error });
}
