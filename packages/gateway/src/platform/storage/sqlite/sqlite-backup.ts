/** Copies of the database taken before its tables are changed. */
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { makeEmptyOwnFile } from '../../std/own-file.ts';
import type { Db } from '../tables.ts';

const KEPT = 5;
const NAME = /^gatehouse-before-\d{4}-(\d{8}T\d{9}Z)\.db$/;

/** Gives back the path of the new copy. */
export async function backUpBefore(db: Db, folder: string, migrationNumber: number, now: number): Promise<string> {
  const backups = join(folder, 'backups');
  await mkdir(backups, { recursive: true, mode: 0o700 });
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, '');
  const file = join(backups, `gatehouse-before-${String(migrationNumber).padStart(4, '0')}-${time}.db`);
  const unfinished = `${file}.unfinished`;
  await rm(unfinished, { force: true });
  await makeEmptyOwnFile(unfinished);
  await sql`vacuum into ${unfinished}`.execute(db);
  await sync(unfinished);
  // Under its final name only once it is whole: half a copy must not be taken for a backup.
  await rename(unfinished, file);
  await removeOld(backups);
  return file;
}

async function removeOld(backups: string): Promise<void> {
  const copies = (await readdir(backups))
    .map((name) => ({ name, time: NAME.exec(name)?.[1] }))
    .filter((copy) => copy.time !== undefined)
    .sort((a, b) => (a.time! < b.time! ? 1 : -1));
  for (const { name } of copies.slice(KEPT)) await rm(join(backups, name), { force: true });
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
