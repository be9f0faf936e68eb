/** The command tree as plain data: what can follow what on the command line. */
import type { Command, Option } from 'commander';
import { kindOfArgument, kindOfOption, type NamedKind } from './named-kinds.ts';

export interface OptionNode {
  flags: string[];
  summary: string;
  /** Values to offer; `file` and `folder` for paths; nothing for a switch or free text. */
  takes: readonly string[] | 'file' | 'folder' | 'text' | undefined;
  /** The text is the name of such a thing. */
  names: NamedKind | undefined;
}

export interface CommandNode {
  /** From the program on: `['config', 'check']`; empty for the program itself. */
  path: string[];
  summary: string;
  commands: { name: string; summary: string }[];
  options: OptionNode[];
  /** Its first argument is the name of such a thing. */
  names: NamedKind | undefined;
  /** Values its first argument takes. */
  values: readonly string[];
}

/** Every command of the tree, the program first. */
export function describeTree(program: Command): CommandNode[] {
  return describe(program, []);
}

function describe(command: Command, path: string[]): CommandNode[] {
  const node: CommandNode = {
    path,
    summary: command.description(),
    commands: command.commands.map((inner) => ({ name: inner.name(), summary: inner.description() })),
    options: [
      ...command.options.map(describeOption),
      { flags: ['--help'], summary: 'show help', takes: undefined, names: undefined },
    ],
    names: kindOfArgument(path, command.registeredArguments[0]?.name()),
    values: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [node, ...command.commands.flatMap((inner) => describe(inner, [...path, inner.name()]))];
}

function describeOption({ long, short, description, argChoices, required, flags }: Option): OptionNode {
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
    summary: description,
    takes: takes(),
    names: kindOfOption(flags),
  };

  function takes(): OptionNode['takes'] {
    if (argChoices) return argChoices;
    if (!required) return undefined;
    const placeholder = /<([^>]+)>/.exec(flags)?.[1];
    return placeholder === 'file' || placeholder === 'folder' ? placeholder : 'text';
  }
}
