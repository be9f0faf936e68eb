/** `gatehouse kube manifest`: what puts agents into a cluster, which then offer it. */
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { addCommand, type CommandDeps, print } from '../../command.ts';
import { addGatewayFlags, anyGateway, type GatewayOptions } from '../../gateway/resolve-gateway.ts';
import { parseDurationSeconds } from '../../input/duration.ts';
import { labelList } from '../../input/label-list.ts';
import { nameList } from '../../input/trait-flags.ts';
import { warnOfWideGroups } from './wide-groups.ts';

interface ManifestOptions extends GatewayOptions {
  groups: string[];
  labels: Record<string, string>;
  namespace?: string;
  image?: string;
  ttl: number;
}

export function addManifestCommand(group: Command, { io, configFlags }: CommandDeps): void {
  const command = addCommand(group, {
    name: 'manifest <name>',
    summary:
      'Make a join token and print what puts two agents into a cluster, which offer it under this name: for kubectl apply -f -. It holds the token.',
    examples: [
      'gatehouse kube manifest prod --groups view,dev | kubectl apply -f -',
      'gatehouse kube manifest prod --groups view --labels env=prod --image mirror/node:24-bookworm-slim > agents.yaml',
    ],
  });
  addGatewayFlags(command, configFlags)
    .addOption(
      new Option('--groups <names>', "groups of the cluster that people may be in there; '*' is any")
        .argParser(nameList)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--label, --labels <pairs>', 'labels, like env=prod,team=blue')
        .argParser(labelList)
        .default({}, 'none'),
    )
    .option('--namespace <name>', 'where it is put; gatehouse unless told')
    .option('--image <name>', 'an image with Node 24, tar and glibc, which fetches the agent from the gateway')
    .addOption(
      new Option('--ttl <duration>', 'how long the token lets agents join')
        .argParser(parseDurationSeconds)
        .default(14_400, '4h'),
    )
    .action(async (name: string, { groups, labels, namespace, image, ttl, ...options }: ManifestOptions) => {
      warnOfWideGroups(io, groups);
      const [{ call, readError }, { joinTokenRoutes }, send] = await Promise.all([
        import('@gatehouse/contract/wire/client'),
        import('@gatehouse/contract/reach/join-tokens/join-tokens'),
        anyGateway(io, options),
      ]);
      const body = { roles: ['Kube' as const], ttlSeconds: ttl, labels, offers: { kubernetes: [name] } };
      const { id, expiry, gatehouse } = await call(send, joinTokenRoutes.create, { body });
      const query = new URLSearchParams({
        ...{ name, groups: groups.join(',') },
        ...(namespace === undefined ? {} : { namespace }),
        ...(image === undefined ? {} : { image }),
      });
      const url = `/scripts/${id}/kube-agent.yaml?${query}`;
      const received = await send({ method: 'GET', url });
      if (received.status !== 200) throw readError(received, url);
      const warning = gatehouse?.warning;
      if (warning !== undefined && options.format !== 'json') io.stderr(`warning: ${printable(warning)}\n`);
      const told = {
        manifest: received.text,
        token: id,
        expires: expiry,
        ...(warning === undefined ? {} : { warning }),
      };
      print(io, options.format, told, received.text);
    });
}
