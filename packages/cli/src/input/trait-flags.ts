/** Flags that set the traits of a user. */
import type { Trait } from '@gatehouse/contract/identity/users/traits';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Trait → flag. */
const TRAIT_FLAGS = {
  logins: ['logins', 'accounts on servers'],
  databaseUsers: ['dbUsers', 'database users'],
  databaseNames: ['dbNames', 'databases'],
  kubeUsers: ['kubeUsers', 'Kubernetes users'],
  kubeGroups: ['kubeGroups', 'Kubernetes groups'],
  windowsLogins: ['windowsLogins', 'accounts on Windows desktops'],
  awsRoleArns: ['awsRoleArns', 'AWS roles'],
} as const satisfies Record<Trait, readonly [flag: string, words: string]>;

type TraitFlag = (typeof TRAIT_FLAGS)[Trait][0];
export type TraitOptions = Partial<Record<TraitFlag, string[]>>;

export function addTraitFlags(command: Command): Command {
  for (const [flag, words] of Object.values(TRAIT_FLAGS)) {
    command.addOption(new Option(`--${dashed(flag)} <names>`, `${words}, separated by commas`).argParser(nameList));
  }
  return command;
}

export function traitsIn(options: TraitOptions): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(TRAIT_FLAGS).flatMap(([trait, [flag]]) => {
      const values = options[flag];
      return values ? [[trait, values]] : [];
    }),
  );
}

export function nameList(text: string): string[] {
  const values = text.split(',').map((value) => value.trim());
  if (values.some((value) => value === '')) throw new InvalidArgumentError('write names separated by commas.');
  return values;
}

/** `dbUsers` as a flag is written. */
export function dashed(flag: string): string {
  return flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
