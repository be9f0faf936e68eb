/** The form about a database: what its fields are called, and which of them wait to be left. */
import { type FieldsProps, useResourceForm } from '../../../shared/resource-form/use-resource-form.ts';
import { checkDraft, type DbDraft, type WantedDb } from './db-draft.ts';

export type DbFieldsProps = FieldsProps<DbDraft>;

const RULES = {
  check: checkDraft,
  fields: new Set(['name', 'uri', 'tls.ca', 'tls.serverName', 'database']),
  atOnce: new Set(['labels', 'tls.mode', 'signIn']),
  mayWait: new Set(['name', 'uri', 'dbUser', 'password'] as const),
};

export function useDbForm(
  first: DbDraft,
  send: (wanted: WantedDb) => Promise<unknown>,
  onDone: (wanted: WantedDb) => void,
) {
  return useResourceForm(RULES, first, send, onDone);
}
