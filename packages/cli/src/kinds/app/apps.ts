/** `gatehouse apps`: the applications, and whether they can be reached. */

import { printable } from '@gatehouse/contract/std/printable';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../../gateway/resolve-gateway.ts';
import { labelList } from '../../input/label-list.ts';
import { readGiven } from '../../input/read-files.ts';
import { nameList } from '../../input/trait-flags.ts';
import { tellHops } from '../../output/hops-text.ts';
import { tellTest } from '../../output/test-text.ts';
import { Failure } from '../../runtime/failure.ts';
import { addAppKeyCommands } from './app-keys.ts';
import { tellAddedApp, tellApp, tellApps } from './app-text.ts';

interface TlsOptions {
  through?: string[];
  insecure?: boolean;
  ca?: string;
  serverName?: string;
}

interface AddOptions extends GatewayOptions, TlsOptions {
  description?: string;
  publicAddr?: string;
  labels?: Record<string, string>;
  icon?: string;
  header: { name: string; value: string }[];
  redirect?: string[];
  jwt?: 'roles-and-traits' | 'roles' | 'traits' | 'none';
  awsExternalId?: string;
}

const MAX_LISTED = 1000;

export function addAppCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'apps',
    summary: 'List applications, add and remove them, and check the way to them.',
    examples: ['gatehouse apps ls', 'gatehouse apps add grafana http://10.0.0.5:3000 --labels env=prod'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  addAppKeyCommands(group, { io, configFlags });

  const add = command({
    name: 'add <name> <uri>',
    summary:
      'Add an application, which then opens at NAME under the address of the gateway. With tcp:// it is for programs, with cloud://aws the console of AWS.',
    examples: [
      'gatehouse apps add grafana http://10.0.0.5:3000 --labels env=prod,team=blue',
      "gatehouse apps add wiki https://wiki.inside --ca inside-ca.pem --header 'X-User: {{internal.username}}'",
      'gatehouse apps add postgres tcp://db-1.inside:5432 --through edge-agent',
      'gatehouse apps add aws cloud://aws',
    ],
  })
    .option('--description <text>', 'what people read beside its name')
    .option('--public-addr <host>', 'a host name of its own that leads to the gateway')
    .addOption(new Option('--label, --labels <pairs>', 'labels, like env=prod,team=blue').argParser(labelList))
    .option('--icon <word>', 'which picture to show; by its name unless told')
    .addOption(
      new Option('--header <rule>', "a header for every request, like 'X-User: {{internal.username}}'; may be repeated")
        .argParser(headerRule)
        .default([], 'none'),
    )
    .addOption(
      new Option('--redirect <hosts>', 'hosts whose redirects are turned into its own host name').argParser(nameList),
    )
    .addOption(
      new Option('--jwt <claims>', 'what the signed identity header tells').choices([
        'roles-and-traits',
        'roles',
        'traits',
        'none',
      ]),
    )
    .option('--aws-external-id <id>', 'sent with AssumeRole, where the trust of the roles asks for one');
  addTlsFlags(add).action(async (name: string, uri: string, options: AddOptions) => {
    const { call, appRoutes, send } = await connect(options);
    const { description, publicAddr, labels = {}, icon, header, redirect = [], jwt, awsExternalId } = options;
    const body = {
      name,
      uri,
      labels,
      ...(await tlsOf(options)),
      rewrite: { headers: header, redirect, ...(jwt === undefined ? {} : { jwt }) },
      ...(description === undefined ? {} : { description }),
      ...(publicAddr === undefined ? {} : { publicAddr }),
      ...(icon === undefined ? {} : { icon }),
      ...(awsExternalId === undefined ? {} : { aws: { externalId: awsExternalId } }),
    };
    const added = await call(send, appRoutes.add, { params: CURRENT, body });
    print(io, options.format, added, tellAddedApp(added));
  });

  command({
    name: 'ls [search]',
    summary: 'List the applications you see, with their addresses, labels and where they open.',
    examples: ['gatehouse apps ls', 'gatehouse apps ls graf', 'gatehouse apps ls --query \'labels.env == "prod"\''],
  })
    .option('--query <expression>', 'a condition, like labels.env == "prod"')
    .action(async (search: string | undefined, { query, ...options }: GatewayOptions & { query?: string }) => {
      const { call, appRoutes, send } = await connect(options);
      const { items, totalCount } = await call(send, appRoutes.list, {
        params: CURRENT,
        query: {
          limit: String(MAX_LISTED),
          sort: 'name:asc',
          ...(search === undefined ? {} : { search }),
          ...(query === undefined ? {} : { query }),
        },
      });
      print(io, options.format, items, tellApps(items));
      if (totalCount > items.length) io.stderr(`${totalCount - items.length} more; narrow it down with a search\n`);
    });

  command({
    name: 'show <name>',
    summary: 'Show one application.',
    examples: ['gatehouse apps show grafana'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, appRoutes, send } = await connect(options);
    const details = await call(send, appRoutes.get, { params: { ...CURRENT, name } });
    print(io, options.format, details, tellApp(details));
  });

  command({
    name: 'rm <name>',
    summary: 'Remove an application that was entered. One that agents announce goes with them.',
    examples: ['gatehouse apps rm grafana'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, appRoutes, send } = await connect(options);
    const done = await call(send, appRoutes.remove, { params: { ...CURRENT, name } });
    print(io, options.format, done, `application '${printable(name)}' removed\n`);
  });

  command({
    name: 'test <name>',
    summary: 'Try to open an application and tell each step: access, the way there, TCP, TLS, what it answers.',
    examples: ['gatehouse apps test grafana'],
  })
    .option('--mfa-code <code>', 'a code of your authenticator app, where a role asks for a second factor')
    .action(async (name: string, { mfaCode, ...options }: GatewayOptions & { mfaCode?: string }) => {
      const [{ call, send }, { diagnosticRoutes }] = await Promise.all([
        connect(options),
        import('@gatehouse/contract/sessions/diagnostics'),
      ]);
      const body = {
        ...{ resource_kind: 'app', resource_name: name },
        ...(mfaCode === undefined ? {} : { mfa_response: { totp_code: mfaCode } }),
      };
      const result = await call(send, diagnosticRoutes.connect, { params: CURRENT, body });
      print(io, options.format, result, tellTest(result));
      if (!result.success) throw new Failure('failed', result.message);
    });

  const check = command({
    name: 'check <uri>',
    summary: 'Try each hop to an address as an application would be reached: name, TCP, TLS, HTTP. Adds nothing.',
    examples: ['gatehouse apps check https://wiki.inside --ca inside-ca.pem'],
  });
  addTlsFlags(check).action(async (uri: string, options: GatewayOptions & TlsOptions) => {
    const { call, appRoutes, send } = await connect(options);
    const body = { uri, ...(await tlsOf(options)) };
    const { steps } = await call(send, appRoutes.check, { params: CURRENT, body });
    print(io, options.format, { steps }, tellHops(steps));
    const failed = steps.find(({ status }) => status === 'failed');
    if (failed) throw new Failure('failed', failed.message);
  });

  function addTlsFlags(to: Command): Command {
    return to
      .addOption(
        new Option('--through <agents>', 'agents that reach it, by name or id; the gateway unless told').argParser(
          nameList,
        ),
      )
      .option('--insecure', 'do not check its certificate; everybody who sees it is told')
      .option('--ca <file>', 'PEM of the authority of its certificate; - for standard input')
      .option('--server-name <host>', 'the name in its certificate, where that is not the host of the address');
  }

  async function tlsOf({ through, insecure, ca, serverName }: TlsOptions) {
    return {
      ...(through === undefined ? {} : { through }),
      ...(insecure ? { insecureSkipVerify: true } : {}),
      ...(ca === undefined ? {} : { ca: await readGiven(io, ca) }),
      ...(serverName === undefined ? {} : { serverName }),
    };
  }

  async function connect(options: GatewayOptions) {
    const [{ call }, { appRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/kinds/app/apps'),
      anyGateway(io, options),
    ]);
    return { call, appRoutes, send };
  }
}

function headerRule(text: string, before: { name: string; value: string }[] = []) {
  const at = text.indexOf(':');
  if (at <= 0) throw new InvalidArgumentError("write it like 'X-User: {{internal.username}}'.");
  return [...before, { name: text.slice(0, at).trim(), value: text.slice(at + 1).trim() }];
}
