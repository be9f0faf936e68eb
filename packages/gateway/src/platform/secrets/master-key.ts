/** The keys that stored secrets are sealed with, and the text they are kept as. */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

export interface MasterKey {
  /** Made from the key itself, so that a sealed value names the one key that opens it. */
  id: string;
  bytes: Buffer;
  /** The same for ciphers, which take more than twice as long with bytes. */
  secret: KeyObject;
  /** Opens old values (a backup's, say) but seals no new ones. */
  retired: boolean;
}

export function newMasterKey(): MasterKey {
  return masterKey(randomBytes(KEY_BYTES), false);
}

/** One key per line or comma, the newest first; in files each line says whether the key is retired. Undefined when it is not that. */
export function parseMasterKeys(text: string): MasterKey[] | undefined {
  const keys: MasterKey[] = [];
  for (const line of text.split(/[\n,]/)) {
    const entry = line.replace(/#.*/, '').trim();
    if (entry === '') continue;
    const [, word, encoded] = /^(?:(key|retired)\s+)?([A-Za-z0-9+/_=-]+)$/.exec(entry) ?? [];
    const bytes = decode(encoded ?? '');
    if (!bytes) return undefined;
    keys.push(masterKey(bytes, word === 'retired'));
  }
  return keys.some((key) => !key.retired) ? keys : undefined;
}

export function formatMasterKeys(keys: readonly MasterKey[]): string {
  return [
    '# Opens the secrets in the database. Keep it apart from backups of the database; without it they are lost.',
    ...keys.map((key) => `${key.retired ? 'retired' : 'key'} ${key.bytes.toString('base64')}`),
    '',
  ].join('\n');
}

function masterKey(bytes: Buffer, retired: boolean): MasterKey {
  const id = createHmac('sha256', bytes).update('gatehouse master key id').digest('hex').slice(0, 12);
  return { id, bytes, secret: createSecretKey(bytes), retired };
}

function decode(encoded: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(encoded)) return Buffer.from(encoded, 'hex');
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.length === KEY_BYTES ? bytes : undefined;
}
