/** Where somebody works at a database, as whom and in which. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { DbChoice } from './db-choices.ts';

export function workbenchPath(clusterId: string, name: string, { dbUser, dbName }: DbChoice): string {
  const query = new URLSearchParams({ user: dbUser, ...(dbName === '' ? {} : { database: dbName }) });
  return `${pagePath('workbench', { clusterId, name })}?${query}`;
}
