/** What this gateway signed last, in a file of its own: whoever changes the store cannot have the change signed. */
import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckpointBody, checkpointBody } from '@gatehouse/contract/audit/checkpoint';
import { z } from 'zod';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { readMeta, writeMetaOnce } from '../../platform/storage/meta.ts';
import type { Db } from '../../platform/storage/tables.ts';

/** Take it away where the store was restored from a backup on purpose: signing goes on, and the log tells that it did. */
export const MEMORY_FILE = 'audit-signed';
const PLACE = { table: 'file', id: MEMORY_FILE, column: 'last' };

const kept = z.object({ body: z.string(), publicKey: z.string() });

export interface Remembered {
  /** Byte for byte what was signed. */
  text: string;
  body: CheckpointBody;
  publicKey: string;
}

export interface SignedMemory {
  last(): Remembered | undefined;
  /** Call it after the commit. */
  remember(text: string, publicKey: string): Promise<void>;
  /** Why nothing is remembered though something should be; empty when all is well. */
  lost: string;
}

interface MemoryDeps {
  /** Without one it is remembered while the process lives. */
  dataDir: string | undefined;
  secrets: SecretBox;
  db: Db;
  chain: string;
}

export async function openSignedMemory({ dataDir, secrets, db, chain }: MemoryDeps): Promise<SignedMemory> {
  const file = dataDir === undefined ? undefined : join(dataDir, MEMORY_FILE);
  const marker = `audit.remembers ${chain}`;
  const found = file === undefined ? undefined : read(file, secrets);
  const shouldBe = (await readMeta(db, marker)) !== undefined;
  let last = found === 'unreadable' ? undefined : found;
  const lost =
    found === 'unreadable'
      ? `the file '${MEMORY_FILE}' in its data folder cannot be read`
      : file !== undefined && !found && shouldBe
        ? `the file '${MEMORY_FILE}' in its data folder is gone`
        : '';
  return {
    lost,
    last: () => last,
    async remember(text, publicKey) {
      last = { text, body: checkpointBody.parse(JSON.parse(text)), publicKey };
      if (file === undefined) return;
      await replace(file, secrets.seal(PLACE, JSON.stringify({ body: text, publicKey })));
      await writeMetaOnce(db, marker, 'yes');
    },
  };
}

function read(file: string, secrets: SecretBox): Remembered | 'unreadable' | undefined {
  let sealed: string;
  try {
    sealed = readFileSync(file, 'utf8').trim();
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : 'unreadable';
  }
  try {
    const { body: text, publicKey } = kept.parse(JSON.parse(secrets.openText(PLACE, sealed)));
    return { text, body: checkpointBody.parse(JSON.parse(text)), publicKey };
  } catch {
    return 'unreadable';
  }
}

/** Whole or not at all: half a memory would be a finding of its own. */
async function replace(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}
