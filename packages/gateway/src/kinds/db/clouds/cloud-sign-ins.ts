/** What databases of clouds are signed in to with: made here for each connection, good for minutes, and sent only inside TLS that is checked. */

import { presigned } from '@gatehouse/tunnel/aws/sign-aws';
import type { AwsConfig } from '../../../platform/config/aws-schema.ts';
import type { GoogleEnvironment } from '../../../platform/config/google-environment.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { BoundedFetch } from '../../../reach/direct/bounded-fetch.ts';
import type { ListedDb } from '../listed-db.ts';
import { type AwsKeyring, createAwsKeyring } from './aws-keys.ts';
import { awsRegionOf } from './aws-region.ts';
import { createGoogleTokens } from './google-tokens.ts';
import { type IssuedPassword, redshiftPassword } from './redshift-keys.ts';

export interface CloudSignIns {
  issue(method: 'aws' | 'gcp', db: ListedDb, wanted: { dbUser: string; dbName: string }): Promise<IssuedPassword>;
}

export interface CloudDeps {
  aws: AwsConfig;
  google: GoogleEnvironment;
  clusterName: string;
  /** To the clouds' own addresses, and to those the configuration puts in their place. */
  cloudFetch: BoundedFetch;
  now: () => number;
}

/** The longest that RDS takes one for. */
const TOKEN_SECONDS = 900;

export function createCloudSignIns(deps: CloudDeps): CloudSignIns {
  const { aws, google: environment, clusterName, cloudFetch, now } = deps;
  const keyring = createAwsKeyring(aws, now, clusterName);
  const google = createGoogleTokens(environment, now, cloudFetch);
  return {
    async issue(method, db, { dbUser, dbName }) {
      if (method === 'gcp') return { user: dbUser, password: await google.token() };
      return await awsPassword(keyring, deps, db, { dbUser, dbName, now: now() });
    },
  };
}

async function awsPassword(
  keyring: AwsKeyring,
  { aws, cloudFetch }: Pick<CloudDeps, 'aws' | 'cloudFetch'>,
  { resource, spec, address }: ListedDb,
  { dbUser, dbName, now }: { dbUser: string; dbName: string; now: number },
): Promise<IssuedPassword> {
  const [first] = address.hosts;
  const host = first?.host ?? '';
  const region = spec.aws.region || awsRegionOf(host);
  if (region === '')
    throw new AppError('conflict', `the region of the database '${resource.name}' is not known: give aws.region`);
  const keys = await keyring.keysOf(spec.aws);
  if (!/\.redshift\.amazonaws\.com(?:\.cn)?$/.test(host)) {
    const signed = { host: `${host}:${first?.port ?? 0}`, query: { Action: 'connect', DBUser: dbUser } };
    const by = { keys, region, service: 'rds-db', now };
    return { user: dbUser, password: presigned({ ...signed, seconds: TOKEN_SECONDS }, by) };
  }
  const clusterId = spec.aws.clusterId || (host.split('.')[0] ?? '');
  const wanted = { region, endpoint: aws.redshiftEndpoint, clusterId, dbUser, dbName };
  return await redshiftPassword(cloudFetch, wanted, keys, now);
}
