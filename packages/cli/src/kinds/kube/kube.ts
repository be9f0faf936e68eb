/** `gatehouse kube`: Kubernetes clusters behind the gateway. */
import type { Command } from 'commander';
import { addGroup, type CommandDeps } from '../../command.ts';
import { addKubeLoginCommands } from './login-kube.ts';

export function addKubeCommands(program: Command, deps: CommandDeps): void {
  const group = addGroup(program, {
    name: 'kube',
    summary: 'Reach Kubernetes clusters with kubectl and other programs.',
    examples: ['gatehouse kube login prod', 'gatehouse kube config prod > prod.yaml'],
  });
  addKubeLoginCommands(group, deps);
}
