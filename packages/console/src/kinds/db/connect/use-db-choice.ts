/** As whom and into which database somebody wants, begun with what was used last. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import { useState } from 'react';
import { useChoiceMemory } from './choice-memory.ts';
import { type DbChoice, firstChoice, fits, nameChoices, userChoices, usualName } from './db-choices.ts';

export function useDbChoice(database: Database) {
  const [last, remember] = useChoiceMemory(database.name);
  const [choice, setChoice] = useState(() => firstChoice(database, last));
  const [users, names] = [userChoices(database), nameChoices(database)];
  const choose = (change: Partial<DbChoice>) => {
    const next = { ...choice, ...change };
    setChoice(next);
    if (fits(users, next.dbUser)) remember(next);
  };
  // Left empty it is the default, where there is one: without, it would be refused.
  const isNamed = choice.dbName === '' ? usualName(database) !== '' : fits(names, choice.dbName);
  const isChosen = fits(users, choice.dbUser) && isNamed;
  return { choice, users, names, choose, isChosen };
}
