/** The form about an application: what its fields are called, and which of them wait to be left. */
import type { NewApp } from '@gatehouse/contract/kinds/app/apps';
import { type FieldsProps, useResourceForm } from '../../../shared/resource-form/use-resource-form.ts';
import { type AppDraft, checkDraft } from './app-draft.ts';

export type AppFieldsProps = FieldsProps<AppDraft>;

const RULES = {
  check: checkDraft,
  fields: new Set(['name', 'uri', 'publicAddr', 'ca', 'serverName']),
  atOnce: new Set(['labels']),
  mayWait: new Set(['name', 'uri'] as const),
};

export function useAppForm(first: AppDraft, send: (app: NewApp) => Promise<unknown>, onDone: (app: NewApp) => void) {
  return useResourceForm(RULES, first, send, onDone);
}
