/** The shape all commands share: a summary, examples in the help, `--format`, and where they write. */
import { visibleJson } from '@gatehouse/contract/std/visible-json';
import { type Command, Option } from 'commander';

const FORMATS = ['text', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/** What a command touches of the world, so that tests can stand in for it. */
export interface Io {
  stdout(text: string): void;
  stderr(text: string): void;
  env: Record<string, string | undefined>;
  cwd: string;
  /** Somebody watches the output: a picture or an opened browser may help them. */
  onTerminal?: boolean;
  /** The same of what is told beside the output. */
  logsToTerminal?: boolean;
  /** Asks whoever sits there, and gives the line they type; undefined where nobody does. */
  ask?: ((question: string, signal: AbortSignal) => Promise<string>) | undefined;
  /** The same for what must not be seen on the screen. */
  askSecret?: ((question: string) => Promise<string>) | undefined;
}

export type ConfigFlags = readonly typeof import('@gatehouse/gateway/platform/config/flags').CONFIG_FLAGS[number][];

/** What a file of `commands/` is given to add its commands with. */
export interface CommandDeps {
  io: Io;
  configFlags: ConfigFlags;
}

export interface CommandFacts {
  /** With its arguments: `rm <name>`. */
  name: string;
  summary: string;
  /** Whole command lines, shown under the help. */
  examples: readonly string[];
  /** What `--format` takes, the usual one first. */
  formats?: readonly string[];
  /** Programs call it, and nobody has to know of it. */
  isHidden?: boolean;
}

/** A command that does something. */
export function addCommand(parent: Command, facts: CommandFacts): Command {
  const { name, summary, examples, formats = FORMATS, isHidden = false } = facts;
  return parent
    .command(name, { hidden: isHidden })
    .description(summary)
    .addOption(new Option('--format <format>', 'how to print').choices(formats).default(formats[0]))
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
}

/** A command that only holds others. */
export function addGroup(parent: Command, { name, summary, examples }: CommandFacts): Command {
  return parent
    .command(name)
    .description(summary)
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
}

/** Flags that set configuration keys; without `names`, all of them. */
export function addConfigFlags(command: Command, flags: ConfigFlags, names?: readonly string[]): Command {
  for (const { usage, name, summary, choices } of flags) {
    if (names && !names.includes(name)) continue;
    const option = new Option(usage, summary);
    // Not `choices()`: what a value may be is checked where it is read, with the other problems of a configuration.
    if (choices) option.argChoices = [...choices];
    command.addOption(option);
  }
  return command;
}

/** Enough to find the data folder, and by it the running gateway. */
export const DATA_FOLDER_FLAGS = ['config', 'dataDir'] as const;

/** Prints a result: the data itself as JSON, or the words for people. */
export function print(io: Io, format: Format, data: unknown, text: string): void {
  io.stdout(format === 'json' ? `${visibleJson(data)}\n` : text);
}
