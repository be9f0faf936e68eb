/** The keys of AWS: where the gateway asks for the roles that people open the console of AWS with, and that databases are signed in to with. */
import { z } from 'zod';
import { isLoopback } from './address.ts';

export interface AwsConfig {
  region: string;
  /** Undefined: the one of the region. */
  stsEndpoint?: string;
  /** Undefined: the one of the region that a database is in. */
  redshiftEndpoint?: string;
  /** Undefined: the host that a machine which joins has signed for, which is one of a fixed set. */
  joinEndpoint?: string;
  /** Undefined: the one of the partition that the role is in. */
  federationEndpoint?: string;
}

export const STANDARD_AWS: AwsConfig = { region: 'us-east-1' };

const endpoint = z
  .string()
  .max(2048)
  .refine(isEndpoint, 'must be an https:// address without credentials; http:// only on this machine')
  .optional();

export const awsKeys = {
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d{1,2}$/, 'must be a region, like eu-central-1')
    .default(STANDARD_AWS.region)
    .meta({ description: 'Region whose STS is asked for roles of the AWS console. Credentials: the AWS environment.' }),
  stsEndpoint: endpoint.meta({ description: 'Another STS than that of the region.' }),
  redshiftEndpoint: endpoint.meta({
    description: 'Another endpoint of Redshift than that of the region of a database.',
  }),
  joinEndpoint: endpoint.meta({
    description:
      'Where STS is asked about machines that join by the method iam, in the place of the STS host they signed for.',
  }),
  federationEndpoint: endpoint.meta({
    description: 'Another sign-in endpoint than https://signin.aws.amazon.com/federation.',
  }),
} as const;

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password || url.search || url.hash) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
