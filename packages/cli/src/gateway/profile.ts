/** Where this user is signed in, kept in their own configuration folder and readable by nobody else. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';
import type { Io } from '../command.ts';
import { Failure } from '../runtime/failure.ts';

const credential = z.object({ user: z.string(), token: z.string(), expires: z.string() });
const profile = z.object({
  /** The gateway that is meant when none is named. */
  current: z.string().optional(),
  gateways: z.record(z.string(), credential),
});

export type Credential = z.output<typeof credential>;
export type Profile = z.output<typeof profile>;

export function readProfile(io: Io): Profile {
  const file = profileFile(io);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { gateways: {} };
  }
  const parsed = profile.safeParse(parseJson(text));
  if (!parsed.success) throw new Failure('failed', `'${file}' cannot be read: remove it and sign in again`);
  return parsed.data;
}

/** Replaced in one step: a second command must never read half of it. */
export function writeProfile(io: Io, changed: Profile): void {
  const file = profileFile(io);
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(changed, undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
}

function profileFile({ env }: Io): string {
  const base = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(base, 'gatehouse', 'credentials.json');
}
