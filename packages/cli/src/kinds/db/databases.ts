/** `gatehouse db`: the databases, and the passwords they are signed in to with. */
import { DB_SIGN_INS, DB_TLS_MODES } from '@gatehouse/contract/kinds/db/db-spec';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../../gateway/resolve-gateway.ts';
import { labelList } from '../../input/label-list.ts';
import { readGiven } from '../../input/read-files.ts';
import { nameList } from '../../input/trait-flags.ts';
import { tellHops } from '../../output/hops-text.ts';
import { tellTest } from '../../output/test-text.ts';
import { Failure } from '../../runtime/failure.ts';
import { addConnectCommands } from './connect-db.ts';
import { tellAddedDb, tellDb, tellDbs } from './db-text.ts';
import { addLoginCommands } from './login-db.ts';
import { addSignCommand } from './sign-db.ts';

interface AddOptions extends GatewayOptions {
  description?: string;
  labels?: Record<string, string>;
  signIn?: (typeof DB_SIGN_INS)[number];
  dbUser?: string;
  dbName?: string;
  passwordFile?: string;
  tls?: (typeof DB_TLS_MODES)[number];
  ca?: string;
  serverName?: string;
  through?: string[];
  awsRegion?: string;
  awsRole?: string;
  awsExternalId?: string;
  gcp?: string;
  adminUser?: string;
  adminDatabase?: string;
  check: boolean;
}

const MAX_LISTED = 1000;

/** What only databases of clouds have. */
function cloudFields({
  awsRegion: region = '',
  awsRole: roleArn = '',
  awsExternalId: externalId = '',
  gcp,
}: AddOptions) {
  const aws = region || roleArn || externalId ? { aws: { region, roleArn, externalId } } : {};
  if (gcp === undefined) return aws;
  const [, project, instance] = /^(.+):([^:]+)$/.exec(gcp) ?? [];
  if (!project || !instance) throw new Failure('usage', '--gcp must look like PROJECT:INSTANCE');
  return { ...aws, gcp: { project, instance } };
}

export function addDbCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'db',
    summary: 'List databases, add and remove them, and store what they are signed in to with.',
    examples: [
      'gatehouse db ls',
      'gatehouse db add shop postgres://10.0.0.5:5432 --sign-in password --db-user app --db-name shop',
    ],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  command({
    name: 'add <name> <uri>',
    summary:
      'Add a database, and tell each hop of the way there. The password is asked for at the terminal, stored sealed, and told to nobody.',
    examples: [
      'gatehouse db add shop postgres://10.0.0.5:5432 --sign-in password --db-user app --db-name shop',
      'gatehouse db add shop postgres://db.inside --ca inside-ca.pem --sign-in password --db-user app --password-file app.txt',
    ],
  })
    .option('--description <text>', 'what people read beside its name')
    .addOption(new Option('--label, --labels <pairs>', 'labels, like env=prod,team=blue').argParser(labelList))
    .addOption(
      new Option(
        '--sign-in <method>',
        'how the gateway signs in to it; unless told by certificate, or as its cloud has it',
      ).choices([...DB_SIGN_INS]),
    )
    .option('--db-user <name>', 'the user whose password is stored')
    .option('--db-name <name>', 'the database that is used where nobody names one')
    .option('--password-file <file>', 'a file with the password; - for standard input')
    .addOption(
      new Option('--tls <mode>', 'how its certificate is checked; verify-full unless told').choices([...DB_TLS_MODES]),
    )
    .option('--ca <file>', 'PEM of the authority of its certificate; - for standard input')
    .option('--server-name <host>', 'the name in its certificate, where that is not the host of the address')
    .addOption(
      new Option(
        '--through <agents>',
        'agents that reach it, by name or id; unless told, those that look after its labels, else the gateway',
      ).argParser(nameList),
    )
    .option('--aws-region <region>', 'its region, where that does not stand in the address')
    .option('--aws-role <arn>', 'a role of AWS that the gateway takes to sign in')
    .option('--aws-external-id <id>', 'what that role wants to hear')
    .option('--gcp <project:instance>', 'the instance of Cloud SQL that is at the address')
    .option('--admin-user <name>', 'who makes users on the fly there, for roles that want that')
    .option('--admin-database <name>', 'of PostgreSQL: where the admin user signs in; postgres unless told')
    .option('--no-check', 'do not try the way there')
    .action(async (name: string, uri: string, options: AddOptions) => {
      const { parseDbUri } = await import('@gatehouse/contract/kinds/db/db-address');
      const parsed = parseDbUri(uri);
      // Not repeated: it may hold a password, and terminals are kept.
      if ('wrong' in parsed) throw new Failure('usage', `the address ${parsed.wrong}`);
      const { dbName, signIn, description, labels = {}, through, tls, ca, serverName } = options;
      const { adminUser, adminDatabase = '' } = options;
      if (adminUser === undefined && adminDatabase !== '')
        throw new Failure('usage', '--admin-database says where --admin-user signs in: name that, too');
      // Who makes the others is the one whose password is known.
      const dbUser = options.dbUser ?? adminUser;
      // Before anything is stored: a database without its password is of no use. Redis asks for one beside a certificate.
      const isGiven = signIn === 'password' || options.passwordFile !== undefined;
      if (isGiven && (signIn === 'aws' || signIn === 'gcp'))
        throw new Failure('usage', `with --sign-in ${signIn} there is no password: leave --password-file out`);
      const password = isGiven
        ? await passwordFor({ ...options, ...(dbUser === undefined ? {} : { dbUser }) })
        : undefined;
      const { call, databaseRoutes, send } = await connect(options);
      const fields = {
        ...{ uri, protocol: parsed.protocol },
        tls: {
          ...(tls === undefined ? {} : { mode: tls }),
          ...(ca === undefined ? {} : { ca: await readGiven(io, ca) }),
          ...(serverName === undefined ? {} : { serverName }),
        },
        ...(signIn === undefined ? {} : { signIn }),
        ...(description === undefined ? {} : { description }),
        ...(dbName === undefined ? {} : { database: dbName }),
        ...(through === undefined ? {} : { through }),
        ...cloudFields(options),
        ...(adminUser === undefined ? {} : { adminUser: { name: adminUser, database: adminDatabase } }),
      };
      const pairs = Object.entries(labels).map(([key, value]) => ({ name: key, value }));
      const asWhom = { ...(dbUser === undefined ? {} : { dbUser }), ...(password === undefined ? {} : { password }) };
      const { steps } = options.check
        ? await call(send, databaseRoutes.check, { params: CURRENT, body: { ...fields, ...asWhom, labels: pairs } })
        : { steps: [] };
      const added = await call(send, databaseRoutes.add, {
        params: CURRENT,
        body: { name, labels: pairs, ...fields },
      });
      if (password !== undefined && dbUser !== undefined)
        await call(send, databaseRoutes.setSecret, { params: { ...CURRENT, name, dbUser }, body: { password } });
      print(io, options.format, { ...added, steps }, `${tellHops(steps)}${tellAddedDb(added, options.dbUser, dbName)}`);
      const failed = steps.find(({ status }) => status === 'failed');
      // The steps say it to programs.
      if (failed && options.format === 'text')
        io.stderr(`warning: '${printable(name)}' is added, and cannot be reached yet: ${printable(failed.message)}\n`);
    });

  command({
    name: 'ls [search]',
    summary: 'List the databases you see, and as whom you may connect.',
    examples: ['gatehouse db ls', 'gatehouse db ls shop', 'gatehouse db ls --query \'labels.env == "prod"\''],
  })
    .option('--query <expression>', 'a condition, like labels.env == "prod"')
    .action(async (search: string | undefined, { query, ...options }: GatewayOptions & { query?: string }) => {
      const { call, databaseRoutes, send } = await connect(options);
      const narrowed = { ...(search === undefined ? {} : { search }), ...(query === undefined ? {} : { query }) };
      const { items, totalCount } = await call(send, databaseRoutes.list, {
        params: CURRENT,
        query: { limit: String(MAX_LISTED), sort: 'name:asc', ...narrowed },
      });
      print(io, options.format, items, tellDbs(items));
      if (totalCount > items.length) io.stderr(`${totalCount - items.length} more; narrow it down with a search\n`);
    });

  command({ name: 'show <name>', summary: 'Show one database.', examples: ['gatehouse db show shop'] }).action(
    async (name: string, options: GatewayOptions) => {
      const { call, databaseRoutes, send } = await connect(options);
      const details = await call(send, databaseRoutes.details, { params: { ...CURRENT, name } });
      print(io, options.format, details, tellDb(details));
    },
  );

  command({
    name: 'rm <name>',
    summary: 'Remove a database that was entered, with the passwords that were stored for it.',
    examples: ['gatehouse db rm shop'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, databaseRoutes, send } = await connect(options);
    const done = await call(send, databaseRoutes.remove, { params: { ...CURRENT, name } });
    print(io, options.format, done, `database '${printable(name)}' removed\n`);
  });

  command({
    name: 'test <name>',
    summary: 'Try to sign in to a database and tell each step: access, the way there, TCP, TLS, login, database.',
    examples: ['gatehouse db test shop --db-user app --db-name shop'],
  })
    .requiredOption('--db-user <name>', 'the user of the database')
    .option('--db-name <name>', 'the database; its default unless told')
    .option('--mfa-code <code>', 'a code of your authenticator app, where a role asks for a second factor')
    .action(async (name: string, given: GatewayOptions & { dbUser: string; dbName?: string; mfaCode?: string }) => {
      const { dbUser, dbName, mfaCode, ...options } = given;
      const [{ call, send }, { diagnosticRoutes }] = await Promise.all([
        connect(options),
        import('@gatehouse/contract/sessions/diagnostics'),
      ]);
      const body = {
        ...{ resource_kind: 'db', resource_name: name, database_user: dbUser },
        ...(dbName === undefined ? {} : { database_name: dbName }),
        ...(mfaCode === undefined ? {} : { mfa_response: { totp_code: mfaCode } }),
      };
      const result = await call(send, diagnosticRoutes.connect, { params: CURRENT, body });
      print(io, options.format, result, tellTest(result));
      if (!result.success) throw new Failure('failed', result.message);
    });

  command({
    name: 'set-password <name> <db-user>',
    summary: 'Store the password of a user of a database. Sessions that were opened with the one before end.',
    examples: ['gatehouse db set-password shop app', 'gatehouse db set-password shop app --password-file app.txt'],
  })
    .option('--password-file <file>', 'a file with the password; - for standard input')
    .action(async (name: string, dbUser: string, options: GatewayOptions & { passwordFile?: string }) => {
      const password = await passwordFor({ ...options, dbUser });
      const { call, databaseRoutes, send } = await connect(options);
      const done = await call(send, databaseRoutes.setSecret, {
        params: { ...CURRENT, name, dbUser },
        body: { password },
      });
      print(io, options.format, done, `the password of '${printable(dbUser)}' is stored\n`);
    });

  command({
    name: 'rm-password <name> <db-user>',
    summary: 'Forget the password of a user of a database.',
    examples: ['gatehouse db rm-password shop app'],
  }).action(async (name: string, dbUser: string, options: GatewayOptions) => {
    const { call, databaseRoutes, send } = await connect(options);
    const done = await call(send, databaseRoutes.removeSecret, { params: { ...CURRENT, name, dbUser } });
    print(io, options.format, done, `the password of '${printable(dbUser)}' is forgotten\n`);
  });

  addSignCommand(command, io);
  addLoginCommands(group, { io, configFlags });
  addConnectCommands((facts) => addCommand(group, facts), io);

  async function passwordFor({ dbUser, passwordFile }: Pick<AddOptions, 'dbUser' | 'passwordFile'>): Promise<string> {
    if (dbUser === undefined) throw new Failure('usage', 'name the user whose password it is: --db-user NAME');
    const given =
      passwordFile === undefined
        ? await io.askSecret?.(`Password of '${printable(dbUser)}' (not shown): `)
        : (await readGiven(io, passwordFile)).replace(/\r?\n$/, '');
    if (given) return given;
    if (passwordFile !== undefined) throw new Failure('usage', `the file '${passwordFile}' is empty`);
    throw new Failure('usage', 'the password is missing: name a file that holds it with --password-file');
  }

  async function connect(options: GatewayOptions) {
    const [{ call }, { databaseRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/kinds/db/databases'),
      anyGateway(io, options),
    ]);
    return { call, databaseRoutes, send };
  }
}
