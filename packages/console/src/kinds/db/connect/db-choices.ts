/** As whom somebody can connect to a database, and to which of the databases in it. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import { usualDatabase } from '@gatehouse/contract/kinds/db/db-address';
import { dbPrincipal } from '@gatehouse/contract/kinds/db/db-spec';

/** Stands among the names where any may be typed. */
const ANY = '*';

export interface Choices {
  /** Those that are named, the likeliest first. */
  named: readonly string[];
  /** Others may be typed. */
  isAny: boolean;
}

export interface DbChoice {
  dbUser: string;
  /** Empty: the default of the database. */
  dbName: string;
}

export function userChoices({ database_users = [] }: Database): Choices {
  return choicesOf(database_users);
}

/** What is meant by an empty name. */
export function usualName({ protocol, gatehouse }: Database): string {
  return usualDatabase(protocol, gatehouse?.database);
}

/** The default of the database first. */
export function nameChoices(database: Database): Choices {
  const { database_names = [] } = database;
  const { named, isAny } = choicesOf(database_names);
  const standard = usualName(database);
  if (standard === '' || (!isAny && !named.includes(standard))) return { named, isAny };
  return { named: [standard, ...named.filter((name) => name !== standard)], isAny };
}

function choicesOf(names: readonly string[]): Choices {
  return { named: names.filter((name) => name !== ANY), isAny: names.includes(ANY) };
}

/** Roles give no user, or no database: there is nothing to connect as, or to. */
export function lacks(database: Database): 'user' | 'name' | undefined {
  if (isNone(userChoices(database))) return 'user';
  return isNone(nameChoices(database)) ? 'name' : undefined;
}

function isNone({ named, isAny }: Choices): boolean {
  return named.length === 0 && !isAny;
}

/** What to begin with: what was used here last, if it still may be used. */
export function firstChoice(database: Database, last: DbChoice | undefined): DbChoice {
  const pick = (choices: Choices, used: string | undefined) =>
    used !== undefined && fits(choices, used) ? used : (choices.named[0] ?? '');
  return {
    dbUser: pick(userChoices(database), last?.dbUser),
    dbName: pick(nameChoices(database), last?.dbName || undefined),
  };
}

/** One user and one database, and no other may be typed. */
export function isOnlyChoice(database: Database): boolean {
  return [userChoices(database), nameChoices(database)].every(({ named, isAny }) => named.length === 1 && !isAny);
}

export function fits({ named, isAny }: Choices, name: string): boolean {
  return named.includes(name) || (isAny && dbPrincipal.safeParse(name).success);
}
