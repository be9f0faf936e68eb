/** `gatehouse config ssh`: what ssh has to be told to reach servers through a gateway. */
import type { Command } from 'commander';
import { addCommand, type Format, type Io, print } from '../command.ts';
import { remoteGateway } from '../gateway/remote-gateway.ts';
import { Failure } from '../runtime/failure.ts';

interface Options {
  format: Format;
  gateway?: string;
  write?: boolean;
  overHttps?: boolean;
}

export function addSshConfigCommand(group: Command, io: Io): void {
  addCommand(group, {
    name: 'ssh',
    summary:
      'Print what ssh has to be told to reach servers through the gateway: ssh root@SERVER.CLUSTER. --write puts it in place.',
    examples: [
      'gatehouse config ssh',
      'gatehouse config ssh --write && ssh root@web-1.prod',
      'gatehouse config ssh --over-https --write',
      'gatehouse config ssh --gateway https://gate.example.com',
    ],
  })
    .option('--gateway <address>', 'the gateway; the one you signed in to last unless told')
    .option('--write', 'write it, and lead to it by one line at the top of ~/.ssh/config')
    .option(
      '--over-https',
      'over the port of the gateway alone, by gatehouse proxy ssh: one more program for each connection',
    )
    .action(async ({ format, gateway, write, overHttps = false }: Options) => {
      const [{ getSshKeys }, { configOf, includeConfig }] = await Promise.all([
        import('./get-keys.ts'),
        import('./write-config.ts'),
      ]);
      const remote = remoteGateway(io, gateway);
      const found = await getSshKeys(io, remote, false, overHttps);
      if (!found)
        throw new Failure(
          'failed',
          `${remote.origin} takes no programs that speak SSH: whoever runs it sets ssh.listen; --over-https needs none`,
        );
      const held = { ...found, overHttps };
      const { cluster, host, port, expires, leaves } = held;
      const facts = {
        ...{ origin: remote.origin, cluster, host, port, expires, leaves },
        config: await configOf(io, held),
      };
      if (!write) return print(io, format, facts, facts.config);
      const file = await includeConfig(io, held);
      const endings = [cluster, ...leaves].map((name) => `'.${name}'`).join(', ');
      const told = `${file} leads to it: hosts that end in ${endings} are reached through ${overHttps ? remote.origin : host}\nTry: ssh <login>@<server>.${cluster}\n`;
      return print(io, format, { ...facts, file }, told);
    });
}
