/** Where the master keys come from: a file that the gateway makes and rotates, or a value that the operator keeps. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { Log } from '../std/log.ts';
import { replaceFile } from '../std/replace-file.ts';
import type { Secret } from '../std/secret.ts';
import { StartError } from '../std/start-error.ts';
import { formatMasterKeys, type MasterKey, parseMasterKeys } from './master-key.ts';

export interface KeySource {
  /** For messages: where the operator finds the keys. */
  place: string;
  /** Undefined when there are none yet. */
  load(): MasterKey[] | undefined;
  /** Missing where only the operator can change the keys. Durable when it returns. */
  save?(keys: readonly MasterKey[]): void;
  /** Takes back keys that were just made and turned out to be useless. */
  discard?(): void;
}

export function keyFile(file: string, log: Log): KeySource {
  return {
    place: `the key file '${file}'`,
    load() {
      if (!existsSync(file)) return undefined;
      if ((statSync(file).mode & 0o077) !== 0) log.warn({ file }, 'others than the owner may read the key file');
      return parsed(readFileSync(file, 'utf8'), `the key file '${file}'`);
    },
    save: (keys) => replaceFile(file, formatMasterKeys(keys)),
    discard: () => rmSync(file, { force: true }),
  };
}

export function keyValue(value: Secret): KeySource {
  return { place: 'the setting secrets.key', load: () => parsed(value.reveal(), 'the setting secrets.key') };
}

function parsed(text: string, place: string): MasterKey[] {
  const keys = parseMasterKeys(text);
  if (keys) return keys;
  throw new StartError(`${place} holds no usable key: a key is 32 random bytes in base64 (openssl rand -base64 32)`);
}
