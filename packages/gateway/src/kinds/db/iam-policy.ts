/** What AWS must allow the gateway so that it may sign in to a database of RDS. */
import { typeOf } from '@gatehouse/contract/kinds/db/db-spec';
import { AppError } from '../../platform/std/app-error.ts';
import { awsRegionOf } from './clouds/aws-region.ts';
import type { ListedDb } from './listed-db.ts';

export interface IamPolicy {
  document: string;
  /** Parts that nobody has said, as they stand in it. */
  placeholders: string[];
}

/** Throws for what is not signed in to by a policy of this sort. */
export function iamPolicy({ resource, spec, address }: Pick<ListedDb, 'resource' | 'spec' | 'address'>): IamPolicy {
  const type = typeOf(spec);
  if (type !== 'rds')
    throw new AppError(
      'bad_request',
      `the database '${resource.name}' is '${type}', and a policy of AWS is only for 'rds'`,
    );
  const host = address.hosts[0]?.host ?? '';
  const region = spec.aws.region || awsRegionOf(host);
  const placeholders: string[] = [];
  const known = (value: string, placeholder: string) => {
    if (value !== '') return value;
    placeholders.push(placeholder);
    return placeholder;
  };
  const arn = [
    ...['arn', partitionOf(region, host), 'rds-db', known(region, '{region}'), known(spec.aws.account, '{account_id}')],
    `dbuser:${known(spec.aws.resourceId, '{resource_id}')}/*`,
  ].join(':');
  const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'rds-db:connect', Resource: arn }] };
  return { document: JSON.stringify(policy, null, 2), placeholders };
}

function partitionOf(region: string, host: string): string {
  if (region.startsWith('cn-') || host.endsWith('.cn')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
