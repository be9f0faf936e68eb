/** Where this user is signed in, kept in their own configuration folder and readable by nobody else. */
import { readFileSync } from 'node:fs';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';
import type { Io } from '../command.ts';
import { Failure } from '../runtime/failure.ts';
import { ownFile, replaceOwnFile } from './own-file.ts';

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

export function writeProfile(io: Io, changed: Profile): void {
  replaceOwnFile(profileFile(io), changed);
}

const profileFile = (io: Io) => ownFile(io, 'credentials.json');
