/** Seals secrets for the database and opens them again. A sealed value is bound to its place: moved elsewhere, it does not open. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeySource } from './key-source.ts';
import type { MasterKey } from './master-key.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = /^v1\.([0-9a-f]{12})\.([A-Za-z0-9_-]+)$/;

/** The place in the database that a sealed value belongs to. */
export interface SealedContext {
  table: string;
  id: string;
  column: string;
}

export class SecretBox {
  readonly #source: KeySource;
  #keys: readonly MasterKey[];

  constructor(source: KeySource, keys: readonly MasterKey[]) {
    this.#source = source;
    this.#keys = keys;
  }

  get keys(): readonly MasterKey[] {
    return this.#keys;
  }

  /** The key that seals from now on: the newest. */
  get sealingKey(): MasterKey {
    return this.#keys.find((key) => !key.retired)!;
  }

  seal(place: SealedContext, plain: string | Uint8Array): string {
    const key = this.sealingKey;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key.secret, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundTo(key.id, place));
    const body = Buffer.concat([cipher.update(Buffer.from(plain)), cipher.final()]);
    return `v1.${key.id}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  open(place: SealedContext, sealed: string): Buffer {
    const [, keyId, encoded] = FORMAT.exec(sealed) ?? [];
    if (keyId === undefined || encoded === undefined) throw new Error(`${nameOf(place)} is not a sealed value`);
    const key = this.#find(keyId);
    if (!key) throw new Error(`${nameOf(place)} is sealed with key ${keyId}, which is not in ${this.#source.place}`);
    const bytes = Buffer.from(encoded, 'base64url');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv(CIPHER, key.secret, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(keyId, place));
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    } catch (error) {
      throw new Error(`${nameOf(place)} does not open: it was changed, or moved from another place`, { cause: error });
    }
  }

  openText(place: SealedContext, sealed: string): string {
    return this.open(place, sealed).toString('utf8');
  }

  /** Puts other keys into effect. They are stored durably before the first value is sealed with them. */
  replaceKeys(keys: readonly MasterKey[]): void {
    this.#source.save?.(keys);
    this.#keys = keys;
  }

  get canReplaceKeys(): boolean {
    return this.#source.save !== undefined;
  }

  #find(keyId: string): MasterKey | undefined {
    const known = this.#keys.find((key) => key.id === keyId);
    if (known) return known;
    // Another process may have rotated the shared key file since it was read.
    this.#keys = this.#source.load() ?? this.#keys;
    return this.#keys.find((key) => key.id === keyId);
  }
}

function boundTo(keyId: string, { table, id, column }: SealedContext): Buffer {
  return Buffer.from(JSON.stringify(['gatehouse sealed v1', keyId, table, id, column]));
}

function nameOf({ table, id, column }: SealedContext): string {
  return `the secret in ${table}.${column} of '${id}'`;
}
