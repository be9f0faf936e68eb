/** `gatehouse login`, `logout` and `status`: this command line's own sign-in, confirmed in the browser. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { printable } from '@gatehouse/contract/std/printable';
import type { Send } from '@gatehouse/contract/wire/client';
import type { Command } from 'commander';
import { addCommand, type CommandDeps, type Format, type Io, print } from '../command.ts';
import { readProfile, writeProfile } from '../gateway/profile.ts';
import { parseOrigin, remoteGateway, remoteSend } from '../gateway/remote-gateway.ts';
import { openBrowser } from '../input/open-browser.ts';
import { loopbackNote } from '../output/link-text.ts';
import { Failure } from '../runtime/failure.ts';

interface LoginOptions {
  format: Format;
  browser: boolean;
  connector?: string;
}

export function addLoginCommands(program: Command, { io }: CommandDeps): void {
  addCommand(program, {
    name: 'login [address]',
    summary: 'Sign in this command line: confirm it in the browser, comparing the short code.',
    examples: [
      'gatehouse login https://gate.example.com',
      'gatehouse login gate.example.com --no-browser',
      'gatehouse login gate.example.com --connector okta',
    ],
  })
    .option('--no-browser', 'only print the address, open nothing')
    .option('--connector <name>', 'sign in the browser through this connector first')
    .action(async (address: string | undefined, options: LoginOptions) => login(io, address, options));

  addCommand(program, {
    name: 'logout [address]',
    summary: 'Sign out this command line: its credential is worth nothing from then on.',
    examples: ['gatehouse logout'],
  }).action(async (address: string | undefined, { format }: { format: Format }) => {
    const { origin } = remoteGateway(io, address);
    await signOut(io, origin);
    await (await import('../ssh/get-keys.ts')).dropSshKeys(io, origin);
    print(io, format, { origin, signedIn: false }, `signed out of ${origin}\n`);
  });

  addCommand(program, {
    name: 'status [address]',
    summary: 'Say where and as whom this command line is signed in.',
    examples: ['gatehouse status', 'gatehouse status --format json'],
  }).action(async (address: string | undefined, { format }: { format: Format }) => {
    const [{ call }, { clusterRoutes }] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/console/clusters'),
    ]);
    const { origin, send } = remoteGateway(io, address);
    const context = await call(send, clusterRoutes.context, { params: { clusterId: '-current-' } });
    const expires = readProfile(io).gateways[origin]?.expires;
    const data = { origin, user: context.userName, cluster: context.cluster.name, expires };
    const until = expires ? `, until ${expires}` : '';
    print(io, format, data, `signed in to ${origin} as ${printable(context.userName)}${until}\n`);
  });
}

async function login(io: Io, address: string | undefined, { format, browser, connector }: LoginOptions): Promise<void> {
  const [{ call }, { cliLoginRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/identity/cli-login'),
  ]);
  const named = address ?? io.env.GATEHOUSE_ADDRESS ?? readProfile(io).current;
  if (!named) throw new Failure('usage', 'say which gateway: gatehouse login https://gate.example.com');
  const origin = parseOrigin(named);
  const send = remoteSend(origin);
  const asked = await call(send, cliLoginRoutes.begin, {
    body: { client: `gatehouse on ${hostname()}`.slice(0, 120) },
  });
  const url = connector === undefined ? asked.url : await throughProvider(send, connector, asked.url);
  // Shown while waiting, so not part of the result.
  io.stderr(`Open ${printable(url)}\nand accept if it shows the code ${printable(asked.code)}\n${loopbackNote(url)}`);
  if (browser && io.onTerminal) openBrowser(url);

  const poll = () =>
    call(send, cliLoginRoutes.poll, { params: { requestId: asked.requestId }, body: { secret: asked.secret } });
  // The gateway says when it is too late; the clocks of the two machines may differ.
  for (;;) {
    const { state, user = '', token, expires = '' } = await poll().catch(tooLate);
    if (state === 'denied') throw new Failure('denied', 'the request was denied in the browser');
    if (state === 'accepted' && token) {
      const profile = readProfile(io);
      writeProfile(io, { current: origin, gateways: { ...profile.gateways, [origin]: { user, token, expires } } });
      const ssh = await sshKeys(io, origin, token);
      const signedIn = `signed in to ${origin} as ${printable(user)}, until ${expires}\n`;
      print(io, format, { origin, user, expires, ...ssh.data }, `${signedIn}${ssh.text}`);
      return;
    }
    await sleep(asked.pollSeconds * 1000);
  }
}

/** A key of this sign-in for ssh, where the gateway takes it. Without one, somebody is signed in all the same. */
async function sshKeys(io: Io, origin: string, token: string): Promise<{ data: object; text: string }> {
  const { getSshKeys } = await import('../ssh/get-keys.ts');
  try {
    const held = await getSshKeys(io, { origin, send: remoteSend(origin, token) }, true);
    if (!held) return { data: {}, text: '' };
    const { cluster, host, port, isIncluded } = held;
    const first = isIncluded ? '' : 'gatehouse config ssh --write once, then ';
    return {
      data: { ssh: { cluster, host, port, isIncluded } },
      text: `for ssh: ${first}ssh <login>@<server>.${cluster}\n`,
    };
  } catch (error) {
    io.stderr(`note: nothing was written for ssh: ${printable(errorMessage(error))}\n`);
    return { data: {}, text: '' };
  }
}

/** Where the browser begins with the provider, and comes back to the page that shows the code. */
async function throughProvider(send: Send, connector: string, url: string): Promise<string> {
  const [{ call }, { pingRoutes }, { githubFlowRoutes, oidcFlowRoutes, samlFlowRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/console/ping'),
    import('@gatehouse/contract/identity/connectors/connector-flow'),
  ]);
  const { type } = (await call(send, pingRoutes.pingConnector, { params: { connector } })).auth;
  if (type === 'local') return url;
  const { begin } = { github: githubFlowRoutes, oidc: oidcFlowRoutes, saml: samlFlowRoutes }[type];
  const query = new URLSearchParams({ connector_id: connector, redirect_url: url });
  return `${new URL(begin.path, url).href}?${query}`;
}

function tooLate(error: unknown): never {
  const expired = error instanceof Error && 'code' in error && error.code === 'not_found';
  throw expired ? new Failure('failed', 'nobody answered in the browser in time: try again') : error;
}

/** Forgets the credential also when the gateway no longer knows it. */
async function signOut(io: Io, origin: string): Promise<void> {
  const [{ call }, { signInRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/identity/sign-in'),
  ]);
  const profile = readProfile(io);
  const held = profile.gateways[origin];
  if (!held) throw new Failure('notFound', `this command line has no sign-in at ${origin}`);
  await call(remoteSend(origin, held.token), signInRoutes.signOut, {}).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'not_signed_in')) throw error;
  });
  const { [origin]: _, ...gateways } = profile.gateways;
  const current = profile.current === origin ? Object.keys(gateways)[0] : profile.current;
  writeProfile(io, { ...(current === undefined ? {} : { current }), gateways });
}
