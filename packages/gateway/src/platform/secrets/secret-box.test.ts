import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { secretsContract } from '../../../testing/secrets/secrets-contract.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { openTestFolder } from '../../../testing/storage/test-folder.ts';
import { silentLog } from '../std/log.ts';
import { Secret } from '../std/secret.ts';
import { StartError } from '../std/start-error.ts';
import { formatMasterKeys, newMasterKey, parseMasterKeys } from './master-key.ts';
import { openSecretBox } from './open-secret-box.ts';
import { rotateKey } from './rotate-key.ts';
import { SecretBox } from './secret-box.ts';

describe('secrets on SQLite', () => secretsContract(() => openMemoryStorage()));

const PLACE = { table: 'secret', id: 'a', column: 'sealed' };

function openBox(...keys: ReturnType<typeof newMasterKey>[]) {
  return new SecretBox({ place: 'the test', load: () => keys }, keys);
}

async function openDb() {
  const storage = await openMemoryStorage();
  onTestFinished(() => storage.close());
  return storage.db;
}

test('what was sealed opens in its own place, and each sealing looks different', () => {
  const box = openBox(newMasterKey());
  const sealed = box.seal(PLACE, 'pässword');

  expect(box.openText(PLACE, sealed)).toBe('pässword');
  expect(box.open(PLACE, box.seal(PLACE, Buffer.from([0, 255])))).toEqual(Buffer.from([0, 255]));
  expect(box.openText(PLACE, box.seal(PLACE, ''))).toBe('');
  expect(box.seal(PLACE, 'pässword')).not.toBe(sealed);
  expect(sealed).toMatch(/^v1\.[0-9a-f]{12}\./);
});

test.each([
  ['row', { ...PLACE, id: 'b' }],
  ['table', { ...PLACE, table: 'other' }],
  ['column', { ...PLACE, column: 'other' }],
  ['row whose name runs into the next word', { table: 'secret', id: 'a","sealed', column: '' }],
])('a sealed value moved to another %s does not open', (_, place) => {
  const box = openBox(newMasterKey());

  expect(() => box.open(place, box.seal(PLACE, 'x'))).toThrow('changed, or moved from another place');
});

test('a sealed value that was tampered with does not open', () => {
  const box = openBox(newMasterKey());
  const sealed = box.seal(PLACE, 'some longer text');
  const [version, keyId, body] = sealed.split('.') as [string, string, string];
  const bytes = Buffer.from(body, 'base64url');

  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    const text = `${version}.${keyId}.${changed.toString('base64url')}`;
    expect(() => box.open(PLACE, text)).toThrow('changed, or moved');
  }
  expect(() => box.open(PLACE, `${version}.${keyId}.AAAA`)).toThrow('changed, or moved');
  for (const text of ['', 'plain', `v2.${keyId}.${body}`, `v1.${keyId}.`]) {
    expect(() => box.open(PLACE, text)).toThrow('is not a sealed value');
  }
});

test('a value under an unknown key says which key is missing', () => {
  const other = openBox(newMasterKey());

  expect(() => openBox(newMasterKey()).open(PLACE, other.seal(PLACE, 'x'))).toThrow(
    `is sealed with key ${other.sealingKey.id}, which is not in the test`,
  );
});

test('a key that another process added to the key file is found when it is needed', () => {
  const [old, added] = [newMasterKey(), newMasterKey()];
  const box = new SecretBox({ place: 'the test', load: () => [added, old] }, [old]);

  expect(box.openText(PLACE, openBox(added).seal(PLACE, 'x'))).toBe('x');
});

test('keys survive being written, and what is no key is refused', () => {
  const keys = [newMasterKey(), { ...newMasterKey(), retired: true }];
  const hex = newMasterKey();

  expect(parseMasterKeys(formatMasterKeys(keys))).toEqual(keys);
  expect(parseMasterKeys(`${hex.bytes.toString('hex')},${keys[0]!.bytes.toString('base64')}`)).toEqual([hex, keys[0]]);
  for (const text of ['', '# nothing', 'short', 'key', `retired ${keys[0]!.bytes.toString('base64')}`]) {
    expect(parseMasterKeys(text)).toBeUndefined();
  }
});

test('the key file is made once, for its owner alone', async () => {
  const db = await openDb();
  const dataDir = openTestFolder();
  const file = join(dataDir, 'secrets.key');

  await openSecretBox(db, { dataDir, log: silentLog });
  const made = readFileSync(file, 'utf8');
  await openSecretBox(db, { dataDir, log: silentLog });

  expect(readFileSync(file, 'utf8')).toBe(made);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a missing, wrong or broken key stops the start', async () => {
  const db = await openDb();
  const dataDir = openTestFolder();
  const file = join(dataDir, 'secrets.key');
  const { sealingKey } = await openSecretBox(db, { dataDir, log: silentLog });
  const start = () => openSecretBox(db, { dataDir, log: silentLog });

  writeFileSync(file, formatMasterKeys([newMasterKey()]));
  await expect(start()).rejects.toThrow(`sealed with key ${sealingKey.id}`);
  await expect(start()).rejects.toThrow(StartError);
  writeFileSync(file, 'not a key');
  await expect(start()).rejects.toThrow('holds no usable key');
  rmSync(file);
  await expect(start()).rejects.toThrow(/secrets\.key' is missing, but the database holds secrets/);
  expect(existsSync(file)).toBe(false);
});

test('the key can be a setting; rotating then asks for a new one in front', async () => {
  const db = await openDb();
  const dataDir = openTestFolder();
  const [first, second] = [newMasterKey().bytes.toString('base64'), newMasterKey().bytes.toString('base64')];
  const start = (key: string) => openSecretBox(db, { dataDir, key: new Secret(key), log: silentLog });

  await expect(rotateKey(db, await start(first), silentLog)).rejects.toThrow('put a new key before the old one');
  expect(await rotateKey(db, await start(`${second},${first}`), silentLog)).toMatchObject({ resealed: 1 });

  expect(existsSync(join(dataDir, 'secrets.key'))).toBe(false);
  await start(second);
  await expect(start(first)).rejects.toThrow(StartError);
});
