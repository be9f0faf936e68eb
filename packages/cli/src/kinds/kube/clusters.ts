/** `gatehouse kube add, ls, show, check, test, rm`: the Kubernetes clusters, and whether the gateway may act in them. */
import type { NewKubeCluster } from '@gatehouse/contract/kinds/kube/kubernetes';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, type CommandDeps, type Io, print } from '../../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../../gateway/resolve-gateway.ts';
import { labelList } from '../../input/label-list.ts';
import { nameList } from '../../input/trait-flags.ts';
import { tellHops } from '../../output/hops-text.ts';
import { tellTest } from '../../output/test-text.ts';
import { Failure } from '../../runtime/failure.ts';
import { tellAddedKube, tellKube, tellKubes } from './kube-text.ts';
import { warnOfWideGroups } from './wide-groups.ts';

interface AddOptions extends GatewayOptions {
  kubeconfig?: string;
  context?: string;
  server?: string;
  through?: string[];
  asIs?: boolean;
  insecure?: boolean;
  groups?: string[];
  labels?: Record<string, string>;
  namespace: string;
  namespaces?: string[];
  replace?: boolean;
}

interface TestOptions extends GatewayOptions {
  namespace?: string;
  as?: string;
  asGroup?: string[];
  mfaCode?: string;
}

/** Where it is, and how that is checked. */
type KubeFields = Pick<NewKubeCluster, 'server' | 'ca' | 'serverName' | 'insecureSkipVerify'>;

const MAX_LISTED = 1000;

export function addClusterCommands(group: Command, { io, configFlags }: CommandDeps): void {
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);

  command({
    name: 'add <name>',
    summary:
      'Add a Kubernetes cluster from a kubeconfig: makes an account there that may act as people in the groups that are named, and nothing else, and stores a token of it, sealed. Your own credential stays here.',
    examples: [
      'gatehouse kube add prod --context prod-admin --groups view,dev --labels env=prod',
      'gatehouse kube add prod --kubeconfig prod.yaml --groups view --through edge-1',
      'gatehouse kube add prod --kubeconfig gatehouse.yaml --as-is',
    ],
  })
    .option('--kubeconfig <file>', 'the kubeconfig; - for standard input; unless told, KUBECONFIG or ~/.kube/config')
    .option('--context <name>', 'its context; the current one unless told')
    .addOption(
      new Option('--groups <names>', "groups of the cluster that people may be in there; '*' is any").argParser(
        nameList,
      ),
    )
    .addOption(new Option('--label, --labels <pairs>', 'labels, like env=prod,team=blue').argParser(labelList))
    .addOption(
      new Option('--through <agents>', 'agents that reach it, by name or id; the gateway unless told').argParser(
        nameList,
      ),
    )
    .option('--server <url>', 'its address as the gateway or the agent reaches it; that of the kubeconfig unless told')
    .option('--as-is', 'make nothing in the cluster, and store what the context has')
    .option('--insecure', 'do not check its certificate, where the kubeconfig does not')
    .option('--namespace <name>', 'where the account is made', 'gatehouse')
    .addOption(
      new Option('--namespaces <names>', 'for screens of those who may not list namespaces').argParser(nameList),
    )
    .option('--replace', 'where there is one of that name: store its address and its credential anew')
    .action(async (name: string, options: AddOptions) => {
      const { call, kubeRoutes, send } = await connect(options);
      if (!options.replace) await requireFree(name, () => call(send, kubeRoutes.get, { params: { ...CURRENT, name } }));
      const { labels, through, namespaces } = options;
      const more = {
        ...(labels ? { labels } : {}),
        ...(through ? { through } : {}),
        ...(namespaces ? { namespaces } : {}),
      };
      const params = { ...CURRENT, name };
      const { credential, fields, groups } = await gather(io, name, options, async (wanted) => {
        // An account in the cluster, which nobody would use, is not made for what is refused afterwards.
        if (options.replace) await call(send, kubeRoutes.checkStored, { params, body: {} });
        else await call(send, kubeRoutes.check, { params: CURRENT, body: { name, ...wanted, ...more } });
      });
      const named = { groups: groups.filter((each) => each !== '*') };
      const added = options.replace
        ? await call(send, kubeRoutes.update, { params, body: { ...fields, ...more, credential } })
        : await call(send, kubeRoutes.add, { params: CURRENT, body: { name, ...fields, ...more, credential } });
      const { steps } = await call(send, kubeRoutes.checkStored, { params, body: named });
      print(io, options.format, { ...added, steps }, `${tellHops(steps)}${tellAddedKube(added)}`);
      const failed = steps.find(({ status }) => status === 'failed');
      // The steps say it to programs.
      if (failed && options.format === 'text')
        io.stderr(`warning: '${printable(name)}' is added, and cannot be used yet: ${printable(failed.message)}\n`);
    });

  command({
    name: 'ls [search]',
    summary: 'List the Kubernetes clusters you see, and what you may be there.',
    examples: ['gatehouse kube ls', 'gatehouse kube ls --format json', 'gatehouse kube ls prod'],
  }).action(async (search: string | undefined, options: GatewayOptions) => {
    const { call, kubeRoutes, send } = await connect(options);
    const query = { limit: String(MAX_LISTED), sort: 'name:asc', ...(search === undefined ? {} : { search }) };
    const { items, totalCount } = await call(send, kubeRoutes.list, { params: CURRENT, query });
    print(io, options.format, items, tellKubes(items));
    if (totalCount > items.length) io.stderr(`${totalCount - items.length} more; narrow it down with a search\n`);
  });

  command({
    name: 'show <name>',
    summary: 'Show one Kubernetes cluster.',
    examples: ['gatehouse kube show prod'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, kubeRoutes, send } = await connect(options);
    const details = await call(send, kubeRoutes.get, { params: { ...CURRENT, name } });
    print(io, options.format, details, tellKube(details));
  });

  command({
    name: 'check <name>',
    summary:
      'Try each hop to a Kubernetes cluster with what the gateway has for it: the way there, TCP, TLS, its version, and whether it lets the gateway act as people.',
    examples: ['gatehouse kube check prod', 'gatehouse kube check prod --groups view,dev'],
  })
    .addOption(new Option('--groups <names>', 'groups that people are to be in there').argParser(nameList))
    .action(async (name: string, { groups = [], ...options }: GatewayOptions & { groups?: string[] }) => {
      const { call, kubeRoutes, send } = await connect(options);
      const body = { groups };
      const { steps } = await call(send, kubeRoutes.checkStored, { params: { ...CURRENT, name }, body });
      print(io, options.format, { steps }, tellHops(steps));
      const failed = steps.find(({ status }) => status === 'failed');
      if (failed) throw new Failure('failed', failed.message);
    });

  command({
    name: 'test <name>',
    summary:
      'Try a Kubernetes cluster as yourself and tell each step: access, the way there, TCP, TLS, version, acting as you, pods.',
    examples: ['gatehouse kube test prod', 'gatehouse kube test prod --namespace web --as-group view'],
  })
    .option('--namespace <name>', 'whose pods are listed; default unless told')
    .option('--as <user>', 'the Kubernetes user, where your roles let you be several')
    .addOption(new Option('--as-group <names>', 'some of the groups that your roles give').argParser(nameList))
    .option('--mfa-code <code>', 'a code of your authenticator app, where a role asks for a second factor')
    .action(async (name: string, { namespace, as, asGroup, mfaCode, ...options }: TestOptions) => {
      const [{ call, send }, { diagnosticRoutes }] = await Promise.all([
        connect(options),
        import('@gatehouse/contract/sessions/diagnostics'),
      ]);
      const body = {
        ...{ resource_kind: 'kube_cluster', resource_name: name },
        ...(namespace === undefined ? {} : { kubernetes_namespace: namespace }),
        kubernetes_impersonation: {
          ...(as === undefined ? {} : { kubernetes_user: as }),
          ...(asGroup === undefined ? {} : { kubernetes_groups: asGroup }),
        },
        ...(mfaCode === undefined ? {} : { mfa_response: { totp_code: mfaCode } }),
      };
      const result = await call(send, diagnosticRoutes.connect, { params: CURRENT, body });
      print(io, options.format, result, tellTest(result));
      if (!result.success) throw new Failure('failed', result.message);
    });

  command({
    name: 'rm <name>',
    summary:
      'Remove a Kubernetes cluster that was entered, with the credential that was stored for it. One that agents announce goes with them.',
    examples: ['gatehouse kube rm prod'],
  }).action(async (name: string, options: GatewayOptions) => {
    const { call, kubeRoutes, send } = await connect(options);
    const done = await call(send, kubeRoutes.remove, { params: { ...CURRENT, name } });
    // Two names for one cluster share it unless they were told not to.
    const left =
      'An account that was made there stays. Where no other name for that cluster lives by it: kubectl delete namespace,clusterrole,clusterrolebinding gatehouse\n';
    print(io, options.format, done, `Kubernetes cluster '${printable(name)}' removed\n${left}`);
  });

  async function connect(options: GatewayOptions) {
    const [{ call }, { kubeRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/kinds/kube/kubernetes'),
      anyGateway(io, options),
    ]);
    return { call, kubeRoutes, send };
  }
}

/** What is sent to the gateway. What is made in the cluster is made before anything is stored: a record without a credential is of no use. */
async function gather(io: Io, name: string, options: AddOptions, require: (fields: KubeFields) => Promise<void>) {
  const { groups = [], asIs = false, namespace } = options;
  if (!asIs && groups.length === 0)
    throw new Failure(
      'usage',
      `name the groups of the cluster that people may be in: --groups view,dev; or store what the context has: gatehouse kube add ${printable(name)} --as-is`,
    );
  warnOfWideGroups(io, groups);
  const { contextOf } = await import('./kube-context.ts');
  const context = await contextOf(io, options);
  const { parseKubeServer } = await import('@gatehouse/contract/kinds/kube/kube-spec');
  if (!parseKubeServer(context.server))
    throw new Failure('usage', `the server of the context '${printable(context.name)}' must be an address of https`);
  const fields = {
    server: options.server ?? context.server,
    ca: context.ca,
    serverName: serverNameOf(context, options.server),
    insecureSkipVerify: context.isInsecure,
  };
  if (asIs) return { fields, groups, credential: context.credential };
  await require(fields);
  const [{ apiServer }, { makeAccount }] = await Promise.all([import('./api-server.ts'), import('./import-kube.ts')]);
  const token = await makeAccount(
    apiServer(context),
    { groups, namespace, isAnew: options.replace === true },
    (line) => {
      if (options.format === 'text') io.stdout(`✓ ${line}\n`);
    },
  );
  return { fields, groups, credential: { token } };
}

/** Before anything is made in the cluster: what is refused here must not have changed it. */
async function requireFree(name: string, find: () => Promise<unknown>): Promise<void> {
  const { kubeName } = await import('@gatehouse/contract/kinds/kube/kube-spec');
  const wrong = kubeName.safeParse(name).error?.issues[0]?.message;
  if (wrong !== undefined) throw new Failure('usage', `the name '${printable(name)}' ${wrong}`);
  const isThere = await find().then(
    () => true,
    (error: unknown) => {
      if ((error as { code?: string }).code === 'not_found') return false;
      throw error;
    },
  );
  if (isThere)
    throw new Failure(
      'conflict',
      `there is a Kubernetes cluster '${printable(name)}' already: --replace stores it anew`,
    );
}

/** At another address its certificate is still the one of before: it is checked by the name that it has there. */
function serverNameOf(
  { serverName, server }: { serverName: string; server: string },
  other: string | undefined,
): string {
  if (serverName !== '' || other === undefined) return serverName;
  const { hostname } = new URL(server);
  return /^[a-z0-9.-]*[a-z][a-z0-9.-]*$/.test(hostname) ? hostname : '';
}
