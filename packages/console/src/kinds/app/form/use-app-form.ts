/** The state of a form about an application: what is typed, what may already be called wrong, and sending it. */
import type { NewApp } from '@gatehouse/contract/kinds/app/apps';
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { type AppDraft, checkDraft, type Faults } from './app-draft.ts';

export interface AppFieldsProps {
  draft: AppDraft;
  onDraft: (change: Partial<AppDraft>) => void;
  /** What is wrong, by field; only with what somebody has left or sent. */
  faults: Faults;
  onLeave: (field: string) => void;
}

export function useAppForm(first: AppDraft, send: (app: NewApp) => Promise<unknown>, onDone: (app: NewApp) => void) {
  const [draft, setDraft] = useState(first);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isSent, setSent] = useState(false);
  const attempt = useAttempt();
  const queries = useQueryClient();
  const checked = checkDraft(draft);
  const { failure } = attempt;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    const { app } = checkDraft(draft);
    if (!app) return;
    if (!(await attempt.run(() => send(app)))) return;
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
    onDone(app);
  };
  const onDraft = (change: Partial<AppDraft>) => {
    setDraft((before) => ({ ...before, ...change }));
    attempt.forget();
  };
  return {
    draft,
    onDraft,
    onLeave: (field: string) => setLeft((before) => (before.has(field) ? before : new Set([...before, field]))),
    faults: withRefusal(shownFaults(checked.faults ?? {}, draft, isSent ? undefined : left), failure),
    /** What the gateway refused and no field stands for. */
    failure: failure && !FIELDS.has(failure.field ?? '') ? failure.message : undefined,
    isBusy: attempt.isBusy,
    submit,
  };
}

const FIELDS: ReadonlySet<string> = new Set(['name', 'uri', 'publicAddr', 'ca', 'serverName']);

/** Before it is sent, an empty field is not wrong yet, and neither is one that is still being typed. Labels are read at once. */
function shownFaults(faults: Faults, draft: AppDraft, left: ReadonlySet<string> | undefined): Faults {
  if (!left) return faults;
  const isEmpty = (field: string) => (field === 'name' || field === 'uri') && draft[field] === '';
  return Object.fromEntries(
    Object.entries(faults).filter(([field]) => (left.has(field) && !isEmpty(field)) || field === 'labels'),
  );
}

function withRefusal(faults: Faults, failure: { message: string; field: string | undefined } | undefined): Faults {
  if (!failure?.field || !FIELDS.has(failure.field)) return faults;
  return { ...faults, [failure.field]: failure.message };
}
