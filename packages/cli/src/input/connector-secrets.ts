/** Gives a document the secrets it leaves out: from files that are named, or from whoever sits at the terminal. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import type { Io } from '../command.ts';
import { Failure } from '../runtime/failure.ts';
import type { MissingSecret } from './connector-text.ts';
import { readGiven } from './read-files.ts';

export interface SecretOptions {
  secretFile?: string[];
}

export function addSecretFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--secret-file <file>',
      'a file with the secret that the document leaves out; field=file where it leaves out several',
    ).argParser((file: string, before: string[] = []) => [...before, file]),
  );
}

/** Files are always taken; a question is only asked where nothing is kept yet. */
export async function withSecrets(
  io: Io,
  { text, kind, isNew }: { text: string; kind: ConnectorKind; isNew: boolean },
  { secretFile = [] }: SecretOptions,
): Promise<string> {
  const { missingSecrets, putInSecret } = await import('./connector-text.ts');
  let written = text;
  for (const given of secretFile) {
    const { place, file } = placeOf(given, missingSecrets(written, kind));
    const secret = (await readGiven(io, file)).replace(place.isKey ? /\s*$/ : /\r?\n$/, '');
    if (secret === '') throw new Failure('usage', `the file '${file}' is empty`);
    written = putInSecret(written, place, secret);
  }
  if (!isNew || !io.askSecret) return written;
  for (const place of missingSecrets(written, kind)) {
    if (place.isKey) continue;
    const secret = await io.askSecret(`${place.field} (not shown; empty: none): `);
    if (secret !== '') written = putInSecret(written, place, secret);
  }
  return written;
}

function placeOf(given: string, places: readonly MissingSecret[]): { place: MissingSecret; file: string } {
  const named = places.find(({ field }) => given.startsWith(`${field}=`));
  if (named) return { place: named, file: given.slice(named.field.length + 1) };
  const [only, second] = places;
  if (only && !second) return { place: only, file: given };
  if (!only)
    throw new Failure(
      'usage',
      `the document has no place for the secret in '${printable(given)}', or holds it already`,
    );
  const fields = places.map(({ field }) => field).join(', ');
  throw new Failure(
    'usage',
    `the document leaves out several secrets (${fields}): write which it is, like ${only.field}=${given}`,
  );
}
