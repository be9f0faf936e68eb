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
  /** False: the client is a public one. */
  secret?: boolean;
}

export const GIVE_FILE = 'name a file that holds it with --secret-file';

export function addSecretFlag(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--secret-file <file>',
        'a file with the secret that the document leaves out; field=file where it leaves out several',
      ).argParser((file: string, before: string[] = []) => [...before, file]),
    )
    .option('--no-secret', 'there is none: the provider knows this gateway as a public client (OIDC)');
}

/** Files are always taken; a question is only asked where nothing is kept yet. Nobody gets a client without a secret by forgetting it. */
export async function withSecrets(
  io: Io,
  { text, kind, isNew }: { text: string; kind: ConnectorKind; isNew: boolean },
  { secretFile = [], secret: hasSecret = true }: SecretOptions,
): Promise<string> {
  const [{ missingSecrets, putInSecret }, { KNOWS_PUBLIC_CLIENTS }] = await Promise.all([
    import('./connector-text.ts'),
    import('@gatehouse/contract/identity/connectors/connector-document'),
  ]);
  const mayBePublic = KNOWS_PUBLIC_CLIENTS[kind];
  if (!hasSecret && secretFile.length > 0)
    throw new Failure('usage', '--no-secret and --secret-file say different things: give one of them');
  if (!hasSecret && !mayBePublic)
    throw new Failure('usage', `--no-secret: a ${kind} connector always needs one: ${GIVE_FILE}`);
  let written = text;
  for (const given of secretFile) {
    const { place, file } = placeOf(given, missingSecrets(written, kind));
    const secret = (await readGiven(io, file)).replace(place.isKey ? /\s*$/ : /\r?\n$/, '');
    if (secret === '') throw new Failure('usage', `the file '${file}' is empty`);
    written = putInSecret(written, place, secret);
  }
  if (!isNew || !hasSecret) return written;
  for (const place of missingSecrets(written, kind)) {
    if (place.isKey) continue;
    const secret = await io.askSecret?.(`${place.field} (not shown): `);
    if (!secret) throw missing(place, { isAsked: secret !== undefined, mayBePublic });
    written = putInSecret(written, place, secret);
  }
  return written;
}

function missing({ path }: MissingSecret, { isAsked, mayBePublic }: { isAsked: boolean; mayBePublic: boolean }) {
  const why = isAsked ? 'is missing' : 'is missing, and nobody is here to be asked for it';
  const orPublic = mayBePublic ? ', or say --no-secret if the provider knows this gateway as a public client' : '';
  return new Failure('usage', `'${path.join('.')}' ${why}: ${GIVE_FILE}${orPublic}`);
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
