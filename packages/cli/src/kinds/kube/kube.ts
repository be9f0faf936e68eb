/** `gatehouse kube`: Kubernetes clusters behind the gateway. */
import type { Command } from 'commander';
import { addGroup, type CommandDeps } from '../../command.ts';
import { addClusterCommands } from './clusters.ts';
import { addKubeLoginCommands } from './login-kube.ts';
import { addManifestCommand } from './manifest-kube.ts';

export function addKubeCommands(program: Command, deps: CommandDeps): void {
  const group = addGroup(program, {
    name: 'kube',
    summary: 'List, add and check Kubernetes clusters, and reach them with kubectl and other programs.',
    examples: ['gatehouse kube login prod', 'gatehouse kube add prod --context prod-admin --groups view,dev'],
  });
  addClusterCommands(group, deps);
  addManifestCommand(group, deps);
  addKubeLoginCommands(group, deps);
}
