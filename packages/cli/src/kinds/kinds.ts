/** The kinds on the command line. A kind that has no commands of its own is asked about, locked and joined all the same: its row says how. */
import { type KINDS, type Kind, kinds, rows } from '@gatehouse/contract/kinds/kinds';
import type { Command } from 'commander';
import type { CommandDeps } from '../command.ts';
import { addAppCommands } from './app/apps.ts';
import { addNodeCommands } from './node/nodes.ts';

const COMMANDS: { readonly [K in Kind]?: (program: Command, deps: CommandDeps) => void } = {
  node: addNodeCommands,
  app: addAppCommands,
};

export function addKindCommands(program: Command, deps: CommandDeps): void {
  for (const kind of kinds) COMMANDS[kind]?.(program, deps);
}

/** What people write → the role of join tokens on the wire. */
export const TOKEN_TYPES = Object.fromEntries(rows.map(({ kind, joinRole }) => [kind, joinRole])) as {
  readonly [K in Kind]: (typeof KINDS)[K]['joinRole'];
};

/** Flag → what is locked, and its words in the help. */
export const KIND_LOCK_FLAGS: Readonly<Record<string, readonly [target: string, words: string]>> = Object.fromEntries(
  rows.flatMap(({ lockTarget, noun }) =>
    lockTarget === undefined
      ? []
      : [[noun.replaceAll(' ', '-').toLowerCase(), [lockTarget, `a ${noun}, by id or name`]]],
  ),
);
