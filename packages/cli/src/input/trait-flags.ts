/** Flags that set the traits of a user. */
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Flag → trait. */
const TRAIT_FLAGS = {
  logins: ['logins', 'accounts on servers'],
  dbUsers: ['databaseUsers', 'database users'],
  dbNames: ['databaseNames', 'databases'],
  kubeUsers: ['kubeUsers', 'Kubernetes users'],
  kubeGroups: ['kubeGroups', 'Kubernetes groups'],
  windowsLogins: ['windowsLogins', 'accounts on Windows desktops'],
  awsRoleArns: ['awsRoleArns', 'AWS roles'],
} as const;

type TraitFlag = keyof typeof TRAIT_FLAGS;
export type TraitOptions = Partial<Record<TraitFlag, string[]>>;

export function addTraitFlags(command: Command): Command {
  for (const [flag, [, words]] of Object.entries(TRAIT_FLAGS)) {
    command.addOption(new Option(`--${dashed(flag)} <names>`, `${words}, separated by commas`).argParser(nameList));
  }
  return command;
}

export function traitsIn(options: TraitOptions): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(TRAIT_FLAGS).flatMap(([flag, [trait]]) => {
      const values = options[flag as TraitFlag];
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
