import { expect, test } from 'vitest';
import { iamPolicy } from './iam-policy.ts';
import { toListedDb } from './listed-db.ts';

const of = (uri: string, aws: object = {}) =>
  iamPolicy(
    toListedDb(
      {
        ...{ cluster: 'c', kind: 'db', id: 'shop', name: 'shop', labels: {}, owner: '', expires: undefined },
        spec: { protocol: 'postgres', uri, aws },
      },
      { offers: new Map(), services: [] },
    ),
  );
const resourceOf = (document: string) =>
  (JSON.parse(document) as { Statement: { Resource: string }[] }).Statement[0]?.Resource;

test('what is known of it stands in the policy', () => {
  const { document, placeholders } = of('shop.abc.eu-central-1.rds.amazonaws.com:5432', {
    ...{ account: '123456789012', resourceId: 'db-ABC' },
  });

  expect(JSON.parse(document)).toEqual({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: 'rds-db:connect',
        Resource: 'arn:aws:rds-db:eu-central-1:123456789012:dbuser:db-ABC/*',
      },
    ],
  });
  expect(placeholders).toEqual([]);
});

test('what nobody said is a placeholder, and is named', () => {
  const { document, placeholders } = of('shop.abc.eu-central-1.rds.amazonaws.com');

  expect(resourceOf(document)).toBe('arn:aws:rds-db:eu-central-1:{account_id}:dbuser:{resource_id}/*');
  expect(placeholders).toEqual(['{account_id}', '{resource_id}']);
});

test.each([
  ['shop.abc.cn-north-1.rds.amazonaws.com.cn', 'arn:aws-cn:rds-db:cn-north-1:'],
  ['shop.abc.rds.cn-north-1.amazonaws.com.cn', 'arn:aws-cn:rds-db:cn-north-1:'],
  ['shop.abc.us-gov-west-1.rds.amazonaws.com', 'arn:aws-us-gov:rds-db:us-gov-west-1:'],
])('%s is in a partition of its own', (uri, begin) => {
  expect(resourceOf(of(uri).document)).toMatch(new RegExp(`^${begin}`));
});

test.each([
  ['db.inside', 'self-hosted'],
  ['c.abc.eu-west-1.redshift.amazonaws.com', 'redshift'],
])('%s has none, and that is said', (uri, type) => {
  expect(() => of(uri)).toThrow(`is '${type}'`);
});
