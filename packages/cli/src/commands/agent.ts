/** `gatehouse agent`: connects resources near it to a gateway. */
import type { Command } from 'commander';
import { addCommand, type CommandParts, type Format } from '../command.ts';
import { Failure } from '../failure.ts';

type Options = Partial<Record<'gateway' | 'token' | 'dataDir', string>> & { label?: string[]; format: Format };

export function addAgentCommand(program: Command, { io }: CommandParts): void {
  addCommand(program, {
    name: 'agent',
    summary: 'Run an agent near the resources. It dials out to the gateway; nothing dials in.',
    examples: [
      'gatehouse agent --gateway https://gate.example.com --label env=prod',
      'GATEHOUSE_AGENT_TOKEN=… gatehouse agent --gateway https://gate.example.com',
    ],
  })
    .option('--gateway <url>', 'address of the gateway (GATEHOUSE_AGENT_GATEWAY)')
    .option('--token <token>', 'join token; prefer GATEHOUSE_AGENT_TOKEN, which other users cannot see')
    .option('--data-dir <folder>', 'folder for the identity of this agent (GATEHOUSE_AGENT_DATA_DIR)')
    .option('--label <name=value...>', 'labels of this agent (GATEHOUSE_AGENT_LABELS, separated by commas)')
    .action(async ({ format: _, label, ...given }: Options) => {
      const { runAgent } = await import('@gatehouse/agent/main');
      const outcome = await runAgent({ ...given, labels: label }, { env: io.env, cwd: io.cwd });
      throw new Failure(outcome.exit, outcome.message, { gateway: outcome.gateway });
    });
}
