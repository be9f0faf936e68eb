/** `gatehouse completion`: scripts that let a shell complete our commands, made from the command tree itself. */
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { addCommand, type CommandDeps, type Format, print } from '../command.ts';
import { bashScript } from '../completion/bash-script.ts';
import { describeTree } from '../completion/command-tree.ts';
import { fishScript } from '../completion/fish-script.ts';
import { offering } from '../completion/offers.ts';
import { zshScript } from '../completion/zsh-script.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SCRIPTS;

export function addCompletionCommand(program: Command, { io }: CommandDeps): void {
  addCommand(program, {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish.',
    examples: [
      'source <(gatehouse completion bash)',
      'gatehouse completion zsh > "$fpath[1]/_gatehouse"',
      'gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish',
    ],
  })
    .addArgument(offering(new Argument('<shell>', 'bash, zsh or fish').argParser(parseShell), Object.keys(SCRIPTS)))
    .action((shell: Shell, { format }: { format: Format }) => {
      const script = SCRIPTS[shell](describeTree(program));
      print(io, format, { shell, script }, script);
    });
}

function parseShell(text: string): Shell {
  if (text === 'bash' || text === 'zsh' || text === 'fish') return text;
  throw new InvalidArgumentError('choose bash, zsh or fish.');
}
