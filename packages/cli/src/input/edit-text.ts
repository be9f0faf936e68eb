/** Lets somebody change a text in the editor of their choice, and never loses what they wrote. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../command.ts';
import { Failure, toFailure } from '../runtime/failure.ts';

/** Gives the saved text to `save`; nothing when it was left as it is, unless `always`. A text that cannot be saved stays in its file, which is named. */
export async function editText<T>(
  io: Io,
  { name, text, always = false }: { name: string; text: string; always?: boolean },
  save: (edited: string) => Promise<T>,
): Promise<T | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-edit-'));
  const file = join(folder, `${name.replaceAll(/[^\p{L}\p{N}._-]/gu, '_')}.yaml`);
  writeFileSync(file, text, { mode: 0o600 });
  let edited: string;
  try {
    await runEditor(io, file);
    edited = readFileSync(file, 'utf8');
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  if ((edited === text && !always) || edited.trim() === '') {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  try {
    const saved = await save(edited);
    rmSync(folder, { recursive: true });
    return saved;
  } catch (error) {
    const { exit, message, details } = toFailure(error);
    throw new Failure(exit, `${message}\nwhat you wrote is in ${file}`, { ...details, file });
  }
}

async function runEditor({ env }: Io, file: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || 'vi';
  // Through a shell: people write editors with their options.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0)
    throw new Failure('failed', `the editor '${editor}' ended with ${code ?? 'a signal'}: nothing was changed`);
}
