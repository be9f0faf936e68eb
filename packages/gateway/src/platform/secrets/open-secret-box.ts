/** Opens the secret box at start, and stops the start when its key is not the one the database was sealed with. */
import { join } from 'node:path';
import type { Log } from '../std/log.ts';
import type { Secret } from '../std/secret.ts';
import { StartError } from '../std/start-error.ts';
import { readMeta, writeMetaOnce } from '../storage/meta.ts';
import type { Db } from '../storage/tables.ts';
import { type KeySource, keyFile, keyValue } from './key-source.ts';
import { newMasterKey } from './master-key.ts';
import { SecretBox } from './secret-box.ts';

const CHECK_KEY = 'secrets.check';
const CHECK_PLACE = { table: 'meta', id: CHECK_KEY, column: 'value' };
const CHECK_TEXT = 'gatehouse';

interface SecretBoxOptions {
  dataDir: string;
  /** Another file than `secrets.key` in the data folder. */
  keyFile?: string;
  /** The keys themselves, newest first, instead of a file. */
  key?: Secret;
  log: Log;
}

export async function openSecretBox(
  db: Db,
  { dataDir, keyFile: file, key, log }: SecretBoxOptions,
): Promise<SecretBox> {
  const source = key ? keyValue(key) : keyFile(file ?? join(dataDir, 'secrets.key'), log);
  const sealed = await readMeta(db, CHECK_KEY);
  const keys = source.load();
  if (keys) {
    const box = new SecretBox(source, keys);
    return checked(box, source, sealed ?? (await firstCheck(db, box)));
  }
  if (sealed !== undefined) {
    throw new StartError(
      `${source.place} is missing, but the database holds secrets sealed with key ${keyIdOf(sealed)}: ` +
        'put the key file back, or copy it from another gateway of this database',
    );
  }
  return await makeFirst(db, source, log);
}

async function makeFirst(db: Db, source: KeySource, log: Log): Promise<SecretBox> {
  const key = newMasterKey();
  source.save?.([key]);
  const box = new SecretBox(source, [key]);
  try {
    checked(box, source, await firstCheck(db, box));
  } catch (error) {
    // Another gateway of this database was first with its own key; ours has sealed nothing.
    source.discard?.();
    throw error;
  }
  log.info({ keyId: key.id }, `made ${source.place}`);
  return box;
}

async function firstCheck(db: Db, box: SecretBox): Promise<string> {
  return await writeMetaOnce(db, CHECK_KEY, box.seal(CHECK_PLACE, CHECK_TEXT));
}

function checked(box: SecretBox, source: KeySource, sealed: string): SecretBox {
  try {
    if (box.openText(CHECK_PLACE, sealed) === CHECK_TEXT) return box;
  } catch (error) {
    throw new StartError(
      `${source.place} does not belong to this database: its secrets are sealed with key ${keyIdOf(sealed)}, ` +
        `the newest key there is ${box.sealingKey.id}; put the right key back`,
      { cause: error },
    );
  }
  throw new StartError(`the database's check value is not ours: is it a Gatehouse database?`);
}

function keyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? 'unknown';
}
