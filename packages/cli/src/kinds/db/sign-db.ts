/** `gatehouse db sign`: key and certificate for the server of a database, and what is written there. */
import { generateKeyPairSync } from 'node:crypto';
import { dbSetupText, MONGO_FILE, SETUP_PROTOCOLS, type SetupProtocol } from '@gatehouse/contract/kinds/db/db-setup';
import { SERVER_FILES } from '@gatehouse/contract/kinds/db/db-trust';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { type Command, Option } from 'commander';
import { type addCommand, type CommandDeps, type Format, print } from '../../command.ts';
import { anyGateway, CURRENT, type GatewayOptions } from '../../gateway/resolve-gateway.ts';
import { parseDurationSeconds } from '../../input/duration.ts';
import { nameList } from '../../input/trait-flags.ts';
import { Failure } from '../../runtime/failure.ts';

interface SignOptions extends Omit<GatewayOptions, 'format'> {
  format: Format | SetupProtocol;
  host: string[];
  for?: SetupProtocol;
  out: string;
  ttl?: number;
  dbUser: string;
  from: string;
}

const KEY_MODE = 0o600;
const OPEN_MODE = 0o644;

export function addSignCommand(add: (facts: Parameters<typeof addCommand>[1]) => Command, io: CommandDeps['io']): void {
  add({
    name: 'sign',
    summary:
      'Make key and certificate for the server of a database, and say what is written there so that the gateway signs in by certificate. The key is made on this machine and stays here.',
    examples: [
      'gatehouse db sign --host db.inside,10.0.0.5 --for postgres --out certs',
      'gatehouse db sign --host db.inside --for mysql --out certs --ttl 365d --db-user app --from 10.0.0.1',
    ],
    formats: ['text', 'json', ...SETUP_PROTOCOLS],
  })
    .addOption(
      new Option('--host <names>', 'names and addresses the gateway dials it by')
        .argParser(nameList)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--for <protocol>', 'whose files and lines are made; --format takes it too').choices([
        ...SETUP_PROTOCOLS,
      ]),
    )
    .requiredOption('--out <folder>', 'the folder the files are written to; it is made where it is missing')
    .addOption(
      new Option('--ttl <duration>', 'how long the certificate is good for; 2190h unless told').argParser(
        parseDurationSeconds,
      ),
    )
    .option('--db-user <name>', 'the user in the lines that are printed', 'app')
    .option(
      '--from <address>',
      'where connections come from, in those lines: the gateway, or the agent that dials',
      'ADDRESS',
    )
    .action(async ({ host, for: wanted, out, ttl, dbUser, from, format: asked, ...given }: SignOptions) => {
      // Other tools of this sort call it their format.
      const isFormat = asked === 'text' || asked === 'json';
      const protocol = wanted ?? (isFormat ? undefined : asked);
      if (!protocol) throw new Failure('usage', `say whose files they are with --for: ${SETUP_PROTOCOLS.join(', ')}`);
      const options = { ...given, format: isFormat ? asked : ('text' as const) };
      const [{ call }, { dbTrustRoutes }, { resolve }, send] = await Promise.all([
        import('@gatehouse/contract/wire/client'),
        import('@gatehouse/contract/kinds/db/db-trust'),
        import('node:path'),
        anyGateway(io, options),
      ]);
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { certificate, authorities, expires, cluster } = await call(send, dbTrustRoutes.sign, {
        params: CURRENT,
        body: {
          hosts: host,
          publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
          ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
        },
      });
      const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      const folder = resolve(io.cwd, out);
      const files = [
        { name: SERVER_FILES.key, text: key, mode: KEY_MODE },
        { name: SERVER_FILES.certificate, text: certificate, mode: OPEN_MODE },
        { name: SERVER_FILES.authorities, text: authorities, mode: OPEN_MODE },
        ...(protocol === 'mongodb' ? [{ name: MONGO_FILE, text: `${certificate}${key}`, mode: KEY_MODE }] : []),
      ];
      await writeAll(folder, files);
      const setup = dbSetupText(protocol, { cluster, user: dbUser, from, folder: '/etc/gatehouse-db' });
      const names = files.map(({ name }) => name);
      print(
        io,
        options.format,
        { folder, files: names, expires, setup },
        `${names.join(', ')} written to ${folder}, good until ${expires}\n` +
          `Copy them to the server, where only it may read them, here to /etc/gatehouse-db; then write:\n\n${setup}`,
      );
    });
}

/** Under another name first: a server that reads meanwhile never finds half of one. */
async function writeAll(folder: string, files: readonly { name: string; text: string; mode: number }[]): Promise<void> {
  const [{ mkdir, rename, rm, writeFile }, { join }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
  ]);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const { name, text, mode } of files) {
      const file = join(folder, name);
      await rm(`${file}.new`, { force: true });
      await writeFile(`${file}.new`, text, { mode, flag: 'wx' });
      await rename(`${file}.new`, file);
    }
  } catch (error) {
    throw new Failure('usage', `the folder '${folder}' cannot be written to: ${errorMessage(error)}`);
  }
}
