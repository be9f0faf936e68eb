/** `gatehouse apply` and `gatehouse get`: roles, users, connectors, locks and what administrators enter as documents, to keep them in files. */

import { rows } from '@gatehouse/contract/kinds/kinds';
import { printable } from '@gatehouse/contract/std/printable';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { addCommand, type CommandDeps, print } from '../command.ts';
import { offering } from '../completion/offers.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { withFreshProof } from '../input/fresh-proof.ts';
import { readGiven } from '../input/read-files.ts';

interface ApplyOptions extends GatewayOptions {
  file: string[];
  dryRun?: boolean;
}

const KINDS: Readonly<Record<string, string>> = {
  role: 'role',
  roles: 'role',
  user: 'user',
  users: 'user',
  lock: 'lock',
  locks: 'lock',
  github: 'github',
  oidc: 'oidc',
  saml: 'saml',
  connectors: 'github,oidc,saml',
  trusted_cluster: 'trusted_cluster',
  trusted_clusters: 'trusted_cluster',
  ...Object.fromEntries(
    rows.flatMap(({ document, path, command = path }) =>
      document === undefined ? [] : [document, path, command].map((word) => [word, document] as const),
    ),
  ),
};
/** Plurals, as help and completion name them. */
const MANY = [
  ...['roles', 'users', 'connectors', 'locks', 'trusted_clusters'],
  ...rows.flatMap(({ document, path }) => (document === undefined ? [] : path)),
];

export function addApplyCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const add = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(program, facts), configFlags);

  add({
    name: 'apply',
    summary:
      'Make roles, users, connectors, locks, trusted clusters, apps, databases, Kubernetes clusters and desktops what documents say: all of them or none.',
    examples: [
      'gatehouse apply -f access.yaml --dry-run',
      'gatehouse apply -f access.yaml',
      'gatehouse get all | gatehouse apply -f - --gateway https://gate.example.com',
    ],
  })
    .requiredOption('-f, --file <file...>', 'documents in YAML, apart by ---; - for standard input')
    .option('--dry-run', 'only say what would change, line by line')
    .action(async ({ file, dryRun = false, ...options }: ApplyOptions) => {
      const { call, applyRoutes, send } = await connect(options);
      const documents = (await Promise.all(file.map((each) => readGiven(io, each)))).join('\n---\n');
      const applied = await withFreshProof(io, send, () =>
        call(send, applyRoutes.apply, { params: CURRENT, body: { documents, dryRun } }),
      );
      const lines = applied.items.flatMap(({ kind, name, action, diff, notes }) => [
        `${kind}/${printable(name)} ${action}${dryRun && action !== 'unchanged' ? ' (dry run)' : ''}`,
        ...notes.map((note) => `note: ${printable(note)}`),
        ...(dryRun ? diff.split('\n').slice(0, -1).map(printable) : []),
      ]);
      print(io, options.format, applied, lines.map((line) => `${line}\n`).join(''));
    });

  add({
    name: 'get',
    summary: 'Print as documents what apply takes, as far as you may read or change it. No secrets are in them.',
    examples: [
      'gatehouse get all > access.yaml',
      'gatehouse get roles',
      'gatehouse get role/dev user/ann oidc/okta db/shop windows_desktop/win-1',
    ],
  })
    .addArgument(
      offering(new Argument('<what...>', `all, ${MANY.join(', ')}, or one like role/dev`).argParser(parseWhat), [
        'all',
        ...MANY,
      ]),
    )
    .action(async (wanted: Wanted[], options: GatewayOptions) => {
      const { call, applyRoutes, send } = await connect(options);
      const texts: string[] = [];
      for (const query of wanted) {
        const { documents, count, omitted } = await call(send, applyRoutes.export, { params: CURRENT, query });
        if (count > 0) texts.push(documents);
        if (omitted.length > 0)
          io.stderr(`gatehouse: left out, because you may not read them: ${omitted.join(', ')}\n`);
      }
      const text = texts.join('---\n');
      const { documentsIn } = await import('../input/documents.ts');
      print(io, options.format, options.format === 'json' ? documentsIn(text) : undefined, text);
    });

  async function connect(options: GatewayOptions) {
    const [{ call }, { applyRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/access/apply/apply'),
      anyGateway(io, options),
    ]);
    return { call, applyRoutes, send };
  }
}

interface Wanted {
  kinds?: string;
  name?: string;
}

function parseWhat(text: string, before: Wanted[] = []): Wanted[] {
  if (text === 'all') return [...before, {}];
  const slash = text.indexOf('/');
  const kind = KINDS[slash < 0 ? text : text.slice(0, slash)];
  const name = slash < 0 ? undefined : text.slice(slash + 1);
  if (!kind || name === '') throw new InvalidArgumentError(`write all, ${MANY.join(', ')}, or one like role/dev.`);
  return [...before, { kinds: kind, ...(name === undefined ? {} : { name }) }];
}
