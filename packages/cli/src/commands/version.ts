/** `gatehouse version`. */
import { VERSION } from '@gatehouse/contract/std/version';
import type { Command } from 'commander';
import { addCommand, type CommandDeps, type Format, print } from '../command.ts';

export function addVersionCommand(program: Command, { io }: CommandDeps): void {
  addCommand(program, {
    name: 'version',
    summary: 'Print the version.',
    examples: ['gatehouse version', 'gatehouse version --format json'],
  }).action(({ format }: { format: Format }) => {
    const data = { version: VERSION, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
    print(io, format, data, `gatehouse ${data.version} (Node ${data.node}, ${data.platform})\n`);
  });
}
