/** `gatehouse nodes`: the servers, and whether they can be reached. */

import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, print } from '../../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../../gateway/resolve-gateway.ts';
import { labelList } from '../../input/label-list.ts';
import { readGiven } from '../../input/read-files.ts';
import { nameList } from '../../input/trait-flags.ts';
import { tellTest } from '../../output/test-text.ts';
import { Failure } from '../../runtime/failure.ts';
import { tellAdded, tellChanged, tellHostKeys, tellNode, tellNodes } from './node-text.ts';

interface AddOptions extends GatewayOptions {
  labels?: Record<string, string>;
  hostFingerprint?: string;
  hostKey?: string;
  hostAuthority?: string;
  through?: string;
  sourceAddress?: string[];
}

interface EditOptions {
  name?: string;
  address?: string;
  labels?: Record<string, string>;
  dryRun?: boolean;
}

const MAX_LISTED = 1000;
const DEFAULT_PORT = 22;

export function addNodeCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'nodes',
    summary: 'List servers, add those with plain OpenSSH, and test connections.',
    examples: ['gatehouse nodes ls', 'gatehouse nodes add web-1 10.0.0.5:22 --labels env=prod'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  command({
    name: 'add <name> <address>',
    summary:
      'Add a server that keeps its own sshd. Its host key is pinned now; prints what the server has to trust. A machine with an agent adds itself instead.',
    examples: [
      'gatehouse nodes add web-1 10.0.0.5:22 --labels env=prod,team=blue',
      'gatehouse nodes add db-1 db-1.inside --through edge-agent --host-fingerprint SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8',
      'gatehouse nodes add web-1 10.0.0.5:22 --host-key ssh_host_ed25519_key.pub',
    ],
  })
    .addOption(new Option('--labels <pairs>', 'labels, like env=prod,team=blue').argParser(labelList))
    .option('--host-fingerprint <fingerprint>', 'the server must show the key with this fingerprint (ssh-keygen -l)')
    .option('--host-key <file>', 'public host keys to pin without asking the server; - for standard input')
    .option('--host-authority <file>', 'public keys of authorities whose host certificates are believed')
    .option('--through <agent>', 'the agent in its network that dials it, by name or id')
    .addOption(
      new Option(
        '--source-address <addresses>',
        'from where the server sees it come; certificates work from nowhere else',
      ).argParser(nameList),
    )
    .action(async (name: string, address: string, options: AddOptions) => {
      const { call, nodeRoutes, send } = await connect(options);
      const { hostFingerprint, through, sourceAddress, labels = {} } = options;
      const body = {
        name,
        addr: withPort(address),
        labels,
        ...(options.hostKey === undefined ? {} : { hostKeys: await keysIn(options.hostKey) }),
        ...(options.hostAuthority === undefined ? {} : { hostAuthorities: await keysIn(options.hostAuthority) }),
        ...(hostFingerprint === undefined ? {} : { hostFingerprint }),
        ...(through === undefined ? {} : { through }),
        ...(sourceAddress === undefined ? {} : { sourceAddresses: sourceAddress }),
      };
      const added = await call(send, nodeRoutes.add, { params: CURRENT, body });
      print(io, options.format, added, tellAdded(added, body.hostKeys === undefined));
    });

  command({
    name: 'ls [search]',
    summary: 'List the servers you see, by name, address and labels.',
    examples: ['gatehouse nodes ls', 'gatehouse nodes ls web', 'gatehouse nodes ls --query \'labels.env == "prod"\''],
  })
    .option('--query <expression>', 'a condition, like labels.env == "prod"')
    .action(async (search: string | undefined, { query, ...options }: GatewayOptions & { query?: string }) => {
      const { call, nodeRoutes, send } = await connect(options);
      const { items, totalCount } = await call(send, nodeRoutes.list, {
        params: CURRENT,
        query: {
          limit: String(MAX_LISTED),
          sort: 'hostname:asc',
          ...(search === undefined ? {} : { search }),
          ...(query === undefined ? {} : { query }),
        },
      });
      print(io, options.format, items, tellNodes(items));
      if (totalCount > items.length) io.stderr(`${totalCount - items.length} more; narrow it down with a search\n`);
    });

  command({
    name: 'show <name>',
    summary: 'Show one server, by name or id.',
    examples: ['gatehouse nodes show web-1'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, nodeRoutes, send } = await connect(options);
    const node = await call(send, nodeRoutes.get, { params: { ...CURRENT, id: name } });
    print(io, options.format, node, tellNode(node));
  });

  command({
    name: 'edit <name>',
    summary:
      'Change the name, address or labels of a server with plain OpenSSH, by name or id. Says who can sign in by it, and who no longer.',
    examples: [
      'gatehouse nodes edit web-1 --labels env=prod,team=blue --dry-run',
      'gatehouse nodes edit web-1 --name web-2 --address 10.0.0.6:22',
    ],
  })
    .option('--name <name>', 'the new name')
    .option('--address <address>', 'where it is now; the pinned host keys stay')
    .addOption(new Option('--labels <pairs>', 'all its labels from now on, like env=prod').argParser(labelList))
    .option('--dry-run', 'only say who would gain and lose')
    .action(async (wanted: string, given: GatewayOptions & EditOptions) => {
      const { name, address, labels, dryRun = false, ...options } = given;
      if (name === undefined && address === undefined && labels === undefined)
        throw new Failure('usage', 'say what to change: --name, --address or --labels');
      const { call, nodeRoutes, send } = await connect(options);
      const body = {
        ...(name === undefined ? {} : { name }),
        ...(address === undefined ? {} : { addr: withPort(address) }),
        ...(labels === undefined ? {} : { labels }),
        dryRun,
      };
      const changed = await call(send, nodeRoutes.update, { params: { ...CURRENT, id: wanted }, body });
      print(io, options.format, changed, tellChanged(changed, dryRun));
    });

  command({
    name: 'rm <name>',
    summary: 'Remove a server with plain OpenSSH, by name or id. One with an agent goes with its agent.',
    examples: ['gatehouse nodes rm web-1'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, nodeRoutes, send } = await connect(options);
    const done = await call(send, nodeRoutes.remove, { params: { ...CURRENT, id: name } });
    print(io, options.format, done, `server '${printable(name)}' removed\n`);
  });

  command({
    name: 'test <name>',
    summary: 'Try to sign in to a server and tell each step: access, the way there, TCP, SSH, login.',
    examples: ['gatehouse nodes test web-1 --login root'],
  })
    .requiredOption('--login <login>', 'the account on the server')
    .option('--mfa-code <code>', 'a code of your authenticator app, where a role asks for a second factor')
    .action(async (name: string, given: GatewayOptions & { login: string; mfaCode?: string }) => {
      const { login, mfaCode, ...options } = given;
      const [{ call, send }, { diagnosticRoutes }] = await Promise.all([
        connect(options),
        import('@gatehouse/contract/sessions/diagnostics'),
      ]);
      const body = {
        resource_kind: 'node',
        resource_name: name,
        ssh_principal: login,
        ...(mfaCode === undefined ? {} : { mfa_response: { totp_code: mfaCode } }),
      };
      const result = await call(send, diagnosticRoutes.connect, { params: CURRENT, body });
      print(io, options.format, result, tellTest(result));
      if (!result.success) throw new Failure('failed', result.message);
    });

  command({
    name: 'trust-host-key <name>',
    summary:
      'Show the host keys a server has now beside the pinned ones, and with --fingerprint pin the one you compared.',
    examples: [
      'gatehouse nodes trust-host-key web-1',
      'gatehouse nodes trust-host-key web-1 --fingerprint SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8',
      'gatehouse nodes trust-host-key web-1 --host-key ssh_host_ed25519_key.pub',
    ],
  })
    .option('--fingerprint <fingerprint>', 'of the key to pin, as compared on the server')
    .option('--host-key <file>', 'public host keys to pin, without asking the server; - for standard input')
    .action(async (name: string, given: GatewayOptions & { fingerprint?: string; hostKey?: string }) => {
      const { fingerprint, hostKey, ...options } = given;
      const { call, nodeRoutes, send } = await connect(options);
      const params = { ...CURRENT, id: name };
      const pin = async (hostKeys: string[]) => {
        const pinned = await call(send, nodeRoutes.setHostKeys, { params, body: { hostKeys } });
        const told = pinned.hostFingerprints.map((each) => `pinned ${each}\n`).join('');
        print(io, options.format, pinned, told);
      };
      if (hostKey !== undefined) return pin(await keysIn(hostKey));
      const keys = await call(send, nodeRoutes.readHostKeys, { params });
      if (fingerprint === undefined) return print(io, options.format, keys, tellHostKeys(keys));
      const shown = keys.shown.find((key) => key.fingerprint === fingerprint);
      if (shown) return pin([shown.publicKey]);
      const has = keys.shown.map((key) => key.fingerprint).join(', ');
      throw new Failure('conflict', `the server '${name}' shows no host key ${fingerprint}: it has ${has}`);
    });

  /** Lines of a public key file without their comments. */
  async function keysIn(file: string): Promise<string[]> {
    const lines = (await readGiven(io, file)).split('\n').map((line) => line.trim());
    const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
    if (keys.length === 0) throw new Failure('usage', `the file '${file}' holds no keys`);
    return keys.map((line) => line.split(/\s+/).slice(0, 2).join(' '));
  }

  async function connect(options: GatewayOptions) {
    const [{ call }, { nodeRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/kinds/node/nodes'),
      anyGateway(io, options),
    ]);
    return { call, nodeRoutes, send };
  }
}

/** The port of SSH unless another is named. A bare IPv6 address cannot name one. */
function withPort(address: string): string {
  const isBareV6 = !address.startsWith('[') && address.split(':').length > 2;
  const host = isBareV6 ? `[${address}]` : address;
  return /:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`;
}
