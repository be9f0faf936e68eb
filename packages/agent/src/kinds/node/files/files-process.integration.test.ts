/** Nonsense for the real process, in a home made for it: what is sent by chance may change what is there. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANSWER, REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Field, type SftpClient, sftpClient } from '../../../../testing/files/sftp-client.ts';
import { IS_ROOT, osUsers } from '../../../../testing/os-users.ts';
import type { Person } from '../../../runtime/children/environment.ts';
import { findDescriptorCloser } from '../../../runtime/children/without-descriptors.ts';
import { findUser, ownUser } from '../login/find-user.ts';
import { type FilesProcess, startFilesProcess } from './files-process.ts';

const users = osUsers();
const NAMES = ['a', 'b', 'sub', 'sub/c', '', '.', 'no/such', 'x'.repeat(300), 'caf\xe9'];
const TYPES = Object.values(REQUEST).filter((type) => type !== REQUEST.init);
let person: Person;
let served: FilesProcess;
let client: SftpClient;

beforeAll(async () => {
  const made = IS_ROOT ? await findUser(await users.add()) : undefined;
  person = made ?? { ...ownUser(), home: mkdtempSync(join(tmpdir(), 'gatehouse-home-')) };
});
beforeEach(async () => {
  const closer = await findDescriptorCloser();
  if (!closer) throw new Error('this machine has no bash');
  served = await startFilesProcess({ person, closer, language: 'C.UTF-8', signal: new AbortController().signal });
  client = sftpClient(served);
  await client.greet();
});
afterEach(async () => {
  served.end();
  await served.ended;
});
afterAll(async () => {
  await users.removeAll();
  rmSync(person.home, { recursive: true, force: true });
});

test('what a user wrote into files of their shell is not run by root', async () => {
  const proof = join(person.home, 'ran-as');
  for (const file of ['.bashrc', '.profile', '.bash_profile', '.bash_login'])
    writeFileSync(join(person.home, file), `id -u > ${proof}; exit 7\n`);
  const closer = await findDescriptorCloser();
  if (!closer) throw new Error('this machine has no bash');

  const signal = AbortSignal.timeout(20_000);
  const { input, output, ended } = await startFilesProcess({ person, closer, language: 'C.UTF-8', signal });
  output.resume();
  input.end();
  await ended;

  expect(existsSync(proof)).toBe(false);
});

const path = fc.constantFrom(...NAMES).map((name) => Buffer.from(`fuzz/${name}`, 'latin1'));
const handle = fc.integer({ min: 0, max: 6 }).map((number) => {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(number, 0, 6);
  return bytes;
});
const field: fc.Arbitrary<Field> = fc.oneof(
  path,
  path,
  handle,
  fc.nat(64),
  fc.nat(0xffff_ffff),
  fc.bigInt({ min: 0n, max: 100_000n }),
  fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
  fc.uint8Array({ maxLength: 20 }).map((raw) => ({ raw })),
);
const type = fc.oneof(fc.constantFrom(...TYPES), fc.integer({ min: 21, max: 255 }));

test('whatever is asked for, each request has one answer and the next is served', async () => {
  await client.ask(REQUEST.mkdir, 'fuzz', 0);
  const requests = fc.array(fc.tuple(type, fc.array(field, { maxLength: 5 })), { minLength: 1, maxLength: 100 });

  await fc.assert(
    fc.asyncProperty(requests, async (asked) => {
      const answers = await Promise.all(asked.map(([each, fields]) => client.ask(each, ...fields)));
      expect(answers).toHaveLength(asked.length);
    }),
    { numRuns: 60 },
  );

  expect(await client.ask(REQUEST.stat, '/')).toMatchObject({ type: ANSWER.attributes });
  expect(client.strays).toBe(0);
});

test('bytes by chance end the process or wait for more; they never keep it from ending', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), async (bytes) => {
      const closer = await findDescriptorCloser();
      if (!closer) throw new Error('this machine has no bash');
      const signal = AbortSignal.timeout(20_000);
      const { input, output, ended } = await startFilesProcess({ person, closer, language: 'C.UTF-8', signal });
      output.resume();
      input.end(Buffer.from(bytes));

      expect((await ended) ?? 'packet').toMatch(/packet|greeting/);
    }),
    { numRuns: 8 },
  );
});
