import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
beforeEach(async () => {
  line = await startCommandLine(() => startIdentityGateway());
});
afterEach(() => line.close());

const certificates = async (type: string) =>
  (await line.local('ca', 'export', '--type', type)).stdout.match(/-----BEGIN CERTIFICATE-----/g) ?? [];

test('an authority of databases is listed, printed for databases and rotated', async () => {
  expect(await certificates('db_client')).toHaveLength(1);

  const rotated = await line.local('ca', 'rotate', '--type', 'db_client', '--announce', '14d');

  expect(rotated.stdout).toMatch(/\n\S+ +announced .*\n\S+ +signing .*\ngive the new one to every database/);
  expect(await certificates('db_client')).toHaveLength(2);
  expect(await certificates('db')).toHaveLength(1);
  await line.local('ca', 'rotate', '--type', 'db_client', '--announce', '0', '--overlap', '0');
  expect((await line.local('ca', 'ls', '--type', 'db_client')).stdout).toMatch(/^\S+ +STATE.*\n\S+ +signing .*\n$/);
});
