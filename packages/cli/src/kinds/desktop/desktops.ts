/** `gatehouse desktops`: the desktops, and what the gateway knows them by. */
import { DESKTOP_PROTOCOLS, desktopName } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../../gateway/resolve-gateway.ts';
import { labelList } from '../../input/label-list.ts';
import { readGiven } from '../../input/read-files.ts';
import { tellTest } from '../../output/test-text.ts';
import { Failure, toFailure } from '../../runtime/failure.ts';
import { acceptCertificate } from './accept-certificate.ts';
import { tellAddedDesktop, tellCertificate, tellDesktop, tellDesktops } from './desktop-text.ts';
import { addPasswordCommands } from './passwords.ts';

interface AddOptions extends GatewayOptions {
  protocol: (typeof DESKTOP_PROTOCOLS)[number];
  domain?: string;
  through?: string;
  labels?: Record<string, string>;
  ca?: string;
  serverName?: string;
  fingerprint?: string;
  yes?: boolean;
  ask: boolean;
}

const MAX_LISTED = 1000;
const USUAL_PORTS = { rdp: 3389, vnc: 5900 } as const;

export function addDesktopCommands(program: Command, deps: CommandDeps): void {
  const { io, configFlags } = deps;
  const group = addGroup(program, {
    name: 'desktops',
    summary: 'List desktops, add and remove them, and store what they are signed in to with.',
    examples: ['gatehouse desktops ls', 'gatehouse desktops add win-1 10.0.0.7:3389 --labels env=prod'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  command({
    name: 'add <name> <address>',
    summary:
      'Add a desktop. Shows the certificate of the machine and asks whether it is the right one, or takes one that an authority vouches for.',
    examples: [
      'gatehouse desktops add win-1 10.0.0.7:3389 --labels env=prod',
      'gatehouse desktops add win-2 win-2.corp.test --domain corp.test --ca corp-ca.pem --through edge-1',
      'gatehouse desktops add win-1 10.0.0.7 --fingerprint sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ],
  })
    .addOption(
      new Option('--protocol <protocol>', 'what it speaks')
        .choices([...DESKTOP_PROTOCOLS])
        .default(DESKTOP_PROTOCOLS[0]),
    )
    .option('--domain <domain>', 'of accounts that are named without one; unless told, those of the machine itself')
    .option('--through <agent>', 'the agent in its network that dials it, by name or id; the gateway unless told')
    .addOption(new Option('--label, --labels <pairs>', 'labels, like env=prod,team=blue').argParser(labelList))
    .option('--ca <file>', 'PEM of the authority of its certificate; - for standard input')
    .option('--server-name <host>', 'the name in its certificate, where that is not the host of the address')
    .option('--fingerprint <fingerprint>', 'the machine must show the certificate with this SHA-256')
    .option('--yes', 'take the certificate that it shows now without asking')
    .option('--no-ask', 'people may not type a password where none is stored')
    .action(async (name: string, address: string, options: AddOptions) => {
      const { protocol, domain, through, labels, ask } = options;
      const addr = withPort(address, USUAL_PORTS[protocol]);
      const { call, desktopRoutes, send } = await connect(options);
      // Nobody compares a certificate for a name that cannot be taken.
      await requireFree(name, () => call(send, desktopRoutes.details, { params: { ...CURRENT, name } }));
      const certificate = await certificateFor(addr, options, () =>
        call(send, desktopRoutes.lookAt, { params: CURRENT, body: { addr, protocol, through: through ?? '' } }),
      );
      const body = {
        ...{ name, addr, protocol, askPassword: ask },
        ...(domain === undefined ? {} : { domain }),
        ...(through === undefined ? {} : { through }),
        ...(labels === undefined ? {} : { labels }),
        ...(certificate === undefined ? {} : { certificate }),
      };
      const added = await call(send, desktopRoutes.add, { params: CURRENT, body });
      print(io, options.format, added, tellAddedDesktop(added));
    });

  command({
    name: 'ls [search]',
    summary: 'List the desktops you see, and whom you may become there.',
    examples: ['gatehouse desktops ls', 'gatehouse desktops ls --format json', 'gatehouse desktops ls prod'],
  }).action(async (search: string | undefined, options: GatewayOptions) => {
    const { call, desktopRoutes, send } = await connect(options);
    const query = { limit: String(MAX_LISTED), sort: 'name:asc', ...(search === undefined ? {} : { search }) };
    const { items, totalCount } = await call(send, desktopRoutes.list, { params: CURRENT, query });
    print(io, options.format, items, tellDesktops(items));
    if (totalCount > items.length) io.stderr(`${totalCount - items.length} more; narrow it down with a search\n`);
  });

  command({ name: 'show <name>', summary: 'Show one desktop.', examples: ['gatehouse desktops show win-1'] }).action(
    async (name: string, options: GatewayOptions) => {
      const { call, desktopRoutes, send } = await connect(options);
      const details = await call(send, desktopRoutes.details, { params: { ...CURRENT, name } });
      print(io, options.format, details, tellDesktop(details));
    },
  );

  command({
    name: 'rm <name>',
    summary:
      'Remove a desktop that was entered, with the passwords that were stored for it. One that an agent announces goes with it.',
    examples: ['gatehouse desktops rm win-1'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, desktopRoutes, send } = await connect(options);
    const done = await call(send, desktopRoutes.remove, { params: { ...CURRENT, name } });
    print(io, options.format, done, `desktop '${printable(name)}' removed\n`);
  });

  command({
    name: 'trust-certificate <name>',
    summary:
      'Show the certificate that a desktop has now, ask whether it is the right one, and know it by that. Passwords that were stored for the former are void.',
    examples: [
      'gatehouse desktops trust-certificate win-1',
      'gatehouse desktops trust-certificate win-1 --fingerprint sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ],
  })
    .option('--fingerprint <fingerprint>', 'the machine must show the certificate with this SHA-256')
    .option('--yes', 'take the certificate that it shows now without asking')
    .action(async (name: string, given: GatewayOptions & { fingerprint?: string; yes?: boolean }) => {
      const { fingerprint, yes, ...options } = given;
      const { call, desktopRoutes, send } = await connect(options);
      const params = { ...CURRENT, name };
      const { shown, isKnown } = await call(send, desktopRoutes.readCertificate, { params });
      if (isKnown) {
        print(io, options.format, { shown, isKnown }, `${tellCertificate(shown)}It is known by that already.\n`);
        return;
      }
      const { protocol } = await call(send, desktopRoutes.details, { params });
      await acceptCertificate(io, shown, { fingerprint, yes, format: options.format, protocol });
      await call(send, desktopRoutes.setCertificate, { params, body: { pin: shown.pin } });
      const told = `'${printable(name)}' is known by it from now on\n`;
      print(io, options.format, { shown, isKnown: true }, told);
    });

  command({
    name: 'test <name>',
    summary:
      'Try to sign in to a desktop and tell each step: access, the way there, TCP, what it offers, TLS, its certificate, login.',
    examples: ['gatehouse desktops test win-1 --login Administrator'],
  })
    .requiredOption('--login <login>', 'the account there: ann, CORP\\ann or ann@corp.test')
    .option('--mfa-code <code>', 'a code of your authenticator app, where a role asks for a second factor')
    .action(async (name: string, given: GatewayOptions & { login: string; mfaCode?: string }) => {
      const { login, mfaCode, ...options } = given;
      const [{ call, send }, { diagnosticRoutes }] = await Promise.all([
        connect(options),
        import('@gatehouse/contract/sessions/diagnostics'),
      ]);
      const body = {
        ...{ resource_kind: 'windows_desktop', resource_name: name, windows_login: login },
        ...(mfaCode === undefined ? {} : { mfa_response: { totp_code: mfaCode } }),
      };
      const result = await call(send, diagnosticRoutes.connect, { params: CURRENT, body });
      print(io, options.format, result, tellTest(result));
      if (!result.success) throw new Failure('failed', result.message);
    });

  addPasswordCommands(command, io, connect);

  /** Undefined: by VNC many show none, and scripts that say nothing of it add one as it is. */
  async function certificateFor(
    addr: string,
    { ca, serverName, fingerprint, yes, protocol, format }: AddOptions,
    look: () => Promise<{ shown: Parameters<typeof acceptCertificate>[1] }>,
  ) {
    if (ca !== undefined) {
      const name = serverName ?? hostOf(addr);
      return { ca: await readGiven(io, ca), name: name.toLowerCase() };
    }
    if (serverName !== undefined)
      throw new Failure('usage', '--server-name is for a certificate that an authority vouches for: give it with --ca');
    const isAsked = fingerprint !== undefined || yes || (io.ask !== undefined && format === 'text');
    if (protocol === 'vnc' && !isAsked) return undefined;
    const shown = await look().then(
      (looked) => looked.shown,
      (error: unknown) => {
        if (protocol === 'vnc' && fingerprint === undefined && toFailure(error).exit === 'conflict') return undefined;
        throw error;
      },
    );
    if (!shown) return undefined;
    await acceptCertificate(io, shown, { fingerprint, yes, format, protocol });
    return { pin: shown.pin };
  }

  async function connect(options: GatewayOptions) {
    const [{ call }, { desktopRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/kinds/desktop/desktops'),
      anyGateway(io, options),
    ]);
    return { call, desktopRoutes, send };
  }
}

/** What else is wrong, such as a right that is missing, the gateway says of what is asked next. */
async function requireFree(name: string, find: () => Promise<unknown>): Promise<void> {
  const wrong = desktopName.safeParse(name).error?.issues[0]?.message;
  if (wrong !== undefined) throw new Failure('usage', `the name '${printable(name)}' ${wrong}`);
  const isThere = await find().then(
    () => true,
    () => false,
  );
  if (isThere)
    throw new Failure(
      'conflict',
      `there is a desktop '${printable(name)}' already: choose another name, or change that one`,
    );
}

function withPort(address: string, port: number): string {
  return /(?:^[^:]+|\]):\d+$/.test(address) ? address : `${address}:${port}`;
}

function hostOf(addr: string): string {
  return addr.slice(0, addr.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}
