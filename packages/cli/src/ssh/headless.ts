/** `gatehouse --headless ssh|scp`: one session from a machine without a browser, approved with a hardware key elsewhere. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, type CommandDeps, type Io } from '../command.ts';
import { readProfile } from '../gateway/profile.ts';
import { parseOrigin, remoteSend } from '../gateway/remote-gateway.ts';
import { Failure } from '../runtime/failure.ts';
import { connectBySignIn, copyBySignIn } from './connect-by-sign-in.ts';
import { runProgram } from './run-program.ts';
import { serveAgent } from './serve-agent.ts';
import { type ReadArgs, readScpArgs, readSshArgs } from './ssh-args.ts';
import { findSshDoor, type SshDoor, UnfitDoor } from './ssh-door.ts';

interface Options {
  gateway?: string;
  cluster?: string;
  user?: string;
}

/** A little longer than the gateway holds it. */
const ASK_MS = 200_000;

export function addHeadlessCommands(program: Command, { io }: CommandDeps): void {
  program.enablePositionalOptions();
  program.option('--headless', 'ssh and scp without a sign-in here: somebody approves it in a browser elsewhere');
  const add = (
    name: 'ssh' | 'scp',
    summary: string,
    examples: readonly string[],
    read: (args: readonly string[], self: string) => ReadArgs,
  ) =>
    addCommand(program, { name: `${name} [args...]`, summary, examples })
      .option('--gateway <address>', 'the gateway; the one signed in to last unless told')
      .option('--cluster <name>', 'a leaf cluster of that gateway; its own unless told')
      .option('--user <name>', 'who approves it, and who the session is of')
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (args: string[], options: Options) => {
        const isHeadless = program.opts().headless === true;
        if (!isHeadless) return await (name === 'ssh' ? connectBySignIn : copyBySignIn)(io, args, options);
        await runHeadless(io, name, inCluster(read(args, userInfo().username), options.cluster), options);
      });
  add(
    'ssh',
    'Open a shell on a server over the port of the gateway alone. It goes on by itself after a lost network or a restarted gateway; ~. at the beginning of a line ends it, ~? tells more. With --headless, from a machine without a browser: what ssh takes, it takes.',
    [
      'gatehouse ssh root@web-1',
      'gatehouse ssh --cluster east root@web-1',
      'gatehouse --headless ssh --gateway gate.example.com --user ann root@web-1',
      'gatehouse --headless ssh --user ann --cluster east root@web-1',
      'rsync -e "gatehouse --headless ssh --user ann" -a build/ deploy@web-1:/srv/',
    ],
    readSshArgs,
  );
  add(
    'scp',
    'Copy files to a server or from it, over the port of the gateway alone: what scp takes, it takes. With --headless, from a machine without a browser.',
    ['gatehouse scp notes.txt root@web-1:/tmp/', 'gatehouse --headless scp --user ann notes.txt root@web-1:/tmp/'],
    readScpArgs,
  );
}

/** A server of a leaf, as the door of its root is told of it. */
function inCluster(args: ReadArgs, cluster: string | undefined): ReadArgs {
  if (cluster === undefined) return args;
  const server = `${args.server}+${cluster}`;
  return { ...args, server, through: (host) => args.as(`${args.login}@${server}`, host) };
}

async function runHeadless(io: Io, name: 'ssh' | 'scp', args: ReadArgs, options: Options): Promise<void> {
  const profile = readProfile(io);
  const address = options.gateway ?? io.env.GATEHOUSE_ADDRESS ?? profile.current;
  if (!address) throw new Failure('usage', 'say which gateway: --gateway https://gate.example.com');
  const origin = parseOrigin(address);
  const user = options.user ?? io.env.GATEHOUSE_USER ?? profile.gateways[origin]?.user;
  if (!user) throw new Failure('usage', 'say who approves it: --user ann');
  const door = await findSshDoor(remoteSend(origin), origin).catch((error: unknown) => {
    throw error instanceof UnfitDoor ? new Failure('failed', error.message) : error;
  });
  if (!door) throw new Failure('failed', `${origin} takes no programs that speak SSH: whoever runs it sets ssh.listen`);
  const { privateKey } = generateKeyPairSync('ed25519');
  const { certificate, authorities } = await approved(io, { origin, user, args, privateKey });
  // Sockets and what is public lie there; the key lies nowhere.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  try {
    const agent = await serveAgent(folder, { key: privateKey, certificate });
    try {
      const knownHosts = join(folder, 'known_hosts');
      const names = `${door.host},[${door.host}]:${door.port}`;
      writeFileSync(knownHosts, authorities.map((key) => `@cert-authority ${names} ${key}\n`).join(''));
      await runProgram(name, [
        ...leading(name, door, { agent: agent.path, knownHosts }, args),
        ...args.through(door.host),
      ]);
    } finally {
      agent.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Asking {
  origin: string;
  user: string;
  args: ReadArgs;
  privateKey: KeyObject;
}

/** Shows what is to be opened and compared, and waits for the answer. */
async function approved(io: Io, { origin, user, args, privateKey }: Asking) {
  const [
    { CallError, call },
    { sshCertificateRoutes },
    { pagePath },
    keys,
    { headlessCode, headlessId },
    { headlessCommand, headlessWords },
    { parseCertificate },
  ] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/identity/ssh-certificates'),
    import('@gatehouse/contract/console/pages'),
    import('@gatehouse/gateway/platform/crypto/ssh/public-key'),
    import('@gatehouse/gateway/platform/crypto/ssh/headless-id'),
    import('@gatehouse/contract/identity/headless-command'),
    import('@gatehouse/gateway/platform/crypto/ssh/certificate'),
  ]);
  const subject = keys.ed25519Blob(privateKey);
  const publicKey = Buffer.from(`${keys.publicKeyLine(subject)}\n`);
  const id = headlessId(publicKey);
  // Not on the output: that is rsync's.
  io.stderr(
    `Open ${origin}${pagePath('headless', { requestId: id })}\nas ${printable(user)}, and accept with a security key if it shows the code ${headlessCode(publicKey)}\n`,
  );
  const body = {
    ...{ user, headless_id: id, pub_key: publicKey.toString('base64'), target: `${args.login}@${args.server}` },
    ...{ command: headlessCommand(args.command), client: headlessWords(`gatehouse on ${hostname()}`, 120) },
  };
  const send = remoteSend(origin, undefined, ASK_MS);
  const ask = () => call(send, sshCertificateRoutes.issue, { body });
  const answer = await ask().catch(async function again(error: unknown): Promise<Awaited<ReturnType<typeof ask>>> {
    // No call is held for as long as the request waits; the gateway says when it does not any more.
    if (error instanceof CallError && error.fields?.state === 'pending') return await ask().catch(again);
    throw error;
  });
  const certificate = Buffer.from(Buffer.from(answer.cert, 'base64').toString('utf8').split(' ')[1] ?? '', 'base64');
  if (!parseCertificate(certificate).subject.equals(subject))
    throw new Failure('failed', 'what the gateway sent is no certificate of this key');
  return {
    certificate,
    authorities: answer.host_authorities.slice(0, 16).map((line) => keys.publicKeyLine(keys.parsePublicKey(line).blob)),
  };
}

/** Before their own: of each, ssh takes the first. */
function leading(
  name: 'ssh' | 'scp',
  { port }: SshDoor,
  files: { agent: string; knownHosts: string },
  { hasConfig }: ReadArgs,
): string[] {
  const settings = {
    ...{ IdentityAgent: files.agent, IdentityFile: 'none', UserKnownHostsFile: files.knownHosts },
    ...{ GlobalKnownHostsFile: 'none', StrictHostKeyChecking: 'yes', PreferredAuthentications: 'publickey' },
    ...{ ControlPath: 'none', ProxyJump: 'none', ProxyCommand: 'none' },
    Ciphers: 'aes128-gcm@openssh.com,aes256-gcm@openssh.com',
  };
  return [
    ...(hasConfig ? [] : ['-F', 'none']),
    ...[name === 'ssh' ? '-p' : '-P', String(port)],
    ...Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]),
  ];
}
