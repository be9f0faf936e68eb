/** The keys of AWS that databases are signed in to with: found where AWS's own programs look for them, of the role that a record names. */
import type { STSClient } from '@aws-sdk/client-sts';
import type { AwsKeys } from '@gatehouse/tunnel/aws/sign-aws';
import type { AwsConfig } from '../../../platform/config/aws-schema.ts';
import { AppError } from '../../../platform/std/app-error.ts';

export interface AwsRole {
  /** Empty: the gateway's own. */
  roleArn: string;
  externalId: string;
}

export interface AwsKeyring {
  /** Throws `AppError` that says where keys were looked for, or who refused a role. */
  keysOf(role: AwsRole): Promise<AwsKeys>;
}

interface AssumedRole {
  keys: Promise<AwsKeys>;
  until: number;
}

const SESSION_SECONDS = 3_600;
const TIMEOUT_MS = 10_000;
/** What is good for less is asked for anew: a token made with it ends with it. */
const SPARE_MS = 5 * 60_000;
const MAX_ROLES = 1_000;

/** Only what AWS's library finds in the gateway's own environment: nothing of it comes from records, and no guarded address is dialled for anybody. */
export function createAwsKeyring({ region, stsEndpoint }: AwsConfig, now: () => number, name: string): AwsKeyring {
  let asked: Promise<STSClient> | undefined;
  const roles = new Map<string, AssumedRole>();

  /** Loaded when it is first needed; kept, because it keeps the keys it found until they end. */
  function client(): Promise<STSClient> {
    asked ??= import('@aws-sdk/client-sts').then(
      ({ STSClient }) => new STSClient({ region, maxAttempts: 2, ...(stsEndpoint ? { endpoint: stsEndpoint } : {}) }),
    );
    return asked;
  }

  async function own(): Promise<AwsKeys> {
    try {
      const { accessKeyId, secretAccessKey, sessionToken } = await (await client()).config.credentials();
      return { accessKeyId, secretAccessKey, sessionToken };
    } catch (error) {
      throw explained(error, '');
    }
  }

  async function assume({ roleArn, externalId }: AwsRole, held: AssumedRole): Promise<AwsKeys> {
    const { AssumeRoleCommand } = await import('@aws-sdk/client-sts');
    const command = new AssumeRoleCommand({
      ...{ RoleArn: roleArn, RoleSessionName: sessionName(name), DurationSeconds: SESSION_SECONDS },
      ...(externalId === '' ? {} : { ExternalId: externalId }),
    });
    try {
      const { Credentials: given } = await (await client()).send(command, {
        abortSignal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = given ?? {};
      if (!accessKeyId || !secretAccessKey) throw new AppError('target_unreachable', 'STS gave no keys for the role');
      held.until = (given?.Expiration?.getTime() ?? now() + SESSION_SECONDS * 1000) - SPARE_MS;
      return { accessKeyId, secretAccessKey, sessionToken };
    } catch (error) {
      throw explained(error, roleArn);
    }
  }

  return {
    async keysOf(role) {
      if (role.roleArn === '') return await own();
      const id = JSON.stringify([role.roleArn, role.externalId]);
      const known = roles.get(id);
      if (known && known.until > now()) return await known.keys;
      if (roles.size >= MAX_ROLES) roles.clear();
      // Those who come meanwhile wait for the same answer.
      const held: AssumedRole = {
        keys: Promise.resolve({ accessKeyId: '', secretAccessKey: '' }),
        until: now() + TIMEOUT_MS,
      };
      held.keys = assume(role, held);
      roles.set(id, held);
      try {
        return await held.keys;
      } catch (error) {
        if (roles.get(id) === held) roles.delete(id);
        throw error;
      }
    },
  };
}

/** What CloudTrail calls it; other characters are not taken there. */
function sessionName(name: string): string {
  return `gatehouse-${name}`.replaceAll(/[^\w+=,.@-]/g, '_').slice(0, 64);
}

const NONE_FOUND = new Set(['CredentialsProviderError', 'TokenProviderError']);
const NOT_KNOWN = new Set(['InvalidClientTokenId', 'SignatureDoesNotMatch', 'UnrecognizedClientException']);
const REFUSED = new Set(['AccessDenied', 'AccessDeniedException', 'ValidationError', 'ExpiredTokenException']);

function explained(error: unknown, roleArn: string): AppError {
  if (error instanceof AppError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (NONE_FOUND.has(name))
    return new AppError(
      'not_available',
      'no AWS credentials were found: neither in the environment of the gateway (AWS_ACCESS_KEY_ID …), nor in its shared files (~/.aws), nor by a web identity, nor from the container or the instance it runs on',
      { cause: error },
    );
  if (NOT_KNOWN.has(name))
    return new AppError('not_available', 'AWS does not take the credentials of the gateway', { cause: error });
  if (REFUSED.has(name))
    return new AppError('denied', `AWS does not let the gateway take the role '${roleArn}': ${message}`, {
      cause: error,
    });
  return new AppError('target_unreachable', 'STS of AWS does not answer', { cause: error });
}
