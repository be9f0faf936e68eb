/** Enters a database as an administrator does at the command line, with its password and its authority in files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayProcess } from '@gatehouse/testkit/gateway-process';
import { expect } from 'vitest';

interface WantedDatabase {
  name: string;
  uri: string;
  password: string;
  ca: string;
  more?: readonly string[];
}

/** For the user `app`, among those labelled `env=prod`. */
export async function addDatabase(gateway: GatewayProcess, wanted: WantedDatabase): Promise<void> {
  const { name, uri, password, ca, more = [] } = wanted;
  const [secretFile, caFile] = [join(gateway.dataDir, `${name}.txt`), join(gateway.dataDir, `${name}.pem`)];
  writeFileSync(secretFile, password);
  writeFileSync(caFile, ca);
  const signIn = ['--sign-in', 'password', '--db-user', 'app', '--password-file', secretFile, '--ca', caFile];
  const { code } = await gateway.command('db', 'add', name, uri, ...signIn, '--labels', 'env=prod', ...more);
  expect(code).toBe(0);
}
