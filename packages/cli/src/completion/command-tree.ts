/** The command tree as plain data: what can follow what on the command line. */
import type { Argument, Command, Option } from 'commander';
import { isListOption, kindOfArgument, kindOfOption, type NamedKind } from './named-kinds.ts';
import { offersOf } from './offers.ts';

export interface OptionNode {
  flags: string[];
  summary: string;
  /** Values to offer; `file` and `folder` for paths; nothing for a switch or free text. */
  takes: readonly string[] | 'file' | 'folder' | 'text' | undefined;
  /** The text is the name of such a thing. */
  names: NamedKind | undefined;
  /** Several of them, separated by commas. */
  isList: boolean;
}

export interface ArgumentNode {
  /** It is the name of such a thing. */
  names: NamedKind | undefined;
  /** Values it takes. */
  values: readonly string[];
  /** All that follow are the same. */
  isLast: boolean;
}

export interface CommandNode {
  /** From the program on: `['config', 'check']`; empty for the program itself. */
  path: string[];
  summary: string;
  commands: { name: string; summary: string }[];
  options: OptionNode[];
  args: ArgumentNode[];
}

/** Every command of the tree, the program first. */
export function describeTree(program: Command): CommandNode[] {
  return describe(program, []);
}

function describe(command: Command, path: string[]): CommandNode[] {
  const node: CommandNode = {
    path,
    summary: command.description(),
    commands: visibleIn(command).flatMap((inner) =>
      namesOf(inner).map((name) => ({ name, summary: inner.description() })),
    ),
    options: [
      ...command.options.map(describeOption),
      { flags: ['--help'], summary: 'show help', takes: undefined, names: undefined, isList: false },
    ],
    args: command.registeredArguments.map((argument) => describeArgument(path, argument)),
  };
  return [
    node,
    ...command.commands.flatMap((inner) => namesOf(inner).flatMap((name) => describe(inner, [...path, name]))),
  ];
}

/** Without those that only programs call. */
function visibleIn(command: Command): Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return command.commands.filter((inner) => visible.includes(inner));
}

function namesOf(command: Command): string[] {
  return [command.name(), ...command.aliases()];
}

function describeArgument(path: string[], argument: Argument): ArgumentNode {
  return {
    names: kindOfArgument(path, argument.name()),
    values: offersOf(argument) ?? [],
    isLast: argument.variadic,
  };
}

function describeOption(option: Option): OptionNode {
  const { long, short, description, required, flags } = option;
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
    summary: description,
    takes: takes(),
    names: kindOfOption(flags),
    isList: isListOption(flags),
  };

  function takes(): OptionNode['takes'] {
    const offers = offersOf(option);
    if (offers) return offers;
    if (!required) return undefined;
    const placeholder = /<([^>]+)>/.exec(flags)?.[1];
    return placeholder === 'file' || placeholder === 'folder' ? placeholder : 'text';
  }
}
